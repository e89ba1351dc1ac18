// The agent client against a scripted server.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { AgentClient, EyeError, type AgentOptions } from "../src/index.js";
import { encodeFrame, FrameReader } from "../src/wire/framing.js";
import { heard } from "./event.js";
import { ScriptedServer, type Guest, type Message } from "./server.js";

let server: ScriptedServer;
let client: AgentClient | undefined;

before(async () => {
  server = await ScriptedServer.start();
  server.welcome = undefined;
  server.answers.set("hello", { version: "1.0.0", hub: "test" });
  server.answers.set("session/join", { success: true, sessionId: "s", tools: [{ name: "add" }] });
});
after(() => server.stop());
afterEach(() => client?.close());

async function joined(options: AgentOptions = {}): Promise<{ client: AgentClient; guest: Guest }> {
  const made = new AgentClient({ url: server.address, ...options });
  client = made;
  const [guest] = await Promise.all([server.guest(), made.connect()]);
  return { client: made, guest };
}

function fault(guest: Guest, { id }: Message, error: object): void {
  guest.write({ jsonrpc: "2.0", id, error });
}

test("joins as an agent, with hello, and the token as a subprotocol", async () => {
  const { client, guest } = await joined({ token: "secret" });
  assert.equal(guest.url.pathname, "/ws");
  assert.equal(guest.url.search, "?clientType=agent");
  assert.equal(guest.headers["sec-websocket-protocol"], "eye,bearer.secret");
  assert.equal(client.connected, true);
  await client.connect();
  assert.equal(server.guests.length, 1);
});

test("a call says only what it was told to say, and gives the result", async () => {
  const { client, guest } = await joined();
  const called = client.call("add", { a: 1 });
  const request = await guest.method("tools/call");
  assert.deepEqual(request.params, { name: "add", arguments: { a: 1 } });
  guest.answer(request, { content: [], isError: false });
  assert.deepEqual(await called, { content: [], isError: false });
  void client.call("add", {}, { timeout: 5, page: "shop", confirm: true }).catch(() => undefined);
  assert.deepEqual((await guest.method("tools/call")).params, {
    name: "add",
    arguments: {},
    timeout: 5,
    page: "shop",
    confirm: true,
  });
});

test("an error comes with code, hint and the page's own stack", async () => {
  const { client, guest } = await joined();
  const called = client.call("add");
  fault(guest, await guest.method("tools/call"), {
    code: -32003,
    message: "kaboom",
    data: { hint: "try less", stack: "at page.js:1" },
  });
  await assert.rejects(called, (error) => {
    assert.ok(error instanceof EyeError);
    assert.deepEqual(
      [error.name, error.code, error.message, error.hint, error.stack],
      ["EyeError", -32003, "kaboom", "try less", "at page.js:1"],
    );
    return true;
  });
});

test("progress reaches the call it belongs to, and no call after its end", async () => {
  const { client, guest } = await joined();
  const told: unknown[] = [];
  const first = client.call("a", {}, { onProgress: ({ progress }) => told.push(["a", progress]) });
  const second = client.call("b", {}, { onProgress: ({ progress }) => told.push(["b", progress]) });
  const [a, b] = [await guest.method("tools/call"), await guest.method("tools/call")];
  const progress = (id: Message["id"], progress: number): void =>
    guest.write({ jsonrpc: "2.0", method: "call/progress", params: { id, progress } });
  progress(b.id, 1);
  progress(a.id, 2);
  guest.answer(a, {});
  progress(a.id, 3);
  guest.answer(b, {});
  await Promise.all([first, second]);
  assert.deepEqual(told, [
    ["b", 1],
    ["a", 2],
  ]);
});

test("an abort cancels in the hub and ends the call here", async () => {
  const { client, guest } = await joined();
  const aborter = new AbortController();
  const called = client.call("a", {}, { signal: aborter.signal });
  const { id } = await guest.method("tools/call");
  aborter.abort();
  await assert.rejects(called, { code: -32800 });
  assert.deepEqual((await guest.method("call/cancel")).params, { id });
  await assert.rejects(client.call("a", {}, { signal: aborter.signal }), { code: -32800 });
  assert.ok(!guest.messages.some(({ method }) => method === "tools/call"));
});

test("a hub that forgets a call is not waited for", async () => {
  const { client } = await joined();
  await assert.rejects(client.call("a", {}, { timeout: -1990 }), { code: -32001 });
});

test("eval gives values, renderings, and undefined", async () => {
  const { client, guest } = await joined();
  for (const [result, expected] of [
    [{ value: { a: 1 } }, { a: 1 }],
    [{ value: null }, null],
    [{ rendering: "<a>" }, "<a>"],
    [{ rendering: "undefined" }, undefined],
  ] as const) {
    const asked = client.eval("x", { page: "shop" });
    const request = await guest.method("eval");
    assert.deepEqual(request.params, { code: "x", page: "shop" });
    guest.answer(request, result);
    assert.deepEqual(await asked, expected);
  }
});

test("sessions, tools, discover, leave and batches ask what the wire says", async () => {
  const { client, guest } = await joined();
  const answering = async (method: string, result: unknown): Promise<unknown> => {
    const request = await guest.method(method);
    guest.answer(request, result);
    return request.params;
  };
  const sessions = client.sessions();
  await answering("session/list", { sessions: [{ id: "s" }] });
  assert.deepEqual(await sessions, [{ id: "s" }]);
  const tools = client.tools({ filter: "x" });
  assert.deepEqual(await answering("tools/list", { tools: [] }), { filter: "x" });
  assert.deepEqual(await tools, []);
  const discovered = client.discover("add");
  await answering("tools/list", { tools: [{ name: "sub" }, { name: "add", description: "Adds." }] });
  assert.deepEqual(await discovered, ["add() — Adds"]);
  const batch = client.callBatch([{ name: "a" }, { name: "b", arguments: { x: 1 } }]);
  assert.deepEqual(
    await answering("tools/callBatch", {
      results: [{ result: { content: [], isError: false } }, { error: { code: -32004, message: "no" } }],
    }),
    { calls: [{ name: "a" }, { name: "b", arguments: { x: 1 } }] },
  );
  const [one, two] = await batch;
  assert.deepEqual(one, { result: { content: [], isError: false } });
  assert.ok(two !== undefined && "error" in two && two.error.code === -32004);
  const left = client.leave();
  await answering("session/leave", { success: true });
  await left;
});

test("news of the session are events", async () => {
  const { client, guest } = await joined({ session: "s" });
  const news = [
    heard(client, "tools/updated"),
    heard(client, "session/pageGone"),
    heard(client, "session/pageBack"),
  ] as const;
  guest.write({ jsonrpc: "2.0", method: "tools/updated", params: { sessionId: "s", tools: [{ name: "x" }] } });
  guest.write({ jsonrpc: "2.0", method: "session/pageGone", params: { sessionId: "s" } });
  guest.write({ jsonrpc: "2.0", method: "session/pageBack", params: { sessionId: "s" } });
  assert.deepEqual(await Promise.all(news), [
    [{ sessionId: "s", tools: [{ name: "x" }] }],
    [{ sessionId: "s" }],
    [{ sessionId: "s" }],
  ]);
});

test("a lost connection ends what is under way, comes back, joins again, and what is asked meanwhile waits", async () => {
  const { client, guest } = await joined();
  assert.deepEqual(await client.join("s"), [{ name: "add" }]);
  server.answers.delete("session/join");
  const called = client.call("a");
  await guest.method("tools/call");
  const lost = heard(client, "close");
  const refused = assert.rejects(called, { code: -32000 });
  guest.close(1001, "restart");
  assert.deepEqual(await lost, [1001, "restart"]);
  await refused;
  const meanwhile = client.call("b");
  const again = await server.guest();
  const join = await again.method("session/join");
  assert.deepEqual(join.params, { sessionId: "s" });
  assert.ok(!again.messages.some(({ method }) => method === "tools/call"));
  again.answer(join, { success: true });
  again.answer(await again.method("tools/call"), { content: [], isError: false });
  assert.deepEqual(await meanwhile, { content: [], isError: false });
  server.answers.set("session/join", { success: true, sessionId: "s", tools: [{ name: "add" }] });
});

test("after close nothing comes back, and asking says to connect", async () => {
  const { client } = await joined();
  const closed = heard(client, "close");
  client.close();
  await closed;
  assert.equal(client.connected, false);
  await assert.rejects(client.call("a"), { code: -32000, hint: "connect() first" });
});

test("no hub is an error of connect", async () => {
  const other = await ScriptedServer.start();
  const { address } = other;
  await other.stop();
  await assert.rejects(new AgentClient({ url: address }).connect(), { code: -32000 });
  await assert.rejects(new AgentClient({ unix: "/nowhere/hub.sock" }).connect(), { code: -32000, hint: /eye up/ });
  assert.throws(() => new AgentClient({ url: address, unix: "/x" }), { code: -32602 });
});

test("over a Unix socket every frame is a line, and counted frames are read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "eye-unix-"));
  const path = join(folder, "hub.sock");
  const reader = new FrameReader();
  const listening = createServer((socket) => {
    socket.on("data", (bytes) => {
      for (const frame of reader.push(bytes)) {
        const { id } = JSON.parse(frame) as Message;
        const answer = JSON.stringify({ jsonrpc: "2.0", id, result: { value: "é" } }, null, 2);
        for (const byte of encodeFrame(answer)) socket.write(Uint8Array.of(byte));
      }
    });
  });
  await new Promise<void>((resolve) => listening.listen(path, resolve));
  const agent = new AgentClient({ unix: path });
  try {
    await agent.connect();
    assert.equal(await agent.eval("1\n2"), "é");
  } finally {
    agent.close();
    await new Promise((resolve) => listening.close(resolve));
    await rm(folder, { recursive: true });
  }
});
