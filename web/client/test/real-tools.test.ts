// `eye.tool` in a real browser through a real hub, by script tag and by import.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page as Tab } from "playwright-core";
import { AgentClient, EyeError } from "../src/index.js";
import { startChromium } from "./browsers.js";
import { heard } from "./event.js";
import { within } from "../../harness/until.js";
import { Home } from "../../harness/home.js";
import { web } from "../../harness/program.js";
import { carriesOurClient } from "./carried.js";

const MODULE = join(web(), "client/dist/index.js");
const TEST_MS_MAX = 30_000;

/** Offers the tools that every test uses. Cancelled calls are listed in `window.aborted`. */
const OFFER = `
  const number = { type: "number" };
  window.aborted = [];
  eye.tool({ name: "add", description: "Adds.", inputSchema: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] }, execute: ({ a, b }) => a + b });
  eye.tool({ name: "fails", execute() { throw new TypeError("no such cart") } });
  eye.tool({ name: "look", annotations: { readOnlyHint: true }, execute: () => ({ title: document.title, body: document.body }) });
  eye.tool({ name: "slow", async execute({ name }, { signal, progress }) {
    progress(1, 4, "begun");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    window.aborted.push(name);
  } });`;

let home: Home;
let browser: Browser;
let site: Server;
let tag: Record<string, string>;

before(async () => {
  home = await Home.running();
  browser = await startChromium();
  tag = {
    script: `<script src="${home.url}/eye.js"></script><script>${OFFER}</script>`,
    module: `<script type="module">import { connect } from "/eye-client.js"; const eye = connect({ hub: "${home.url}" }); ${OFFER}</script>`,
  };
  site = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    if (pathname === "/eye-client.js") {
      response.setHeader("content-type", "text/javascript").end(readFileSync(MODULE));
      return;
    }
    if (pathname === "/strict")
      response.setHeader(
        "content-security-policy",
        `default-src 'none'; script-src 'nonce-n'; connect-src ${home.url} ${home.url.replace("http", "ws")}; require-trusted-types-for 'script'`,
      );
    const body = (tag[pathname.slice(1)] ?? tag.script ?? "").replaceAll("<script", '<script nonce="n"');
    response
      .setHeader("content-type", "text/html")
      .end(`<!doctype html><meta charset="utf-8"><title>Tools</title><body>${body}</body>`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  // Offered last, so that everything else is there when it is rejected.
  await carriesOurClient(home);
});

after(async () => {
  await browser.close();
  site.closeAllConnections();
  site.close();
  await home.close();
});

interface Scene {
  readonly tab: Tab;
  readonly agent: AgentClient;
  readonly session: string;
}

function scene(name: string, path: string, run: (scene: Scene) => Promise<void>): void {
  test(name, { timeout: TEST_MS_MAX }, async () => {
    const context = await browser.newContext();
    const agent = new AgentClient({ unix: home.socket });
    try {
      const tab = await context.newPage();
      await tab.goto(`http://localhost:${String((site.address() as AddressInfo).port)}/${path}`);
      const session = await tab.waitForFunction(() => {
        const { eye } = globalThis as { eye?: { connected: boolean; session: string } };
        return eye?.connected === true ? eye.session : undefined;
      });
      const id = String(await session.jsonValue());
      await agent.connect();
      const updated = heard(agent, "tools/updated").catch(() => undefined);
      if ((await joinWhenKnown(agent, id)).length === 0) await updated;
      await run({ tab, agent, session: id });
    } finally {
      agent.close();
      await context.close();
    }
  });
}

/** The page is connected a moment before the hub has read its hello. */
async function joinWhenKnown(agent: AgentClient, id: string): Promise<unknown[]> {
  for (;;) {
    if ((await agent.sessions()).some((row) => row.id === id && row.state === "connected")) return agent.join(id);
  }
}

function fault(code: number, message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof EyeError, String(error));
    assert.match(error.message, message);
    assert.equal(error.code, code);
    return true;
  };
}

for (const path of ["script", "module", "strict"]) {
  scene(`${path}: a tool is called, and its arguments are checked before`, path, async ({ agent, session }) => {
    const sum = await agent.call("add", { a: 1, b: 2 });
    assert.deepEqual(sum.content, [{ type: "text", text: "3" }]);
    assert.equal(sum.isError, false);
    assert.equal((sum._meta as Record<string, unknown>)["eye/untrusted"], true);
    await assert.rejects(agent.call("add", { a: 1, b: "2" }), fault(-32005, /b/));
    await assert.rejects(agent.call("add", { a: 1 }), fault(-32005, /b/));
    await assert.rejects(agent.call("adds"), fault(-32004, /adds/));
    assert.deepEqual(await agent.discover("add"), ["add(a: number, b: number) — Adds"]);
    assert.equal(session.length > 0, true);
  });
}

scene("the gateway finds a page's tool by words and calls it by name", "script", async ({ agent, session }) => {
  assert.match(await agent.gateway.discover("add numbers"), /^.*add\(a: number, b: number\)/m);
  const sum = await agent.gateway.call(`page:${session}::add`, { a: 1, b: 2 });
  assert.deepEqual(sum.content, [{ type: "text", text: "3" }]);
  const wrong = await agent.gateway.call("adds");
  assert.equal(wrong.isError, true);
});

scene("bytes arrive as content", "script", async ({ agent, tab }) => {
  const there = heard(agent, "tools/updated");
  await tab.evaluate(
    'eye.tool({ name: "shot", execute: () => new Blob([new Uint8Array([1, 2, 255])], { type: "image/png" }) })',
  );
  await there;
  assert.deepEqual((await agent.call("shot")).content, [{ type: "image", data: "AQL/", mimeType: "image/png" }]);
});

scene("an error is the page's own, with its stack", "script", async ({ agent }) => {
  await assert.rejects(agent.call("fails"), (error) => {
    assert.ok(fault(-32003, /^TypeError: no such cart$/)(error));
    assert.match(String((error as Error).stack), /script/);
    return true;
  });
});

scene("what JSON cannot hold is rendered, and every field of a definition is listed", "script", async ({ agent }) => {
  const { structuredContent } = (await agent.call("look")) as unknown as {
    structuredContent: { title: string; body: string };
  };
  assert.equal(structuredContent.title, "Tools");
  assert.match(structuredContent.body, /^<body/);
  const tools = await agent.tools();
  assert.deepEqual(
    tools.find(({ name }) => name === "look"),
    { name: "look", annotations: { readOnlyHint: true } },
  );
});

scene("progress arrives, and cancelling reaches the tool", "script", async ({ agent, tab }) => {
  const aborter = new AbortController();
  const told: unknown[] = [];
  const called = agent.call(
    "slow",
    { name: "one" },
    {
      signal: aborter.signal,
      onProgress: ({ progress, total, message }) => {
        told.push([progress, total, message]);
        aborter.abort();
      },
    },
  );
  await assert.rejects(called, fault(-32800, /cancelled/));
  assert.deepEqual(told, [[1, 4, "begun"]]);
  await tab.waitForFunction(() => (globalThis as unknown as { aborted: string[] }).aborted[0] === "one");
  await assert.rejects(agent.call("slow", { name: "two" }, { timeout: 50 }), fault(-32001, /./));
  await tab.waitForFunction(() => (globalThis as unknown as { aborted: string[] }).aborted[1] === "two");
});

scene(
  "a tool offered again takes the place of the first, and one taken back is gone",
  "script",
  async ({ agent, tab }) => {
    const replaced = heard(agent, "tools/updated");
    await tab.evaluate('eye.tool({ name: "add", description: "Hot.", execute: () => "hot" })');
    const [{ tools }] = await replaced;
    assert.deepEqual(
      tools.filter(({ name }) => name === "add"),
      [{ name: "add", description: "Hot." }],
    );
    assert.deepEqual((await agent.call("add", {})).content, [{ type: "text", text: "hot" }]);
    const gone = heard(agent, "tools/updated");
    await tab.evaluate('eye.untool("add")');
    assert.ok(!(await gone)[0].tools.some(({ name }) => name === "add"));
    await assert.rejects(agent.call("add", { a: 1, b: 2 }), fault(-32004, /add/));
  },
);

scene("a signal takes its tool back", "script", async ({ agent, tab }) => {
  const there = heard(agent, "tools/updated");
  await tab.evaluate(
    'window.aborter = new AbortController(); eye.tool({ name: "brief", execute: () => 1 }, { signal: aborter.signal })',
  );
  assert.ok((await there)[0].tools.some(({ name }) => name === "brief"));
  const gone = heard(agent, "tools/updated");
  await tab.evaluate("aborter.abort()");
  assert.ok(!(await gone)[0].tools.some(({ name }) => name === "brief"));
});

scene("what is no tool is refused where it was offered", "script", async ({ tab }) => {
  const message = await tab.evaluate(
    'eye.tool({ name: "not a name", execute() {} }).then(() => "taken", (error) => String(error))',
  );
  assert.match(String(message), /^TypeError: not a name is no name of a tool/);
});

scene("a schema that the hub does not take is said in the console", "script", async ({ tab }) => {
  const warned = tab.waitForEvent("console", (one) => one.text().includes("odd"));
  await tab.evaluate('eye.tool({ name: "odd", inputSchema: { type: "nonsense" }, execute() {} })');
  assert.match((await warned).text(), /^eye: /);
});

scene(
  "a reload and a restart of the hub bring the tools back without the agent doing anything",
  "script",
  async ({ agent, tab }) => {
    for (let round = 0; round < 5; round++) {
      const gone = heard(agent, "session/pageGone");
      const reloaded = tab.reload();
      await gone;
      // Called while the page is away: answered by the tool that the page offers when it is back.
      assert.deepEqual((await agent.call("add", { a: 3, b: 4 })).content, [{ type: "text", text: "7" }]);
      await reloaded;
    }
    const lost = heard(agent, "close");
    await home.restart();
    await lost;
    assert.deepEqual((await within("add after a restart", toolBack(agent))).content, [{ type: "text", text: "7" }]);
  },
);

/** A restarted hub knows a tool when its page has offered it again. */
async function toolBack(agent: AgentClient): ReturnType<AgentClient["call"]> {
  for (;;) {
    try {
      return await agent.call("add", { a: 3, b: 4 });
    } catch (error) {
      if (!(error instanceof EyeError) || error.code !== -32004) throw error;
    }
  }
}

for (const kind of ["SocketNativeClient", "HttpStreamingClient"]) {
  scene(`a page of another origin provides with ${kind} and asks with AgentClient`, "script", async ({ tab }) => {
    const token = await home.token();
    const content = await tab.evaluate(`import("/eye-client.js").then(async ({ AgentClient, ${kind} }) => {
      const provider = new ${kind}({ serverUrl: "${home.url}", pingInterval: 200 });
      provider.registerHandler("twice", ({ n }, { progress }) => { progress(1); return 2 * n });
      await provider.connect();
      await provider.registerTools([{ name: "twice" }]);
      const agent = new AgentClient({ url: "${home.url}", token: "${token}", session: provider.getSessionId() });
      await agent.connect();
      const told = [];
      const { content } = await agent.call("twice", { n: 21 }, { onProgress: ({ progress }) => told.push(progress) });
      agent.close();
      provider.disconnect();
      return [content[0].text, ...told];
    })`);
    assert.deepEqual(content, ["42", 1]);
  });
}
