// Every way of acting, from the command line and over MCP: buttons, keys, durations and positions of a click, dialogs,
// frames.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { Stage, type Visit } from "../stage/stage.js";
import { asking, refused, type Ask } from "../stage/verbs.js";
import { until } from "../../harness/until.js";

let stage: Stage;
let client: Client;

before(async () => {
  stage = await Stage.open();
  client = new Client({ name: "eye-e2e", version: "0.1.0" });
  const options = { requestInit: { headers: { Authorization: `Bearer ${await stage.home.token()}` } } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stage.home.url}/mcp`), options) as Transport);
});
after(async () => {
  await client.close();
  await stage.close();
});

let count = 0;

async function visit(body: string): Promise<{ readonly page: Visit; readonly ask: Ask }> {
  const path = `/reach-${String(++count)}.html`;
  stage.site.page(path, { title: "Reach", body });
  const page = await stage.visit(path);
  return { page, ask: asking(stage, page) };
}

/** A tool's answer over MCP. */
async function tool(page: Visit, name: string, args: object): Promise<string> {
  const result = await client.callTool({
    name: "mcp_call",
    arguments: { name, arguments: { page: page.session, ...args } },
  });
  const [first] = result.content as { text?: string }[];
  return first?.text ?? "";
}

const BOARD = `<div id=board style="width:200px;height:100px;background:#eee"></div><input id=name>
  <script>seen = []; down = 0;
  for (const type of ["click", "dblclick", "contextmenu"]) board.addEventListener(type, (event) =>
    seen.push([type, event.button, event.shiftKey, event.offsetX, event.offsetY].join()));
  board.addEventListener("pointerdown", () => down = performance.now());
  board.addEventListener("pointerup", () => held = performance.now() - down);</script>`;

test("a click is double, right, with keys, held, and at a place", async () => {
  const { page, ask } = await visit(BOARD);
  const seen = async (): Promise<unknown> => JSON.parse(await ask("--json", "seen.splice(0)"));
  await ask("click", "#board", "--double");
  assert.deepEqual(await seen(), ["click,0,false,100,50", "click,0,false,100,50", "dblclick,0,false,100,50"]);
  await ask("dblclick", "#board", "--at", "10,20");
  assert.deepEqual(await seen(), ["click,0,false,10,20", "click,0,false,10,20", "dblclick,0,false,10,20"]);
  await ask("click", "#board", "--right");
  assert.deepEqual(await seen(), ["contextmenu,2,false,100,50"]);
  await ask("click", "#board", "--mod", "Shift", "--hold", "400");
  assert.deepEqual(await seen(), ["click,0,true,100,50"]);
  assert.ok(Number(await ask("held")) >= 390);
  const place = (await ask("const { left, top } = board.getBoundingClientRect(); `${left + 30},${top + 40}`")).trim();
  await ask("click", "--at", place);
  assert.deepEqual(await seen(), ["click,0,false,30,40"]);
  assert.match((await refused(stage, page, "click", "--at", "here")).stderr, /`here` is not a place/);
  assert.match((await refused(stage, page, "click", "#board", "--mod", "Bogus")).stderr, /Bogus/);
  await ask("focus", "#name");
  assert.equal(await ask("document.activeElement.id"), "name");
  assert.match((await refused(stage, page, "focus", "#board")).stderr, /does not take the focus/);
});

test("the same over MCP", async () => {
  const { page, ask } = await visit(BOARD);
  await tool(page, "click", { target: "#board", double: true, mod: "Shift", at: [10, 20] });
  await tool(page, "click", { target: "#board", right: true });
  assert.deepEqual(JSON.parse(await ask("--json", "seen.splice(0)")), [
    "click,0,true,10,20",
    "click,0,true,10,20",
    "dblclick,0,true,10,20",
    "contextmenu,2,false,100,50",
  ]);
  await tool(page, "focus", { target: "#name" });
  assert.equal(await ask("document.activeElement.id"), "name");
});

test("a drag goes from one place to another, from the command line and over MCP", async () => {
  const { page, ask } = await visit(
    `<canvas id=c width=200 height=100 style="position:fixed;left:0;top:0"></canvas>
     <script>line = []; c.onpointerdown = (e) => line.push(e.offsetX, e.offsetY); c.onpointerup = (e) => line.push(e.offsetX, e.offsetY)</script>`,
  );
  await ask("drag", "10,20", "110,60");
  await tool(page, "drag", { from: [20, 30], to: [60, 70] });
  assert.equal(await ask("line.join()"), "10,20,110,60,20,30,60,70");
});

test("every acting verb answers the browser's own questions", async () => {
  const { page, ask } = await visit(
    `<input id=n oninput="got = prompt('Who?', 'x')"><select id=s onchange="got = confirm('Sure?')"><option>a<option>b</select>
     <input type=checkbox id=b onchange="got = confirm('Tick?')"><div id=h tabindex=0 onmouseenter="got = confirm('Over?')">Over me</div>`,
  );
  assert.match(await ask("fill", "#n", "1", "--accept=Ada"), /prompt: Who\? \(answered\)/);
  assert.equal(await ask("got"), "Ada");
  assert.match(await ask("type", "#n", "2", "--accept"), /prompt: Who\? \(answered\)/);
  assert.equal(await ask("got"), "x");
  assert.match(await ask("select", "#s", "b", "--accept"), /confirm: Sure\? \(accepted\)/);
  assert.match(await ask("check", "#b", "--dismiss"), /confirm: Tick\? \(dismissed\)$/m);
  assert.equal(await ask("got"), "false");
  assert.match(await ask("hover", "#h"), /confirm: Over\? \(dismissed; accept: true accepts\)/);
  assert.match(await tool(page, "press", { keys: "9", target: "#n", accept: "Eva" }), /answered/);
  assert.equal(await ask("got"), "Eva");
  assert.match((await refused(stage, page, "click", "#b", "--accept", "--dismiss")).stderr, /exclude each other/);
});

test("a dialog that stops the page is told at once, by what it interrupts and by what comes next", async () => {
  const { page, ask } = await visit(`<button onclick="setTimeout(() => confirm('Delete all?'), 1200)">Later</button>`);
  // It stays open until the end of the test.
  const dialog = new Promise<{ dismiss(): Promise<void> }>((resolve) => page.page.on("dialog", resolve));
  await ask("click", "text=Later");
  const began = performance.now();
  const { stderr, code } = await refused(stage, page, "await new Promise(() => 0)");
  assert.match(stderr, /^error: a dialog is open in the page \S+: `confirm: Delete all\?`\nhint: /);
  assert.equal(code, 3);
  assert.match((await refused(stage, page, "look")).stderr, /a dialog is open/);
  assert.ok(performance.now() - began < 10_000);
  await (await dialog).dismiss();
  await until("the page goes on", async () => (await ask("look").catch(() => undefined)) !== undefined || undefined);
});

test("a verb looks and acts in one frame only, of the same origin or of another", async () => {
  const { site } = stage;
  site.page("/inner.html", {
    title: "Inner",
    body: "<button onclick=\"this.textContent = 'Inside'\">Go</button><p>deep",
    tag: false,
  });
  site.page("/far.html", { title: "Far", body: "<button onclick=\"this.textContent = 'Away'\">Go</button>" });
  const far = site.url("/far.html", "127.0.0.1");
  const { page, ask } = await visit(
    `<button onclick="this.textContent = 'Outside'">Go</button><iframe name=near src="/inner.html"></iframe><iframe src="${far}"></iframe>`,
  );
  await until("the frame has joined", async () =>
    (await stage.home.pages()).find(({ url, state }) => url === far && state === "connected"),
  );
  assert.match((await refused(stage, page, "click", "text=Go")).stderr, /is 2 elements/);
  assert.match(await ask("--frame", "near", "click", "text=Go"), /\[Inside\]/);
  assert.match(await ask("--frame", "near", "look"), /^e\d+ \[Inside\]\ndeep$/);
  assert.match(await tool(page, "click", { target: "text=Go", frame: "far.html" }), /\[Away\]/);
  assert.match(await ask("--frame", "near", "wait", "text=deep"), /deep/);
  assert.match((await refused(stage, page, "--frame", "nowhere", "look")).stderr, /no frame matches "nowhere"/);
  // The page itself is still the target.
  assert.equal(await ask("document.title"), "Reach");
});
