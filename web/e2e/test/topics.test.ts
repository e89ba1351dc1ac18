// Topics and the mailbox between real pages and agents: `eye.publish`, `pub`, `sub`, `tell`, `read`, `write`, and the
// page's apps.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage, type Visit } from "../stage/stage.js";
import { until } from "../../harness/until.js";
import { asking, refused } from "../stage/verbs.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/page.html", { body: "<script>window.heard = []</script>" });
});
after(() => stage.close());

async function subscribed({ page }: Visit, topic: string): Promise<void> {
  await page.evaluate(
    `eye.subscribe(${JSON.stringify(topic)}, (message, { topic, from }) => { heard.push([topic, message, from]) }).then(() => undefined)`,
  );
}

async function received({ page }: Visit, count: number): Promise<unknown[]> {
  return until(`${String(count)} messages`, async () => {
    const all = (await page.evaluate("heard")) as unknown[];
    return all.length >= count ? all : undefined;
  });
}

test("what an agent publishes reaches the pages that subscribed, and what a page publishes the others and the agents", async () => {
  const one = await stage.visit("/page.html");
  const two = await stage.visit("/page.html");
  await subscribed(one, "news");
  await subscribed(two, "new*");
  assert.match((await stage.home.eye("pub", "news", "hello")).stdout, /2|delivered/);
  assert.deepEqual(
    (await received(one, 1)).map((each) => (each as unknown[]).slice(0, 2)),
    [["news", "hello"]],
  );
  await received(two, 1);
  const { ended } = await stage.home.start(["sub", "news", "--count", "1", "--for", "10"]);
  const published = await until(
    "the agent listens too",
    async () =>
      ((await one.page.evaluate("eye.publish('news', { n: 1 })")) as { count?: number }).count === 2 || undefined,
  );
  assert.ok(published);
  assert.match((await ended).stdout, /\{"n":1\}/);
  assert.equal(((await received(one, 1)) as unknown[]).length, 1, "never its own");
  await one.page.close();
  await two.page.close();
});

test("a page answers requests of agents and of pages", async () => {
  const server = await stage.visit("/page.html");
  const client = await stage.visit("/page.html");
  await server.page.evaluate(
    "eye.subscribe('double', (message) => { eye.respond(message, { twice: message.n * 2 }) }).then(() => undefined)",
  );
  assert.deepEqual(await client.page.evaluate("eye.request('double', { n: 21 })"), { twice: 42 });
  assert.match((await stage.home.eye("pub", "--reply", "double", '{"n":4}')).stdout, /8/);
  await assert.rejects(client.page.evaluate("eye.request('nobody', 1, { timeout: 100 })"), /Request timeout/);
  await server.page.close();
  await client.page.close();
});

test("a page's subscriptions outlive its connection", async () => {
  const visit = await stage.visit("/page.html");
  await subscribed(visit, "after");
  await stage.home.eye("down");
  await stage.home.eye("up");
  await stage.joined(visit.page);
  await until("it listens again", async () =>
    (await stage.home.eye("pub", "--no-wait", "after", "x")).stdout.includes("dropped") ? undefined : true,
  );
  assert.deepEqual((await received(visit, 1)).at(0)?.toString().startsWith("after,x"), true);
  await visit.page.close();
});

test("what a page tells waits for the agent, each once; what is written reaches the page", async () => {
  const visit = await stage.visit("/page.html");
  const ask = asking(stage, visit);
  await visit.page.evaluate(
    "eye.onMessage((message) => { heard.push(message) }).then(() => Promise.all([eye.tell('one'), eye.tell({ two: 2 })]))",
  );
  const first = await ask("read", "--wait", "5");
  const rest = await ask("read");
  assert.match(`${first}\n${rest}`, /one[^]*"two":2/);
  assert.equal(await ask("read"), "");
  await ask("write", '{"do":"this"}');
  assert.deepEqual(await received(visit, 1), [{ do: "this" }]);
  await visit.page.close();
});

test("an app of the page is opened and sent to by name", async () => {
  const visit = await stage.visit("/page.html");
  const ask = asking(stage, visit);
  await visit.page.evaluate(
    "eye.app({ name: 'notes', title: 'Notes', open: () => { heard.push('opened') }, onMessage: (message, from) => { heard.push([message, typeof from]) } }).then(() => undefined)",
  );
  await ask("send", "Notes", "remember");
  assert.deepEqual(await received(visit, 1), [["remember", "string"]]);
  assert.match((await refused(stage, visit, "send", "nots", "x")).stderr, /no app nots\nhint: its apps: `notes`/);
});
