// `eye servers login`: a real authorization server, a real MCP server behind it, a login in a real Chromium, and the
// real hub.

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { startChromium } from "../../harness/chromium.js";
import { type Guarded, openGuarded } from "../stage/guarded.mjs";
import { Home, type Running, type CommandOutput } from "../../harness/home.js";
import { until, within } from "../../harness/until.js";

interface Grant {
  readonly url: string;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scopes: readonly string[];
}

let home: Home;
let guarded: Guarded;
let browser: Browser;

before(async () => {
  guarded = await openGuarded();
  browser = await startChromium();
  home = await Home.open();
  const entries = ["wiki", "open", "lying"].map((name) => {
    const url = { wiki: guarded.url, open: guarded.open, lying: guarded.lying }[name] ?? "";
    return `  ${name}: { url: ${JSON.stringify(url)} }\n`;
  });
  await mkdir(join(home.folder, "config/eye"), { recursive: true });
  await writeFile(join(home.folder, "config/eye/config.yaml"), `servers:\n${entries.join("")}`);
  await home.up();
});

after(async () => {
  await home.close();
  await browser.close();
  await guarded.close();
});

const logins = (): string => join(home.folder, "state/eye/gateway/logins");

async function grant(): Promise<Grant> {
  const [name = ""] = (await readdir(logins())).filter((file) => file.endsWith(".json"));
  return JSON.parse(await readFile(join(logins(), name), "utf8")) as Grant;
}

/** Starts a login, and returns the URL that it prints. */
async function begun(...args: string[]): Promise<{ readonly login: Running; readonly address: URL }> {
  const login = await home.start(["servers", "login", ...args, "--no-browser"]);
  let printed = "";
  login.process.stderr?.on("data", (bytes: Buffer) => (printed += bytes.toString()));
  const address = await until(
    "an address is printed",
    () =>
      /http:\/\/127\.0\.0\.1:\d+\/auth\?\S+/u.exec(printed)?.[0] ?? (login.process.exitCode === null ? undefined : ""),
  );
  assert.notEqual(address, "", printed);
  return { login, address: new URL(address) };
}

/** The person's steps on that page. */
async function allowed(address: URL): Promise<string> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(address.href);
  await page.fill("input[name=login]", "ada");
  await page.fill("input[name=password]", "secret");
  await page.click("button[type=submit]");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL(/\/callback\?/u);
  const text = await page.innerText("body");
  await page.context().close();
  return text;
}

async function loggedIn(...args: string[]): Promise<CommandOutput> {
  const { login, address } = await begun(...args);
  assert.match(await allowed(address), /eye has the answer/u);
  return within("the login ends", login.ended);
}

test("a server that wants a login says so everywhere, with the command", async () => {
  const discovered = await until("discovery tells of the login", async () => {
    const { stdout, stderr } = await home.eye("discover", "read a page");
    return /wants a login/u.test(stdout + stderr) ? stdout + stderr : undefined;
  });
  assert.match(discovered, /wiki wants a login: eye servers login wiki/u);
  const listed = await until("the list has more than its start", async () => {
    const { stdout } = await home.eye("servers");
    return /wiki\s+starting/u.test(stdout) ? undefined : stdout;
  });
  assert.match(listed, /wiki\s+down\s+it wants a login: eye servers login wiki/u);
  const call = await home.eye("call", "wiki::read");
  assert.notEqual(call.code, 0);
  assert.match(call.stderr, /wiki wants a login/u);
  assert.match(call.stderr, /eye servers login wiki/u);
});

test("a login in a browser lets the running hub call at once, and its file is the user's alone", async () => {
  const { code, stderr } = await loggedIn("wiki");
  assert.equal(code, 0, stderr);
  assert.match(stderr, /logged in to wiki, with .*tools:read/u);
  const called = await home.eye("call", "wiki::read");
  assert.equal(called.stdout.trim(), "read it", called.stderr);
  const { url, scopes } = await grant();
  assert.equal(url, guarded.url);
  assert.ok(!scopes.includes("tools:write"));
  for (const file of await readdir(logins())) {
    assert.equal((await stat(join(logins(), file))).mode & 0o777, 0o600, file);
  }
  assert.equal((await stat(logins())).mode & 0o777, 0o700);
});

test("the token goes to the server that it is for, and to no other of the same host", async () => {
  guarded.seen.length = 0;
  assert.equal((await home.eye("call", "open::read")).stdout.trim(), "read it");
  assert.equal((await home.eye("call", "wiki::read")).stdout.trim(), "read it");
  const sent = (path: string) => guarded.seen.filter((one) => one.path === path).map((one) => one.authorization);
  assert.ok(sent("/open").length > 0 && sent("/open").every((authorization) => authorization === undefined));
  assert.ok(sent("/mcp").some((authorization) => authorization?.startsWith("Bearer ")));
  const { access_token: token } = await grant();
  for (const said of [await home.eye("servers", "--json"), await home.eye("servers", "logs", "wiki")]) {
    assert.ok(!(said.stdout + said.stderr).includes(token));
  }
  assert.ok(!(await home.log()).includes(token));
});

test("a token that the server refuses is renewed, and the call goes on", async () => {
  const before = await grant();
  const { refreshed } = guarded.tokens;
  // So short that a token has expired at the next call: it is refreshed before the call is sent.
  guarded.tokens.lifetimeS = 20;
  await guarded.endAccess(before.access_token);
  assert.equal((await home.eye("call", "wiki::read")).stdout.trim(), "read it");
  assert.equal(guarded.tokens.refreshed, refreshed + 1);
  const between = await grant();
  assert.notEqual(between.access_token, before.access_token);
  assert.notEqual(between.refresh_token, before.refresh_token);
  guarded.tokens.lifetimeS = 3600;
  // Several concurrent calls refresh it once.
  const calls = await Promise.all([1, 2, 3, 4].map(() => home.eye("call", "wiki::read")));
  assert.deepEqual(
    calls.map(({ stdout }) => stdout.trim()),
    ["read it", "read it", "read it", "read it"],
  );
  assert.equal(guarded.tokens.refreshed, refreshed + 2);
  assert.notEqual((await grant()).access_token, between.access_token);
});

test("a tool that needs more rights names them, and a login with them keeps those there were", async () => {
  const refused = await home.eye("call", "wiki::write");
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /eye servers login wiki --scope tools:write/u);
  const { code, stderr } = await loggedIn("wiki", "--scope", "tools:write");
  assert.equal(code, 0, stderr);
  const { scopes } = await grant();
  assert.ok(scopes.includes("tools:read") && scopes.includes("tools:write"), scopes.join(" "));
  await until("the new token is used", async () =>
    (await home.eye("call", "wiki::write")).stdout.trim() === "wrote it" ? true : undefined,
  );
  assert.equal((await home.eye("call", "wiki::read")).stdout.trim(), "read it");
});

test("a refresh token that was revoked ends the login, and the command is named again", async () => {
  const { access_token: access, refresh_token: refresh } = await grant();
  await guarded.endRefresh(refresh);
  await guarded.endAccess(access);
  const call = await home.eye("call", "wiki::read");
  assert.notEqual(call.code, 0);
  assert.match(call.stderr, /wants a login/u);
  assert.match(call.stderr, /eye servers login wiki/u);
  assert.match((await home.eye("servers")).stdout, /wiki\s+(?:wants a login|down\s+it wants a login)/u);
  assert.equal((await loggedIn("wiki")).code, 0);
  await until("the new login is used", async () =>
    (await home.eye("call", "wiki::read")).stdout.trim() === "read it" ? true : undefined,
  );
});

test("one login at a time; strangers change nothing; an answer of another issuer ends it; Ctrl-C too", async () => {
  const kept = await grant();
  const { login, address } = await begun("wiki");
  const second = await home.eye("servers", "login", "wiki", "--no-browser");
  assert.notEqual(second.code, 0);
  assert.match(second.stderr, /another login of this server is under way/u);
  const back = new URL(address.searchParams.get("redirect_uri") ?? "");
  assert.match(back.href, /^http:\/\/127\.0\.0\.1:\d+\/callback$/u);
  assert.equal(address.searchParams.get("code_challenge_method"), "S256");
  assert.equal(address.searchParams.get("resource"), guarded.url);
  const state = address.searchParams.get("state") ?? "";
  const answer = (query: Record<string, string>): Promise<Response> =>
    fetch(`${back.href}?${new URLSearchParams(query).toString()}`);
  assert.equal((await answer({ code: "x", state: "guessed" })).status, 400);
  assert.equal((await answer({ error: "access_denied" })).status, 400);
  assert.equal(login.process.exitCode, null);
  await answer({ code: "x", state, iss: "https://evil.example" });
  const { code, stderr } = await within("the login ends", login.ended);
  assert.notEqual(code, 0);
  assert.match(stderr, /came from the issuer https:\/\/evil\.example, not from http:\/\/127/u);

  const again = await begun("wiki");
  again.login.process.kill("SIGINT");
  assert.notEqual((await within("the login ends", again.login.ended)).code, 0);
  assert.deepEqual(await grant(), kept);
  const third = await begun("wiki");
  third.login.process.kill("SIGINT");
  await within("the login ends", third.login.ended);
});

test("an authorization server with the metadata of another is refused", async () => {
  const { code, stderr } = await home.eye("servers", "login", "lying", "--no-browser");
  assert.notEqual(code, 0);
  assert.match(stderr, /is of the issuer http:\/\/127\.0\.0\.1:\d+, not of http:\/\/127\.0\.0\.1:\d+\/lying/u);
  const open = await home.eye("servers", "login", "open", "--no-browser");
  assert.notEqual(open.code, 0);
  assert.match(open.stderr, /does not ask for a login/u);
});

test("logging out forgets the token here and there", async () => {
  const { refresh_token: refresh } = await grant();
  assert.ok(await guarded.knowsRefresh(refresh));
  const { code, stderr } = await home.eye("servers", "logout", "wiki");
  assert.equal(code, 0, stderr);
  assert.match(stderr, /logged out of wiki/u);
  assert.ok(!(await guarded.knowsRefresh(refresh)));
  assert.deepEqual(
    (await readdir(logins())).filter((file) => file.endsWith(".json")),
    [],
  );
  await until("the hub has no token any more", async () =>
    /wants a login/u.test((await home.eye("call", "wiki::read")).stderr) ? true : undefined,
  );
  assert.match((await home.eye("servers", "logout", "wiki")).stderr, /there is no login of wiki/u);
});
