// The snippets of docs/join.md, run unchanged except for the ports.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { Dev, type DevOptions } from "../stage/dev.js";
import { freePort } from "../../harness/ports.js";
import { NGINX_USER, Nginx } from "../stage/nginx.js";
import { Stage, type Visit } from "../stage/stage.js";
import { until } from "../../harness/until.js";
import { web } from "../../harness/program.js";
import { asking, type Ask } from "../stage/verbs.js";

const WEB = web();
const BLOCK = /^```\w+ runnable (\w+)\n([^]*?)^```$/gm;

let stage: Stage;
let snippets: Map<string, string>;

before(async () => {
  stage = await Stage.open();
  const text = (await readFile(join(WEB, "../docs/join.md"), "utf8")).replaceAll(
    "localhost:8765",
    `localhost:${String(stage.home.port)}`,
  );
  snippets = new Map([...text.matchAll(BLOCK)].map(([, name = "", code = ""]) => [name, code]));
});

after(() => stage.close());

function snippet(name: string): string {
  const code = snippets.get(name);
  assert.ok(code !== undefined, `docs/join.md has no ${name}`);
  snippets.delete(name);
  return code;
}

async function visit(url: string): Promise<Visit & { readonly ask: Ask }> {
  const there = await stage.enter(await stage.context.newPage(), url);
  return { ...there, ask: asking(stage, there) };
}

async function developing(t: TestContext, project: string, files: DevOptions["files"] & object): Promise<string> {
  const dev = await Dev.start(project, stage.home, { files });
  t.after(() => dev.close());
  return dev.url;
}

async function assertCart(ask: Ask): Promise<void> {
  await until(
    "the tool is offered",
    async () => (await ask("tools")).startsWith("cart_add(article: string)") || undefined,
  );
  assert.equal(await ask("call", "cart_add", "article=tea"), "1");
  assert.equal(await ask("call", "cart_add", "article=milk"), "2");
  assert.equal(await ask("look"), "# 2 in the cart");
}

test("a script tag", async () => {
  stage.site.page("/tag", { title: "Tag", tag: false, head: snippet("tag") });
  const { page, ask } = await visit(stage.site.url("/tag"));
  assert.equal(await ask("document.title"), "Tag");
  await page.close();
});

test("Vite and React", async (t) => {
  const { page, ask } = await visit(
    await developing(t, "react", { "vite.config.js": snippet("vite"), "src/App.tsx": snippet("react") }),
  );
  await assertCart(ask);
  await page.close();
});

test("Vite and Vue", async (t) => {
  const { page, ask } = await visit(await developing(t, "vue", { "src/App.vue": snippet("vue") }));
  await assertCart(ask);
  await page.close();
});

test("import", async (t) => {
  const { page, ask } = await visit(
    await developing(t, "plain", { "vite.config.js": "export default {};", "page.js": snippet("import") }),
  );
  await until("the tool is offered", async () => (await ask("tools")).startsWith("hello(") || undefined);
  assert.equal(await ask("call", "hello"), "hello");
  assert.equal((await stage.home.eye("--page", "shop", "document.title")).stdout, "Plain project\n");
  await page.close();
});

test("nginx, over a page whose policy knows only its own origin", async (t) => {
  const body = '<script src="/__eye/eye.js"></script><button>Press</button>';
  stage.site.page("/", {
    title: "Behind nginx",
    tag: false,
    body,
    headers: { "content-security-policy": "default-src 'self'" },
  });
  if (NGINX_USER !== undefined) {
    await stage.home.eye("down");
    await stage.home.up("--proxy-user", NGINX_USER);
  }
  const nginx = await Nginx.start(stage.site.url("/"), snippet("nginx"));
  t.after(() => nginx.close());
  const { page, ask } = await visit(`${nginx.url}/`);
  assert.match(await ask("look"), /\[Press\]/);
  await page.close();
});

test("Express", async (t) => {
  const folder = await mkdtemp(join(WEB, "e2e/.test-build/express-"));
  const port = String(await freePort());
  // Not all of "3000": the hub's port may contain it.
  await writeFile(join(folder, "server.mjs"), snippet("express").replace("listen(3000)", `listen(${port})`));
  await writeFile(
    join(folder, "index.html"),
    '<!doctype html><title>Behind Express</title><script src="/__eye/eye.js"></script>',
  );
  const server = spawn(process.execPath, ["server.mjs"], { cwd: folder, stdio: "ignore" });
  t.after(async () => {
    server.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://localhost:${port}/`;
  await until("the server answers", () =>
    fetch(url).then(
      () => true,
      () => undefined,
    ),
  );
  const { page, ask } = await visit(url);
  assert.equal(await ask("document.title"), "Behind Express");
  await page.close();
});

test("every snippet was run", () => {
  assert.deepEqual([...snippets.keys()], []);
});
