// Pages whose policy forbids something: they report it, or work all the same.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Document } from "../stage/site.js";
import { Stage } from "../stage/stage.js";

const EXIT_DENIED = 4;

let stage: Stage;

before(async () => {
  stage = await Stage.open("--host-resolver-rules=MAP *.test 127.0.0.1");
});

after(() => stage.close());

async function visit(path: string, document: Document): Promise<string> {
  stage.site.page(path, document);
  return (await stage.visit(path)).session;
}

async function assertRefused(session: string, why: RegExp): Promise<void> {
  const { stdout, stderr, code } = await stage.home.eye("--page", session, "1+1");
  assert.equal(stdout, "");
  assert.match(stderr, why);
  assert.match(stderr, /^hint: /m);
  assert.equal(code, EXIT_DENIED);
  assert.equal((await stage.home.pages()).find(({ id }) => id === session)?.eval, false);
}

test("a Content-Security-Policy without unsafe-eval: the answer says so, and exits 4", async () => {
  const policy = `script-src ${stage.home.url} 'unsafe-inline'`;
  await assertRefused(
    await visit("/csp.html", { headers: { "content-security-policy": policy } }),
    /^error: .*(CSP|Content-Security-Policy)/,
  );
});

test("a Content-Security-Policy with unsafe-eval lets code run", async () => {
  const policy = `script-src ${stage.home.url} 'unsafe-eval'`;
  const session = await visit("/csp-eval.html", { headers: { "content-security-policy": policy } });
  assert.equal((await stage.home.eye("--page", session, "await 1 + 1")).stdout, "2\n");
});

test("Trusted Types that forbid the client's policy: the answer says so, and exits 4", async () => {
  const policy = "require-trusted-types-for 'script'; trusted-types other";
  await assertRefused(
    await visit("/types-none.html", { headers: { "content-security-policy": policy } }),
    /^error: .*Trusted Types/,
  );
});

test("Trusted Types that allow the client's policy let code run", async () => {
  const policy = "require-trusted-types-for 'script'; trusted-types eye";
  const session = await visit("/types.html", { headers: { "content-security-policy": policy } });
  assert.equal((await stage.home.eye("--page", session, "let a = await 1; a + 1")).stdout, "2\n");
  assert.equal((await stage.home.eye("--page", session, "a")).stdout, "1\n");
});

test("a page that is isolated by COEP loads eye.js and answers", async () => {
  const headers = { "cross-origin-embedder-policy": "require-corp", "cross-origin-opener-policy": "same-origin" };
  const session = await visit("/coep.html", { headers });
  assert.equal((await stage.home.eye("--page", session, "crossOriginIsolated")).stdout, "true\n");
});

test("a page that refuses eval says so, and exits 4", async () => {
  await assertRefused(await visit("/refuses.html", { tag: 'data-eval="off"' }), /^error: .*refuses/);
});

test("an origin that was allowed without eval: the answer names the command that changes it, and exits 4", async () => {
  const origin = stage.site.url("", "bank.test");
  await stage.home.eye("allow", "--no-eval", origin);
  stage.site.page("/bank.html", { title: "Bank" });
  const page = await stage.context.newPage();
  await page.goto(stage.site.url("/bank.html", "bank.test"));
  const session = await stage.joined(page);
  await assertRefused(session, new RegExp(`^error: .*${origin}`));
  assert.match((await stage.home.eye("--page", session, "1+1")).stderr, /^hint: .*eye allow/m);
});

test("a page whose connect-src leaves out the hub says in its console what to add", async () => {
  stage.site.page("/connect.html", { headers: { "content-security-policy": "connect-src 'self'" } });
  const page = await stage.context.newPage();
  const logged = page.waitForEvent(
    "console",
    (message) => message.text().startsWith("eye: ") && message.text().includes("connect-src"),
  );
  await page.goto(stage.site.url("/connect.html"));
  assert.ok((await logged).text().includes(stage.home.url.replace("http", "ws")));
});
