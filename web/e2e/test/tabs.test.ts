// Duplicated tabs: browsers copy sessionStorage, and with it the session's id.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage, type Visit } from "../stage/stage.js";

let stage: Stage;
let first: Visit;

before(async () => {
  stage = await Stage.open("--disable-popup-blocking");
  stage.site.page("/", { title: "First" });
  stage.site.page("/opened.html", { title: "Opened" });
  stage.site.page("/linked.html", { title: "Opened", tag: 'data-session="url"' });
  first = await stage.visit("/");
});

after(() => stage.close());

async function assertBothAnswer(other: Visit): Promise<void> {
  assert.notEqual(other.session, first.session);
  await first.page.evaluate(() => Object.assign(window, { mark: "first" }));
  await other.page.evaluate(() => Object.assign(window, { mark: "other" }));
  assert.equal((await stage.home.eye("--page", first.session, "mark")).stdout, "first\n");
  assert.equal((await stage.home.eye("--page", other.session, "mark")).stdout, "other\n");
}

async function assertBothKeepTheirSessions(other: Visit): Promise<void> {
  await other.page.reload();
  assert.equal(await stage.joined(other.page), other.session);
  await first.page.reload();
  assert.equal(await stage.joined(first.page), first.session);
  await assertBothAnswer(other);
}

test("a tab that the page opened has a session of its own", async () => {
  const opening = stage.context.waitForEvent("page");
  await first.page.evaluate(() => void window.open("/opened.html"));
  const page = await opening;
  const other: Visit = { page, session: await stage.joined(page) };
  await assertBothAnswer(other);
  await assertBothKeepTheirSessions(other);
  await page.close();
});

test("a duplicated tab has a session of its own", async () => {
  const memory = await first.page.evaluate(() => Object.entries(sessionStorage) as [string, string][]);
  assert.ok(
    memory.some(([, value]) => value === first.session),
    "the page remembers its session",
  );
  const page = await stage.context.newPage();
  await page.addInitScript((copied) => {
    if (sessionStorage.length === 0) for (const [key, value] of copied) sessionStorage.setItem(key, value);
  }, memory);
  await page.goto(stage.site.url("/"));
  const other: Visit = { page, session: await stage.joined(page) };
  await assertBothAnswer(other);
  await assertBothKeepTheirSessions(other);
  await page.close();
});

test("a duplicate is free to take the session once its original has closed", async () => {
  const original = await stage.visit("/");
  const memory = await original.page.evaluate(() => Object.entries(sessionStorage) as [string, string][]);
  await original.page.close();
  const page = await stage.context.newPage();
  await page.addInitScript((copied) => {
    if (sessionStorage.length === 0) for (const [key, value] of copied) sessionStorage.setItem(key, value);
  }, memory);
  await page.goto(stage.site.url("/"));
  assert.equal(await stage.joined(page), original.session);
  await page.close();
});

test("a second browser of the same origin takes a session over, and the first stays away from it", async () => {
  const taken = await stage.visit("/");
  const logged = taken.page.waitForEvent("console", (message) => message.text().includes("took this session"));
  const second = await stage.browser.newContext();
  const page = await second.newPage();
  await page.goto(stage.site.url(`/linked.html?sessionId=${taken.session}`));
  assert.equal(await stage.joined(page), taken.session);
  await logged;
  assert.equal((await stage.home.eye("--page", taken.session, "document.title")).stdout, "Opened\n");
  await taken.page.reload();
  assert.notEqual(await stage.joined(taken.page), taken.session);
  await second.close();
});
