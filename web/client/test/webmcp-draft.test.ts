// The polyfill against the browser's own WebMCP: the same page code must log the same steps in both.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { startChromium, startWebMcpChromium } from "./browsers.js";
import { Hub, html } from "./hub.js";

const TEST_MS_MAX = 60_000;
let hub: Hub;

before(async () => {
  hub = await new Hub().start();
  hub.pages.set("/", html("data-webmcp"));
});
after(() => hub.stop());

/** Runs in the page. Every step logs a line with its outcome; lines of events begin with a space. */
const STEPS = `(async () => {
  const told = [];
  const context = document.modelContext;
  const shown = (value) => JSON.stringify(value, (_, one) => (one === window ? "window" : one && typeof one === "object" && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).sort()) : one)) ?? String(value);
  const failure = (error) => (error instanceof DOMException ? error.name + ": " + error.message + " " + error.code : error instanceof Error ? error.name : "threw " + error);
  const step = async (name, run) => told.push(name + " -> " + (await (async () => run())().then(shown, failure)));
  const tool = (more) => ({ name: "a", description: "d", execute: () => 1, ...more });
  const listed = (name) => ({ name, description: "", window, origin: location.origin });
  const register = (more, options) => context.registerTool(tool(more), options);
  const execute = (name, ...rest) => context.executeTool(listed(name), ...rest);
  for (const name of ["toolchange", "toolactivated", "toolcancel"]) context.addEventListener(name, (event) => told.push("  " + event.constructor.name + " " + event.type + " " + event.toolName + " " + event.bubbles + event.cancelable));

  await step("what it is", () => [String(context), context instanceof ModelContext, context instanceof EventTarget, context === document.modelContext, ModelContext.name, Object.isFrozen(context)]);
  await step("its parts", () => ["registerTool", "getTools", "executeTool"].map((name) => [name in ModelContext.prototype, typeof context[name]]));
  await step("made by hand", () => new ModelContext());
  await step("of another", () => ModelContext.prototype.getTools.call({}));
  for (const bad of [undefined, null, 5, "x", {}, { name: "a", description: "d" }, { name: "a", execute() {} }, { description: "d", execute() {} }]) await step("registerTool(" + shown(bad) + ")", () => context.registerTool(bad));
  for (const more of [{ name: "" }, { name: "a b" }, { name: "ab\\n" }, { name: "a".repeat(129) }, { description: "" }, { name: "a b", description: "" }, { execute: 5 }, { inputSchema: "{}" }, { inputSchema: 5 }, { inputSchema: () => 1 }, { inputSchema: { toJSON() {} } }, { inputSchema: { toJSON() { throw new RangeError("boo"); } } }]) await step("registerTool " + Object.entries(more).join(), () => register(more));
  await step("a circle", () => { const circle = {}; circle.circle = circle; return register({ inputSchema: circle }); });
  for (const options of [{ exposedTo: ["http://x.example"] }, { exposedTo: ["zzz"] }, { signal: AbortSignal.abort() }, { signal: AbortSignal.abort("why") }, { signal: 5 }]) await step("registerTool with " + shown(options), () => register({}, options));
  await step("exposed to a secure one", () => register({ name: "exposed" }, { exposedTo: ["https://x.example"] }));
  await step("registered", () => register({ title: "T", inputSchema: { type: "object" }, annotations: { readOnlyHint: 1 } }));
  await step("twice", () => register({}));
  await step("twice, and worse", () => register({ description: "" }));
  await step("of numbers", () => register({ name: 5, description: 6 }));
  await step("getTools", () => context.getTools());
  await step("getTools(5)", () => context.getTools(5));
  await step("getTools of an insecure one", () => context.getTools({ fromOrigins: ["http://x.example"] }));
  await step("a list is a copy", async () => { (await context.getTools())[1].inputSchema.type = "changed"; return (await context.getTools())[1].inputSchema; });
  for (const bad of [undefined, null, 5, {}, { name: "a" }, { name: "a", description: "", origin: location.origin }, { name: "a", description: "", window }]) await step("executeTool(" + shown(bad) + ")", () => context.executeTool(bad, {}));
  await step("unknown", () => execute("nobody", {}));
  await step("of another origin", () => context.executeTool({ ...listed("a"), origin: "https://x.example" }, {}));
  for (const input of [null, "{}", 5, () => 1]) await step("input " + String(input), () => execute("a", input));
  await step("aborted before", () => execute("a", {}, { signal: AbortSignal.abort("why") }));
  await step("echo", () => register({ name: "echo", execute: (...args) => { told.push("  executed " + shown(args[0]) + " " + Object.keys(args[1]) + " " + args.length); return args[0]; } }));
  for (const input of [{ x: 1 }, [1], undefined, { date: new Date(0), nothing: undefined }]) await step("echo " + shown(input), () => execute("echo", input));
  const values = { undefined: () => undefined, null: () => null, number: () => 5, string: () => "s", true: () => true, list: () => [1], content: () => ({ content: [] }), bigint: () => 5n, function: () => () => 1, date: () => new Date(0), NaN: () => NaN, later: async () => "later", throws: () => { throw new RangeError("boo"); }, rejects: () => Promise.reject("no"), circle: () => { const circle = {}; circle.circle = circle; return circle; } };
  for (const [name, value] of Object.entries(values)) { await step("register " + name, () => register({ name, execute: value })); await step("value " + name, () => execute(name, {})); }
  const first = new AbortController();
  await step("with a signal", () => register({ name: "short" }, { signal: first.signal }));
  await step("aborted", async () => { first.abort(); return (await context.getTools()).some(({ name }) => name === "short"); });
  await step("its name is free", () => register({ name: "short" }));
  const second = new AbortController();
  await step("aborted at once", () => { const done = register({ name: "never" }, { signal: second.signal }); second.abort("bye"); return done; });
  await step("and never there", async () => (await context.getTools()).some(({ name }) => name === "never"));
  let aborted;
  await step("slow", () => register({ name: "slow", execute: (_, { signal }) => new Promise((resolve) => { aborted = new Promise((told) => signal.addEventListener("abort", () => { told(signal.reason.name); resolve("late"); })); }) }));
  const third = new AbortController();
  const activated = new Promise((resolve) => context.addEventListener("toolactivated", resolve, { once: true }));
  const cancelled = new Promise((resolve) => context.addEventListener("toolcancel", resolve, { once: true }));
  const slow = execute("slow", {}, { signal: third.signal });
  slow.catch(() => undefined);
  await activated;
  third.abort("enough");
  await step("cancelled", () => slow);
  await cancelled;
  await step("inside", () => aborted);
  await step("handlers", () => { context.ontoolchange = 5; const none = context.ontoolchange; const handler = () => told.push("  handled"); context.ontoolchange = handler; return [none, context.ontoolchange === handler]; });
  const changed = new Promise((resolve) => context.addEventListener("toolchange", resolve, { once: true }));
  await step("handled", () => register({ name: "last" }));
  await changed;
  await step("no handler", () => { context.ontoolchange = null; return context.ontoolchange; });
  await step("events", () => [new ToolActivatedEvent("x", { toolName: "t", bubbles: true }), new ToolCancelEvent("y")].map((event) => [String(event), event.type, event.toolName, event.bubbles, event instanceof Event]));
  await step("submit events", () => [new SubmitEvent("submit").agentInvoked, typeof SubmitEvent.prototype.respondWith]);
  await step("respondWith of a person's", () => new SubmitEvent("submit").respondWith(1));
  await step("the end", () => register({ name: "end" }));
  return told;
})()`;

async function transcript(browser: Browser): Promise<string[]> {
  const tab = await browser.newPage();
  try {
    await tab.goto(hub.origin);
    await hub.joined();
    // The part that completes the stand-in is loaded in parallel with the page.
    await tab.waitForFunction("'ModelContext' in globalThis");
    return await tab.evaluate<string[]>(STEPS);
  } finally {
    await browser.close();
  }
}

test("the polyfill does what the browser's own does, step by step", { timeout: TEST_MS_MAX }, async () => {
  const [native, polyfilled] = await Promise.all([
    startWebMcpChromium().then(transcript),
    startChromium().then(transcript),
  ]);
  const here = (line: string): string => line.replaceAll(/localhost:\d+/g, "here");
  const isEvent = (line: string): boolean => line.startsWith("  ");
  assert.deepEqual(
    polyfilled.filter((line) => !isEvent(line)).map(here),
    native.filter((line) => !isEvent(line)).map(here),
  );
  // The timing of events is up to the browser, and so is how many changes of the list one event covers; that there is
  // one is not.
  const isChange = (line: string): boolean => line.includes(" toolchange ") || line === "  handled";
  const events = (all: string[]): string[] =>
    all.filter((line, at) => isEvent(line) && (!isChange(line) || all.indexOf(line) === at)).sort();
  assert.deepEqual(events(polyfilled), events(native));
  assert.ok(native.length > 100);
});
