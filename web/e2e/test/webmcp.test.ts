// WebMCP from the page to the shell: `eye tools` and `eye call` with the browser's own implementation, with the
// polyfill, and without either.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

const EXIT_THREW = 1;

const TOOLS = `<script>
  document.modelContext.registerTool({
    name: "add", description: "Adds two numbers.",
    inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    annotations: { readOnlyHint: true },
    execute: ({ a, b }) => ({ sum: a + b }),
  });
  document.modelContext.registerTool({ name: "fail", description: "Throws.", execute: () => { throw new RangeError("out of paper"); } });
  document.modelContext.registerTool({ name: "slow", description: "Waits.", execute: (_, { signal }) => new Promise(() => {
    signal.addEventListener("abort", () => { document.title = "aborted"; });
  }) });
</script>`;

const FORM = `<form id="form" toolname="book" tooldescription="Books a table." toolautosubmit>
    <label>Guest <input name="guest" required></label><label>Seats <input name="seats" type="number" min="1" max="9"></label><button>Book</button>
  </form><script>
    form.addEventListener("submit", (event) => {
      if (!event.agentInvoked) return;
      event.preventDefault();
      event.respondWith("booked for " + form.guest.value + ", " + form.seats.value);
    });
  </script>`;

/** Every way for a page to have WebMCP. */
const WAYS = [
  { way: "the browser's own", flags: ["--enable-features=WebMCP"], tag: "" },
  { way: "the polyfill", flags: [], tag: "data-webmcp" },
] as const;

for (const { way, flags, tag } of WAYS) {
  let stage: Stage;
  let session: string;

  /** Waits until the hub lists the tool. */
  const listed = (name: string): Promise<string> =>
    until(`${name} is listed`, async () =>
      (await stage.home.eye("--page", session, "tools")).stdout.split("\n").find((line) => line.startsWith(`${name}(`)),
    );
  const eye = (...args: string[]): ReturnType<Stage["home"]["eye"]> => stage.home.eye("--page", session, ...args);

  before(async () => {
    stage = await Stage.open(...flags);
    stage.site.page("/", { title: "Tools", tag, body: TOOLS + FORM });
    ({ session } = await stage.visit("/"));
  });
  after(() => stage.close());

  test(`${way}: a registered tool is listed and called with its real value`, async () => {
    assert.equal(await listed("add"), "add(a: number, b: number)  Adds two numbers.");
    assert.deepEqual(JSON.parse((await eye("call", "add", "a=1", "b=2")).stdout), { sum: 3 });
    assert.match((await eye("tools", "--json")).stdout, /"readOnlyHint":true/);
  });

  test(`${way}: arguments that do not fit never reach the page`, async () => {
    await listed("add");
    const { stderr, stdout, code } = await eye("call", "add", "a=1", "b=x");
    assert.equal(stdout, "");
    assert.match(stderr, /^error: .*\bb\b/);
    assert.notEqual(code, 0);
  });

  test(`${way}: what a tool throws is told with its own words`, async () => {
    await listed("fail");
    const { stderr, code } = await eye("call", "fail");
    assert.match(stderr, /^error: page: RangeError: out of paper/);
    assert.equal(code, EXIT_THREW);
  });

  test(`${way}: a call that times out aborts the tool's signal`, async () => {
    await listed("slow");
    assert.equal((await eye("--timeout", "1", "call", "slow")).code, 124);
    await until("the tool is aborted", async () =>
      (await eye("document.title")).stdout === "aborted\n" ? true : undefined,
    );
  });

  test(`${way}: a form is a tool`, async () => {
    assert.match(await listed("book"), /^book\(guest: string, seats\?: number\) {2}Books a table\.$/);
    assert.equal((await eye("call", "book", "guest=Ada", "seats=3")).stdout, "booked for Ada, 3\n");
    assert.match((await eye("call", "book", "guest=Ada", "seats=30")).stderr, /^error: .*seats/);
    assert.match((await eye("call", "book", "seats=3")).stderr, /^error: .*guest/);
  });

  test(`${way}: a tool of eye.tool is the browser's too, one that is aborted is gone`, async () => {
    await eye(
      "globalThis.mine = new AbortController(); await eye.tool({ name: 'own', description: 'Own.', execute: () => 'yes' }, { signal: mine.signal })",
    );
    await listed("own");
    assert.equal((await eye("call", "own")).stdout, "yes\n");
    const inBrowser = "(await document.modelContext.getTools()).some((tool) => tool.name === 'own')";
    await until("the browser has it", async () => ((await eye(inBrowser)).stdout === "true\n" ? true : undefined));
    await eye("mine.abort()");
    await until("the browser has it no more", async () =>
      (await eye(inBrowser)).stdout === "false\n" ? true : undefined,
    );
    await until("nor has the hub", async () => ((await eye("tools")).stdout.includes("own(") ? undefined : true));
  });

  test(`${way}: after a reload every tool is there again, once`, async () => {
    await listed("book");
    await eye("reload");
    await Promise.all(["add", "book", "fail", "slow"].map(listed));
    const names = (await eye("tools")).stdout
      .trim()
      .split("\n")
      .map((line) => line.replace(/\(.*/, ""));
    assert.deepEqual(names.toSorted(), ["add", "book", "fail", "slow"]);
    assert.deepEqual(JSON.parse((await eye("call", "add", "a=2", "b=2")).stdout), { sum: 4 });
  });
}

test("a page without WebMCP: its forms are tools, and it gets no global", async () => {
  const stage = await Stage.open();
  try {
    stage.site.page("/", { body: FORM });
    const { session } = await stage.visit("/");
    const { stdout } = await until("the form is listed", async () => {
      const ran = await stage.home.eye("--page", session, "tools");
      return ran.stdout === "" ? undefined : ran;
    });
    assert.equal(stdout, "book(guest: string, seats?: number)  Books a table.\n");
    assert.equal(
      (await stage.home.eye("--page", session, "call", "book", "guest=Ada", "seats=3")).stdout,
      "booked for Ada, 3\n",
    );
    assert.equal((await stage.home.eye("--page", session, "'modelContext' in document")).stdout, "false\n");
  } finally {
    await stage.close();
  }
});
