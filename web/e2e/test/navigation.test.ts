// Calls that navigate: the answer names the page at which they arrive.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Stage, type Visit } from "../stage/stage.js";

let stage: Stage;
let visit: Visit;

before(async () => {
  stage = await Stage.open();
  const { site } = stage;
  site.page("/", {
    title: "Home",
    body: '<a id="other" href="/other.html">other</a><a id="saved" href="/file" download>file</a><form action="/found.html"><input name="q" value="x"></form>',
  });
  site.page("/other.html", { title: "Other" });
  site.page("/found.html", { title: "Found" });
  site.page("/late.html", { title: "", body: '<script>document.title = "Late"</script>' });
  site.page("/without.html", { title: "Without", tag: false });
  site.serve("/nothing", (_, response) => response.writeHead(204).end());
  site.serve("/file", (_, response) =>
    response.writeHead(200, { "content-disposition": "attachment; filename=file.txt" }).end("text"),
  );
  site.serve("/moved", (_, response) => response.writeHead(302, { location: "/other.html" }).end());
  visit = await stage.visit("/");
});

after(() => stage.close());

beforeEach(async () => {
  await visit.page.goto(stage.site.url("/"));
  await stage.joined(visit.page);
});

for (const [what, code, title, path] of [
  ["location.href", 'location.href = "/other.html"', "Other", "/other.html"],
  ["location.assign after an await", 'await 0; location.assign("/other.html")', "Other", "/other.html"],
  ["a redirect", 'location.href = "/moved"', "Other", "/other.html"],
  ["location.reload", "location.reload()", "Home", "/"],
  ["a clicked link", 'document.querySelector("#other").click()', "Other", "/other.html"],
  ["a submitted form", 'document.querySelector("form").requestSubmit()', "Found", "/found.html?q=x"],
  ["a form submitted without its event", 'document.querySelector("form").submit()', "Found", "/found.html?q=x"],
  ["a page that sets its title later", 'location.href = "/late.html"', "Late", "/late.html"],
] as const) {
  test(`${what} answers with the new page's title and URL`, async () => {
    assert.deepEqual(await stage.home.eye(code), { stdout: `${title} ${stage.site.url(path)}\n`, stderr: "", code: 0 });
    assert.equal((await stage.home.eye("document.title")).stdout, `${title}\n`);
    assert.equal(await stage.joined(visit.page), visit.session);
  });
}

test("history.back answers with the page before", async () => {
  await stage.home.eye('location.href = "/other.html"');
  const { stdout, code } = await stage.home.eye("history.back()");
  assert.equal(stdout, `Home ${stage.site.url("/")}\n`);
  assert.equal(code, 0);
});

test("a navigation within the document is an ordinary call", async () => {
  assert.equal((await stage.home.eye('location.hash = "part"')).stdout, "part\n");
  assert.equal((await stage.home.eye('history.pushState(null, "", "/app"); location.pathname')).stdout, "/app\n");
});

test("a page that does not load eye.js is told as such", async () => {
  const { stdout, code } = await stage.home.eye('location.href = "/without.html"');
  assert.match(stdout, /^navigated to http:\/\/localhost:\d+\/without\.html, which does not load eye\.js/);
  assert.equal(code, 0);
});

test("a download by link does not hang, and the page stays", async () => {
  assert.equal((await stage.home.eye('document.querySelector("#saved").click()')).code, 0);
  assert.equal((await stage.home.eye("document.title")).stdout, "Home\n");
});

test("a download by navigation does not hang, and the page stays", async () => {
  assert.equal((await stage.home.eye('location.href = "/file"')).code, 0);
  assert.equal((await stage.home.eye("document.title")).stdout, "Home\n");
});

test("an answer without content does not hang, and the page stays", async () => {
  assert.equal((await stage.home.eye('location.href = "/nothing"; "sent"')).stdout, "sent\n");
  assert.equal((await stage.home.eye("document.title")).stdout, "Home\n");
});

test("to another origin the new page answers too", async () => {
  const elsewhere = stage.site.url("/other.html", "127.0.0.1");
  const { stdout, code } = await stage.home.eye(`location.href = ${JSON.stringify(elsewhere)}`);
  assert.equal(stdout, `Other ${elsewhere}\n`);
  assert.equal(code, 0);
  assert.notEqual(await stage.joined(visit.page), visit.session, "a tab's memory is an origin's own");
});
