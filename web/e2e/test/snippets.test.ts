// The page client's table of snippets, each run through the real CLI and hub, once as text and once as JSON.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { CommandOutput } from "../../harness/home.js";
import { web } from "../../harness/program.js";
import { Stage } from "../stage/stage.js";

interface Snippet {
  readonly code: string;
  /** A typed answer without its id: `:text`, `=json`, `~rendering`, or the beginning of `!code message`. */
  readonly answer: string;
}

const CLIENT_TESTS = join(web(), "client/test");
const EXIT_THREW = 1;
const snippets = JSON.parse(readFileSync(join(CLIENT_TESTS, "snippets.json"), "utf8")) as Snippet[];

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  const html = readFileSync(join(CLIENT_TESTS, "snippets.html"), "utf8").replace(
    "<head>",
    `<head><script src="${stage.home.url}/eye.js"></script>`,
  );
  stage.site.serve("/", (_, response) => response.setHeader("content-type", "text/html; charset=utf-8").end(html));
});

after(() => stage.close());

for (const [form, flags, shown] of [
  ["text", [], (answer: string) => answer.slice(1)],
  [
    "JSON",
    ["--json"],
    (answer: string) => (answer.startsWith("=") ? answer.slice(1) : JSON.stringify(answer.slice(1))),
  ],
] as const) {
  describe(`as ${form}`, () => {
    let page = "";

    before(async () => {
      page = (await stage.visit("/")).session;
    });

    for (const { code, answer } of snippets) {
      test(`${JSON.stringify(code)} answers ${JSON.stringify(answer)}`, async () => {
        const ran = await stage.home.eye(...flags, "--page", page, "--", code);
        if (answer.startsWith("!")) assertThrew(ran, answer);
        else
          assert.deepEqual(
            { ...ran, stdout: ran.stdout.slice(0, 10_000) },
            { stdout: `${shown(answer)}\n`, stderr: "", code: 0 },
          );
      });
    }
  });
}

function assertThrew({ stdout, stderr, code }: CommandOutput, answer: string): void {
  const message = answer.slice(answer.indexOf(" ") + 1).split("\x1f")[0] ?? "";
  assert.equal(stdout, "");
  assert.ok(stderr.startsWith(`error: page: ${message.replaceAll("\n", "\n  ")}`), stderr.slice(0, 300));
  assert.equal(code, EXIT_THREW);
}
