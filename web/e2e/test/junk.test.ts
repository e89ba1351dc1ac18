// Frames that are too large, not text, or incomplete: the sender gets an error, and no other peer is affected.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { Agent } from "../stage/agent.js";
import { opened, type Line } from "../stage/knock.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

const MEBIBYTE = 1024 * 1024;
const CLOSED_UNSUPPORTED = 1003;
const CLOSED_TOO_BIG = 1009;

let stage: Stage;
let session: string;
let bystander: Agent;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/", { title: "Bystander" });
  ({ session } = await stage.visit("/"));
  bystander = await Agent.connect(stage.home.socket);
});

after(() => stage.close());

let requests = 0;
beforeEach(async () => assertOthersGoOn());

async function assertOthersGoOn(): Promise<void> {
  const id = `n${String(requests++)}`;
  assert.equal(await bystander.ask(id, "1+1"), `${id}:2`);
  assert.equal((await stage.home.eye("--page", session, "document.title")).stdout, "Bystander\n");
}

async function agentLine(): Promise<Line> {
  return opened(stage.home.port, "/ws?clientType=agent", { authorization: `Bearer ${await stage.home.token()}` });
}

async function pageLine(): Promise<Line> {
  return opened(stage.home.port, "/ws?clientType=browser", { origin: "http://localhost:1" });
}

test("a line over 16 MiB on the Unix socket ends that connection with an error that names the limit", async () => {
  const agent = await Agent.connect(stage.home.socket);
  agent.socket.write(Buffer.alloc(17 * MEBIBYTE, "x"));
  assert.match(await agent.frame(() => true), /^!:.*16 MiB/);
  await agent.ended();
  await assertOthersGoOn();
});

test("a counted frame over 16 MiB is refused before it is sent", async () => {
  const agent = await Agent.connect(stage.home.socket);
  agent.socket.write("#16777217\n");
  assert.match(await agent.frame(() => true), /^!:.*16 MiB/);
  await agent.ended();
  await assertOthersGoOn();
});

test("bytes that are no text, and counts that are none, end a connection on the Unix socket with an error", async () => {
  for (const junk of [
    Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
    Buffer.from("#x\n"),
    Buffer.from("#-1\n"),
    Buffer.from("#99999999999999999999\n"),
  ]) {
    const agent = await Agent.connect(stage.home.socket);
    agent.socket.write(junk);
    assert.match(await agent.frame(() => true), /^!:/);
    await agent.ended();
  }
  await assertOthersGoOn();
});

test("half a frame and then silence delays no other peer, on either carrier", async () => {
  const half = await Agent.connect(stage.home.socket);
  half.socket.write("a:1+");
  const counted = await Agent.connect(stage.home.socket);
  counted.socket.write("#5\na:1");
  const head = connect(stage.home.port, "127.0.0.1");
  head.write("GET /ws HTTP/1.1\r\nHost: local");
  const line = await agentLine();
  rawSocket(line).write(Buffer.from([0x81, 0xfe, 0x01]));
  await assertOthersGoOn();
  half.socket.write("1\n");
  assert.equal(await half.frame(() => true), "a:2");
  counted.socket.write("+1");
  assert.equal(await counted.frame(() => true), "a:2");
  for (const socket of [half.socket, counted.socket, head]) socket.destroy();
  line.socket.terminate();
});

test("a binary message closes a WebSocket with 1003, an agent's and a page's", async () => {
  for (const line of [await agentLine(), await pageLine()]) {
    line.socket.send(Buffer.from([0, 1, 2, 255]));
    assert.equal((await line.closed()).code, CLOSED_UNSUPPORTED);
  }
  await assertOthersGoOn();
});

test("a message over 64 MiB closes a WebSocket with 1009 as soon as it is announced", async () => {
  const line = await agentLine();
  const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeBigUInt64BE(BigInt(64 * MEBIBYTE + 1), 2);
  rawSocket(line).write(head);
  const { code, reason } = await line.closed();
  assert.equal(code, CLOSED_TOO_BIG);
  assert.match(reason, /64 MiB/);
  await assertOthersGoOn();
});

test("a frame over 16 MiB on a WebSocket is refused with an error or a close that names the limit", async () => {
  const line = await agentLine();
  line.socket.send(`a:"${"x".repeat(17 * MEBIBYTE)}".length`);
  const reply = await Promise.race([
    line.next(),
    line.closed().then(({ code, reason }) => `${String(code)} ${reason}`),
  ]);
  assert.match(reply, /16 MiB/);
  line.socket.terminate();
  await assertOthersGoOn();
});

test("a page's answer over 16 MiB is an error that names the limit, not a value", async () => {
  const line = await pageLine();
  line.socket.send(
    JSON.stringify({
      jsonrpc: "2.0",
      method: "hello",
      params: { clientType: "browser", version: "1.0.0", typed: true, page: { alias: "boaster" } },
    }),
  );
  await until("the page has joined", async () => (await stage.home.pages()).find(({ alias }) => alias === "boaster"));
  const call = await stage.home.start(["--page", "boaster", "--timeout", "5", "1"]);
  const id = (await line.next()).split(":")[0] ?? "";
  line.socket.send(`${id}:${"x".repeat(17 * MEBIBYTE)}`);
  const { stdout, stderr, code } = await call.ended;
  assert.equal(stdout, "");
  assert.match(stderr, /^error: .*16 MiB/);
  assert.equal(code, 1, stderr);
  line.socket.terminate();
  await assertOthersGoOn();
});

test("bytes that are no WebSocket frame close only their own connection", async () => {
  const line = await agentLine();
  rawSocket(line).write(Buffer.alloc(64, 0xff));
  await line.closed();
  await assertOthersGoOn();
});

test("a page that sends nonsense does no harm", async () => {
  const line = await pageLine();
  for (const text of [
    "",
    "x",
    "{}",
    "[1]",
    "99:1",
    "1=",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","method":"page/info","params":7}',
  ])
    line.socket.send(text);
  line.socket.send(
    JSON.stringify({
      jsonrpc: "2.0",
      id: "hello",
      method: "hello",
      params: { clientType: "browser", version: "1.0.0", typed: true, batch: true },
    }),
  );
  while (!(await line.next()).includes('"sessionId"'));
  line.socket.send("no batch");
  assert.equal((await line.closed()).code, CLOSED_UNSUPPORTED);
  await assertOthersGoOn();
});

test("a bad query closes with 4000 and says what is wrong", async () => {
  for (const query of ["clientType=robot", "clientType=browser&version=9.0.0", "clientType=browser&sessionId=a%20b"]) {
    const line = await opened(stage.home.port, `/ws?${query}`, {
      origin: "http://localhost:1",
      authorization: `Bearer ${await stage.home.token()}`,
    });
    const { code, reason } = await line.closed();
    assert.equal(code, 4000);
    assert.notEqual(reason, "");
  }
});

/** The connection below the library, to write bytes that the library would not. */
function rawSocket({ socket }: Line): NodeJS.WritableStream {
  return (socket as unknown as { _socket: NodeJS.WritableStream })._socket;
}
