// State: published by the page and read from the hub's cache, right after calls and after a person's own input.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

const BODY = `
<button id="more">More</button> <input id="name">
<script>
  let count = 0;
  document.querySelector("#more").addEventListener("click", () => { count++ });
  eye.state(() => ({ model: { color: window.color ?? "#808080" }, count, name: document.querySelector("#name").value }));
</script>`;

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/", { title: "Scene", body: BODY, tag: 'data-session="scene"' });
});

after(() => stage.close());

async function state(...args: string[]): Promise<string> {
  return (await stage.home.eye("state", ...args)).stdout;
}

async function publishedState(): Promise<{ revision: number; source: string; stale: boolean }> {
  return JSON.parse(await state("--json")) as { revision: number; source: string; stale: boolean };
}

test("what the page publishes is read from the cache, and what a call changed is in it", async () => {
  const { page } = await stage.visit("/");
  await until("the state is published", async () => ((await state("model.color")) === "#808080\n" ? true : undefined));
  assert.equal((await publishedState()).source, "cache");
  await stage.home.eye('window.color = "#404040"');
  await until("the change is in the cache", async () =>
    (await state("model.color")) === "#404040\n" ? true : undefined,
  );
  const { revision } = await publishedState();
  await stage.home.eye("1+1");
  assert.equal((await publishedState()).revision, revision, "a call that changes nothing publishes nothing");
  await page.close();
});

/** Waits until the connected page has published its state. */
async function published(): Promise<void> {
  await until("the state is published", async () => ((await publishedState()).stale ? undefined : true));
}

test("what the person does is in the state without anybody asking the page", async () => {
  const { page } = await stage.visit("/");
  await published();
  assert.equal(await state("count"), "0\n");
  const { revision } = await publishedState();
  await page.click("#more");
  await page.click("#more");
  await page.fill("#name", "Ada");
  await until("the clicks are in the cache", async () => ((await state("count")) === "2\n" ? true : undefined));
  await until("the name is in the cache", async () => ((await state("name")) === "Ada\n" ? true : undefined));
  const patch = JSON.parse(await state("--since", String(revision))) as { path: string }[];
  assert.ok(
    patch.some(({ path }) => path === "/count"),
    JSON.stringify(patch),
  );
  await page.close();
});

test("a tab that was closed leaves its state, with a note, and a restarted hub gets it again", async () => {
  const { page } = await stage.visit("/");
  await published();
  await page.close();
  await until("the hub has noticed", async () => ((await publishedState()).stale ? true : undefined));
  const gone = await stage.home.eye("state", "model.color");
  assert.equal(gone.stdout, "#808080\n");
  assert.match(gone.stderr, /^note: the page is gone; this is \d+ s old/);
  const again = await stage.visit("/");
  await stage.home.eye("down");
  await stage.home.eye("up");
  await stage.joined(again.page);
  await until("the state is there again", async () =>
    (await state("model.color")) === "#808080\n" ? true : undefined,
  );
  assert.equal((await stage.home.eye("state", "--fresh", "count")).stdout, "0\n");
  await again.page.close();
});

test("a page that publishes nothing says so", async () => {
  stage.site.page("/bare.html", { title: "Bare", tag: 'data-alias="bare"' });
  const { page, session } = await stage.visit("/bare.html");
  const { stderr, code } = await stage.home.eye("--page", session, "state");
  assert.match(stderr, /^error: the page publishes no state\n/);
  assert.equal(code, 3);
  await page.close();
});
