// The client as a driven browser puts it into a document: on a page whose policy forbids everything, over a binding,
// with real input.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, CDPSession } from "playwright-core";
import { web } from "../../harness/program.js";
import { startChromium } from "./browsers.js";

const POLICY = "default-src 'none'; script-src 'nonce-a'; require-trusted-types-for 'script'";
const PAGE = `<!doctype html><title>Strict</title><h1>Hi</h1><button id="b">Press</button><input id="i"><p id="out"></p>
<script nonce="a">
  seen = typeof eye_say;
  for (const [id, type] of [["b", "click"], ["i", "keydown"], ["i", "input"]])
    document.getElementById(id).addEventListener(type, (event) => (out.textContent += type + event.isTrusted + " "));
</script>`;

let browser: Browser;
let server: Server;

before(async () => {
  browser = await startChromium();
  server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html", "content-security-policy": POLICY });
    response.end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

after(async () => {
  await browser.close();
  server.close();
});

interface Called {
  readonly payload: string;
  readonly executionContextId: number;
}

/** A tab with the client in it, and how to ask that as the hub does. */
async function drive(): Promise<{
  cdp: CDPSession;
  ask: (frame: object | string, id: string) => Promise<string>;
  /**
   * Tells a message whose answers may be its value. Gives that, and what was heard in which order until all ids were
   * answered.
   */
  value: (frames: readonly string[], ids: readonly string[]) => Promise<{ value: string[]; heard: readonly string[] }>;
}> {
  const context = await browser.newContext();
  const tab = await context.newPage();
  const cdp = await context.newCDPSession(tab);
  const client = readFileSync(join(web(), "client/dist/driven.js"), "utf8");
  const names = { session: "tab", binding: "eye_say", receive: "eye_take", files: false, hands: true };
  const said: string[] = [];
  let heard = (): void => undefined;
  let context1 = 0;

  const tell = (message: string): Promise<unknown> =>
    cdp.send("Runtime.evaluate", { expression: `eye_take(${JSON.stringify(message)})`, contextId: context1 });
  const until = async (found: (message: string) => boolean): Promise<string> => {
    for (;;) {
      const there = said.find(found);
      if (there !== undefined) return there;
      await new Promise<void>((resolve) => (heard = () => resolve()));
    }
  };
  cdp.on("Runtime.bindingCalled", ({ payload, executionContextId }: Called) => {
    if (payload.includes('"method":"hello"')) context1 = executionContextId;
    if (payload.startsWith('{"input"')) void press(payload);
    said.push(payload);
    heard();
  });
  const press = async (payload: string): Promise<void> => {
    const { input, commands } = JSON.parse(payload) as {
      input: number;
      commands: { method: string; params: object }[];
    };
    const send = cdp.send.bind(cdp) as (method: string, params: object) => Promise<unknown>;
    await Promise.all(commands.map(({ method, params }) => send(method, params)));
    await tell(JSON.stringify({ input }));
  };
  // Without it, scripts for new documents are kept and never run.
  await cdp.send("Page.enable");
  await cdp.send("Runtime.enable");
  await cdp.send("Runtime.addBinding", { name: names.binding });
  const source = `(()=>{const eyeDriven=${JSON.stringify(names)};${client}})()`;
  await cdp.send("Page.addScriptToEvaluateOnNewDocument", { source });
  await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const hello = await until((message) => message.includes('"method":"hello"'));
  assert.match(hello, /"eval":true/);
  return {
    cdp,
    async ask(frame, id) {
      await tell(JSON.stringify([frame]));
      const answer = await until((message) => message.startsWith(`["${id}`));
      return (JSON.parse(answer) as string[])[0] ?? "";
    },
    async value(frames, ids) {
      const begins = said.length;
      const expression = `eye_take(${JSON.stringify(JSON.stringify(frames))},1)`;
      const how = { returnByValue: true, contextId: context1 };
      const { result } = await cdp.send("Runtime.evaluate", { expression, ...how });
      const value = (result.value as { said: string[] }).said;
      said.push(...value);
      for (const id of ids) await until((message) => said.indexOf(message) >= begins && message.includes(`"${id}`));
      return { value, heard: said.slice(begins) };
    },
  };
}

const verb = (id: string, name: string, params: object): object => ({
  jsonrpc: "2.0",
  id,
  method: `page/${name}`,
  params,
});

test("code and verbs run under a policy that forbids everything, and the page sees no binding", async () => {
  const { ask } = await drive();
  assert.equal(await ask("1:document.title + ' ' + seen", "1"), "1:Strict undefined");
  assert.equal(await ask("2:await new Promise((done) => setTimeout(done, 5)); 6 * 7", "2"), "2=42");
  assert.match(await ask(verb("3", "look", {}), "3"), /# Hi\n.*\[Press\]/);
});

test("what is waited for is found although it comes later, when text may not become code", async () => {
  const { cdp, ask } = await drive();
  const waiting = ask(verb("1", "wait", { what: "window.later" }), "1");
  await cdp.send("Runtime.evaluate", { expression: "setTimeout(() => { later = 5; out.textContent = 'now' }, 50)" });
  assert.equal(await waiting, "1=5");
});

test("clicks, keys and text are trusted, and what changed is told as ever", async () => {
  const { ask } = await drive();
  assert.match(await ask(verb("1", "click", { target: "#b" }), "1"), /clicktrue/);
  await ask(verb("2", "fill", { target: "#i", value: "Ada" }), "2");
  assert.match(await ask(verb("3", "type", { target: "#i", value: "x!" }), "3"), /Adax!/);
  assert.doesNotMatch(await ask("4:out.textContent", "4"), /false/);
  assert.match(await ask("5:out.textContent", "5"), /inputtrue keydowntrue inputtrue keydowntrue/);
  await ask(verb("6", "click", { target: "#b", synthetic: true }), "6");
  assert.match(await ask("7:out.textContent", "7"), /clickfalse/);
});

test("what is answered at once is the value of its message, and what is said later comes behind it", async () => {
  const { value } = await drive();
  // The client goes by the document's clock, which stands still here, so that a slow machine changes nothing.
  await value(["0:globalThis.clock = 0; Date.now = () => clock; 0"], ["0"]);
  assert.deepEqual((await value(["1:6 * 7"], ["1"])).value, ['["1=42"]']);
  for (let hops = 0; hops < 16; hops++) {
    const [one, two] = [String(100 + hops), String(200 + hops)];
    const later = `${two}:for (let at = 0; at < ${String(hops)}; at++) await null; 2`;
    const { heard } = await value([`${one}:1`, later], [one, two]);
    assert.deepEqual(heard.join("").match(/\d+=/g), [`${one}=`, `${two}=`], `${String(hops)} turns later`);
  }
  // Code that runs for long says meanwhile what it has to say, and nothing is said twice.
  const { value: late, heard } = await value(["301:1", "302:clock += 20; 3", "303:4"], ["301", "302", "303"]);
  assert.deepEqual(late, []);
  assert.deepEqual(heard.join("").match(/\d+=/g), ["301=", "302=", "303="]);
});

test("what was said before code that runs for long is not lost, nor is its answer", { timeout: 60_000 }, async () => {
  const { value } = await drive();
  // Said in a turn of its own and held; the answer comes when nothing is held any more.
  const slow = "await null; const until = Date.now() + 20; while (Date.now() < until);";
  const { heard } = await value([`1:eye.resume(); for (let at = 0; at < 9; at++) await null; ${slow} 2`], ["1"]);
  assert.match(heard.join(""), /"paused".*"1=2"/);
});
