// Admission at the TCP port, with real requests; and what a refused page shows to its user.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { get, opened, refused } from "../stage/knock.js";
import { Stage } from "../stage/stage.js";

const PAGE = "/ws?sessionId=s1&clientType=browser&version=1.0.0";
const AGENT = "/ws?clientType=agent&version=1.0.0";

let stage: Stage;
let port: number;
let token: string;

before(async () => {
  stage = await Stage.open("--host-resolver-rules=MAP *.test 127.0.0.1");
  stage.site.page("/", { title: "Foreign" });
  port = stage.home.port;
  token = await stage.home.token();
});

after(() => stage.close());

test("health is for everyone on this machine", async () => {
  const { status, body } = await get(port, "/health");
  assert.equal(status, 200);
  assert.equal((JSON.parse(body) as { status: string }).status, "ok");
});

for (const host of ["evil.test", "localhost.evil.test", "127.0.0.1.nip.io", "localhost:1.evil.test"]) {
  test(`a name that was rebound to this machine, ${host}, gets nothing`, async () => {
    for (const path of ["/", "/health", "/eye.js", "/sessions", "/nowhere"]) {
      const { status, body } = await get(port, path, { host, authorization: `Bearer ${token}` });
      assert.equal(status, 421, path);
      assert.ok(!body.includes("version"), path);
    }
    assert.equal((await refused(port, PAGE, { host, origin: `http://${host}` })).status, 421);
    assert.equal((await refused(port, AGENT, { host, authorization: `Bearer ${token}` })).status, 421);
    assert.equal((await refused(port, `/api/eye?token=${token}`, { host })).status, 421);
  });
}

for (const origin of [
  "https://evil.test",
  "http://localhost.evil.test",
  "http://localhost:80.evil.test",
  "http://127.0.0.1.evil.test",
  "http://xlocalhost",
  "file://",
  "null",
]) {
  test(`a page of the origin ${origin} is refused`, async () => {
    const { status, body } = await refused(port, PAGE, { origin });
    assert.equal(status, 403);
    assert.match(body, origin === "null" ? /no origin/ : /eye allow/);
  });
}

test("a page with a loopback origin is let in", async () => {
  for (const origin of ["http://localhost:5173", "http://127.0.0.1:1", "https://[::1]:5173"]) {
    (await opened(port, "/ws?clientType=browser&version=1.0.0", { origin })).socket.terminate();
  }
});

test("an agent without the token, or with a wrong one, is refused", async () => {
  for (const authorization of [
    "",
    "Bearer ",
    "Bearer wrong",
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
    `Basic ${token}`,
  ]) {
    for (const reply of [
      await refused(port, AGENT, { authorization }),
      await get(port, "/sessions", { authorization }),
    ]) {
      assert.equal(reply.status, 401, authorization);
      assert.match(reply.body, /eye token show/);
    }
  }
});

test("a local page that claims to be an agent is refused, and so is a program that claims to be a page", async () => {
  assert.equal((await refused(port, AGENT, { origin: "http://localhost:5173" })).status, 401);
  assert.equal((await refused(port, PAGE)).status, 401);
});

test("the token opens the door for agents and for the list of sessions", async () => {
  const authorization = `Bearer ${token}`;
  (await opened(port, AGENT, { authorization })).socket.terminate();
  const { status, body } = await get(port, "/sessions", { authorization });
  assert.equal(status, 200);
  assert.ok(Array.isArray((JSON.parse(body) as { sessions: unknown }).sessions));
});

test("no answer for operators may be read by a foreign page", async () => {
  for (const path of ["/health", "/sessions"]) {
    const { headers } = await get(port, path, { origin: "https://evil.test", authorization: `Bearer ${token}` });
    assert.equal(headers["access-control-allow-origin"], undefined, path);
  }
});

test("the token is in no log", async () => {
  await refused(port, "/api/eye?token=wrong");
  (await opened(port, `/api/eye?token=${token}`)).socket.terminate();
  assert.ok(!(await stage.home.log()).includes(token));
});

test("a foreign page says in its console which command lets it in, and joins by itself afterwards", async () => {
  const page = await stage.context.newPage();
  const origin = stage.site.url("", "shop.test");
  const logged = page.waitForEvent("console", {
    predicate: (message) => message.text().includes("eye allow"),
    timeout: 10_000,
  });
  await Promise.all([logged, page.goto(stage.site.url("/", "shop.test"))]);
  assert.ok((await logged).text().includes(`eye allow ${origin}`));
  assert.equal((await stage.home.eye("allow", origin)).code, 0);
  const session = await stage.joined(page);
  assert.equal((await stage.home.eye("--page", session, "location.origin")).stdout, `${origin}\n`);
});

test("a foreign page cannot take the session of a local one", async () => {
  await stage.home.eye("allow", stage.site.url("", "shop.test"));
  const local = await stage.visit("/");
  stage.site.page("/thief.html", { tag: 'data-session="url"' });
  const page = await stage.context.newPage();
  await page.goto(stage.site.url(`/thief.html?sessionId=${local.session}`, "shop.test"));
  assert.notEqual(await stage.joined(page), local.session);
  assert.match((await stage.home.eye("--page", local.session, "location.href")).stdout, /^http:\/\/localhost:/);
  // The id stays with its origin after the page has left; the other page has an id of its own, and keeps it over a
  // reload.
  await local.page.close();
  const later = await stage.context.newPage();
  await later.goto(stage.site.url(`/thief.html?sessionId=${local.session}`, "shop.test"));
  const own = await stage.joined(later);
  assert.notEqual(own, local.session);
  await later.reload();
  assert.equal(await stage.joined(later), own);
});
