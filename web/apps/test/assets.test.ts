// What the build writes into the folders that the hub is compiled from.

import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { replaceFolder } from "../../assets.mjs";

const LONG_AGO = new Date("2020-01-01");

test("a built file that is the same is not written again, others are, and files of before are removed", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "eye-assets-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const [built, kept] = [join(folder, "built"), join(folder, "kept")];
  const write = (name: string, bytes: Uint8Array | string): void => {
    mkdirSync(join(name, ".."), { recursive: true });
    writeFileSync(name, bytes);
  };
  write(join(built, "assets/same.js"), "same");
  write(join(built, "icon.png"), Uint8Array.of(0xff, 0xfe, 0));
  write(join(built, "new/page.html"), "new");
  write(join(kept, "assets/same.js"), "same");
  write(join(kept, "icon.png"), Uint8Array.of(0xff, 0xfd, 0));
  write(join(kept, "assets/old.js"), "old");
  const same = join(kept, "assets/same.js");
  utimesSync(same, LONG_AGO, LONG_AGO);

  replaceFolder(built, kept);
  assert.deepEqual(statSync(same).mtime, LONG_AGO);
  assert.deepEqual([...readFileSync(join(kept, "icon.png"))], [0xff, 0xfe, 0]);
  assert.equal(readFileSync(join(kept, "new/page.html"), "utf8"), "new");
  assert.deepEqual(readdirSync(join(kept, "assets")), ["same.js"]);
});
