// `eye wait` with a real page: targets and expressions, a reload in between, and the answer after a timeout.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage, type Visit } from "../stage/stage.js";
import { until } from "../../harness/until.js";
import { asking, type Ask } from "../stage/verbs.js";

const EXIT_TIMEOUT = 124;

let stage: Stage;

before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());

let count = 0;

async function visit(body: string): Promise<{ readonly page: Visit; readonly ask: Ask }> {
  const path = `/wait-${String(++count)}.html`;
  stage.site.page(path, { body });
  const page = await stage.visit(path);
  return { page, ask: asking(stage, page) };
}

/** Starts to wait, and returns once the page checks. The returned function gets the output. */
async function begun({ session }: Visit, ask: Ask, ...args: string[]): Promise<() => Promise<string>> {
  const before = Number(await ask("window.looked ?? 0"));
  const { ended } = await stage.home.start(["--page", session, "wait", ...args]);
  await until("the page looks", async () => (Number(await ask("window.looked ?? 0")) > before ? true : undefined));
  return async () => {
    const { stdout, stderr, code } = await ended;
    assert.equal(code, 0, stderr);
    return stdout;
  };
}

test("a target that appears is told with its line, and is never evaluated", async () => {
  const { page, ask } = await visit("<p>Working</p>");
  const waiting = stage.home.eye("--page", page.session, "wait", "text=Done");
  await page.page.evaluate(
    "setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p hidden>Done</p><button>Done</button>') }, 50)",
  );
  assert.match((await waiting).stdout, /^e\d+ \[Done\]\n$/);
  await ask("void document.querySelector('button').remove()");
  const hidden = await stage.home.eye("--page", page.session, "--timeout", "0.3", "wait", "text=Done");
  assert.equal(hidden.code, EXIT_TIMEOUT);
  assert.match((await stage.home.eye("--page", page.session, "wait", "e999")).stderr, /there is no e999/);
});

test("an expression is looked at again after a mutation, an event, a call, and by itself", async () => {
  const { page, ask } = await visit('<input id="i">');
  const look = (truth: string): string => `window.looked = (window.looked ?? 0) + 1, ${truth}`;
  for (const [truth, change] of [
    ["document.body.className", () => page.page.evaluate("document.body.className = 'ready'")],
    ["document.querySelector('#i').value", () => page.page.type("#i", "x")],
    ["window.job", () => ask("window.job = 'done'")],
    ["window.later", () => page.page.evaluate("setTimeout(() => { window.later = 'so' }, 30)")],
  ] as const) {
    const waiting = await begun(page, ask, look(truth));
    await change();
    assert.match(await waiting(), /^(?:ready|x|done|so)\n$/);
  }
});

test("at its time it prints the last value and exits 124", async () => {
  const { page } = await visit("<p>x</p>");
  const { stdout, stderr, code } = await stage.home.eye(
    "--page",
    page.session,
    "--timeout",
    "0.3",
    "wait",
    "document.querySelectorAll('li').length",
  );
  assert.deepEqual([stdout, code], ["0\n", EXIT_TIMEOUT]);
  assert.match(stderr, /^error: page: not within 0.3 s: document/);
});

test("a wait goes on in the page that comes back after a reload", async () => {
  const { page, ask } = await visit(
    "<script>window.loads = sessionStorage.loads = Number(sessionStorage.loads ?? 0) + 1</script>",
  );
  const waiting = await begun(page, ask, "window.looked = (window.looked ?? 0) + 1, loads > 1 && 'loaded ' + loads");
  await page.page.reload();
  assert.equal(await waiting(), "loaded 2\n");
});
