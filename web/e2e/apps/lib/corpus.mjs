// Runs the applications: installs and builds what they need, starts a hub, a site and a browser, and tries one
// application after another.

import { chmodSync, readFileSync, readdirSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, delimiter, join } from "node:path";
import { load } from "../../../harness/load.mjs";
import { compare } from "../seeing/compare.mjs";
import { prove } from "../seeing/proof.mjs";
import { Agent } from "./agent.mjs";
import { buildPages, installPackages, installPython } from "./install.mjs";
import { CorpusSite } from "./site.mjs";

const here = join(import.meta.dirname, "..");
const VIEWPORT = { width: 1280, height: 800 };
const { FLAGS, Home, Shell, findChromium, startChromium, until } = await load(
  "harness/home.js",
  "harness/chromium.js",
  "harness/until.js",
  "e2e/tasks/shell.js",
);

/** How long the application may take to report its last state. */
const STATE_MS_MAX = 5_000;
const READY_MS_MAX = 60_000;
/** How often the comparison is repeated while the page changes. */
const LOOKS_MAX = 5;

/** Waits until no animation runs, in the document and in every shadow root. Does not wait for endless animations. */
const AT_REST = `(async () => {
  const roots = [document];
  for (let at = 0; at < roots.length; at++)
    for (const { shadowRoot } of roots[at].querySelectorAll("*")) if (shadowRoot) roots.push(shadowRoot);
  const running = roots.flatMap((root) => root.getAnimations());
  const ending = running.filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
  await Promise.allSettled(ending.map(({ finished }) => finished));
})()`;

export class Corpus {
  apps;
  /** Why applications were left out, one line each. */
  skipped = [];
  #home;
  #site;
  #browser;
  #path;
  #peer;
  /** Whether each task is also done in eye's own browser, with trusted input. */
  #hands;
  #python;
  #userscript;
  #shells = 0;
  /** A folder for pictures and outlines, if a person wants to see them. */
  #save;
  #explained = JSON.parse(readFileSync(join(here, "seeing/explained.json"), "utf8"));

  static async open({ names, all, peer, hands, save }) {
    const corpus = new Corpus();
    corpus.#peer = peer;
    corpus.#hands = hands;
    corpus.#save = save;
    const every = await tasks();
    const unknown = names.filter((name) => !every.some((app) => app.name === name));
    if (unknown.length > 0)
      throw new Error(`no application ${unknown.join(", ")}; there are ${every.map(({ name }) => name).join(", ")}`);
    const chosen = every.filter(({ name, light }) => (names.length > 0 ? names.includes(name) : all || light));
    await installPackages({ all: chosen.some(({ light }) => !light), peer });
    corpus.#python = chosen.some(({ python }) => python) ? await installPython() : undefined;
    corpus.apps = chosen.filter((app) => corpus.#canRun(app));
    const pagesOf = (apps) => [...new Set(apps.flatMap(({ page }) => (page === undefined ? [] : [page])))];
    corpus.#site = await CorpusSite.open(
      await buildPages(pagesOf(corpus.apps), pagesOf(every)),
      Object.assign({}, ...corpus.apps.map(({ routes }) => routes ?? {})),
    );
    corpus.#home = await Home.open();
    const { code, stderr } = await corpus.#home.eyeWith({ env: { EYE_BROWSER: findChromium() } }, "up");
    if (code !== 0) throw new Error(`the hub did not start: ${stderr}`);
    corpus.#userscript = (await corpus.#home.eye("join", "userscript")).stdout;
    corpus.#browser = await startChromium();
    await prove(corpus.#browser);
    await corpus.#programs();
    return corpus;
  }

  /**
   * Does an application's task with eye, in eye's own browser if requested, and with the peer if there is one; compares
   * before and after.
   */
  async try(app) {
    const folder = join(this.#home.folder, app.name);
    const server = await app.serve?.({ python: this.#python, folder, site: this.#site.url });
    try {
      const eye = await this.#withEye(app, server);
      const hands = this.#hands ? await this.#withHands(app, server) : undefined;
      const peer = this.#peer ? await this.#withPeer(app, server) : undefined;
      return { app, eye, hands, peer, seeing: eye.seeing, faults: this.#faults(app, eye, hands) };
    } finally {
      await server?.close();
    }
  }

  async close() {
    await this.#browser?.close();
    await this.#site?.close();
    await this.#home?.close();
  }

  #canRun({ name, python }) {
    if (!python || this.#python !== undefined) return true;
    this.skipped.push(`${name}: no python3 with venv here`);
    return false;
  }

  /** Puts `eye` and `agent-browser` on PATH, as an agent calls them. */
  async #programs() {
    const bin = join(this.#home.folder, "bin");
    await mkdir(bin);
    await symlink(process.env.EYE_BIN, join(bin, "eye"));
    if (this.#peer) await symlink(peerBinary(), join(bin, "agent-browser"));
    this.#path = `${bin}${delimiter}${process.env.PATH ?? ""}`;
  }

  /** A shell in a folder of its own, because an agent is identified by its folder. */
  async #shell(more) {
    this.#shells += 1;
    const folder = join(this.#home.folder, `agent${this.#shells}`);
    await mkdir(folder);
    return new Shell({ ...this.#home.env, ...more, PATH: this.#path }, folder);
  }

  #address(app, server) {
    return server?.url ?? `${this.#site.url}/${app.page}`;
  }

  async #withEye(app, server) {
    const context = await this.#browser.newContext({ viewport: VIEWPORT });
    // The page joins as with the userscript: the application is not changed.
    await context.addInitScript(
      `addEventListener("DOMContentLoaded", () => { if (self === top) { ${this.#userscript} } });`,
    );
    await this.#unembedded(context);
    try {
      const page = await context.newPage();
      this.#site.forget(app.name);
      await server?.reset?.();
      await server?.enter?.(page);
      await page.goto(this.#address(app, server));
      await page.waitForSelector(app.ready, { timeout: READY_MS_MAX });
      const session = await until("the page has joined", () =>
        page.evaluate("globalThis.eye?.connected ? eye.session : undefined"),
      );
      await this.#home.joined(session);
      const shell = await this.#shell({ EYE_PAGE: session });
      const before = await this.#look(app, "before", page, session);
      const done = await this.#do(app, server, shell, "eye");
      // An element that still fades out would be seen by only one of the two sides.
      await rested(page);
      const after = await this.#look(app, "after", page, session);
      return { ...done, seeing: [before, after] };
    } finally {
      await context.close();
    }
  }

  /** Does the task in a browser that eye starts: it gets only the URL, and input is trusted. */
  async #withHands(app, server) {
    const shell = await this.#shell({});
    const eye = async (...args) => {
      const { code, stderr } = await this.#home.eyeWith({ folder: basename(shell.folder) }, ...args);
      if (code !== 0) throw new Error(`eye ${args.join(" ")}: ${stderr}`);
    };
    this.#site.forget(app.name);
    await server?.reset?.();
    const address = this.#address(app, server);
    await eye("browse", server?.entry ?? address, "--headless", "--private");
    try {
      if (server?.entry !== undefined) await eye("goto", address);
      await eye("wait", `css=${app.ready}`, "--timeout", String(READY_MS_MAX / 1000));
      return await this.#do(app, server, shell, "eye");
    } finally {
      await eye("browse", "--stop");
    }
  }

  /**
   * Serves the client from the folder EYE_CLIENT instead of the embedded one, to try a client that is not embedded yet.
   */
  async #unembedded(context) {
    const folder = process.env.EYE_CLIENT;
    if (folder === undefined) return;
    const headers = { "access-control-allow-origin": "*" };
    await context.route(`${this.#home.url}/**/*.js`, (route) =>
      route.fulfill({
        path: join(folder, basename(new URL(route.request().url()).pathname)),
        contentType: "text/javascript",
        headers,
      }),
    );
  }

  async #withPeer(app, server) {
    const env = {
      AGENT_BROWSER_SESSION: `corpus-${process.pid}`,
      AGENT_BROWSER_EXECUTABLE_PATH: findChromium(),
      AGENT_BROWSER_ARGS: FLAGS.join(","),
    };
    const hands = await this.#shell(env);
    try {
      this.#site.forget(app.name);
      await server?.reset?.();
      // Opening the page is not counted: for eye it is open already.
      await hands.run(`agent-browser open ${server?.entry ?? this.#address(app, server)}`);
      await hands.run(`agent-browser set viewport ${VIEWPORT.width} ${VIEWPORT.height}`);
      if (server?.entry !== undefined) await hands.run(`agent-browser open ${this.#address(app, server)}`);
      await hands.run(`agent-browser wait '${app.ready}'`);
      return await this.#do(app, server, await this.#shell(env), "agent-browser");
    } finally {
      await hands.run("agent-browser close").catch(() => undefined);
    }
  }

  /** Does a task and asks the application whether it is done. */
  async #do(app, server, shell, program) {
    const began = performance.now();
    let failure;
    let ms;
    try {
      await app[program === "eye" ? "eye" : "peer"](new Agent(shell, program));
      ms = performance.now() - began;
      await this.#check(app, server);
    } catch (error) {
      failure = error.message;
    }
    const { calls, written, read } = shell.counts();
    return {
      failure,
      calls,
      tokens: written + read,
      ms: ms ?? performance.now() - began,
      transcript: shell.transcript(),
    };
  }

  /** The state may arrive a moment after the last step; if it is still wrong at the end, the task has failed. */
  async #check(app, server) {
    let wrong;
    const state = async () => (server?.state === undefined ? this.#site.state(app.name) : server.state());
    const look = async () => {
      try {
        app.check(await state());
        return true;
      } catch (error) {
        wrong = error;
        return undefined;
      }
    };
    await until("the application is in the wanted state", look, STATE_MS_MAX).catch(() => {
      throw new Error(`the application's own state is wrong: ${wrong.message}`);
    });
  }

  /** Compares again while the page changes by itself: a status line that comes and goes is not a miss. */
  async #look(app, at, page, session) {
    const outline = async () =>
      (await this.#home.eyeWith({ env: { EYE_PAGE: session } }, "look", "--all")).stdout.trimEnd();
    for (let printed = await outline(), looks = 1; ; looks++) {
      const seen = await this.#compare(app, at, page, printed);
      const now = await outline();
      if (now === printed || looks >= LOOKS_MAX) return seen;
      printed = now;
    }
  }

  async #compare(app, at, page, printed) {
    if (this.#save !== undefined) {
      const file = join(this.#save, `${app.name}-${at}`);
      await mkdir(this.#save, { recursive: true });
      await writeFile(`${file}.txt`, `${printed}\n`);
      await page.screenshot({ path: `${file}.png` });
    }
    const refs = [...new Set(printed.match(/\be\d+\b/g) ?? [])];
    const facts = await page.evaluate(
      (all) => Promise.all(all.map((ref) => eye.query(ref).catch(() => undefined))),
      refs,
    );
    const elements = Object.fromEntries(refs.map((ref, index) => [ref, facts[index]]).filter(([, fact]) => fact));
    const cdp = await page.context().newCDPSession(page);
    try {
      return { at, printed, ...(await compare(cdp, printed, elements)) };
    } finally {
      await cdp.detach();
    }
  }

  /** Why the run fails: a task with another result than expected, and misses without an explanation. */
  #faults(app, { failure, seeing }, hands) {
    const faults = [];
    if (hands?.failure !== undefined) faults.push(`the task failed with hands: ${hands.failure}`);
    if (app.fails === undefined && failure !== undefined) faults.push(`the task failed: ${failure}`);
    if (app.fails !== undefined && failure === undefined)
      faults.push(`the task is done, although it is expected to fail (${app.fails})`);
    const known = (this.#explained[app.name] ?? []).map(({ miss }) => miss);
    const found = seeing.flatMap(({ at, missed, wrong }) => [...missed, ...wrong].map((miss) => ({ at, miss })));
    for (const { at, miss } of found) if (!known.includes(miss)) faults.push(`unexplained, ${at} the task: ${miss}`);
    for (const miss of known)
      if (!found.some((one) => one.miss === miss)) faults.push(`explained, but not missed any more: ${miss}`);
    return faults;
  }
}

/** The last step may have navigated to another page, which must then come to rest instead. */
async function rested(page) {
  await until("the page is at rest", async () => {
    await page.waitForLoadState("load");
    return page.evaluate(AT_REST).then(
      () => true,
      (error) => {
        if (!/context was destroyed|navigat/i.test(error.message)) throw error;
        return undefined;
      },
    );
  });
}

async function tasks() {
  const files = readdirSync(join(here, "tasks")).filter((name) => name.endsWith(".mjs"));
  return Promise.all(
    files.map(async (name) => ({ name: name.replace(".mjs", ""), ...(await import(`../tasks/${name}`)).default })),
  );
}

/**
 * The binary itself: its launcher needs a newer Node than ours. Install scripts, which would make it executable, are
 * not run.
 */
function peerBinary() {
  const folder = join(createRequire(import.meta.url).resolve("agent-browser/package.json"), "../bin");
  const binary = join(folder, `agent-browser-${process.platform}-${process.arch}`);
  chmodSync(binary, 0o755);
  return binary;
}
