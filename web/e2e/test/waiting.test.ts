// Pages that leave, load slowly or come back: calls in the meantime wait for the right page, and never read the
// previous one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage } from "../stage/stage.js";
import { asking, refused } from "../stage/verbs.js";

let stage: Stage;
/** Responses that a test releases. */
const held: (() => void)[] = [];

before(async () => {
  stage = await Stage.open();
  const { site } = stage;
  site.page("/there.html", { title: "There", body: "<h1>There it is</h1>" });
  site.page("/slow-body.html", { title: "Slow body", body: "<h1>First line</h1><img src='/held'>" });
  site.serve("/held", (_, response) => void held.push(() => response.writeHead(204).end()));
  // Later than the tools of the page that requests it.
  site.serve("/late", (_, response) => void setTimeout(() => response.writeHead(404).end(), 1200));
  site.serve("/nothing", (_, response) => response.writeHead(204).end());
  // Longer than the three seconds that an action waits for a navigation.
  site.serve("/slow", (_, response) => {
    setTimeout(() => response.writeHead(302, { location: "/there.html" }).end(), 4500);
  });
});
after(async () => {
  held.forEach((go) => go());
  await stage.close();
});

let count = 0;
async function visit(body: string) {
  const path = `/waiting-${String(++count)}.html`;
  stage.site.page(path, { title: "Here", body });
  const page = await stage.visit(path);
  return { page, path, ask: asking(stage, page) };
}

test("after an action that leaves for a slow page, look reads the new page", async () => {
  const { ask } = await visit('<a href="/slow">Leave</a>');
  assert.match(await ask("click", "text=Leave"), /leaving for .*\/slow/);
  assert.match(await ask("look"), /^# There it is$/m);
});

test("a navigation that brings no page ends the wait, and the outline says where it was going", async () => {
  const { ask } = await visit('<a href="/nothing">Leave</a><p>still here');
  await ask("click", "text=Leave");
  const seen = await ask("look");
  assert.match(seen, /still here/);
  assert.match(seen, /… leaving for .*\/nothing, which has not answered yet$/);
});

test("a wait goes on in the new page when a script reloads the page", async () => {
  const { ask } = await visit(
    `<script>if (!sessionStorage.n) { sessionStorage.n = 1; setTimeout(() => location.reload(), 1500) }
     else setTimeout(() => document.body.append("Done now"), 300)</script>`,
  );
  assert.match(await ask("wait", "text=Done now", "--timeout", "15"), /Done now$/);
});

test("goto, back and forward answer with what is seen at the new page", async () => {
  const { page, path, ask } = await visit("<h1>Begin</h1>");
  assert.equal(await ask("goto", "/there.html"), "# There it is");
  assert.equal(await ask("back"), "# Begin");
  assert.equal(await ask("forward"), "# There it is");
  assert.equal(await ask("goto", "/slow"), "# There it is");
  assert.equal(await ask("goto", `${path}#part`), "# Begin");
  assert.equal(await ask("goto", `${path}#other`), "# Begin", "without leaving the document");
  assert.match((await refused(stage, page, "goto", "javascript:document.title = 1")).stderr, /http, https and file/);
  assert.match((await refused(stage, page, "forward")).stderr, /there is no page to go forward to/);
});

test("the first outline of a page that is still loading says so", async () => {
  const { ask } = await visit("<h1>Begin</h1>");
  assert.equal(await ask("goto", "/slow-body.html"), "# First line\n… still loading");
});

const TOOLS = `<script>setTimeout(() => {
  eye.tool({ name: "late", description: "Comes late.", execute: () => "ran" });
  eye.state(() => ({ n: 7 }));
}, 500)</script><img src="/late">`;

test("tools and state of a page that is loading are waited for, and after a reload and a restart of the hub", async () => {
  const { page, ask } = await visit(TOOLS);
  assert.equal(await ask("call", "late"), "ran");
  await page.page.reload({ waitUntil: "commit" });
  assert.match(await ask("tools"), /late/);
  assert.equal(await ask("call", "late"), "ran");
  await page.page.reload({ waitUntil: "commit" });
  assert.equal(await ask("state", "n"), "7");
  await stage.home.killHub();
  assert.equal(await ask("call", "late"), "ran");
  await stage.home.killHub();
  assert.match(await ask("tools"), /late/);
  await stage.home.killHub();
  assert.equal(await ask("state", "n"), "7");
});
