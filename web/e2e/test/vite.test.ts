// Projects under Vite's dev server with eye-client/vite: joined over their own origin, kept over hot updates, unchanged
// in production.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { built, Dev, type DevOptions } from "../stage/dev.js";
import { Stage, type Visit } from "../stage/stage.js";
import { until } from "../../harness/until.js";
import { asking } from "../stage/verbs.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open("--host-resolver-rules=MAP *.test 127.0.0.1");
});

after(() => stage.close());

/** A project with its dev server, closed when the test ends. */
async function start(context: TestContext, project: string, options?: DevOptions): Promise<Dev> {
  const dev = await Dev.start(project, stage.home, options);
  context.after(() => dev.close());
  return dev;
}

async function visit(dev: Dev): Promise<Visit> {
  return stage.enter(await stage.context.newPage(), dev.url);
}

/** Waits until the page's tools have exactly these names. */
async function offers({ session }: Visit, ...names: readonly string[]): Promise<void> {
  let seen: string[] = [];
  await until(`the tools are ${names.join(", ")}`, async () => {
    const { stdout } = await stage.home.eye("--page", session, "tools", "--json");
    seen = (JSON.parse(stdout) as { readonly name: string }[]).map(({ name }) => name).sort();
    return seen.join() === [...names].sort().join() || undefined;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; they are ${seen.join(", ")}`);
  });
}

/** A mark that a full reload would remove. */
function mark(page: Page): Promise<void> {
  return page.evaluate(() => void Object.assign(window, { sameDocument: true }));
}

function isMarked(page: Page): Promise<boolean> {
  return page.evaluate(() => "sameDocument" in window);
}

test("React: tools of components come and go with them, under StrictMode, and have the state of the last render", async (t) => {
  const dev = await start(t, "react");
  const tab = await visit(dev);
  const ask = asking(stage, tab);
  await offers(tab, "count", "edition");
  assert.equal(await ask("call", "count", "by=4"), "0");
  assert.equal(await ask("call", "count", "by=6"), "4");
  assert.match(await ask("look"), /Counter\n10 \| e\d+ \[Open\]/);
  await ask("click", "text=Open");
  await offers(tab, "count", "edition", "panel");
  assert.equal(await ask("call", "panel"), "large");
  await ask("call", "count", "by=-8");
  await until(
    "the panel's tool is offered anew",
    async () => (await ask("tools")).includes("the small panel") || undefined,
  );
  assert.equal(await ask("call", "panel"), "small");
  await ask("click", "text=Close");
  await offers(tab, "count", "edition");
  await tab.page.close();
});

test("React: a hot update keeps the page, its session and its tools; what a module no longer offers is gone", async (t) => {
  const dev = await start(t, "react");
  const tab = await visit(dev);
  const ask = asking(stage, tab);
  await offers(tab, "count", "edition");
  await ask("call", "count", "by=3");
  await mark(tab.page);
  await dev.edit("src/App.tsx", "<h1>Counter</h1>", "<h1>Count faster</h1>");
  await ask("wait", "text=Count faster");
  await offers(tab, "count", "edition");
  assert.equal(await ask("call", "count"), "3", "the component kept its state");
  await dev.edit("src/tools.ts", '"edition"', '"issue"');
  await offers(tab, "count", "issue");
  await dev.edit("src/tools.ts", '"first"', '"second"');
  await until("the tool is the new one", async () => (await ask("call", "issue")) === "second" || undefined);
  await dev.edit("src/App.tsx", 'import "./tools.js";\n', "");
  await offers(tab, "count");
  assert.ok(await isMarked(tab.page), "no edit reloaded the page");
  assert.equal(await stage.joined(tab.page), tab.session);
  assert.equal((await stage.home.pages()).filter(({ state }) => state === "connected").length, 1);
  await tab.page.close();
});

test("Vue: tools of components come and go with them, over hot updates too", async (t) => {
  const dev = await start(t, "vue");
  const tab = await visit(dev);
  const ask = asking(stage, tab);
  await offers(tab, "count");
  assert.equal(await ask("call", "count", "by=10"), "0");
  await ask("click", "text=Open");
  await offers(tab, "count", "panel");
  assert.equal(await ask("call", "panel"), "large");
  await mark(tab.page);
  await dev.edit("src/Panel.vue", 'name: "panel"', 'name: "drawer"');
  await offers(tab, "count", "drawer");
  await dev.edit("src/App.vue", "<h1>Counter</h1>", "<h1>Count faster</h1>");
  await ask("wait", "text=Count faster");
  await offers(tab, "count", "drawer");
  assert.ok(await isMarked(tab.page), "no edit reloaded the page");
  await ask("click", "text=Close");
  await offers(tab, "count");
  await tab.page.close();
});

test("a page whose policy knows only its own origin joins, for everything comes from the dev server", async (t) => {
  const config = `import vue from "@vitejs/plugin-vue"; import eye from "eye-client/vite";
export default { plugins: [vue(), eye()], server: { headers: { "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'" } } };`;
  const dev = await start(t, "vue", { files: { "vite.config.js": config } });
  const tab = await visit(dev);
  const ask = asking(stage, tab);
  await offers(tab, "count");
  assert.match(await ask("click", "text=Open"), /A panel/);
  assert.match(
    (await stage.home.eye("--page", tab.session, "1+1")).stderr,
    /does not evaluate code \(CSP\)\nhint: use verbs and tools, or add 'unsafe-eval'/,
  );
  await tab.page.close();
});

test("without a hub the page works and says what to do, the dev server says it once, and the page joins when a hub is there", async (t) => {
  await stage.home.eye("down");
  const dev = await start(t, "react");
  const page = await stage.context.newPage();
  const advice = `eye: no hub answers at ${stage.home.url}; start one with \`eye up\``;
  const logged = page.waitForEvent("console", (message) => message.text() === advice);
  const tries: string[] = [];
  page.on("websocket", (socket) => void (socket.url().includes("/__eye/") && tries.push(socket.url())));
  await page.goto(dev.url);
  await logged;
  await page.getByRole("button", { name: "Open" }).click();
  await until("the page tries again", () => tries.length > 1 || undefined);
  await stage.home.up();
  const session = await stage.joined(page);
  await offers({ page, session }, "count", "edition", "panel");
  await dev.prints(/eye: pages of this server join the hub at/);
  assert.equal(tries.length, 2, "its second try waits for the hub, and fills no console");
  assert.equal(dev.output.split(advice).length, 2, dev.output);
  assert.doesNotMatch(dev.output, /proxy error/);
  await page.close();
});

test("where `eye` is on the PATH the dev server starts the hub itself", async (t) => {
  await stage.home.eye("down");
  const dev = await start(t, "react", { eye: true });
  await dev.prints(/eye: pages of this server join the hub at/);
  const tab = await visit(dev);
  assert.equal(await asking(stage, tab)("document.title"), "React project");
  await tab.page.close();
});

test("a hub that is named, another path and a base are honoured", async (t) => {
  const config = `import react from "@vitejs/plugin-react"; import eye from "eye-client/vite";
export default { base: "/shop/", plugins: [react(), eye({ hub: ${JSON.stringify(stage.home.url)}, path: "/tools/eye/" })] };`;
  const dev = await start(t, "react", { files: { "vite.config.js": config } });
  const tab = await visit(dev);
  await offers(tab, "count", "edition");
  assert.equal(await asking(stage, tab)("document.scripts[0].src"), `${new URL(dev.url).origin}/tools/eye/eye.js`);
  await tab.page.close();
});

test("under another host name the page names the command that lets it in, and joins once it is allowed", async (t) => {
  const config = `import react from "@vitejs/plugin-react"; import eye from "eye-client/vite";
export default { plugins: [react(), eye()], server: { host: "127.0.0.1", allowedHosts: ["shop.test"] } };`;
  const dev = await start(t, "react", { files: { "vite.config.js": config } });
  const url = dev.url.replace("127.0.0.1", "shop.test");
  const { origin } = new URL(url);
  const page = await stage.context.newPage();
  const logged = page.waitForEvent(
    "console",
    (message) =>
      message.text() === `eye: pages of ${origin} may not join this hub; allow it with \`eye allow ${origin}\``,
  );
  await page.goto(url);
  await logged;
  await stage.home.eye("allow", origin);
  const session = await stage.joined(page);
  await offers({ page, session }, "count", "edition");
  await page.close();
});

test("a build for production has no trace of the client, and its components work without it", async () => {
  for (const project of ["react", "vue"]) {
    const { folder, close } = await built(project);
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
    const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8")));
    for (const trace of ["__eye", "eye.js", "eye/hot", "clientType", "WebSocket"])
      assert.ok(!texts.some((text) => text.includes(trace)), `${project}: ${trace}`);
    for (const { parentPath, name } of files) {
      const path = join(parentPath, name).slice(folder.length);
      const kind = name.endsWith(".html") ? "text/html" : "text/javascript";
      const text = await readFile(join(parentPath, name));
      stage.site.serve(path, (_, response) => response.writeHead(200, { "content-type": kind }).end(text));
    }
    const page = await stage.context.newPage();
    await page.goto(stage.site.url("/index.html"));
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("A panel").waitFor();
    assert.equal(await page.evaluate(() => "eye" in globalThis), false);
    await page.close();
    await close();
  }
});
