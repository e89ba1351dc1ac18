// The README's examples run unchanged except for the port. `// →` marks what a line prints.

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { AgentClient } from "../src/index.js";
import { startChromium } from "./browsers.js";
import { heard } from "./event.js";
import { within } from "../../harness/until.js";
import { Home } from "../../harness/home.js";
import { web } from "../../harness/program.js";
import { carriesOurClient } from "./carried.js";

const CLIENT = join(web(), "client");
const BLOCK = /^```(\w+) runnable ?(\w*)\n([^]*?)^```$/gm;
const PRINTS = /\/\/ → (.*)$/gm;

interface Example {
  readonly language: string;
  readonly role: string;
  readonly code: string;
  readonly prints: readonly string[];
}

let home: Home;
let folder: string;
let examples: Example[];

before(async () => {
  home = await Home.running();
  folder = await mkdtemp(join(CLIENT, ".test-build/readme-"));
  const text = (await readFile(join(CLIENT, "README.md"), "utf8")).replaceAll(
    "localhost:8765",
    `localhost:${String(home.port)}`,
  );
  examples = [...text.matchAll(BLOCK)].map(([, language = "", role = "", code = ""]) => {
    return { language, role, code, prints: [...code.matchAll(PRINTS)].map(([, printed = ""]) => printed) };
  });
  await carriesOurClient(home);
});

after(async () => {
  await home.close();
  await rm(folder, { recursive: true, force: true });
});

const roles = (role: string): Example[] => examples.filter((one) => one.language === "ts" && one.role === role);

/** Bundles an example against the built package and starts it. */
async function start({ code }: Example): Promise<{
  process: ChildProcess;
  printed: string[];
  line(text: string): Promise<void>;
  ended: Promise<number | null>;
}> {
  const file = join(folder, `${String(Math.random()).slice(2)}.mjs`);
  const { outputFiles } = await build({
    stdin: { contents: code, loader: "ts", resolveDir: CLIENT },
    alias: { "eye-client": join(CLIENT, "dist/index.js") },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  await writeFile(file, outputFiles[0]?.text ?? "");
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, EYE_TOKEN: await home.token() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed: string[] = [];
  const waiters: (() => void)[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.push(...text.split("\n").filter((line) => line !== ""));
    for (const waiter of waiters.splice(0)) waiter();
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const line = async (text: string): Promise<void> => {
    while (!printed.includes(text)) await within(text, new Promise<void>((resolve) => waiters.push(resolve)));
  };
  return { process: child, printed, line, ended };
}

test("the README has an example of each client", () => {
  assert.deepEqual(
    examples.map(({ language, role }) => `${language} ${role}`.trim()),
    ["html", "ts provider", "ts provider", "ts agent"],
  );
});

test("the providers offer what they say, and the agent gets what it says", { timeout: 60_000 }, async () => {
  const providers = await Promise.all(
    roles("provider").map(async (example) => ({ example, running: await start(example) })),
  );
  try {
    for (const { example, running } of providers) for (const line of example.prints) await running.line(line);
    for (const example of roles("agent")) {
      const { printed, ended } = await start(example);
      assert.equal(await within("the end of the agent", ended), 0);
      assert.deepEqual(printed, example.prints);
    }
    const agent = new AgentClient({ unix: home.socket, session: "my-stream" });
    await agent.connect();
    assert.deepEqual((await agent.call("greet", { name: "Ada" })).content, [
      { type: "text", text: "Hello over HTTP, Ada!" },
    ]);
    agent.close();
  } finally {
    for (const { running } of providers) {
      running.process.kill();
      await running.ended;
    }
  }
});

test("the page offers what it says", { timeout: 60_000 }, async () => {
  const page = examples.find(({ language }) => language === "html");
  const site = createServer((_, response) => response.setHeader("content-type", "text/html").end(page?.code));
  const browser = await startChromium();
  const agent = new AgentClient({ unix: home.socket });
  try {
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const tab = await browser.newPage();
    await tab.goto(`http://localhost:${String((site.address() as AddressInfo).port)}/`);
    await agent.connect();
    const session = await tab.waitForFunction(() => {
      const { eye } = globalThis as { eye?: { connected: boolean; session: string } };
      return eye?.connected === true ? eye.session : undefined;
    });
    const updated = heard(agent, "tools/updated").catch(() => undefined);
    if ((await agent.join(String(await session.jsonValue()))).length === 0) await updated;
    const { structuredContent } = (await agent.call("cart_add", { article: "tea", count: 2 })) as unknown as {
      structuredContent: unknown;
    };
    assert.deepEqual(structuredContent, { cart: ["tea", "tea"] });
    await assert.rejects(agent.call("cart_add", { article: "tea", count: 0 }), { code: -32005 });
  } finally {
    agent.close();
    await browser.close();
    site.close();
  }
});
