// A page that reloads during open calls: each call ends once, and the session continues.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage, type Visit } from "../stage/stage.js";
import { until } from "../../harness/until.js";

interface Ended {
  readonly id: string;
  readonly value?: number;
  readonly error?: { readonly code: number; readonly message: string };
}

const CALLS = Array.from({ length: 100 }, (_, index) => index + 1);
const CODE_CONNECTION = -32000;

let stage: Stage;
let visit: Visit;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/", { title: "Reloads" });
  visit = await stage.visit("/");
});

after(() => stage.close());

function assertEachEndedOnce(stdout: string): Ended[] {
  const ended = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Ended);
  assert.deepEqual(
    ended.map(({ id }) => Number(id)).sort((a, b) => a - b),
    CALLS,
  );
  return ended;
}

const ran = (call: number, then: string): string =>
  `localStorage.setItem("ran", (localStorage.getItem("ran") ?? "") + "${String(call)},"); ${then}`;

async function assertRanAtMostOnce(ended: readonly Ended[]): Promise<void> {
  const ran = await stage.home.eye('const all = localStorage.getItem("ran") ?? ""; localStorage.clear(); all');
  const calls = ran.stdout
    .trim()
    .split(",")
    .filter((call) => call !== "");
  assert.equal(new Set(calls).size, calls.length, "a call ran twice");
  for (const { id, error } of ended)
    if (error === undefined) assert.ok(calls.includes(id), `${id} was answered but never ran`);
}

test("a call that reloads among 100 pipelined ones: each ends exactly once, and the next call just works", async () => {
  const lines = CALLS.map((call) => ran(call, call === 50 ? "location.reload()" : String(call)));
  const { stdout } = await stage.home.eyeWith(
    { stdin: lines.map((line) => JSON.stringify(line)).join("\n") },
    "batch",
    "--json",
  );
  assert.deepEqual(await stage.home.eye("1+1"), { stdout: "2\n", stderr: "", code: 0 });
  const ended = assertEachEndedOnce(stdout);
  for (const { id, value, error } of ended) {
    if (id !== "50" && error === undefined) assert.equal(value, Number(id));
  }
  await assertRanAtMostOnce(ended);
});

test("a person reloads while 100 calls wait for their promises: each ends at once as left, not at its timeout", async () => {
  const lines = CALLS.map((call) => JSON.stringify(ran(call, `new Promise(() => {})`)));
  const batch = await stage.home.start(["batch", "--json"], { stdin: lines.join("\n") });
  await until("100 calls are under way", async () =>
    (await stage.home.status())?.pending === CALLS.length ? true : undefined,
  );
  await visit.page.reload();
  const { stdout, code } = await batch.ended;
  assert.equal(code, 1);
  assert.deepEqual(await stage.home.eye("1+1"), { stdout: "2\n", stderr: "", code: 0 });
  const ended = assertEachEndedOnce(stdout);
  for (const { error } of ended) assert.equal(error?.code, CODE_CONNECTION);
  await assertRanAtMostOnce(ended);
});

test("calls asked while the page is away are answered by the page that comes back", async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  stage.site.serve(
    "/slow.js",
    (_, response) => void held.then(() => response.setHeader("content-type", "text/javascript").end("")),
  );
  stage.site.page("/", { title: "Reloads", head: '<script src="/slow.js"></script>' });
  const reloaded = visit.page.reload();
  await until("the page is away", async () =>
    (await stage.home.pages()).find(({ id }) => id === visit.session)?.state === "away" ? true : undefined,
  );
  const call = await stage.home.start(["document.title"]);
  await until("the call waits", async () => ((await stage.home.status())?.pending === 1 ? true : undefined));
  release();
  assert.deepEqual(await call.ended, { stdout: "Reloads\n", stderr: "", code: 0 });
  await reloaded;
});

test("the session is the same after a reload", async () => {
  await visit.page.reload();
  assert.equal(await stage.joined(visit.page), visit.session);
});
