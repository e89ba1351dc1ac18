// The tables of the proposal with which eye began, from real texts and real runs: the cost of an operation with curl
// and JSON and with eye, the length of the wire forms, and the hops of a request. eye-bench makes its table of times
// (`cargo xtask bench` prints both). `node bench/seed-tables.mjs [--quick]`; EYE_BIN names eye.

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { join } from "node:path";
import { load } from "../../harness/load.mjs";
import { hasStrace, traceCommand, traceHub } from "./strace.mjs";
import { percent, table } from "./table.mjs";

const { Agent, Course, Desktop } = await load("e2e/stage/agent.js", "e2e/stage/desktop.js", "e2e/tasks/course.js");
const quick = process.argv.includes("--quick");
const TRACES = quick ? 1 : 5;
/** As counted in the proposal: `-H "Authorization: Bearer …" \`, with its indentation. */
const AUTHORIZATION_CHARS = 220;

/** The six operations of the proposal: the original tool, the page bridge's answer to it, and eye's command. */
const OPERATIONS = [
  {
    name: "JS eval",
    tool: "algo_eval",
    args: { code: "document.title" },
    today: "ALGO.bridge.eval('document.title')",
    eye: "eye document.title",
  },
  {
    name: "Get state",
    tool: "algo_getState",
    args: {},
    today: "({ success: true, result: ALGO.bridge.getState() })",
    eye: "eye state",
  },
  {
    name: "DOM query",
    tool: "algo_query",
    args: { selector: ".desktop-icon" },
    today: "ALGO.bridge.query('.desktop-icon')",
    eye: "eye query .desktop-icon",
  },
  {
    name: "Click",
    tool: "algo_click",
    args: { selector: "#start-button" },
    today: "ALGO.bridge.click('#start-button')",
    eye: "eye click '#start-button'",
  },
  {
    name: "Open app",
    tool: "algo_openApp",
    args: { appId: "chat" },
    today: "ALGO.bridge.openApp('chat')",
    eye: "eye open chat",
  },
  {
    name: "Pubsub",
    tool: "algo_eval",
    args: { code: 'ALGO.pubsub.publish("chat","hello")' },
    today: `ALGO.bridge.eval('ALGO.pubsub.publish("chat","hello")')`,
    eye: "eye pub chat hello",
  },
];

/** A token of the original: its payload in base64, a dot, its HMAC; `rand` pads it to the documented length. */
function token() {
  const length = AUTHORIZATION_CHARS - '  -H "Authorization: Bearer " \\'.length - 1 - 64;
  const payload = (rand) =>
    Buffer.from(`{"username": "root", "exp": 1738195200, "rand": "${rand}"}`).toString("base64");
  const digits = createHash("sha256").update("rand").digest("hex").repeat(2);
  const fit = [...digits].map((_, at) => payload(digits.slice(0, at))).find((text) => text.length >= length);
  return `${fit}.${createHmac("sha256", "secret").update(fit).digest("hex")}`;
}

function curl(tool, args) {
  const body = JSON.stringify({ method: "tools/call", params: { name: tool, arguments: args } });
  const lines = [
    "curl -s -X POST https://functionserver.com/api/mcp",
    '-H "Content-Type: application/json"',
    `-H "Authorization: Bearer ${token()}"`,
    `-d '${body}'`,
  ];
  return lines.join(" \\\n  ");
}

const chars = (text) => [...text].length;

async function operations(course) {
  const rows = [];
  const sum = { today: 0, eye: 0 };
  for (const { name, tool, args, today, eye } of OPERATIONS) {
    const command = curl(tool, args);
    const before = await Desktop.open(course.stage);
    const result = await before.page.evaluate(`Promise.resolve(${today}).then(JSON.stringify)`);
    const answer = JSON.stringify({ content: [{ text: result, type: "text" }] });
    await before.close();
    const desktop = await Desktop.open(course.stage);
    const shell = await course.shell({ EYE_PAGE: desktop.session });
    const output = await shell.run(eye);
    await desktop.close();
    const tokens = { today: countTokens(command) + countTokens(answer), eye: countTokens(eye) + countTokens(output) };
    sum.today += tokens.today;
    sum.eye += tokens.eye;
    const written = [chars(command), chars(eye)];
    rows.push([
      name,
      ...written,
      percent(written[0] - written[1], written[0]),
      chars(answer),
      chars(output),
      tokens.today,
      tokens.eye,
      percent(tokens.today - tokens.eye, tokens.today),
    ]);
  }
  rows.push(["all six", "", "", "", "", "", sum.today, sum.eye, percent(sum.today - sum.eye, sum.today)]);
  const head = [
    "operation",
    "chars written: curl",
    "eye",
    "saved",
    "chars read: JSON",
    "eye",
    "tokens in all: curl + JSON",
    "eye",
    "saved",
  ];
  table("What an operation costs an agent, on the desktop", head, rows);
  console.log(
    `\ncurl + JSON is the proposal's own command, with an authorization of ${AUTHORIZATION_CHARS} characters, and the original's answer around what the page really gave. A click of eye's answers with what changed, the original's only that it clicked; a query's answer is mostly the element's HTML, with both.`,
  );
}

/** `x` is "y" in the page. Forms with an answer are counted in both directions, without the newline. */
const FORMS = [
  [
    "Verbose: JSON-RPC",
    '{"jsonrpc":"2.0","id":"req-001","method":"eval","params":{"code":"x"}}',
    '{"jsonrpc":"2.0","id":"req-001","result":{"value":"y"}}',
    45,
  ],
  ["Minimal", '{i:1,c:"x"}', '{"i":1,"r":"y"}', 26],
  ["Minimal, an array", '["a","x"]', '["a","y"]', ""],
  ["No id", '{c:"x"}', '"y"', 12],
  ["Bare string", '"x"', '"y"', 7],
  ["Line", "a:x", "a:y", ""],
  ["Fire", "x", undefined, 3],
];

async function forms(course) {
  const rows = [];
  const desktop = await Desktop.open(course.stage);
  await desktop.page.evaluate(
    "globalThis.asked = 0; Object.defineProperty(globalThis, 'x', { get() { asked++; return 'y'; } })",
  );
  const agent = await Agent.connect(course.stage.home.socket);
  for (const [name, request, wanted, seed] of FORMS) {
    const before = agent.frames.length;
    agent.send(request);
    if (wanted === undefined) {
      // A form without an answer is followed by a request, whose answer must be the next frame.
      agent.send("end:asked");
      await agent.frame((frame) => frame.startsWith("end"));
      assert.deepEqual(agent.frames.slice(before), [`end:${String(FORMS.length)}`]);
    } else {
      await agent.frame(() => agent.frames.length > before);
      assert.equal(agent.frames.at(-1), wanted);
    }
    rows.push([
      name,
      `\`${request}\``,
      wanted === undefined ? "nothing" : `\`${wanted}\``,
      request.length + (wanted?.length ?? 0),
      seed,
    ]);
  }
  agent.close();
  await desktop.close();
  table(
    "The wire forms, as the hub takes and answers them",
    ["form", "request", "answer", "chars", "the proposal counted"],
    rows,
  );
}

async function hops(course) {
  if (!hasStrace()) {
    console.log("\nnote: no strace here, so hops were not counted");
    return;
  }
  const desktop = await Desktop.open(course.stage);
  const { home } = course.stage;
  const { pid } = await home.status();
  const out = join(home.folder, "trace");
  const { env, folder } = await course.shell({ EYE_PAGE: desktop.session });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eval", params: { code: "document.title" } });
  const curl = `curl -s -X POST http://127.0.0.1:${home.port}/rpc -H "Content-Type: application/json" -H "X-Session-ID: ${desktop.session}" -H "Authorization: Bearer ${await home.token()}" -d '${body}'`;
  const agent = await Agent.connect(home.socket);
  agent.send(
    JSON.stringify({ jsonrpc: "2.0", method: "hello", params: { clientType: "agent", target: desktop.session } }),
  );
  const title = (await agent.ask("warm", "document.title")).slice("warm:".length);

  let requests = 0;
  const ways = [
    ["curl + JSON over HTTP", curl],
    ["`eye EXPR`", "eye document.title"],
    ["a Unix socket that is open", undefined],
  ];
  const rows = [];
  for (const [name, command] of ways) {
    const own = command === undefined ? { programs: 0, connections: 0 } : traceCommand(command, { env, folder, out });
    if (command !== undefined) assert.ok(own.stdout.includes(title), own.stdout);
    const ask = async () => {
      if (command === undefined) assert.ok((await agent.ask(`q${++requests}`, "document.title")).endsWith(title));
      else await (await course.shell({ EYE_PAGE: desktop.session })).run(command);
    };
    // A ping of the hub to the page would add two messages; the smallest of several counts has none.
    const seen = [];
    for (let round = 0; round < TRACES; round += 1) seen.push(await traceHub(pid, out, ask));
    const { received, sent } = seen.sort((a, b) => a.received + a.sent - b.received - b.sent)[0];
    rows.push([name, own.programs, own.connections, received, sent, own.programs + own.connections + received + sent]);
  }
  agent.close();
  await desktop.close();
  table(
    "Hops of one question and its answer, counted by strace",
    ["way", "programs started", "connections opened", "messages to the hub", "messages from the hub", "hops"],
    rows,
  );
  console.log(
    "\nA shell starts each command and is one of the programs. Messages are what the hub read from its sockets and wrote to them: the agent's and the page's.",
  );
}

const course = await Course.open();
try {
  await forms(course);
  await operations(course);
  await hops(course);
} finally {
  await course.close();
}
