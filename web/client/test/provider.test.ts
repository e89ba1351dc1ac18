// The BTCP clients against a scripted server, over both carriers.

import assert from "node:assert/strict";
import { after, afterEach, before, mock, test } from "node:test";
import { HttpStreamingClient, SocketNativeClient, type ProviderOptions } from "../src/index.js";
import { settings } from "../src/btcp/options.js";
import { Provider } from "../src/btcp/provider.js";
import type { Carrier, CarrierEvents, OpenCarrier } from "../src/wire/carrier.js";
import { seen } from "./event.js";
import { ScriptedServer, type Guest, type Message } from "./server.js";

test("defaults are those of the seed", () => {
  assert.deepEqual(settings({ serverUrl: "ws://localhost:8765" }), {
    serverUrl: "ws://localhost:8765",
    sessionId: "",
    version: "1.0.0",
    autoReconnect: true,
    reconnectDelay: 1000,
    maxReconnectAttempts: 5,
    connectionTimeout: 10_000,
    pingInterval: 30_000,
    debug: false,
    token: undefined,
  });
});

let server: ScriptedServer;
let client: Provider | undefined;
before(async () => {
  server = await ScriptedServer.start();
  server.answers.set("tools/register", { success: true, registered: 1 });
});
after(() => server.stop());
afterEach(() => client?.disconnect());

type Kind = typeof SocketNativeClient | typeof HttpStreamingClient;

async function joined(
  Kind: Kind,
  options: Partial<ProviderOptions> = {},
): Promise<{ client: InstanceType<Kind>; guest: Guest }> {
  const made = new Kind({ serverUrl: server.address, ...options });
  client = made;
  const [guest] = await Promise.all([server.guest(), made.connect()]);
  return { client: made, guest };
}

for (const [carried, Kind] of [
  ["WebSocket", SocketNativeClient],
  ["SSE and POST", HttpStreamingClient],
] as const) {
  test(`${carried}: without a session the welcome names it, with one it is told`, async () => {
    const first = await joined(Kind);
    assert.equal(first.guest.url.searchParams.has("sessionId"), false);
    assert.equal(first.guest.url.searchParams.get("clientType"), "browser");
    assert.equal(first.guest.url.searchParams.get("version"), "1.0.0");
    assert.equal(first.client.getSessionId(), "made-here");
    assert.equal(first.client.isConnected(), true);
    first.client.disconnect();
    assert.equal(first.client.isConnected(), false);
    const second = await joined(Kind, { sessionId: "mine" });
    assert.equal(second.guest.url.searchParams.get("sessionId"), "mine");
  });

  test(`${carried}: answers calls, lists, pings, and what it does not know`, async () => {
    const { client, guest } = await joined(Kind);
    const requests: unknown[] = [];
    client.on("toolCall", ({ params }) => requests.push(params?.name));
    client.on("toolsList", ({ method }) => requests.push(method));
    client.registerHandler("greet", ({ name }: { name: string }) => `Hello, ${name}!`);
    client.registerHandler("kaboom", () => Promise.reject(new Error("kaboom")));
    await client.registerTools([{ name: "greet" }]);
    assert.deepEqual((await guest.ask("1", "tools/call", { name: "greet", arguments: { name: "Ada" } })).result, {
      content: [{ type: "text", text: "Hello, Ada!" }],
      isError: false,
    });
    assert.deepEqual((await guest.ask("2", "tools/call", { name: "nope" })).error, {
      code: -32601,
      message: "Tool not found: nope",
    });
    const { code, message } = (await guest.ask("3", "tools/call", { name: "kaboom" })).error as {
      code: number;
      message: string;
    };
    assert.deepEqual([code, message], [-32603, "Tool execution failed: kaboom"]);
    assert.deepEqual((await guest.ask("4", "tools/call", { name: "echo", arguments: { message: "hi" } })).result, {
      content: [{ type: "text", text: "hi" }],
      isError: false,
    });
    assert.deepEqual((await guest.ask("5", "tools/list")).result, { tools: [{ name: "greet" }] });
    assert.deepEqual((await guest.ask("6", "ping")).result, { pong: true });
    assert.deepEqual((await guest.ask("7", "what")).error, { code: -32601, message: "Method not found: what" });
    assert.deepEqual(requests, ["greet", "nope", "kaboom", "echo", "tools/list"]);
  });

  test(`${carried}: a request gives its response, also when that is an error`, async () => {
    const { client, guest } = await joined(Kind);
    const asked = client.sendRequest("x/y", { a: 1 });
    const request = await guest.method("x/y");
    assert.deepEqual(request.params, { a: 1 });
    guest.write({ jsonrpc: "2.0", id: request.id, error: { code: -32601, message: "no" } }, "response");
    assert.deepEqual((await asked).error, { code: -32601, message: "no", data: undefined });
  });

  test(`${carried}: every message is an event, notifications too, until its listener is taken off`, async () => {
    const { client, guest } = await joined(Kind);
    const heard = seen(client, "message");
    guest.write({ jsonrpc: "2.0", method: "tools/updated", params: { tools: [] } });
    assert.deepEqual((await heard)[0], { jsonrpc: "2.0", method: "tools/updated", params: { tools: [] } });
    let count = 0;
    const counting = (): void => void count++;
    client.on("message", counting);
    client.off("message", counting);
    await guest.ask("1", "ping");
    assert.equal(count, 0);
  });

  test(`${carried}: a cancelled call sees its signal, progress goes before the answer`, async () => {
    const { client, guest } = await joined(Kind);
    const aborted = new Promise<void>((resolve) => {
      client.registerHandler(
        "slow",
        (_, { signal }) => new Promise((done) => signal.addEventListener("abort", () => done(resolve()))),
      );
    });
    client.registerHandler("steps", (_, { progress }) => {
      progress(1, 2, "half");
      return "done";
    });
    const called = seen(client, "toolCall");
    guest.write({ jsonrpc: "2.0", id: "1", method: "tools/call", params: { name: "slow" } }, "request");
    await called;
    guest.write({ jsonrpc: "2.0", method: "call/cancel", params: { id: "1" } });
    await aborted;
    guest.write({ jsonrpc: "2.0", id: "2", method: "tools/call", params: { name: "steps" } }, "request");
    const both = [await guest.next(() => true), await guest.next(() => true)];
    assert.deepEqual(
      both.map(({ id, method }) => method ?? id),
      ["call/progress", "2"],
    );
    assert.deepEqual((both[0] as Message).params, { id: "2", progress: 1, total: 2, message: "half" });
  });

  test(`${carried}: a lost connection comes back with its session and its tools`, async () => {
    const { client, guest } = await joined(Kind, { reconnectDelay: 1 });
    await client.registerTools([{ name: "a" }]);
    await client.registerTools([{ name: "b" }, { name: "a", description: "newer" }]);
    server.answers.delete("tools/register");
    const waiting = client.sendRequest("never");
    const lost = seen(client, "disconnect");
    const refused = assert.rejects(waiting, { code: -32000 });
    guest.close(1011, "gone");
    assert.deepEqual((await lost).length, 2);
    await refused;
    const again = await server.guest();
    assert.equal(again.url.searchParams.get("sessionId"), "made-here");
    const { params } = await again.method("tools/register");
    assert.deepEqual(params, { tools: [{ name: "a", description: "newer" }, { name: "b" }] });
    server.answers.set("tools/register", { success: true, registered: 1 });
  });

  test(`${carried}: without autoReconnect a lost connection stays lost`, async () => {
    const { client, guest } = await joined(Kind, { autoReconnect: false, reconnectDelay: 1 });
    const lost = seen(client, "disconnect");
    guest.close(1011, "gone");
    await lost;
    assert.equal(client.isConnected(), false);
    await assert.rejects(client.send({}), { code: -32000, message: "Not connected" });
    await assert.rejects(client.registerTools([]), { code: -32000 });
  });

  test(`${carried}: a server that is silent is given up after the connection timeout`, async () => {
    // A server of its own, because a client that gives up so soon may never have reached it.
    const mute = await ScriptedServer.start();
    mute.welcome = undefined;
    const silent = new Kind({ serverUrl: mute.address, connectionTimeout: 20 });
    await assert.rejects(silent.connect(), { code: -32000, message: "Connection timeout" });
    assert.equal(silent.isConnected(), false);
    await mute.stop();
  });

  test(`${carried}: a welcome that is an error is the error of connect`, async () => {
    const { welcome } = server;
    server.welcome = { jsonrpc: "2.0", id: "welcome", error: { code: -32002, message: "taken" } };
    await assert.rejects(new Kind({ serverUrl: server.address }).connect(), { code: -32002, message: "taken" });
    server.welcome = welcome;
    await server.guest();
  });
}

test("the token travels as a subprotocol, or as a header", async () => {
  const first = await joined(SocketNativeClient, { token: "secret" });
  assert.equal(first.guest.headers["sec-websocket-protocol"], "eye,bearer.secret");
  first.client.disconnect();
  const second = await joined(HttpStreamingClient, { token: "secret", sessionId: "mine" });
  assert.equal(second.guest.headers.authorization, "Bearer secret");
  server.posted.length = 0;
  await second.client.registerTools([{ name: "a" }]);
  assert.deepEqual(server.posted, ["made-here"]);
});

test("our own goodbye is 1000 with its reason, and no cause to come back", async () => {
  const { client } = await joined(SocketNativeClient, { reconnectDelay: 1 });
  const lost = seen(client, "disconnect");
  client.disconnect();
  assert.deepEqual(await lost, [1000, "Client disconnected"]);
  assert.equal(client.isConnected(), false);
});

/** A client whose carriers the test controls. */
class Scripted extends Provider {
  readonly opened: CarrierEvents[] = [];
  readonly sent: Message[] = [];
  fails = false;

  protected open(): OpenCarrier {
    return async (events): Promise<Carrier> => {
      this.opened.push(events);
      if (this.fails) throw new Error("refused");
      queueMicrotask(() => events.message('{"jsonrpc":"2.0","id":"welcome","result":{"sessionId":"s"}}'));
      return { send: async (text) => void this.sent.push(JSON.parse(text) as Message), close: () => undefined };
    };
  }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

/** Runs with a clock that only the test moves. */
async function timed(run: (elapse: (ms: number) => Promise<void>) => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  try {
    await run(async (ms) => {
      mock.timers.tick(ms);
      await turns();
    });
  } finally {
    mock.timers.reset();
  }
}

test("attempts are 1, 2, 4, 8 and 16 s apart, and five of them", async () => {
  await timed(async (elapse) => {
    const scripted = new Scripted({ serverUrl: "ws://nowhere" });
    const errors: string[] = [];
    scripted.on("error", ({ message }) => errors.push(message));
    await scripted.connect();
    scripted.fails = true;
    scripted.opened[0]?.closed(1006, "");
    for (const [attempt, delay] of [1000, 2000, 4000, 8000, 16_000].entries()) {
      await elapse(delay - 1);
      assert.equal(scripted.opened.length, attempt + 1);
      await elapse(1);
      assert.equal(scripted.opened.length, attempt + 2);
    }
    await elapse(3_600_000);
    assert.equal(scripted.opened.length, 6);
    assert.equal(errors.at(-1), "no connection after 5 attempts");
  });
});

test("an attempt that works starts the count anew", async () => {
  await timed(async (elapse) => {
    const scripted = new Scripted({ serverUrl: "ws://nowhere" });
    await scripted.connect();
    for (let round = 1; round <= 7; round++) {
      scripted.opened.at(-1)?.closed(1006, "");
      await elapse(1000);
      assert.equal(scripted.opened.length, round + 1);
      assert.equal(scripted.isConnected(), true);
    }
    scripted.disconnect();
  });
});

for (const code of [4000, 4003, 4004]) {
  test(`a server that closes with ${String(code)} is not asked again`, async () => {
    await timed(async (elapse) => {
      const scripted = new Scripted({ serverUrl: "ws://nowhere" });
      await scripted.connect();
      scripted.opened[0]?.closed(code, "no");
      await elapse(3_600_000);
      assert.equal(scripted.opened.length, 1);
    });
  });
}

test("a ping leaves at every interval, and one without an answer ends the connection", async () => {
  await timed(async (elapse) => {
    const scripted = new Scripted({ serverUrl: "ws://nowhere", autoReconnect: false });
    const ends: unknown[] = [];
    scripted.on("disconnect", (code) => ends.push(code));
    await scripted.connect();
    await elapse(30_000);
    const [ping] = scripted.sent;
    assert.equal(ping?.method, "ping");
    scripted.opened[0]?.message(JSON.stringify({ jsonrpc: "2.0", id: ping?.id, result: { pong: true } }));
    await turns();
    await elapse(30_000);
    assert.equal(scripted.sent.length, 2);
    assert.deepEqual(ends, []);
    await elapse(30_000);
    assert.deepEqual(ends, [4006]);
  });
});

test("a request without a response ends after 30 s and says which it was", async () => {
  await timed(async (elapse) => {
    const scripted = new Scripted({ serverUrl: "ws://nowhere", pingInterval: 3_600_000 });
    await scripted.connect();
    const refused = assert.rejects(scripted.registerTools([{ name: "a" }]), {
      code: -32001,
      message: "Request timeout: tools/register",
    });
    await elapse(30_000);
    await refused;
    scripted.disconnect();
  });
});

test("a call that comes together with the welcome is answered", async () => {
  const scripted = new Scripted({ serverUrl: "ws://nowhere" });
  const connecting = scripted.connect();
  await Promise.resolve();
  scripted.opened[0]?.message('{"jsonrpc":"2.0","id":"welcome","result":{"sessionId":"s"}}');
  scripted.opened[0]?.message(
    '{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"echo","arguments":{"message":"early"}}}',
  );
  await connecting;
  await turns();
  assert.deepEqual(
    scripted.sent.map(({ id, result }) => [id, result]),
    [["1", { content: [{ type: "text", text: "early" }], isError: false }]],
  );
  scripted.disconnect();
});
