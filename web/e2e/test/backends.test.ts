// Access to the backends from a real browser: an app of the hub has it; an opened folder, a dev server and a page that
// frames an app do not.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Stage } from "../stage/stage.js";

let stage: Stage;
/** An opened folder, as `eye open` would show it. */
let folder: string;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/dev", { title: "Dev" });
  const site = join(stage.home.folder, "work/site");
  await mkdir(site, { recursive: true });
  await writeFile(join(site, "index.html"), "<title>Opened</title>");
  const { stdout } = await stage.home.eye(
    "rpc",
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "hub/serve", params: { path: site } }),
  );
  folder = new URL(/http:[^"]+/.exec(stdout)?.[0] ?? "about:blank").href;
});

after(() => stage.close());

interface Reached {
  readonly sockets: Readonly<Record<string, boolean>>;
  readonly fetched: Readonly<Record<string, number | string>>;
}

/** A page's access to the backends, by every host name of the hub. */
async function reach(page: Page): Promise<Reached> {
  return page.evaluate(async (port) => {
    const hosts = [`localhost:${port}`, `127.0.0.1:${port}`];
    const sockets: Record<string, boolean> = {};
    const fetched: Record<string, number | string> = {};
    for (const host of hosts) {
      for (const path of ["/evolution", "/agents"]) {
        sockets[host + path] = await new Promise<boolean>((resolve) => {
          const socket = new WebSocket(`ws://${host}${path}`);
          socket.onopen = () => resolve(true);
          socket.onerror = () => resolve(false);
        });
      }
      const get = (path: string, init?: RequestInit): Promise<number | string> =>
        fetch(`http://${host}${path}`, init).then(
          (answer) => answer.status,
          () => "blocked",
        );
      fetched[`${host}/cartridges/`] = await get("/cartridges/");
      // A request that the browser sends without a preflight: only the hub can refuse it.
      fetched[`${host}/v1/chat/completions`] = await get("/v1/chat/completions", { method: "POST", body: "{}" });
    }
    return { sockets, fetched };
  }, String(stage.home.port));
}

test("an app of the hub reaches them, at the name it is served under", async () => {
  const page = await stage.context.newPage();
  // Even if it was opened by the address.
  await page.goto(`http://127.0.0.1:${String(stage.home.port)}/apps/scene/`);
  const own = `localhost:${String(stage.home.port)}`;
  assert.equal(new URL(page.url()).host, own);
  const { sockets, fetched } = await reach(page);
  assert.equal(sockets[`${own}/evolution`], true);
  assert.equal(sockets[`${own}/agents`], true);
  assert.equal(fetched[`${own}/cartridges/`], 200);
  // 400 means that it passed the gate, and its body was refused.
  assert.equal(fetched[`${own}/v1/chat/completions`], 400);
  await page.close();
});

for (const [who, url] of [
  ["an opened folder", () => folder],
  ["an opened folder that asks for the hub's name", () => folder.replace("127.0.0.1", "localhost")],
  ["a dev server on this machine", () => stage.site.url("/dev")],
] as const) {
  test(`${who} reaches none of them`, async () => {
    const page = await stage.context.newPage();
    await page.goto(url());
    assert.notEqual(new URL(page.url()).host, `localhost:${String(stage.home.port)}`);
    const { sockets, fetched } = await reach(page);
    assert.deepEqual([...new Set(Object.values(sockets))], [false], JSON.stringify(sockets));
    for (const [where, status] of Object.entries(fetched))
      assert.ok([401, 403, "blocked"].includes(status), `${where}: ${String(status)}`);
    await page.close();
  });
}

test("an opened folder cannot act through a window or a frame of an app", async () => {
  const page = await stage.context.newPage();
  await page.goto(folder);
  const app = `${stage.home.url}/apps/scene/`;
  const seen = await page.evaluate(async (url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    const loaded = new Promise((resolve) => (frame.onload = resolve));
    document.body.append(frame);
    await loaded;
    const read = (): unknown => frame.contentWindow?.document.title;
    try {
      return { read: read() };
    } catch (error) {
      return { name: (error as DOMException).name };
    }
  }, app);
  assert.deepEqual(seen, { name: "SecurityError" });
  await page.close();
});
