// One call from the shell prints one answer on stdout, and nothing else.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Stage } from "../stage/stage.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/", { title: "Shop & Söhne", body: "<script>var count = 0</script>" });
  stage.site.serve("/health", (_, response) => response.end(JSON.stringify({ status: "ok" })));
  await stage.visit("/");
});

after(() => stage.close());

test("a title is printed as it is, with a newline and nothing else", async () => {
  assert.deepEqual(await stage.home.eye("document.title"), { stdout: "Shop & Söhne\n", stderr: "", code: 0 });
});

test("promises are awaited, at the top level too", async () => {
  const { stdout, code } = await stage.home.eye('await fetch("/health").then(r=>r.json())');
  assert.equal(stdout, '{"status":"ok"}\n');
  assert.equal(code, 0);
});

test("what the page's code throws is an error on stderr and exit 1", async () => {
  const { stdout, stderr, code } = await stage.home.eye('throw new Error("x")');
  assert.equal(stdout, "");
  assert.equal(stderr.split("\n")[0], "error: page: x");
  assert.equal(code, 1);
});

test("a syntax error says where in the agent's own code it is, and nothing runs", async () => {
  const { stderr, code } = await stage.home.eye("count++;\n  foo(1,,2)");
  assert.match(stderr, /^error: page: SyntaxError: .*\(line 2, col 9\)$/m);
  assert.equal(code, 1);
  assert.equal((await stage.home.eye("count")).stdout, "0\n");
});

test("code runs exactly once", async () => {
  await stage.home.eye("count = 0");
  await stage.home.eye("count++; await 0; count++");
  await stage.home.eye("count++; throw new SyntaxError('mine')");
  assert.equal((await stage.home.eye("count")).stdout, "3\n");
});

test("the body of a condition that does not hold is never run", async () => {
  await stage.home.eye("count = 0");
  await stage.home.eye("await 0\nif (!true)\n count = 100");
  await stage.home.eye("await 0\nwhile (false)\n count = 100");
  assert.equal((await stage.home.eye("count")).stdout, "0\n");
});

test("code comes from stdin and from a file too", async () => {
  const file = join(stage.home.folder, "code.js");
  await writeFile(file, "const parts = [1, 2]\nparts.length");
  assert.equal((await stage.home.eyeWith({ stdin: "6 *\n7" }, "-")).stdout, "42\n");
  assert.equal((await stage.home.eye("-f", file)).stdout, "2\n");
  assert.equal((await stage.home.eye("--", "-1")).stdout, "-1\n");
});

test("--json tells a string from a number", async () => {
  assert.equal((await stage.home.eye("--json", "'5'")).stdout, '"5"\n');
  assert.equal((await stage.home.eye("--json", "5")).stdout, "5\n");
});

test("--errors prints nothing on success", async () => {
  assert.deepEqual(await stage.home.eye("--errors", "document.title"), { stdout: "", stderr: "", code: 0 });
});

test("two words that are no verb are a usage error", async () => {
  assert.equal((await stage.home.eye("document", "title")).code, 2);
});
