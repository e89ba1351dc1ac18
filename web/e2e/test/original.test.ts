// The original eye's agents and pages, unchanged, on their original endpoints.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { opened, refused } from "../stage/knock.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

interface OriginalPage {
  readonly frames: readonly string[];
}

/** As the original page handles a command: a direct eval, awaited, serialized as JSON if possible. */
const ORIGINAL_PAGE = (url: string): string => `<script>
  var frames = [];
  var socket = new WebSocket(${JSON.stringify(url)});
  socket.onopen = () => socket.send("ping");
  socket.onmessage = async ({ data }) => {
    frames.push(data);
    const found = /^EYE_CMD:([A-Za-z0-9_]{0,19}):([^]*)$/.exec(data);
    if (!found) return;
    const [, id, code] = found;
    try {
      const value = await (0, eval)(code);
      const text = JSON.stringify(value);
      socket.send("EYE:" + id + ":" + (text === undefined ? String(value) : text));
    } catch (error) {
      socket.send("EYE:" + id + "!:" + error.message);
    }
  };
</script>`;

let stage: Stage;
let token: string;

before(async () => {
  stage = await Stage.open();
  token = await stage.home.token();
  stage.site.page("/", { title: "New page", tag: 'data-alias="new"' });
  stage.site.page("/original.html", {
    title: "Original",
    tag: false,
    body: ORIGINAL_PAGE(`${stage.home.url.replace("http", "ws")}/api/eye-bridge?token=${token}`),
  });
});

after(() => stage.close());

const agent = (given = token) => opened(stage.home.port, `/api/eye?token=${given}`);

for (const path of ["/api/eye", "/api/eye-bridge"]) {
  test(`${path} says what the original said to clients without a token, or with a wrong one`, async () => {
    for (const [query, text] of [
      ["", "Token required"],
      ["?token=", "Token required"],
      ["?token=wrong", "Invalid token"],
    ] as const) {
      const { status, body } = await refused(stage.home.port, path + query);
      assert.equal(status, 401);
      assert.equal(body.trim(), text);
    }
  });
}

test("an agent without any page is told so, and closed", async () => {
  const line = await agent();
  assert.equal(await line.next(), "!:No browser connected");
  await line.closed();
});

test("original agents ask a page of ours, read strings in quotes, and do not see each other's answers", async (t) => {
  const { page } = await stage.visit("/");
  t.after(() => page.close());
  const line = await agent();
  assert.equal(await line.next(), ":ready");
  for (const [code, answer] of [
    ["document.title", 'a:"New page"'],
    ["1+1", "a:2"],
    ["({a: [1]})", 'a:{"a":[1]}'],
    ["undefined", "a:undefined"],
    ['throw new Error("x")', "a!:x"],
  ] as const) {
    line.socket.send(`a:${code}`);
    assert.equal(await line.next(), answer);
  }
  line.socket.send("window.fired = 1");
  line.socket.send("b:window.fired");
  assert.equal(await line.next(), "b:1");
  line.socket.close();
  const [one, two] = [await agent(), await agent()];
  assert.deepEqual([await one.next(), await two.next()], [":ready", ":ready"]);
  one.socket.send("m1:'one'");
  two.socket.send("m1:'two'");
  assert.deepEqual([await one.next(), await two.next()], ['m1:"one"', 'm1:"two"']);
  assert.deepEqual([one.messages, two.messages], [[], []]);
  one.socket.close();
  two.socket.close();
});

test("an original page is asked by our CLI and by an original agent", async () => {
  const page = await stage.context.newPage();
  await page.goto(stage.site.url("/original.html"));
  await page.waitForFunction(() => (globalThis as unknown as OriginalPage).frames.includes("pong"));
  const first = await page.evaluate(() => (globalThis as unknown as OriginalPage).frames[0]);
  assert.equal(first, "EYE_BRIDGE:ready");
  const { id } = await until("the original page has joined", async () =>
    (await stage.home.pages()).find((row) => row.title === "eye-bridge" && row.state === "connected"),
  );
  for (const [code, stdout] of [
    ["document.title", "Original\n"],
    ["Promise.resolve([1, 'x'])", '[1,"x"]\n'],
    ["undefined", "undefined\n"],
  ] as const) {
    assert.deepEqual(await stage.home.eye("--page", id, code), { stdout, stderr: "", code: 0 });
  }
  const threw = await stage.home.eye("--page", id, 'throw new Error("x")');
  assert.match(threw.stderr, /^error: page: x$/m);
  assert.equal(threw.code, 1);
  await stage.home.eye("--page", id, "fire", "window.fired = 'yes'");
  assert.equal((await stage.home.eye("--page", id, "window.fired")).stdout, "yes\n");
  await until(
    "only the original page is left",
    async () => (await stage.home.pages()).every((row) => row.id === id || row.state === "gone") || undefined,
  );
  const line = await agent();
  assert.equal(await line.next(), ":ready");
  line.socket.send("a:document.title");
  assert.equal(await line.next(), 'a:"Original"');
  line.socket.close();
});
