// Failures of a scene's browser: the error handling of the original's documentation, without its waits and its false
// successes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { opened, type Line } from "../stage/knock.js";
import { SceneTab, WEBGL_FLAGS } from "../stage/scene.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

const EXIT_FAILED = 1;
const EXIT_ABSENT = 3;

interface Frame {
  readonly id?: string;
  readonly method?: string;
}

let stage: Stage;

before(async () => {
  stage = await Stage.open(...WEBGL_FLAGS);
});

after(() => stage.close());

/** A page that the test controls completely. */
class ScriptedPage {
  private constructor(
    readonly session: string,
    readonly line: Line,
  ) {}

  static async join(session: string): Promise<ScriptedPage> {
    const line = await opened(stage.home.port, `/ws?sessionId=${session}&clientType=browser`, {
      origin: stage.home.url,
    });
    const page = new ScriptedPage(session, line);
    page.send({
      id: "hello",
      method: "hello",
      params: {
        clientType: "browser",
        version: "1.0.0",
        typed: true,
        page: { title: session, url: `${stage.home.url}/` },
      },
    });
    await page.frame((frame) => frame.id === "hello");
    return page;
  }

  send(frame: object): void {
    this.line.socket.send(JSON.stringify({ jsonrpc: "2.0", ...frame }));
  }

  async frame(wanted: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const frame = JSON.parse(await this.line.next()) as Frame;
      if (wanted(frame)) return frame;
    }
  }
}

test("a browser that disconnects while it is asked: the cache answers at once, with a warning", async () => {
  const page = await ScriptedPage.join("leaves-a-cache");
  page.send({ method: "state/update", params: { state: { model: { color: "#ff0000" } }, revision: 1 } });
  const call = await stage.home.start(["--page", page.session, "state", "--fresh", "model.color"]);
  await page.frame(({ method }) => method === "state/get");
  page.line.socket.terminate();
  const { stdout, stderr, code } = await call.ended;
  assert.equal(stdout, "#ff0000\n");
  assert.match(stderr, /^note: /);
  assert.equal(code, 0);
});

test("a browser that disconnects while it is asked, and left nothing in the cache, is an error", async () => {
  const page = await ScriptedPage.join("leaves-nothing");
  const call = await stage.home.start(["--page", page.session, "state", "model.color"]);
  await page.frame(({ method }) => method === "state/get");
  page.line.socket.terminate();
  const { stdout, stderr, code } = await call.ended;
  assert.equal(stdout, "");
  assert.match(stderr, /^error: Unable to retrieve state: Browser not connected$/m);
  assert.equal(code, EXIT_ABSENT);
});

test("a browser that disconnects while it carries out a command is an error, not a success", async () => {
  const page = await ScriptedPage.join("leaves-a-command");
  const schema = {
    type: "object",
    properties: { color: { type: "string" } },
    required: ["color"],
    additionalProperties: false,
  };
  page.send({
    id: "tools",
    method: "tools/register",
    params: { tools: [{ name: "change_model_color", inputSchema: schema }] },
  });
  await page.frame(({ id }) => id === "tools");
  const call = await stage.home.start(["--page", page.session, "call", "change_model_color", "color=#cc0000"]);
  await page.frame(({ method }) => method === "tools/call");
  page.line.socket.terminate();
  const { stdout, stderr, code } = await call.ended;
  assert.equal(stdout, "");
  assert.match(stderr, /^error: /);
  assert.equal(code, EXIT_ABSENT, stderr);
});

test("a malformed answer ends the query at once, and says that it was malformed", async () => {
  const page = await ScriptedPage.join("mumbles");
  const answers: readonly ((id: string) => void)[] = [
    (id) => page.send({ id, result: { state: { model: {} }, revision: "first" } }),
    (id) => page.send({ id, result: "red" }),
    (id) => page.send({ id, result: {} }),
  ];
  for (const answer of answers) {
    const call = await stage.home.start(["--page", page.session, "state", "model.color"]);
    const { id } = await page.frame(({ method }) => method === "state/get");
    answer(id ?? "");
    const { stdout, stderr, code } = await call.ended;
    assert.equal(stdout, "");
    assert.match(stderr, /^error: the page told a malformed state/);
    assert.equal(code, EXIT_FAILED, stderr);
  }
  page.line.socket.terminate();
});

test("several browsers stay apart: each has its own scene, and one that closes ends only its own queries", async () => {
  const other = await stage.browser.newContext();
  const [first, second] = [await SceneTab.open(stage, "first"), await SceneTab.open(stage, "second", other)];
  await first.call("change_model_color", "color=#ff0000");
  await second.call("change_model_color", "color=#0000ff");
  await first.cached("model.color", (color) => color === "#ff0000");
  await second.cached("model.color", (color) => color === "#0000ff");

  const wait = (tab: SceneTab) =>
    stage.home.start(["--page", tab.session, "new Promise((resolve) => { window.finish = resolve })"]);
  const [ending, staying] = [await wait(first), await wait(second)];
  for (const { page } of [first, second]) await page.waitForFunction(() => "finish" in window);
  await first.page.close();
  const ended = await ending.ended;
  assert.match(ended.stderr, /^error: /);
  assert.equal(ended.code, EXIT_ABSENT, ended.stderr);
  await second.page.evaluate(() => (window as unknown as { finish: (value: string) => void }).finish("still here"));
  assert.deepEqual(await staying.ended, { stdout: "still here\n", stderr: "", code: 0 });

  await until("the first is known to be gone", async () =>
    (await first.stateInfo("model.color")).stale ? true : undefined,
  );
  assert.equal((await second.stateInfo("model.color")).stale, false);
  assert.equal(await second.state("model.color"), "#0000ff");
  assert.equal(await first.state("model.color"), "#ff0000");
  await other.close();
});

test("two tabs of one browser are two sessions, also when the second is opened from the same address", async () => {
  const first = await SceneTab.open(stage, "shared");
  const page = await stage.context.newPage();
  const { session } = await stage.enter(page, `${stage.home.url}/apps/scene/?sessionId=shared`);
  assert.notEqual(session, first.session);
  await first.call("change_model_color", "color=plum");
  await first.cached("model.color", (color) => color === "#891e88");
  assert.equal((await stage.home.eye("--page", session, "state", "model.color")).stdout, "#ffffff\n");
  await page.close();
  assert.match(await first.call("get_model_color"), /^Model color: #891e88 /);
  await first.page.close();
});
