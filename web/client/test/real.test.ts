// The clients for programs against a real hub: providers and agents of different carriers with each other.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  AgentClient,
  EyeError,
  HttpStreamingClient,
  SocketNativeClient,
  type AgentOptions,
  type ProviderOptions,
} from "../src/index.js";
import { heard, seen } from "./event.js";
import { within } from "../../harness/until.js";
import { Home } from "../../harness/home.js";

let home: Home;
let token: string;

before(async () => {
  home = await Home.running();
  token = await home.token();
});
after(() => home.close());

type ProviderClass = typeof SocketNativeClient | typeof HttpStreamingClient;

const PROVIDERS: [string, ProviderClass][] = [
  ["WebSocket", SocketNativeClient],
  ["SSE and POST", HttpStreamingClient],
];
const AGENTS: [string, () => AgentOptions][] = [
  ["WebSocket", () => ({ url: home.url, token })],
  ["Unix socket", () => ({ unix: home.socket })],
];

const ADD = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a"] },
};

async function provider(
  Kind: ProviderClass,
  options: Partial<ProviderOptions> = {},
): Promise<InstanceType<ProviderClass>> {
  const client = new Kind({ serverUrl: home.url.replace("http", "ws"), token, ...options });
  client.registerHandler("add", ({ a, b = 0 }: { a: number; b?: number }) => a + b);
  client.registerHandler("fails", () => {
    throw new RangeError("out of paper");
  });
  client.registerHandler("slow", async (_, { signal, progress }) => {
    progress(1, 2, "begun");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "never read";
  });
  await client.connect();
  await client.registerTools([ADD, { name: "fails" }, { name: "slow" }, { name: "unhandled" }]);
  return client;
}

async function agent(options: AgentOptions): Promise<AgentClient> {
  const client = new AgentClient(options);
  await client.connect();
  return client;
}

function code(expected: number, message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof EyeError, String(error));
    assert.match(error.message, message);
    assert.equal(error.code, expected);
    return true;
  };
}

for (const [carried, Kind] of PROVIDERS) {
  for (const [asked, options] of AGENTS) {
    test(`a provider over ${carried} is called by an agent over ${asked}`, async () => {
      const page = await provider(Kind);
      const asking = await agent(options());
      try {
        assert.match(page.getSessionId(), /^[\w.-]{1,64}$/);
        const tools = await asking.join(page.getSessionId());
        assert.deepEqual(tools.map(({ name }) => name).sort(), ["add", "fails", "slow", "unhandled"]);
        assert.deepEqual(
          tools.find(({ name }) => name === "add"),
          ADD,
        );
        assert.deepEqual(
          (await asking.tools({ filter: "adds" })).map(({ name }) => name),
          ["add"],
        );
        assert.deepEqual((await asking.call("add", { a: 1, b: 2 })).content, [{ type: "text", text: "3" }]);
        assert.deepEqual(await asking.discover("add numbers"), ["add(a: number, b?: number) — Adds two numbers"]);
        await assert.rejects(asking.call("add", { a: "1" }), code(-32005, /a\b/));
        await assert.rejects(asking.call("ad"), code(-32004, /ad/));
        await assert.rejects(asking.call("fails"), code(-32603, /Tool execution failed: out of paper/));
        await assert.rejects(asking.call("unhandled"), code(-32601, /Tool not found: unhandled/));
        await assert.rejects(asking.call("slow", {}, { timeout: 50 }), code(-32001, /./));
        await assert.rejects(asking.eval("1"), code(-32006, /./));
      } finally {
        asking.close();
        page.disconnect();
      }
    });

    test(`progress and cancelling pass between ${carried} and ${asked}`, async () => {
      const page = await provider(Kind);
      const asking = await agent(options());
      try {
        await asking.join(page.getSessionId());
        const aborter = new AbortController();
        const told: unknown[] = [];
        const called = asking.call(
          "slow",
          {},
          {
            signal: aborter.signal,
            onProgress: ({ progress, total, message }) => {
              told.push([progress, total, message]);
              aborter.abort();
            },
          },
        );
        const stopped = new Promise<void>((resolve) => page.registerHandler("mark", () => resolve()));
        await assert.rejects(called, code(-32800, /cancelled/));
        assert.deepEqual(told, [[1, 2, "begun"]]);
        await page.registerTools([{ name: "mark" }]);
        await asking.call("mark");
        await within("the provider still answers", stopped);
      } finally {
        asking.close();
        page.disconnect();
      }
    });
  }

  test(`a batch of calls over ${carried} has one ending each, in order`, async () => {
    const page = await provider(Kind);
    const asking = await agent({ unix: home.socket });
    try {
      await asking.join(page.getSessionId());
      const results = await asking.callBatch([
        { name: "add", arguments: { a: 1 } },
        { name: "nope" },
        { name: "add", arguments: { a: 2, b: 2 } },
      ]);
      assert.deepEqual(
        results.map((one) => ("error" in one ? one.error.code : one.result.content)),
        [[{ type: "text", text: "1" }], -32004, [{ type: "text", text: "4" }]],
      );
    } finally {
      asking.close();
      page.disconnect();
    }
  });

  test(`an agent that joined hears of a provider over ${carried}: its tools, its going and its coming back`, async () => {
    const page = await provider(Kind, { sessionId: `kept-${carried.length}` });
    const asking = await agent({ unix: home.socket });
    try {
      assert.equal(page.getSessionId(), `kept-${carried.length}`);
      await asking.join(page.getSessionId());
      const updated = heard(asking, "tools/updated");
      await page.registerTools([{ name: "more" }]);
      assert.ok((await updated)[0].tools.some(({ name }) => name === "more"));
      const gone = heard(asking, "session/pageGone");
      page.disconnect();
      assert.deepEqual(await gone, [{ sessionId: page.getSessionId() }]);
      const back = heard(asking, "session/pageBack");
      await page.connect();
      assert.deepEqual(await back, [{ sessionId: page.getSessionId() }]);
      assert.deepEqual((await asking.call("add", { a: 5 })).content, [{ type: "text", text: "5" }]);
    } finally {
      asking.close();
      page.disconnect();
    }
  });

  test(`a provider over ${carried} without the token is refused`, async () => {
    await assert.rejects(provider(Kind, { token: undefined }), code(-32000, /401/));
  });
}

test("a call in flight ends at once when its provider goes", async () => {
  const page = await provider(SocketNativeClient);
  const asking = await agent({ unix: home.socket });
  try {
    await asking.join(page.getSessionId());
    const begun = performance.now();
    const called = asking.call("slow", {}, { onProgress: () => page.disconnect() });
    await assert.rejects(called, code(-32000, /./));
    assert.ok(performance.now() - begun < 5000);
  } finally {
    asking.close();
    page.disconnect();
  }
});

test("a tool that is none is named, and the others are taken", async () => {
  const page = await provider(SocketNativeClient);
  const asking = await agent({ unix: home.socket });
  try {
    await assert.rejects(page.registerTools([{ name: "fine" }, { name: "not fine" }]), code(-32602, /not fine/));
    assert.ok((await asking.join(page.getSessionId())).some(({ name }) => name === "fine"));
  } finally {
    asking.close();
    page.disconnect();
  }
});

test("a session that does not exist cannot be joined, and the error says which there are", async () => {
  const page = await provider(SocketNativeClient, { sessionId: "there" });
  const asking = await agent({ url: home.url, token });
  try {
    await assert.rejects(asking.join("not-there"), code(-32002, /not-there/));
    await assert.rejects(agent({ unix: home.socket, session: "not-there" }), code(-32002, /not-there/));
    assert.ok((await asking.sessions()).some(({ id }) => id === "there"));
  } finally {
    asking.close();
    page.disconnect();
  }
});

test("an agent with the wrong token is refused", async () => {
  await assert.rejects(agent({ url: home.url, token: "wrong" }), code(-32000, /401/));
});

test("after a restart of the hub provider and agent are back, with tools and session", async () => {
  const own = await Home.running();
  const page = new SocketNativeClient({
    serverUrl: own.url,
    token: await own.token(),
    sessionId: "stays",
    reconnectDelay: 20,
  });
  page.registerHandler("add", ({ a }: { a: number }) => a);
  const asking = new AgentClient({ unix: own.socket, session: "stays" });
  try {
    await page.connect();
    await page.registerTools([ADD]);
    await asking.connect();
    const lost = heard(asking, "close");
    const back = seen(page, "connect");
    await own.restart();
    await lost;
    await back;
    assert.deepEqual((await asking.call("add", { a: 7 })).content, [{ type: "text", text: "7" }]);
  } finally {
    asking.close();
    page.disconnect();
    await own.close();
  }
});
