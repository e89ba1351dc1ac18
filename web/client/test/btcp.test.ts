// The names of btcp-client, in Node and in a real browser, against a real hub.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import * as btcp from "../src/btcp/index.js";
import { startChromium } from "./browsers.js";
import { Home } from "../../harness/home.js";
import { web } from "../../harness/program.js";

const MODULE = join(web(), "client/dist/btcp/index.js");
const GREET: btcp.BTCPToolDefinition = {
  name: "greet",
  description: "Greet a person",
  inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

let home: Home;
let token: string;
let browser: Browser;
let site: Server;
before(async () => {
  home = await Home.running();
  token = await home.token();
  browser = await startChromium();
  site = createServer((request, response) => {
    if (request.url === "/btcp.js") response.setHeader("content-type", "text/javascript").end(readFileSync(MODULE));
    else response.setHeader("content-type", "text/html").end("<!doctype html><title>BTCP</title>");
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
});
after(async () => {
  await browser.close();
  site.close();
  await home.close();
});

/** The hub's response to an agent that calls a tool of this page. */
async function call(page: string, name: string, args: object): Promise<unknown> {
  const response = await fetch(`${home.url}/rpc`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "x-session-id": page },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

/** Waits until the hub has the tools of a page. */
async function offered(page: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const response = await fetch(`${home.url}/sessions`, { headers: { authorization: `Bearer ${token}` } });
    const { sessions } = (await response.json()) as { sessions: { id: string; toolCount: number }[] };
    if (sessions.some(({ id, toolCount }) => id === page && toolCount > 0)) return;
    assert.ok(Date.now() < deadline, `${page} offers its tools in time`);
  }
}

test("the exports are those of btcp-client", () => {
  const names =
    `BTCPClient ToolConsumer ToolExecutor BaseTransport WebSocketTransport HttpStreamingTransport createRequest
    createResponse createErrorResponse createNotification createTextContent createImageContent createResourceContent
    createToolCallResponse createToolCallErrorResponse parseMessage serializeMessage isRequest isResponse isNotification
    generateMessageId BTCPError BTCPConnectionError BTCPValidationError BTCPExecutionError BTCPToolNotFoundError
    SocketNativeClient default`.split(/\s+/u);
  assert.deepEqual(Object.keys(btcp).sort(), names.sort());
});

const transports = {
  WebSocketTransport: (sessionId: string) => new btcp.WebSocketTransport({ url: home.url, sessionId, token }),
  HttpStreamingTransport: (sessionId: string) => new btcp.HttpStreamingTransport({ url: home.url, sessionId, token }),
};

for (const [name, made] of Object.entries(transports)) {
  test(`in Node, a BTCPClient over ${name} offers, answers and fails as the original`, async () => {
    const session = `node-${name}`;
    const client = new btcp.BTCPClient({ transport: made(session) });
    const heard: string[] = [];
    client.on("connect", () => heard.push("connect"));
    client.on("toolCall", ({ params }) => heard.push(String(params?.name)));
    client.registerHandler("greet", async (args) => `Hello, ${String(args.name)}!`);
    client.registerHandler("fails", async () => {
      throw new Error("kaboom");
    });
    await client.connect();
    await client.registerTools([GREET, { name: "fails" }, { name: "nobody" }]);
    assert.equal(client.isConnected(), true);
    assert.equal(client.getSessionId(), session);
    assert.deepEqual(
      client.getRegisteredTools().map((tool) => tool.name),
      ["greet", "fails", "nobody"],
    );
    const greeted = (await call(session, "greet", { name: "Ada" })) as btcp.BTCPToolCallResult;
    assert.deepEqual(greeted.content, [{ type: "text", text: "Hello, Ada!" }]);
    assert.equal(greeted.isError, false);
    await assert.rejects(call(session, "fails", {}), /Tool execution failed: kaboom/u);
    await assert.rejects(call(session, "nobody", {}), /Tool not found: nobody/u);
    assert.deepEqual(heard, ["connect", "greet", "fails", "nobody"]);
    const pong = await client.sendRequest("ping");
    assert.equal((pong.result as { pong: boolean }).pong, true);
    await assert.rejects(
      client.registerTools([{ name: "bad", inputSchema: { type: "nonsense" } }]),
      btcp.BTCPValidationError,
    );
    const left = new Promise<number>((resolve) => client.on("disconnect", resolve));
    client.disconnect();
    assert.equal(await left, 1000);
    assert.equal(client.isConnected(), false);
    await assert.rejects(client.sendRequest("ping"), btcp.BTCPConnectionError);
  });

  test(`in Chromium, a BTCPClient over ${name} offers and answers, and comes back after a restart of the hub`, async () => {
    const session = `tab-${name}`;
    const tab = await browser.newPage();
    await tab.goto(`http://localhost:${String((site.address() as AddressInfo).port)}/`);
    await tab.evaluate(
      async ({ url, name, session, greet }) => {
        const { BTCPClient, [name]: Transport } = (await import(`${location.origin}/btcp.js`)) as typeof btcp & {
          [key: string]: new (config: object) => btcp.Transport;
        };
        if (Transport === undefined) throw new Error(name);
        const transport = new Transport({ url, sessionId: session });
        const client = new BTCPClient({ transport, reconnectDelay: 50, maxReconnectAttempts: 50 });
        client.registerHandler("greet", async (args) => `Hello, ${String(args.name)}, from ${document.title}!`);
        await client.connect();
        await client.registerTools([greet]);
      },
      { url: home.url, name, session, greet: GREET },
    );
    const want = [{ type: "text", text: "Hello, Ada, from BTCP!" }];
    const first = (await call(session, "greet", { name: "Ada" })) as btcp.BTCPToolCallResult;
    assert.deepEqual(first.content, want);
    assert.match((await home.eye("pages")).stdout, /http:\/\/localhost:\d+.*/u, "its origin is shown");
    await home.restart();
    await offered(session);
    const again = (await call(session, "greet", { name: "Ada" })) as btcp.BTCPToolCallResult;
    assert.deepEqual(again.content, want);
    await tab.close();
  });
}

test("a ToolConsumer calls a client in the same program, and a page through the hub", async () => {
  const client = new btcp.BTCPClient();
  assert.equal(client.isLocal(), true);
  client.registerHandler("greet", async (args) => `Hello, ${String(args.name)}!`);
  const local = await client.getConsumer();
  assert.equal(local.isLocal(), true);
  assert.deepEqual(
    (await local.listTools()).map((tool) => tool.name),
    ["echo", "evaluate", "greet"],
  );
  assert.deepEqual(await local.callTool("greet", { name: "Ada" }), {
    content: [{ type: "text", text: "Hello, Ada!" }],
    isError: false,
  });
  assert.deepEqual(await local.callTool("nope"), {
    content: [{ type: "text", text: "Error: Tool not found: nope" }],
    isError: true,
  });
  assert.deepEqual((await local.callTool("evaluate", { script: "2 + 2" })).content, [{ type: "text", text: "4" }]);

  const provider = new btcp.BTCPClient({ serverUrl: home.url.replace("http", "ws"), sessionId: "consumed", token });
  provider.registerHandler("greet", async (args) => `Hello, ${String(args.name)}!`);
  await provider.connect();
  await provider.registerTools([GREET]);
  const remote = new btcp.ToolConsumer({ serverUrl: home.url, sessionId: "consumed", token });
  assert.deepEqual(
    (await remote.listTools()).map((tool) => tool.name),
    ["greet"],
  );
  const called = await remote.callTool("greet", { name: "Ada" });
  assert.deepEqual([called.content[0]?.text, called.isError], ["Hello, Ada!", false]);
  assert.equal((await remote.callTool("nope")).isError, true);
  provider.disconnect();
  assert.throws(() => new btcp.ToolConsumer({}), /requires either a client \(local\) or serverUrl \(remote\)/u);
});

test("browser tools run on the agent that is set, with the original's names and texts", async () => {
  const done: string[] = [];
  const agent = new Proxy({} as btcp.BrowserAgent, {
    get:
      (_, action) =>
      async (...args: unknown[]) => {
        done.push(`${String(action)} ${JSON.stringify(args[0] ?? null)}`);
        return action === "getTitle" ? "Example" : action === "screenshot" ? "iVBORw0KGgo=" : undefined;
      },
  });
  const executor = new btcp.ToolExecutor();
  executor.setBrowserAgent(agent);
  const names = executor.getToolDefinitions().map((tool) => tool.name);
  assert.deepEqual(
    names,
    `echo evaluate browser_snapshot browser_click browser_fill browser_type browser_hover browser_press browser_scroll
    browser_wait browser_get_text browser_get_attribute browser_is_visible browser_get_url browser_get_title
    browser_screenshot browser_execute`.split(/\s+/u),
  );
  assert.deepEqual(await executor.execute("browser_click", { selector: "#go" }), [
    { type: "text", text: "Clicked: #go" },
  ]);
  assert.deepEqual(await executor.execute("browser_get_title"), [{ type: "text", text: "Example" }]);
  assert.deepEqual(await executor.execute("browser_screenshot"), [
    { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  ]);
  assert.deepEqual(done, ['click "#go"', "getTitle null", "screenshot {}"]);
  await assert.rejects(executor.execute("browser_click", {}), /selector is required/u);
});

test("a page with more streams than its browser has connections can still answer", async () => {
  const session = "crowd";
  const tab = await browser.newPage();
  await tab.goto(`http://localhost:${String((site.address() as AddressInfo).port)}/`);
  const opened = await tab.evaluate(
    async ({ url, session }) => {
      const post = (message: object): Promise<Response> =>
        fetch(`${url}/message`, {
          method: "POST",
          headers: { "x-session-id": session },
          body: JSON.stringify({ jsonrpc: "2.0", ...message }),
        });
      const one = (): Promise<boolean> =>
        new Promise((resolve) => {
          const source = new EventSource(`${url}/events?sessionId=${session}&clientType=browser&version=1.0.0`);
          source.onopen = () => resolve(true);
          source.onerror = () => resolve(false);
          source.onmessage = ({ data }: MessageEvent<string>) => {
            const { id, method } = JSON.parse(data) as { id?: string; method?: string };
            if (method === "tools/call") void post({ id, result: "here" });
          };
        });
      // More than the six connections that a browser opens to one host.
      const all = await Promise.all(Array.from({ length: 12 }, one));
      await post({ id: "r", method: "tools/register", params: { tools: [{ name: "ask" }] } });
      return all.filter((open) => open).length;
    },
    { url: home.url, session },
  );
  assert.equal(opened, 4);
  for (let calls = 0; calls < 20; calls++) {
    const { content } = (await call(session, "ask", {})) as btcp.BTCPToolCallResult;
    assert.equal(content[0]?.text, "here");
  }
  await tab.close();
});

/** What a Chromium page reports about its streams. */
interface Streams {
  opens: number;
  registered: number;
}

test("a page that reconnects beside its browser makes no storm after a restart of the hub", async () => {
  const session = "storm";
  const tab = await browser.newPage();
  await tab.goto(`http://localhost:${String((site.address() as AddressInfo).port)}/`);
  // Like the original's client: when a stream fails, it opens another one, and the browser also reopens the first.
  await tab.evaluate(
    ({ url, session }) => {
      const streams = { opens: 0, registered: 0 };
      let attempts = 0;
      const door = `${url}/message`;
      const headers = { "x-session-id": session };
      const post = (message: object): Promise<Response> =>
        fetch(door, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
      const connect = (): void => {
        const source = new EventSource(`${url}/events?sessionId=${session}&clientType=browser&version=1.0.0`);
        source.onopen = async () => {
          streams.opens++;
          attempts = 0;
          const { ok } = await post({ id: "r", method: "tools/register", params: { tools: [{ name: "ask" }] } });
          if (ok) streams.registered++;
        };
        // With the original's delays and limit. Shorter ones would use up the browser's six connections to a host while
        // the hub is away, and leave none for the answers.
        source.onerror = () => {
          if (attempts < 5) setTimeout(connect, 1_000 * 2 ** attempts++);
        };
        source.onmessage = ({ data }: MessageEvent<string>) => {
          const { id, method } = JSON.parse(data) as { id?: string; method?: string };
          if (method === "tools/call") void post({ id, result: "here" });
        };
      };
      connect();
      Object.assign(globalThis, { streams });
    },
    { url: home.url, session },
  );
  const told = (): Promise<Streams> => tab.evaluate(() => (globalThis as unknown as { streams: Streams }).streams);
  await offered(session);
  const before = (await told()).opens;
  await home.restart();
  await offered(session);
  // The browser's own reconnection comes seconds later; calls are answered before and after it.
  await tab.waitForFunction(
    (opens) => (globalThis as unknown as { streams: Streams }).streams.opens >= opens + 2,
    before,
    { timeout: 60_000 },
  );
  // A source that takes over the session ends the call in progress; with too many takeovers, 50 calls would not pass.
  for (let passed = 0, calls = 0; passed < 50; calls++) {
    assert.ok(calls < 1_000, "the sources come to rest");
    const result = (await call(session, "ask", {}).catch((error: unknown) => {
      assert.match(String(error), /another page took over/u);
    })) as btcp.BTCPToolCallResult | undefined;
    if (result !== undefined) assert.equal(result.content[0]?.text, "here");
    passed = result === undefined ? 0 : passed + 1;
  }
  // Each failed attempt may have left a source; each of them opens once, and not again.
  const settled = (await told()).opens;
  for (let n = 0; n < 50; n++) await call(session, "ask", {});
  assert.equal((await told()).opens, settled, "no stream opens again");
  await tab.close();
});
