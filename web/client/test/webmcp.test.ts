// WebMCP of the built client in a real browser against a scripted hub: tools that a page registers reach the hub, and
// tools of `eye.tool` reach `document.modelContext`. With the browser's own, with the polyfill, with an incomplete one,
// and without.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isReload, siteOf } from "../src/webmcp/reload.js";
import { begin, call, lacks, offered, offers, Stage, type Kind } from "./webmcp-stage.js";

const stage = new Stage();
after(() => stage.close());

const EYE = '<script src="/eye.js"></script>';
const POLYFILLED = '<script src="/eye.js" data-webmcp></script>';
/** The kinds of `document.modelContext`, and the script that installs each. */
const CONTEXTS: readonly (readonly [Kind, string])[] = [
  ["native", EYE],
  ["none", POLYFILLED],
];

const TOOLS = `<script>
  const tools = new AbortController();
  const register = (tool, options) => document.modelContext.registerTool(tool, options);
  register({
    name: "add", title: "Add", description: "Adds two numbers.",
    inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    annotations: { readOnlyHint: true, untrustedContentHint: true, consequentialHint: true },
    execute: ({ a, b }) => ({ sum: a + b, list: [a, b], nothing: null }),
  });
  register({ name: "fail", description: "Throws.", execute: async () => { throw new RangeError("out of paper"); } }, { signal: tools.signal });
  register({ name: "slow", description: "Waits.", execute: (_, { signal }) => new Promise((resolve) => {
    document.title = "running";
    signal.addEventListener("abort", () => { document.title = "aborted"; resolve(); });
  }) });
</script>`;

for (const [kind, eye] of CONTEXTS) {
  stage.scene(
    "a tool that the page registers reaches the hub as it is, and gives its real value",
    kind,
    eye + TOOLS,
    async ({ page }) => {
      assert.deepEqual(await offers(page, "add"), {
        name: "add",
        title: "Add",
        description: "Adds two numbers.",
        inputSchema: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        },
        annotations: { readOnlyHint: true, untrustedContentHint: true, consequentialHint: true },
      });
      assert.deepEqual((await call(page, "add", { a: 1, b: 2 })).result, { sum: 3, list: [1, 2], nothing: null });
    },
  );

  stage.scene("what it throws reaches the hub with message and stack", kind, eye + TOOLS, async ({ page }) => {
    await offers(page, "fail");
    const { error } = await call(page, "fail");
    assert.equal(error?.code, -32003);
    assert.equal(error?.message, "RangeError: out of paper");
    assert.match(String(error?.data?.stack), /at .*execute/);
  });

  stage.scene("a cancelled call aborts its signal", kind, eye + TOOLS, async ({ page, tab }) => {
    await offers(page, "slow");
    const id = begin(page, "slow");
    await tab.waitForFunction(() => document.title === "running");
    page.send({ jsonrpc: "2.0", method: "call/cancel", params: { id } } as never);
    await tab.waitForFunction(() => document.title === "aborted");
  });

  stage.scene(
    "the abort of its signal takes it back, and its name is free again",
    kind,
    eye + TOOLS,
    async ({ page, tab, noise }) => {
      await offers(page, "fail");
      await tab.evaluate("tools.abort()");
      await lacks(page, "fail");
      await tab.evaluate("register({ name: 'fail', description: 'Does not.', execute: () => 'fine' })");
      await offers(page, "fail", ({ description }) => description === "Does not.");
      assert.equal((await call(page, "fail")).result, "fine");
      assert.deepEqual(noise, []);
    },
  );

  stage.scene(
    "a second tool of a name is refused as the draft says, and the first stays",
    kind,
    eye + TOOLS,
    async ({ page, tab }) => {
      await offers(page, "add");
      const refused = await tab.evaluate(
        "register({ name: 'add', description: 'x', execute: () => 0 }).catch((error) => `${error.name}: ${error.message}`)",
      );
      assert.equal(refused, "InvalidStateError: Duplicate tool name");
      assert.deepEqual((await call(page, "add", { a: 1, b: 1 })).result, { sum: 2, list: [1, 1], nothing: null });
    },
  );

  stage.scene("events tell the page of calls and of changes", kind, eye + TOOLS, async ({ page, tab }) => {
    await offers(page, "slow");
    await tab.evaluate(
      "globalThis.told = []; for (const name of ['toolchange', 'toolactivated', 'toolcancel']) document.modelContext.addEventListener(name, (event) => told.push([name, event.toolName].join(' ').trim()))",
    );
    const id = begin(page, "slow");
    await tab.waitForFunction("told.includes('toolactivated slow')");
    page.send({ jsonrpc: "2.0", method: "call/cancel", params: { id } } as never);
    await tab.waitForFunction("told.includes('toolcancel slow')");
    await tab.evaluate("register({ name: 'late', description: 'x', execute: () => 0 })");
    await tab.waitForFunction("told.includes('toolchange')");
    await offers(page, "late");
  });

  stage.scene(
    "a tool of eye.tool is the browser's too, and is offered to the hub once",
    kind,
    eye,
    async ({ page, tab, noise }) => {
      await tab.evaluate(
        "eye.tool({ name: 'greet', inputSchema: { type: 'object', properties: { who: { type: 'string' } } }, execute: ({ who }) => ({ hello: who }) })",
      );
      await offers(page, "greet");
      const listed = "document.modelContext.getTools().then((tools) => tools.find(({ name }) => name === 'greet'))";
      await tab.waitForFunction(`${listed}.then((tool) => tool?.description === 'greet')`);
      assert.equal(
        await tab.evaluate(`${listed}.then((tool) => document.modelContext.executeTool(tool, { who: 'you' }))`),
        '{"hello":"you"}',
      );
      await tab.evaluate("eye.tool({ name: 'greet', description: 'Better.', execute: () => 'again' })");
      await tab.waitForFunction(`${listed}.then((tool) => tool?.description === 'Better.')`);
      assert.deepEqual((await call(page, "greet")).result, "again");
      await tab.evaluate("eye.untool('greet')");
      await tab.waitForFunction(`${listed}.then((tool) => tool === undefined)`);
      await lacks(page, "greet");
      const told = page.frames.filter(
        (frame) =>
          typeof frame !== "string" &&
          frame.method === "tools/register" &&
          JSON.stringify(frame.params).includes("greet"),
      );
      assert.equal(told.length, 2);
      assert.deepEqual(noise, []);
    },
  );

  stage.scene(
    "a name that the browser refuses is said once, and is the hub's all the same",
    kind,
    eye + TOOLS,
    async ({ page, tab, noise }) => {
      await offers(page, "add");
      await tab.evaluate(
        "(async () => { for (let n = 0; n < 3; n++) await eye.tool({ name: 'add', description: 'Mine.', execute: () => 'mine' }); })()",
      );
      await offers(page, "add", ({ description }) => description === "Mine.");
      assert.equal((await call(page, "add")).result, "mine");
      await tab.waitForFunction("document.modelContext.getTools().then((tools) => tools.length === 3)");
      assert.deepEqual(
        new Set(noise),
        new Set(["eye: document.modelContext does not take the tool add: Duplicate tool name"]),
      );
      assert.equal(noise.length, 1);
    },
  );

  stage.scene(
    "a module that a dev server loads anew takes the place of its former self",
    kind,
    eye,
    async ({ hub, page, tab, noise }) => {
      for (const path of ["/tools.js", "/other.js"]) {
        hub.pages.set(path, (request, response) => {
          response.writeHead(200, { "content-type": "text/javascript" });
          response.end(
            `const url = ${JSON.stringify(request.url)}; await document.modelContext.registerTool({ name: "hot", description: url, execute: () => url });`,
          );
        });
      }
      await tab.evaluate("import('/tools.js')");
      await offers(page, "hot");
      await tab.evaluate("import('/tools.js?t=2')");
      await tab.evaluate("import('/tools.js?t=3')");
      await offers(page, "hot", ({ description }) => description === "/tools.js?t=3");
      assert.equal((await call(page, "hot")).result, "/tools.js?t=3");
      assert.equal(
        await tab.evaluate(
          "document.modelContext.getTools().then((tools) => tools.map(({ name, description }) => name + description).join())",
        ),
        "hot/tools.js?t=3",
      );
      assert.deepEqual(noise, []);
      await assert.rejects(tab.evaluate("import('/other.js')"), /Duplicate tool name/);
    },
  );

  stage.scene(
    "a page that is reloaded offers its tools again, each once",
    kind,
    eye + TOOLS,
    async ({ hub, page, tab }) => {
      await offers(page, "slow");
      await tab.reload();
      const again = await hub.joined();
      await offers(again, "slow");
      assert.equal(again.session, page.session);
      assert.deepEqual([...offered(again).keys()].sort(), ["add", "fail", "slow"]);
    },
  );
}

stage.scene(
  "tools that were there before eye.js are called by the browser: values as text, objects as they were, errors with what to do",
  "native",
  `${TOOLS}<script>
  register({ name: "text", description: "x", execute: () => "plain" });
  onload = () => document.head.append(Object.assign(document.createElement("script"), { src: "/eye.js" }));
</script>`,
  async ({ page, tab }) => {
    assert.deepEqual(await offers(page, "add"), {
      name: "add",
      title: "Add",
      description: "Adds two numbers.",
      inputSchema: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
      annotations: { readOnlyHint: true, untrustedContentHint: true, consequentialHint: true, debugging: false },
    });
    assert.deepEqual((await call(page, "add", { a: 1, b: 2 })).result, { sum: 3, list: [1, 2], nothing: null });
    assert.equal((await call(page, "text")).result, "plain");
    assert.match(
      (await call(page, "fail")).error?.message ?? "",
      /^Tool was executed but .*; the browser keeps the error of a tool that was registered before eye\.js came$/,
    );
    await tab.evaluate(
      "globalThis.told = []; document.modelContext.addEventListener('toolactivated', ({ toolName }) => told.push(toolName))",
    );
    const id = begin(page, "slow");
    await tab.waitForFunction("told.length > 0 && document.title === 'running'");
    page.send({ jsonrpc: "2.0", method: "call/cancel", params: { id } } as never);
    await tab.waitForFunction(() => document.title === "aborted");
    assert.deepEqual(await tab.evaluate("told"), ["slow"]);
    await tab.evaluate("tools.abort()");
    await lacks(page, "fail");
    assert.deepEqual([...offered(page).keys()].sort(), ["add", "slow", "text"]);
  },
);

stage.scene(
  "a page that may not use WebMCP offers eye.tool's all the same, and says why once",
  "native",
  EYE,
  async ({ hub, page, tab }) => {
    hub.pages.set("/forbidden", (_, response) =>
      response
        .writeHead(200, { "content-type": "text/html", "permissions-policy": "tools=()" })
        .end(`<link rel="icon" href="data:,">${EYE}`),
    );
    const uncaught: string[] = [];
    tab.on("pageerror", ({ message }) => uncaught.push(message));
    await page.until(() => page.hello);
    await tab.goto(`${hub.origin}/forbidden`);
    const forbidden = await hub.joined();
    await tab.evaluate("eye.tool({ name: 'own', execute: () => 'yes' })");
    await offers(forbidden, "own");
    assert.equal((await call(forbidden, "own")).result, "yes");
    assert.deepEqual(uncaught, []);
  },
);

stage.scene(
  "a page that does not ask gets no global",
  "none",
  `${EYE}<script>eye.tool({ name: "own", execute: () => 1 })</script><form toolname="f" tooldescription="d"></form>`,
  async ({ page, tab }) => {
    await offers(page, "own");
    await offers(page, "f");
    assert.deepEqual(
      await tab.evaluate(
        "['modelContext' in document, typeof ModelContext, typeof ToolActivatedEvent, 'agentInvoked' in SubmitEvent.prototype]",
      ),
      [false, "undefined", "undefined", false],
    );
  },
);

stage.scene(
  "a page that asks has document.modelContext at once, and its handlers and calls wait for the rest",
  "none",
  `${POLYFILLED}<script>
  const first = document.modelContext;
  first.ontoolchange = () => { globalThis.changed = true; };
  const listed = first.registerTool({ name: "early", description: "x", execute: () => 1 }).then(() => first.getTools());
</script>`,
  async ({ page, tab }) => {
    await offers(page, "early");
    assert.deepEqual(
      await tab.evaluate(
        "listed.then((tools) => [tools.map(({ name }) => name), changed, first === document.modelContext, first instanceof ModelContext, String(first)])",
      ),
      [["early"], true, true, true, "[object ModelContext]"],
    );
  },
);

stage.scene(
  "connect({ webmcp: true }) asks as the attribute does",
  "none",
  `<script type="module">
  import { connect } from "/index.js";
  connect({ hub: location.origin, webmcp: true });
  await document.modelContext.registerTool({ name: "bundled", description: "x", execute: () => "yes" });
</script>`,
  async ({ page }) => {
    await offers(page, "bundled");
    assert.equal((await call(page, "bundled")).result, "yes");
  },
);

/** Like ChatGPT's browser: frozen, with `registerTool` only, which stops working with too many tools. */
const FROZEN = (define: string): string => `<script>
  const seen = [];
  const context = Object.freeze({ registerTool(tool, options) { seen.push(tool.name); options?.signal?.addEventListener("abort", () => seen.splice(seen.indexOf(tool.name), 1)); } });
  ${define}
</script>${EYE}${TOOLS}`;

stage.scene(
  "a frozen modelContext is left as it is, and its tools reach the hub",
  "none",
  FROZEN("Object.defineProperty(document, 'modelContext', { value: context, configurable: true });"),
  async ({ page, tab, noise }) => {
    await offers(page, "slow");
    assert.deepEqual((await call(page, "add", { a: 1, b: 2 })).result, { sum: 3, list: [1, 2], nothing: null });
    await tab.evaluate("eye.tool({ name: 'own', execute: () => 1 })");
    await offers(page, "own");
    await tab.waitForFunction("seen.includes('own')");
    assert.deepEqual(await tab.evaluate("seen"), ["add", "fail", "slow", "own"]);
    assert.deepEqual(noise, []);
  },
);

stage.scene(
  "one that nothing can be put before is tolerated: eye.tool works, its own tools stay its own",
  "none",
  FROZEN("Object.defineProperty(document, 'modelContext', { value: context });"),
  async ({ page, tab, noise }) => {
    await tab.evaluate("eye.tool({ name: 'own', execute: () => 'yes' })");
    await offers(page, "own");
    await tab.waitForFunction("seen.includes('own')");
    assert.equal((await call(page, "own")).result, "yes");
    assert.deepEqual([...offered(page).keys()], ["own"]);
    assert.deepEqual(noise, []);
  },
);

stage.scene(
  "a partial one gets no more than 30 tools, the hub all, and that is said once",
  "none",
  FROZEN("Object.defineProperty(document, 'modelContext', { value: context, configurable: true });"),
  async ({ page, tab, noise }) => {
    await tab.evaluate(
      "(async () => { for (let n = 0; n < 40; n++) await eye.tool({ name: `tool${n}`, execute: () => n }); })()",
    );
    await offers(page, "tool39");
    assert.equal((await call(page, "tool39")).result, 39);
    assert.equal(offered(page).size, 43);
    assert.equal(await tab.evaluate("seen.length"), 30);
    assert.deepEqual(noise, ["eye: document.modelContext gets 30 tools; the hub has them all"]);
  },
);

stage.scene(
  "a modelContext that can do nothing at all does no harm",
  "none",
  `<script>document.modelContext = {};</script>${EYE}`,
  async ({ page, tab, noise }) => {
    await tab.evaluate("eye.tool({ name: 'own', execute: () => 'yes' })");
    await offers(page, "own");
    assert.equal((await call(page, "own")).result, "yes");
    assert.deepEqual(noise, []);
  },
);

test("a module loaded anew is told from a second tool of its name by its address", () => {
  const stack = (...urls: string[]): string =>
    ["Error", "    at Object.apply (http://localhost:8765/eye.js:1:20)", ...urls.map((url) => `    at ${url}`)].join(
      "\n",
    );
  assert.equal(
    siteOf(stack("setup (http://localhost:5173/src/tools.ts?t=5:3:9)", "http://localhost:5173/src/main.ts:1:1")),
    "http://localhost:5173/src/tools.ts?t=5",
  );
  assert.equal(siteOf(stack("<anonymous>:1:1")), "");
  assert.equal(isReload("http://x/a.ts", "http://x/a.ts?t=1"), true);
  assert.equal(isReload("http://x/a.ts?t=1", "http://x/a.ts?t=2"), true);
  assert.equal(isReload("http://x/main.js", "http://x/main.3fa1.hot-update.js"), true);
  assert.equal(isReload("webpack-internal:///./src/a.js", "webpack-internal:///./src/a.js"), true);
  assert.equal(isReload("http://x/a.ts", "http://x/a.ts"), false);
  assert.equal(isReload("http://x/a.ts", "http://x/b.ts"), false);
  assert.equal(isReload("", ""), false);
});
