// Folders of programs that were just killed.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { removeFolder } from "../../harness/remove.mjs";

/** Fills a folder for half a second, as helper processes of a killed browser do, or until it is gone. */
const FILLING = `
  const { writeFileSync } = require("node:fs");
  const end = Date.now() + 500;
  try {
    for (let n = 0; Date.now() < end; n++) {
      writeFileSync(process.argv[1] + "/" + n, "x");
      if (n === 100) process.stdout.write("filling");
    }
  } catch {
    // The folder is gone.
  }
`;

test("a folder is removed although a process still writes there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "eye-remove-"));
  const filling = spawn(process.execPath, ["-e", FILLING, folder], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => filling.once("exit", resolve));
  await new Promise((resolve) => filling.stdout.once("data", resolve));
  await removeFolder(folder);
  await ended;
  assert.ok(!existsSync(folder));
});
