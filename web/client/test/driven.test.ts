// The client as a driven browser injects it into a document: on a page whose policy forbids everything, over a binding,
// with real input.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, CDPSession } from "playwright-core";
import { web } from "../../harness/program.js";
import { BESIDE_VERBS } from "../src/generated/operations.js";
import { startChromium } from "./browsers.js";

const POLICY = "default-src 'none'; script-src 'nonce-a'; require-trusted-types-for 'script'";
const PAGE = `<!doctype html><title>Strict</title><h1>Hi</h1><button id="b">Press</button><input id="i"><p id="out"></p>
<script nonce="a">
  seen = typeof eye_say;
  for (const [id, type] of [["b", "click"], ["i", "keydown"], ["i", "input"]])
    document.getElementById(id).addEventListener(type, (event) => (out.textContent += type + event.isTrusted + " "));
</script>`;

/** Replaces everything that a client might use with functions that throw. */
const HOSTILE = readFileSync(join(web(), "harness/hostile.js"), "utf8");

const OPEN = `<!doctype html><title>Open</title><h1>Hi</h1><button id="b">Press</button>
<label>Name <input id="i"></label><p id="out">nothing</p><p id="h">Hover</p><p id="more" hidden>More</p>
<script>
  h.onmouseenter = () => (more.hidden = false);
  b.onclick = (event) => (out.textContent = "pressed " + event.isTrusted);
  i.oninput = () => (out.textContent = "now " + i.value);
</script>`;

let browser: Browser;
let server: Server;

before(async () => {
  browser = await startChromium();
  server = createServer(({ url }, response) => {
    const strict = { "content-security-policy": POLICY };
    response.writeHead(200, { "content-type": "text/html", ...(url === "/" ? strict : {}) });
    response.end(url === "/" ? PAGE : OPEN);
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

/** The constants that the driver sets for the half that looks and acts. */
const BESIDE = new Set(BESIDE_VERBS.split(" ").map((verb) => `page/${verb}`));

/** Lets a delivery that nothing waits for be lost with its document or its browser, and no other way. */
function letBeLost(delivery: Promise<unknown>): void {
  const lost = /Cannot find context|Inspected target navigated or closed|has been closed/;
  delivery.catch((error: unknown) => assert.match(String(error), lost));
}

/** A tab with both halves of the client, and functions to send requests as the hub does. */
async function drive(path = "/"): Promise<{
  cdp: CDPSession;
  ask: (frame: object | string, id: string) => Promise<string>;
  tell: (frame: object | string) => Promise<void>;
  /** Resolves when the page has sent this message. */
  until: (said: RegExp) => Promise<string>;
  /**
   * Delivers a message whose answers may be returned as its value. Returns that value, and all messages in order until
   * every id was answered.
   */
  value: (
    frames: readonly (object | string)[],
    ids: readonly string[],
  ) => Promise<{ value: string[]; heard: readonly string[] }>;
}> {
  const context = await browser.newContext();
  const tab = await context.newPage();
  const cdp = await context.newCDPSession(tab);
  const names = { session: "tab", binding: "eye_say", receive: "eye_take", channel: "c1", files: false, hands: true };
  const script = (name: string): string => {
    const client = readFileSync(join(web(), `client/dist/${name}.js`), "utf8");
    return `(()=>{const eyeDriven=${JSON.stringify(names)};${client}})()`;
  };
  const said: string[] = [];
  let heard = (): void => undefined;
  let page = 0;
  let hands: Promise<number> | undefined;

  const makeHands = async (): Promise<number> => {
    const { frameTree } = await cdp.send("Page.getFrameTree");
    const where = { frameId: frameTree.frame.id, worldName: "eye" };
    const { executionContextId: contextId } = await cdp.send("Page.createIsolatedWorld", where);
    await cdp.send("Runtime.evaluate", { expression: script("driven-hands"), contextId });
    return contextId;
  };
  const tell = async (message: string, contextId: number): Promise<void> => {
    const expression = `eye_take(${JSON.stringify(message)})`;
    const { exceptionDetails } = await cdp.send("Runtime.evaluate", { expression, contextId });
    assert.equal(exceptionDetails?.exception?.description, undefined);
  };
  const until = async (found: (message: string) => boolean): Promise<string> => {
    for (;;) {
      const there = said.find(found);
      if (there !== undefined) return there;
      await new Promise<void>((resolve) => (heard = () => resolve()));
    }
  };
  const hear = (payload: string, from: number): void => {
    if (payload.includes('"method":"hello"')) page = from;
    if (payload === "+") letBeLost((hands ??= makeHands()));
    if (payload.startsWith(">")) letBeLost(tell(payload.slice(1), page));
    if (payload.startsWith('{"input"')) letBeLost(press(payload, from));
    said.push(payload);
    heard();
  };
  cdp.on("Runtime.bindingCalled", ({ payload, executionContextId }: Called) => hear(payload, executionContextId));
  const press = async (payload: string, from: number): Promise<void> => {
    const { input, commands } = JSON.parse(payload) as {
      input: number;
      commands: { method: string; params: object }[];
    };
    const send = cdp.send.bind(cdp) as (method: string, params: object) => Promise<unknown>;
    await Promise.all(commands.map(({ method, params }) => send(method, params)));
    await tell(JSON.stringify({ input }), from);
  };
  // Without it, scripts for new documents are kept and never run.
  await cdp.send("Page.enable");
  await cdp.send("Runtime.enable");
  await cdp.send("Runtime.addBinding", { name: names.binding });
  await cdp.send("Page.addScriptToEvaluateOnNewDocument", { source: script("driven-page") });
  await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  const hello = await until((message) => message.includes('"method":"hello"'));
  assert.match(hello, /"eval":true/);
  const halfOf = async (frame: object | string | undefined): Promise<number> => {
    const isForHands = typeof frame === "object" && BESIDE.has((frame as { method: string }).method);
    return isForHands ? (hands ??= makeHands()) : page;
  };
  const tellHalf = async (frame: object | string): Promise<void> => {
    await tell(JSON.stringify([frame]), await halfOf(frame));
  };
  return {
    cdp,
    tell: tellHalf,
    until: (wanted) => until((message) => wanted.test(message)),
    async ask(frame, id) {
      await tellHalf(frame);
      const failed = `"id":"${id}","error":`;
      const answer = await until((message) => message.startsWith(`["${id}`) || message.includes(failed));
      // A failure is a frame of its own, not an answer.
      if (answer.includes(failed)) throw new Error(answer);
      return (JSON.parse(answer) as string[])[0] ?? "";
    },
    async value(frames, ids) {
      const contextId = await halfOf(frames[0]);
      const begins = said.length;
      const expression = `eye_take(${JSON.stringify(JSON.stringify(frames))},1)`;
      const { result } = await cdp.send("Runtime.evaluate", { expression, returnByValue: true, contextId });
      const value = (result.value as { said: string }).said.split("\n").slice(0, -1);
      for (const message of value) hear(message, contextId);
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
  await assert.rejects(ask(verb("4", "click", { target: "#none", timeout: 0 }), "4"), /#none: nothing there/);
});

test("the half beside the page's world knows the verbs that it is handed", async () => {
  const { ask } = await drive("/open");
  // The other verbs navigate away, whatever their params.
  const known = BESIDE_VERBS.split(" ").filter((name) => name !== "reload");
  assert.ok(known.length > 15);
  for (const [at, name] of known.entries()) {
    const id = String(100 + at);
    const answer = await ask(verb(id, name, { timeout: 0 }), id).catch(String);
    assert.doesNotMatch(answer, /-32601|not found/, name);
  }
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
  // The client uses the document's clock, which stands still here, so that a slow machine changes nothing.
  await value(["0:globalThis.clock = 0; Date.now = () => clock; 0"], ["0"]);
  assert.deepEqual((await value(["1:6 * 7"], ["1"])).value, ['["1=42"]']);
  for (let hops = 0; hops < 16; hops++) {
    const [one, two] = [String(100 + hops), String(200 + hops)];
    const later = `${two}:for (let at = 0; at < ${String(hops)}; at++) await null; 2`;
    const { heard } = await value([`${one}:1`, later], [one, two]);
    assert.deepEqual(heard.join("").match(/\d+=/g), [`${one}=`, `${two}=`], `${String(hops)} turns later`);
  }
  // Code that runs long sends messages meanwhile, and nothing is sent twice.
  const { value: late, heard } = await value(["301:1", "302:clock += 20; 3", "303:4"], ["301", "302", "303"]);
  assert.deepEqual(late, []);
  assert.deepEqual(heard.join("").match(/\d+=/g), ["301=", "302=", "303="]);
});

test("the page is looked at once input is requested, and before the input arrives", async () => {
  const { value, cdp } = await drive("/open");
  await cdp.send("Runtime.evaluate", { expression: "onpointerover = () => (out.textContent = 'over')" });
  const { value: returned, heard } = await value([verb("900", "click", { at: [20, 75] })], ["900"]);
  assert.match(heard[0] ?? "", /^\{"input":1,.*mousePressed/);
  // What is returned leaves the page only when the look is done.
  assert.deepEqual(returned, []);
  assert.match(heard.join(""), /\+ over/);
});

test("what a page does after the end of a long press is waited for, although it changed when the press began", async () => {
  const { ask, cdp } = await drive("/open");
  const later = "setTimeout(() => (out.textContent = 'let go'), 40)";
  const expression = `b.onmousedown = () => (out.textContent = "down"); b.onclick = () => ${later}`;
  await cdp.send("Runtime.evaluate", { expression });
  assert.match(await ask(verb("1", "click", { target: "#b", hold: 300 }), "1"), /\+ let go/);
});

test("what comes of a press is told when the page lets no click follow it", async () => {
  const { ask, cdp } = await drive("/open");
  const later = (what: string): string => `setTimeout(() => (out.textContent = "${what}"), 40)`;
  const press = async (id: string, listener: string, params: object = {}): Promise<string> => {
    await cdp.send("Runtime.evaluate", { expression: `b.onclick = null; ${listener}` });
    return ask(verb(id, "click", { target: "#b", ...params }), id);
  };
  // No events of the mouse but its move and the click; then none after the press.
  assert.match(await press("1", `b.onpointerdown = (e) => { e.preventDefault(); ${later("one")} }`), /\+ one/);
  assert.match(
    await press("2", `b.onpointerdown = null; b.oncontextmenu = () => ${later("two")}`, { right: true }),
    /\+ two/,
  );
  assert.match(await press("3", `b.onmousedown = () => { b.remove(); ${later("three")} }`), /\+ three/);
});

test("a dialog, an error and a change of a click's first listener are told, although the click was requested first", async () => {
  const { ask, cdp } = await drive("/open");
  const expression = `addEventListener("pointerover", () => {
    out.textContent = confirm("over?"); console.error("oh no");
  }, { once: true, capture: true })`;
  await cdp.send("Runtime.evaluate", { expression });
  const answer = await ask(verb("1", "click", { at: [20, 75], accept: true }), "1");
  for (const told of [/\+ true/, /confirm: over\? \(accepted\)/, /error: oh no/]) assert.match(answer, told);
});

test("what a real pointer opens by hovering is told", async () => {
  const { ask } = await drive("/open");
  assert.match(await ask(verb("1", "hover", { target: "#h" }), "1"), /\n\+ More$/);
});

test("what was said before code that runs for long is not lost, nor is its answer", { timeout: 60_000 }, async () => {
  const { value } = await drive();
  // Sent in a turn of its own and held; the answer comes when nothing is held any more.
  const slow = "await null; const until = Date.now() + 20; while (Date.now() < until);";
  const { heard } = await value([`1:eye.resume(); for (let at = 0; at < 9; at++) await null; ${slow} 2`], ["1"]);
  assert.match(heard.join(""), /"paused".*"1=2"/);
});

test("a page that replaces what scripts are made of changes nothing that is looked at or done", async () => {
  const plain = await drive("/open");
  const hostile = await drive("/open");
  const early = await drive("/open");
  const look = await plain.ask(verb("1", "look", {}), "1");
  assert.match(look, /# Hi\n.*e1 .*Press/s);
  // Before the half that looks is there, and after.
  await early.cdp.send("Runtime.evaluate", { expression: HOSTILE });
  assert.equal(await hostile.ask(verb("1", "look", {}), "1"), look);
  await hostile.cdp.send("Runtime.evaluate", { expression: HOSTILE });
  const asked: [string, object][] = [
    ["look", {}],
    ["click", { target: "e1" }],
    ["fill", { target: "#i", value: "Ada" }],
    ["wait", { what: "text=now Ada" }],
    ["text", {}],
    ["query", { target: "#i" }],
  ];
  for (const [at, [name, params]] of asked.entries()) {
    const id = String(10 + at);
    const expected = await plain.ask(verb(id, name, params), id);
    assert.equal(await hostile.ask(verb(id, name, params), id), expected, `${name}, after`);
    assert.equal(await early.ask(verb(id, name, params), id), expected, `${name}, before`);
  }
  assert.match(await plain.ask(verb("20", "text", {}), "20"), /now Ada/);
});

test("a page finds nothing that looks or acts in what it can reach, and code still has the verbs", async () => {
  const { ask, cdp } = await drive("/open");
  assert.match(await ask(verb("1", "look", {}), "1"), /e1/);
  const walk = `(() => {
    const seen = new Set(), found = [], open = [globalThis, document, b];
    while (open.length > 0) {
      const one = open.pop();
      if (one === null || !/^(?:object|function)$/.test(typeof one) || seen.has(one)) continue;
      seen.add(one);
      const text = typeof one === "function" ? Function.prototype.toString.call(one) : "";
      if (/getBoundingClientRect|scrollIntoView/.test(text) && !/native code/.test(text)) found.push(text.slice(0, 80));
      if (one instanceof Map) open.push(...one.values());
      for (const key of Reflect.ownKeys(one)) {
        try { const how = Object.getOwnPropertyDescriptor(one, key); open.push(how.value, how.get, how.set); } catch {}
      }
      open.push(Object.getPrototypeOf(one));
    }
    return [seen.size > 1000, found];
  })()`;
  const { result } = await cdp.send("Runtime.evaluate", { expression: walk, returnByValue: true });
  assert.deepEqual(result.value, [true, []]);
  // By ref, by element, and with names that the page's code declares.
  assert.match(await ask("2:await eye.click('e1')", "2"), /pressed true/);
  assert.match(await ask("3:const field = document.querySelector('#i'); await eye.fill(field, 'Bo')", "3"), /now Bo/);
  assert.match(await ask("4:await eye.wait('text=now Bo')", "4"), /now Bo/);
  assert.match(await ask("5:await eye.click('e99').catch((error) => error.name + error.message)", "5"), /Refused.*e99/);
  assert.match(await ask("6:await eye.wait('e99').catch((error) => error.name)", "6"), /Refused/);
});

test("a page that writes its document anew is looked at, acted on and heard as before", {
  timeout: 60_000,
}, async () => {
  const { ask, cdp, tell, until } = await drive("/open");
  assert.match(await ask(verb("1", "look", {}), "1"), /e1 .*Press/);
  assert.match(await ask("2:await eye.click('e1')", "2"), /pressed true/);
  const written = `<title>New</title><button id=b>Again</button><p id=out>empty</p>
    <form id=f action=/open><button>Send</button></form><script>
      b.onclick = (event) => { out.textContent = "anew " + event.isTrusted; console.error("oh no") };
    </script>`;
  const expression = `document.open(); document.write(${JSON.stringify(written)}); document.close()`;
  await cdp.send("Runtime.evaluate", { expression });
  const ref = /(e\d+) \[Again\]/.exec(await ask(verb("3", "look", {}), "3"))?.[1];
  assert.ok(ref !== undefined);
  assert.match(await ask(`4:await eye.click('${ref}')`, "4"), /anew true/);
  assert.match(await ask(verb("5", "click", { target: ref }), "5"), /error: oh no/);
  await until(/page\/info.*"title":"New"/);
  await cdp.send("Runtime.evaluate", { expression: "document.title = 'Later'; setTimeout(() => nowhere.at())" });
  await until(/page\/info.*"title":"Later"/);
  assert.match(await ask(verb("6", "logs", { all: true }), "6"), /nowhere is not defined/);
  // The driver notices the navigation itself; the half that acts reports its target.
  await tell(verb("7", "click", { target: "text=Send" }));
  await until(/call\/navigating.*"id":"7"/);
});

test("what the page's world does while an agent acts is in the answer", async () => {
  const { ask, cdp } = await drive("/open");
  await cdp.send("Runtime.evaluate", {
    expression: `b.onclick = () => { out.textContent = confirm("sure?"); console.error("oh no"); open("/other"); }`,
  });
  const answer = await ask(verb("1", "click", { target: "#b", accept: true }), "1");
  assert.match(answer, /confirm: sure\? \(accepted\)/);
  assert.match(answer, /error: oh no/);
  assert.match(answer, /\/other in a new tab/);
  await cdp.send("Runtime.evaluate", {
    expression: `b.onpointerdown = ({ pointerId }) => b.setPointerCapture(pointerId);
      b.onpointermove = () => (out.textContent = "held " + b.hasPointerCapture(1))`,
  });
  const drag = { from: "#b", to: [300, 300], synthetic: true };
  assert.match(await ask(verb("2", "drag", drag), "2"), /held true/);
});
