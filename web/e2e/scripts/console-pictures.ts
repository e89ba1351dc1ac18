// Takes pictures of every view of the console, in both themes, at full width and on a phone, with a real hub and busy
// agents. Writes them to the given folder (default target/console-pictures), and with `--docs` those of docs/console.md
// to docs/console/.

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ConsoleTab } from "../stage/console.js";
import { Stage, type Visit } from "../stage/stage.js";
import { until } from "../../harness/until.js";
import { web } from "../../harness/program.js";

const WEB = web();
const FOLDER = resolve(
  process.argv.slice(2).find((word) => !word.startsWith("--")) ?? join(WEB, "../target/console-pictures"),
);
const DOCS = join(WEB, "../docs/console");
/** The pictures in the docs. */
const SHOWN = [
  "now-light-1280",
  "calls-dark-390",
  "plots-light-1280",
  "outline-light-1280",
  "state-dark-1280",
  "control-light-1280",
];
const BUSY_ROUNDS = 8;

/** A server with one tool, whose description is a variable of its entry. */
const SERVER = (words: string): string => {
  const script = `read a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}'
read b; read c
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"publish","description":"${words}","inputSchema":{"type":"object"}}]}}'
cat > /dev/null`;
  return JSON.stringify(["sh", "-c", script]);
};

async function set(stage: Stage): Promise<Visit> {
  const { home } = stage;
  await home.eye("allow", "https://shop.example");
  await home.eye("allow", "--confirm", home.url);
  const start = await stage.enter(await stage.context.newPage(), `${home.url}/`);
  await stage.enter(await stage.context.newPage(), `${home.url}/apps/desktop/`);
  await stage.enter(await stage.context.newPage(), `${home.url}/apps/scene/`);
  await start.page.bringToFront();
  await start.page.evaluate(async () => {
    interface Page {
      state(value: object): Promise<void>;
      tool(tool: object): void;
    }
    const { eye } = globalThis as unknown as { eye: Page };
    const state = (total: number, step: string): Promise<void> =>
      eye.state({
        step,
        cart: {
          total,
          currency: "EUR",
          items: [
            { name: "Oolong", grams: 100 },
            { name: "Sencha", grams: 50 },
          ],
        },
        user: { name: "Ada", language: "en", admin: false },
        seen: ["home", "tea", "cart"],
      });
    await state(18.5, "browsing");
    await state(31, "cart");
    await state(31, "checkout");
    eye.tool({
      name: "order",
      description: "Places the order. It cannot be undone.",
      inputSchema: {
        type: "object",
        properties: { express: { type: "boolean" }, note: { type: "string" } },
        required: ["express"],
      },
      annotations: { consequentialHint: true },
      execute: () => "ordered",
    });
    console.warn("the price of Sencha is a day old");
    await fetch("/no-such-thing").catch(() => undefined);
  });
  await mkdir(join(home.folder, "config/eye"), { recursive: true });
  await writeFile(
    join(home.folder, "config/eye/config.yaml"),
    `servers:\n  blog: { command: ${SERVER("Publishes a post.")}, description: the blog, approve: ask }\n`,
  );
  await mkdir(join(home.folder, "shop-agent/.eye"), { recursive: true });
  await writeFile(
    join(home.folder, "shop-agent/.eye/config.yaml"),
    `servers:\n  stock: { command: [npx, -y, stock-mcp], env: { STOCK_URL: "https://stock.example" } }\n`,
  );
  await home.eyeWith({ folder: "shop-agent" }, "discover", "publish");
  await home.eyeWith({ folder: "shop-agent" }, "servers");
  await home.eye("token", "new", "ci", "--may", "read");
  return start;
}

/** Minutes of work in a few seconds. */
async function busy({ home }: Stage, { session }: Visit): Promise<void> {
  const run = (folder: string, ...args: string[]) => home.eyeWith({ folder }, "--page", session, ...args);
  for (let round = 0; round < BUSY_ROUNDS; round++) {
    const many = Array.from({ length: 40 + 30 * (round % 3) }, (_, n) => `${String(n)} * ${String(round)}`).join("\n");
    await home.eyeWith({ folder: "shop-agent", stdin: many }, "--page", session, "batch");
    await run("shop-agent", "look");
    await run("reviewer", "text");
    await run("reviewer", "state", "cart.total");
    await run("shop-agent", "call", "count", "by=1");
    if (round % 3 === 1) await run("reviewer", "eval", "cart.missing.total");
  }
}

const stage = await Stage.open();
try {
  const start = await set(stage);
  const driven = await stage.home.eye("browse", `${stage.home.url}/apps/geometry/`);
  const held = ConsoleTab.open(stage);
  const first = await held;
  await busy(stage, start);
  void stage.home.eyeWith({ folder: "shop-agent" }, "--page", start.session, "call", "order", "express=true");
  await first.go("control");
  await first.page.waitForSelector(".held >> text=order");
  const hands = (await stage.home.pages()).find(({ url }) => url.endsWith("/apps/geometry/"));
  if (driven.code !== 0 || hands === undefined) console.warn(`without a page that has hands: ${driven.stderr}`);
  await mkdir(FOLDER, { recursive: true });
  const room = `page/${start.session}`;
  const views: readonly (readonly [string, string, string?])[] = [
    ["now", "now"],
    ["calls", "calls"],
    ["plots", "plots"],
    ["control", "control"],
    ...(["Outline", "State", "Tools", "Logs", "Network", "Code"] as const).map(
      (name) =>
        [name.toLowerCase(), name === "Outline" && hands !== undefined ? `page/${hands.id}` : room, name] as const,
    ),
  ];
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      const tab = await ConsoleTab.open(stage, { colorScheme, viewport: { width, height } });
      for (const [name, view, inside] of views) {
        await tab.go(view);
        if (inside !== undefined) await tab.page.click(`role=tab[name=${inside}]`);
        await shown(tab, name, hands !== undefined);
        await tab.page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}-${String(width)}.png`) });
      }
      await tab.page.keyboard.press("Control+k");
      await tab.page.waitForSelector(".palette[open]");
      await tab.page.screenshot({ path: join(FOLDER, `commands-${colorScheme}-${String(width)}.png`) });
      await tab.close();
    }
  }
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await start.page.setViewportSize({ width, height });
    await start.page.screenshot({ path: join(FOLDER, `start-${String(width)}.png`), fullPage: true });
  }
  if (process.argv.includes("--docs")) {
    await mkdir(DOCS, { recursive: true });
    for (const name of SHOWN) await copyFile(join(FOLDER, `${name}.png`), join(DOCS, `${name}.png`));
  }
  console.log(FOLDER);
  await first.close();
} finally {
  await stage.close();
}

/** Waits for a view's content, after actions that produce it. */
async function shown({ page }: ConsoleTab, name: string, hands: boolean): Promise<void> {
  const ready: Record<string, string> = {
    now: ".card",
    calls: ".row",
    plots: "figure canvas",
    control: ".held",
    outline: hands ? ".shot img" : ".element",
    state: ".timeline li",
    tools: "form.tool",
    logs: ".log li",
    network: ".requests .address",
    code: ".repl .cm-content",
  };
  await page.waitForSelector(ready[name] ?? "main");
  if (name === "calls" && (page.viewportSize()?.width ?? 0) > 1000) {
    await page.fill("[data-filter]", "reviewer failed");
    await page.locator(".row", { hasText: "threw" }).first().click();
    await page.fill("[data-filter]", "");
    await page.waitForSelector(".detail");
  }
  if (name === "tools") {
    await page.fill("form[aria-label=count] input", "5");
    await page.click("form[aria-label=count] >> text=Call");
    await page.waitForSelector("form[aria-label=count] [role=status]");
  }
  if (name === "code") {
    await page.locator(".repl .cm-content").click();
    for (const code of ["document.title", "[...document.querySelectorAll('h2')].map((h) => h.textContent)"]) {
      await page.keyboard.type(code);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Enter");
      await until("it answers", async () =>
        (await page.locator(".said code", { hasText: code }).count()) > 0 ? true : undefined,
      );
    }
  }
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
