// Large values: complete up to the limit of a frame, then an error that names the limit.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Agent } from "../stage/agent.js";
import { Stage } from "../stage/stage.js";

const MEBIBYTE = 1024 * 1024;

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/", { title: "Large" });
  await stage.visit("/");
});

after(() => stage.close());

test("a string of 5 MiB arrives whole", async () => {
  const { stdout, code } = await stage.home.eye(
    `let text = ""; for (let i = 0; text.length < ${String(5 * MEBIBYTE)}; i++) text += String.fromCharCode(97 + i % 26); text`,
  );
  assert.equal(code, 0);
  assert.equal(stdout.length, 5 * MEBIBYTE + 1);
  assert.ok(
    stdout === `${"abcdefghijklmnopqrstuvwxyz".repeat(Math.ceil((5 * MEBIBYTE) / 26)).slice(0, 5 * MEBIBYTE)}\n`,
  );
});

test("an array of 5 MiB arrives whole, with all its letters", async () => {
  const { stdout } = await stage.home.eye("Array.from({ length: 400000 }, (_, i) => 'ö' + i)");
  const value = JSON.parse(stdout) as string[];
  assert.equal(value.length, 400_000);
  assert.ok(value.every((text, index) => text === `ö${String(index)}`));
});

test("code of 5 MiB reaches the page whole", async () => {
  const { stdout } = await stage.home.eyeWith({ stdin: `"${"x".repeat(5 * MEBIBYTE)}".length` }, "-");
  assert.equal(stdout, `${String(5 * MEBIBYTE)}\n`);
});

test("a value just under 16 MiB arrives, one over it is an error that names the limit", async () => {
  const under = await stage.home.eye(`"x".repeat(${String(16 * MEBIBYTE - 64)})`);
  assert.equal(under.stdout.length, 16 * MEBIBYTE - 63);
  const over = await stage.home.eye(`"x".repeat(${String(16 * MEBIBYTE + 1)})`);
  assert.equal(over.stdout, "");
  assert.match(over.stderr, /^error: .*16 MiB/);
  assert.match(over.stderr, /^hint: /m);
  assert.equal(over.code, 1);
  assert.equal((await stage.home.eye("1+1")).stdout, "2\n");
});

test("--max-bytes cuts what is printed", async () => {
  const { stdout, stderr } = await stage.home.eye("--max-bytes", "10", '"x".repeat(100)');
  assert.equal(stdout, `${"x".repeat(10)}\n`);
  assert.match(stderr, /90 more bytes/);
});

test("a small answer overtakes no other and waits for no other: ids keep large and small apart", async () => {
  const agent = await Agent.connect(stage.home.socket);
  agent.send(`big:"x".repeat(${String(5 * MEBIBYTE)})`, "small:1");
  assert.equal(await agent.frame((frame) => frame.startsWith("small:")), "small:1");
  assert.equal((await agent.frame((frame) => frame.startsWith("big:"))).length, 5 * MEBIBYTE + "big:".length);
  agent.close();
});
