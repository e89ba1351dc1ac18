// `eye doctor URL` predicts what a real browser does: for each policy, whether the page joins, and that it joins once
// the policy is corrected.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Stage } from "../stage/stage.js";

interface Report {
  readonly joins: boolean;
  readonly change?: string;
  readonly findings: readonly { readonly what: string; readonly ok: boolean; readonly found: string }[];
}

type Seen = typeof globalThis & { eye?: { connected: boolean }; forbidden?: string };

let stage: Stage;

before(async () => {
  stage = await Stage.open();
});

after(() => stage.close());

/** Whether the browser lets the page join; a violation event reports what forbids it. */
async function joins(page: Page, path: string): Promise<boolean> {
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ disposition, blockedURI, effectiveDirective }) => {
      const ours = /^(?:http|ws)/.test(blockedURI) && /^(?:script|connect)-src/.test(effectiveDirective);
      if (disposition === "enforce" && ours) (globalThis as Seen).forbidden = effectiveDirective;
    });
  });
  await page.goto(stage.site.url(path));
  const outcome = await page.waitForFunction(() => {
    const { eye, forbidden } = globalThis as Seen;
    return eye?.connected === true ? "joined" : forbidden;
  });
  return (await outcome.jsonValue()) === "joined";
}

async function doctor(path: string): Promise<Report> {
  return JSON.parse((await stage.home.eye("doctor", stage.site.url(path), "--json")).stdout) as Report;
}

const POLICIES = [
  "default-src *",
  "default-src 'self'",
  "script-src 'self'",
  `script-src HTTP`,
  `script-src HTTP; connect-src 'self'`,
  `script-src HTTP; connect-src HTTP`,
  `script-src HTTP; connect-src WS`,
  `default-src 'none'; script-src HTTP; connect-src ws:`,
  `script-src localhost:*; connect-src ws://localhost:*`,
  `script-src 'self'; script-src-elem *`,
  `script-src *; script-src-elem 'self'`,
  `script-src 'none'; connect-src *`,
  `script-src 'nonce-abc' 'strict-dynamic' HTTP`,
  "upgrade-insecure-requests",
  "require-trusted-types-for 'script'; trusted-types app",
];

const written = (policy: string): string =>
  policy.replaceAll("HTTP", stage.home.url).replaceAll("WS", stage.home.url.replace(/^http/, "ws"));

for (const [at, policy] of POLICIES.entries()) {
  test(`the doctor and the browser agree on ${policy}`, async () => {
    const path = `/policy-${String(at)}`;
    stage.site.page(path, { headers: { "content-security-policy": written(policy) } });
    const report = await doctor(path);
    const page = await stage.context.newPage();
    assert.equal(report.joins, await joins(page, path), JSON.stringify(report));
    await page.close();
    const line = /Content-Security-Policy: (.*)/.exec(report.change ?? "")?.[1];
    if (line === undefined || policy.includes("strict-dynamic")) return;
    stage.site.page(`${path}-mended`, { headers: { "content-security-policy": line } });
    const mended = await stage.context.newPage();
    assert.ok(await joins(mended, `${path}-mended`), line);
    assert.equal((await doctor(`${path}-mended`)).joins, true);
    await mended.close();
  });
}

test("the doctor finds the tag, and a policy in the document counts from where it stands", async () => {
  const meta = `<meta http-equiv="Content-Security-Policy" content="script-src 'self'">`;
  stage.site.page("/meta-before", { head: meta });
  stage.site.page("/meta-after", { body: meta });
  for (const path of ["/meta-before", "/meta-after"]) {
    const report = await doctor(path);
    const page = await stage.context.newPage();
    assert.equal(report.joins, await joins(page, path), `${path}: ${JSON.stringify(report)}`);
    assert.ok(report.findings.some(({ what, found }) => what === "tag" && found.includes(stage.home.url)));
    await page.close();
  }
});
