// A web site that attacks the hub from a real browser, at every endpoint and in both modes of `eye up --auth`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startChromium } from "../../harness/chromium.js";
import { Home } from "../../harness/home.js";
import { Site } from "../stage/site.js";
import { until } from "../../harness/until.js";

/** The result at one endpoint: `open` means that the hub admitted the page. */
interface Attempt {
  readonly path: string;
  readonly open: boolean;
  readonly got: string;
}

const SOCKETS = [
  "/api/eye",
  "/api/eye-bridge",
  "/ws",
  "/ws?clientType=agent",
  "/ws?clientType=agent&version=1.0.0",
  "/ws?clientType=browser&version=1.0.0",
  "//ws?clientType=agent",
  "/api/mcp/stream",
  "/evolution",
  "/agents",
  "/",
];
const STREAMS = ["/events?sessionId=s1", "/events?sessionId=s1&clientType=browser&version=1.0.0", "/agent"];
const POSTS = ["/mcp", "/api/mcp", "/rpc", "/message?sessionId=s1", "/agent", "/v1/chat/completions"];

let browser: Browser;

before(async () => {
  browser = await startChromium("--host-resolver-rules=MAP *.test 127.0.0.1");
});

after(() => browser.close());

/** Tries everything from inside a page, with the tokens that a site could have. */
async function attack(page: Page, port: number, tokens: readonly string[]): Promise<Attempt[]> {
  return page.evaluate(
    async ({ port, tokens, sockets, streams, posts }) => {
      const host = `localhost:${String(port)}`;
      const withToken = (path: string, token: string) =>
        token === "" ? path : `${path}${path.includes("?") ? "&" : "?"}token=${token}`;
      const socket = (path: string, token: string) =>
        new Promise<Attempt>((resolve) => {
          const protocols = token === "" ? [] : ["eye", `bearer.${token}`];
          const ws = new WebSocket(
            `ws://${host}${withToken(path, token)}`,
            path.startsWith("/api/eye") ? [] : protocols,
          );
          let open = false;
          ws.onopen = () => {
            open = true;
            ws.send("a:document.title='taken by '+location.origin");
            ws.send('{"jsonrpc":"2.0","id":1,"method":"hub/stop"}');
          };
          ws.onmessage = ({ data }) => resolve({ path, open, got: String(data) });
          ws.onclose = ({ code }) => resolve({ path, open, got: `closed ${String(code)}` });
        });
      const stream = (path: string, token: string) =>
        new Promise<Attempt>((resolve) => {
          const events = new EventSource(`http://${host}${withToken(path, token)}`);
          events.onopen = () => resolve({ path, open: true, got: "opened" });
          events.onerror = () => {
            events.close();
            resolve({ path, open: false, got: "error" });
          };
        });
      // The browser sends a plain-text body without the hub's permission; only its effect can be refused.
      const post = async (path: string, token: string): Promise<Attempt> => {
        const stop = '{"jsonrpc":"2.0","id":1,"method":"hub/stop"}';
        const authorization = token === "" ? {} : { authorization: `Bearer ${token}` };
        await fetch(`http://${host}${withToken(path, token)}`, { method: "POST", mode: "no-cors", body: stop }).catch(
          () => undefined,
        );
        return fetch(`http://${host}${withToken(path, token)}`, {
          method: "POST",
          headers: { ...authorization, "content-type": "application/json" },
          body: stop,
        }).then(
          async (response) => ({ path, open: response.ok, got: await response.text() }),
          (error: unknown) => ({ path, open: false, got: String(error) }),
        );
      };
      const attempts: Attempt[] = [];
      for (const token of tokens) {
        for (const path of sockets) attempts.push(await socket(path, token));
        for (const path of streams) attempts.push(await stream(path, token));
        for (const path of posts) attempts.push(await post(path, token));
      }
      return attempts;
    },
    { port, tokens, sockets: SOCKETS, streams: STREAMS, posts: POSTS },
  );
}

for (const mode of ["none", "token"]) {
  test(`a web site gets in nowhere with --auth ${mode}`, async () => {
    const home = await Home.open();
    await home.up("--auth", mode);
    const site = await Site.open(home.url);
    site.page("/", { title: "Mine" });
    site.page("/evil", { title: "Evil", tag: false });
    const context = await browser.newContext();
    try {
      const victim = await context.newPage();
      await victim.goto(site.url("/"));
      await until("the page has joined", async () => ((await home.pages()).length === 1 ? true : undefined));
      const evil = await context.newPage();
      await evil.goto(site.url("/evil", "evil.test"));
      // In token mode even the right token, which the site should not have, gives no access from there.
      const tokens = mode === "none" ? ["", "x"] : ["", "x", await home.token()];
      const attempts = await attack(evil, home.port, tokens);
      assert.equal(attempts.length, tokens.length * (SOCKETS.length + STREAMS.length + POSTS.length));
      assert.deepEqual(
        attempts.filter(({ open }) => open),
        [],
      );
      assert.equal((await home.eye("document.title")).stdout, "Mine\n");
      assert.equal((await home.pages()).length, 1);

      // Once its origin is allowed for agents, the same page is admitted as an agent, and still cannot join.
      const origin = site.url("", "evil.test");
      assert.equal((await home.eye("allow", origin, "--agent")).code, 0);
      const allowed = await evil.evaluate(
        async ({ port, token }) => {
          const opens = (path: string) =>
            new Promise<boolean>((resolve) => {
              const ws = new WebSocket(`ws://localhost:${String(port)}${path}`, ["eye", `bearer.${token}`]);
              ws.onopen = () => resolve(true);
              ws.onclose = () => resolve(false);
            });
          return [await opens("/ws?clientType=agent"), await opens("/ws?clientType=browser")];
        },
        { port: home.port, token: await home.token() },
      );
      assert.deepEqual(allowed, [true, false]);
    } finally {
      await context.close();
      await site.close();
      await home.close();
    }
  });
}
