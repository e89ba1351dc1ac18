// The desktop through the CLI: the examples of the bridge with which this project began, unchanged.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Desktop, type WindowRow } from "../stage/desktop.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

const APPS = ["chat", "files", "notepad", "calendar", "agents", "claude-eyes", "javascript.ide"];

let stage: Stage;
let desktop: Desktop;

before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());
beforeEach(async () => {
  desktop = await Desktop.open(stage);
});
afterEach(() => desktop.close());

/** Fire and forget does not report its end; the page's state does. */
function comes(code: string, value: unknown): Promise<true> {
  return until(`${code} is ${JSON.stringify(value)}`, async () =>
    (await desktop.evaluate(code)) === value ? true : undefined,
  );
}

test("eval 'document.title' prints the title", async () => {
  assert.deepEqual(await desktop.eye("eval", "document.title"), { stdout: "Desktop\n", stderr: "", code: 0 });
});

test("state prints user, windows with their geometry, the active window and the apps", async () => {
  await desktop.output("eval", 'openSystemApp("files")');
  const row = await desktop.shows("the window is there", ({ windows }) => windows[0]);
  const { x, y, width, height } = await desktop.box("[data-window='0'].window");
  assert.deepEqual(row, { id: 0, title: "Files", minimized: false, x, y, width, height });
  const { user, activeWindow, apps } = await desktop.state();
  assert.deepEqual({ user, activeWindow, apps }, { user: "root", activeWindow: 0, apps: APPS });
  assert.equal(await desktop.output("state", "windows.0.title"), "Files");
});

test("one field of getState crosses the wire, and nothing around it", async () => {
  assert.equal(await desktop.output("eval", "ALGO.bridge.getState().user"), "root");
  assert.equal(await desktop.output("eval", "ALGO.bridge.getState().windows.length"), "0");
  const state = await desktop.evaluate<Record<string, unknown>>("ALGO.bridge.getState()");
  assert.deepEqual(Object.keys(state), ["user", "windows", "activeWindow", "systemApps", "pubsubApps"]);
  assert.deepEqual(await desktop.evaluate("ALGO.bridge.getState().systemApps[4]"), {
    id: "agents",
    name: "Agents",
    icon: "⚡",
  });
});

test("what dedicated tools do, eval does", async () => {
  assert.equal(await desktop.output("eval", 'document.querySelector(".btn")'), "null");
  assert.match(await desktop.output("eval", 'document.querySelector(".desktop-icon")'), /^<button.*desktop-icon.*Chat/);
  await desktop.output("eval", 'document.querySelector("#start-button").click()');
  assert.equal(await desktop.page.locator("#start-menu").isVisible(), true);
  await desktop.output("eval", 'openSystemApp("chat")');
  assert.equal(await desktop.page.locator(".window[data-app=chat]").isVisible(), true);
});

test("a promise is answered with its value", async () => {
  const answer = await desktop.output("eval", 'fetch("/api/files/get?path=x").then(r=>r.json())');
  const { content } = JSON.parse(answer) as { content: string };
  assert.ok(content.length > 100);
  const code = `await (async () => {
  let r = await fetch("/api/files/get?path=x");
  return (await r.json()).content.slice(0,100);
})()`;
  assert.equal(await desktop.output("eval", code), content.slice(0, 100));
});

test("--quiet changes nothing more, --errors prints only what went wrong", async () => {
  assert.equal((await desktop.eye("eval", "document.title", "--quiet")).stdout, "Desktop\n");
  assert.deepEqual(await desktop.eye("eval", "document.title", "--errors"), { stdout: "", stderr: "", code: 0 });
  const { stdout, stderr, code } = await desktop.eye("eval", "riskyOperation()", "--errors");
  assert.deepEqual([stdout, code], ["", 1]);
  assert.match(stderr, /riskyOperation is not defined/);
});

test("apps are opened with eval", async () => {
  for (const app of ["chat", "files", "notepad"]) await desktop.output("eval", `openSystemApp("${app}")`);
  assert.deepEqual(
    (await desktop.evaluate<WindowRow[]>("windows")).map(({ title }) => title),
    ["Chat", "Files", "untitled.txt"],
  );
  assert.equal(await desktop.output("eval", "windows.length"), "3");
});

test("open chat opens the app, whatever its case; open alone lists them", async () => {
  assert.equal(await desktop.output("open", "chat"), '{"opened":"chat"}');
  assert.equal(await desktop.output("open", "Claude Eyes"), '{"opened":"claude-eyes"}');
  assert.deepEqual(
    (await desktop.evaluate<WindowRow[]>("windows")).map(({ title }) => title),
    ["Chat", "Claude Eyes"],
  );
  const listed = await desktop.output("open");
  for (const app of APPS) assert.ok(listed.includes(app), `${app} in\n${listed}`);
  assert.match(
    (await desktop.eye("open", "solitaire")).stderr,
    /^error: page: no app solitaire\nhint: its apps: `chat`, `files`/,
  );
});

test("connect returns at once, eval goes on as before, and disconnect says what is left", async () => {
  assert.match(await desktop.output("connect"), /^(?:ready|running|connected) /);
  assert.equal(await desktop.output("eval", "document.title"), "Desktop");
  assert.equal((await desktop.eye("disconnect")).code, 0);
  assert.equal(await desktop.output("eval", "document.title"), "Desktop");
});

test("fire and forget answers nothing, and is done", async () => {
  const logged = desktop.page.waitForEvent("console", (message) => message.text() === "debug");
  for (const code of ['openSystemApp("chat")', 'document.title = "New"', 'console.log("debug")']) {
    assert.deepEqual(await desktop.eye("fire", code), { stdout: "", stderr: "", code: 0 });
  }
  await logged;
  await comes("document.title", "New");
  await comes("windows.length", 1);
});

test("openNotepad, getUser, windows, apps, wins, $ and $$ are there", async () => {
  assert.deepEqual(await desktop.evaluate("openNotepad()"), { id: 0, title: "untitled.txt" });
  assert.deepEqual(await desktop.evaluate('openNotepad("welcome.md")'), { id: 1, title: "welcome.md" });
  assert.equal(await desktop.output("getUser()"), "root");
  assert.deepEqual(await desktop.evaluate("apps()"), APPS);
  assert.deepEqual(await desktop.evaluate("wins()"), [
    { id: 0, title: "untitled.txt" },
    { id: 1, title: "welcome.md" },
  ]);
  assert.equal(await desktop.output('$("#start-button").tagName'), "BUTTON");
  assert.deepEqual(await desktop.evaluate('$$(".desktop-icon").map(icon => icon.dataset.app)'), APPS);
  assert.equal(await desktop.output("ALGO.vm.eval('getUser()')"), "root");
  assert.deepEqual(await desktop.evaluate("getState()"), await desktop.evaluate("ALGO.bridge.getState()"));
  const unknown = await desktop.eye('openSystemApp("solitaire")');
  assert.match(unknown.stderr, /App not found: solitaire; there are chat, files/);
});

test("the bridge answers as the original did", async () => {
  const bridge = (call: string) => desktop.evaluate<unknown>(`ALGO.bridge.${call}`);
  assert.deepEqual(await bridge("eval('1+1')"), { success: true, result: 2, type: "number" });
  assert.deepEqual(await bridge("eval('undefined').type"), "undefined");
  assert.deepEqual(await bridge("eval('(n) => n')"), { success: true, result: "(n) => n", type: "function" });
  assert.deepEqual(await bridge("eval('Promise.resolve(7)')"), { success: true, result: 7, type: "number" });
  assert.deepEqual(await bridge("eval('document.createElement(\"hr\")')"), {
    success: true,
    result: "<hr>",
    type: "element",
  });
  assert.deepEqual(await bridge("eval('document.querySelectorAll(\"title\")')"), {
    success: true,
    result: ["<title>Desktop</title>"],
    type: "nodelist",
  });
  const failed = (await bridge("eval('nope')")) as { success: boolean; error: string; stack: string };
  assert.deepEqual([failed.success, failed.error, failed.stack.length > 0], [false, "nope is not defined", true]);
  const found = (await bridge("query('#start-button')")) as {
    result: { tag: string; id: string; rect: { width: number } };
  };
  assert.deepEqual([found.result.tag, found.result.id, found.result.rect.width], ["button", "start-button", 42]);
  assert.deepEqual(await bridge("query('#nothing')"), { success: true, result: null });
  const all = (await bridge("queryAll('.desktop-icon')")) as { count: number; result: { text: string }[] };
  assert.deepEqual([all.count, all.result.map(({ text }) => text).at(-1)], [7, "JSjavascript.ide"]);
  assert.deepEqual(await bridge("openApp('CHAT')"), { success: true, opened: "chat", name: "Chat" });
  assert.deepEqual(await bridge("openApp('x')"), { success: false, error: "App not found: x" });
  assert.deepEqual(await bridge("setValue('.chat-form input', 'hi')"), {
    success: true,
    selector: ".chat-form input",
    value: "hi",
  });
  assert.deepEqual(await bridge("click('.chat-form button')"), { success: true, clicked: ".chat-form button" });
  assert.equal(await desktop.page.locator(".chat-line.is-mine p").textContent(), "hi");
  assert.deepEqual(await bridge("click('#nothing')"), { success: false, error: "Element not found: #nothing" });
  await bridge("openApp('files')");
  assert.deepEqual(await bridge("focusWindow(0)"), { success: true, focused: 0 });
  assert.equal(await desktop.output("ALGO.bridge.getState().activeWindow"), "0");
  assert.deepEqual(await bridge("closeWindow(0)"), { success: true, closed: 0 });
  assert.deepEqual(await bridge("closeWindow(0)"), { success: false, error: "Window not found: 0" });
});

test("the file store answers like a server", async () => {
  const list = await desktop.evaluate<{ files: unknown[] }>('fetch("/api/files/list?path=notes").then(r => r.json())');
  const { length } = await desktop.evaluate<string>(
    `fetch("/api/files/get?path=notes/ideas.md").then(r => r.json()).then(f => f.content)`,
  );
  assert.deepEqual(list.files[0], { name: "ideas.md", path: "notes/ideas.md", type: "file", size: length });
  const save =
    'fetch("/api/files/save", {method: "POST", body: JSON.stringify({path: "notes/new.txt", content: "kept"})}).then(r => r.json())';
  assert.deepEqual(await desktop.evaluate(save), { success: true });
  await desktop.reload();
  assert.deepEqual(await desktop.evaluate('fetch("/api/files/get?path=notes/new.txt").then(r => r.json())'), {
    content: "kept",
  });
  const status = (request: string) =>
    desktop.evaluate<unknown>(`fetch(${request}).then(async r => [r.status, (await r.json()).error])`);
  assert.deepEqual(await status('"/api/files/get?path=gone"'), [404, "File not found: gone"]);
  assert.deepEqual(await status('"/api/files/get?path=../x"'), [400, "not inside the files: ../x"]);
  assert.deepEqual(await status('"/api/files/save", {method: "POST", body: "{}"}'), [
    400,
    "save needs {path, content}",
  ]);
  assert.deepEqual(await status('"/api/files/save"'), [405, "use POST"]);
  assert.equal(await desktop.output('fetch("/health").then(r => r.json()).then(h => h.status)'), "ok");
});

test("topics inside the page have the original's results", async () => {
  const pubsub = (call: string) => desktop.evaluate<unknown>(`ALGO.pubsub.${call}`);
  // The original knew only its own page's listeners.
  const reason = "no subscribers here, passed on to the hub";
  assert.deepEqual(await pubsub('publish("nobody", 1)'), { status: "queued", reason });
  assert.deepEqual(await pubsub('publish("nobody", 2, {queue: false})'), { status: "dropped", reason });
  assert.deepEqual(
    await desktop.evaluate('new Promise(heard => ALGO.pubsub.subscribe("nobody", message => heard(message)))'),
    1,
  );
  assert.deepEqual(await pubsub('publish("calendar", 1, {autoOpen: true})'), {
    status: "queued",
    reason: "app opening",
  });
  assert.deepEqual(await pubsub('publish("chat", "hello")'), { status: "delivered", count: 1 });
  await desktop.output('ALGO.pubsub.subscribe("add", m => ALGO.pubsub.respond(m, m.a + m.b)); 0');
  assert.equal(await desktop.output('ALGO.pubsub.request("add", {a: 1, b: 2})'), "3");
  assert.match((await desktop.eye('ALGO.pubsub.request("silence", {}, {timeout: 50})')).stderr, /Request timeout/);
});

test("the icon of javascript.ide is changed in three calls", async () => {
  const session = [
    ["$$('.desktop-icon').map(i => i.dataset.app)"],
    ["call", "set_icon", "app=javascript.ide", "icon=🦊"],
    [`$('[data-app="javascript.ide"]').innerText`],
  ];
  const answers = [];
  for (const call of session) answers.push(await desktop.output(...call));
  assert.deepEqual(answers, [JSON.stringify(APPS), "javascript.ide: 🦊", "🦊\njavascript.ide"]);
  const written = session.map((call) => `eye ${call.join(" ")}`).join("") + answers.join("");
  // The original needed 13 calls and about 1,600 tokens; no text here takes more than half a token per character.
  assert.ok(written.length <= 300, `${String(written.length)} characters`);
  assert.equal(await desktop.page.locator('[data-app="javascript.ide"] .tile').textContent(), "🦊");
});

test("its tools open, move, arrange and close windows, and keep files", async () => {
  const opened = JSON.parse(await desktop.output("call", "open_app", "app=notepad", "path=welcome.md")) as WindowRow;
  assert.equal(opened.title, "welcome.md");
  const moved = JSON.parse(
    await desktop.output("call", "move_window", "id=0", "x=5000", "y=40", "width=400", "height=300"),
  ) as WindowRow;
  assert.deepEqual(moved, { id: 0, title: "welcome.md", minimized: false, x: 880, y: 40, width: 400, height: 300 });
  assert.deepEqual(await desktop.box(".window[data-window='0']"), { x: 880, y: 40, width: 400, height: 300 });
  await desktop.output("call", "open_app", "app=chat");
  const [left, right] = JSON.parse(await desktop.output("call", "arrange_windows", "layout=tile")) as WindowRow[];
  assert.ok(left !== undefined && right !== undefined && left.x + left.width < right.x, "side by side");
  assert.equal(await desktop.output("call", "write_note", "path=a/b.txt", "content=one"), "a/b.txt: 3 characters");
  assert.equal(
    await desktop.output("call", "write_note", "path=a/b.txt", "content=two", "append=true", "show=true"),
    "a/b.txt: 6 characters",
  );
  assert.equal(await desktop.page.locator(".window.is-active textarea").inputValue(), "onetwo");
  assert.equal(await desktop.output("call", "read_file", "path=a/b.txt"), "onetwo");
  assert.equal(await desktop.output("call", "list_files", "path=a"), "a/b.txt 6");
  await desktop.page.locator(".window.is-active textarea").fill("changed by hand");
  assert.match(
    (await desktop.eye("call", "close_window", "id=2")).stderr,
    /b\.txt has unsaved text; pass discard to lose it/,
  );
  assert.equal(await desktop.output("call", "close_window", "id=2", "discard=true"), "closed a/b.txt");
  assert.match(
    (await desktop.eye("call", "close_window", "id=2")).stderr,
    /Window not found: 2; there are 0 welcome\.md, 1 Chat/,
  );
});
