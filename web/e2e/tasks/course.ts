// The setup of the tasks: a hub, a site and a browser, and a shell with `eye`, in the person's tab or in a browser that
// eye starts, or with a peer that has its own browser.

import { access, mkdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { findChromium, FLAGS } from "../../harness/chromium.js";
import { Home } from "../../harness/home.js";
import type { DesktopState } from "../stage/desktop.js";
import { Stage } from "../stage/stage.js";
import { serve, type Backend } from "./pages.js";
import { Shell } from "./shell.js";
import { DESKTOP, type Task, type World } from "./tasks.js";

const VIEWPORT = { width: 1280, height: 800 };
/** What the person had open before the agent's task. */
const OPENED = "openSystemApp('files'); openSystemApp('notepad')";
const WINDOWS = "JSON.stringify(ALGO.bridge.getState().windows)";

export class Course {
  #shells = 0;

  private constructor(
    readonly stage: Stage,
    readonly backend: Backend,
    readonly path: string,
  ) {}

  static async open(): Promise<Course> {
    const env = { EYE_BROWSER: findChromium(), EYE_BROWSER_ARGS: FLAGS.join(" ") };
    const stage = await Stage.openIn(await Home.open(env), []);
    const bin = join(stage.home.folder, "bin");
    await mkdir(bin);
    await symlink(process.env.EYE_BIN ?? "", join(bin, "eye"));
    const peer = process.env.AGENT_BROWSER;
    if (peer !== undefined) await symlink(peer, join(bin, "agent-browser"));
    return new Course(stage, serve(stage.site), `${bin}${delimiter}${process.env.PATH ?? ""}`);
  }

  /** A shell in a folder of its own, because an agent is identified by its folder. */
  async shell(more: Readonly<Record<string, string>> = {}): Promise<Shell> {
    this.#shells += 1;
    const folder = join(this.stage.home.folder, `agent${String(this.#shells)}`);
    await mkdir(folder);
    return new Shell({ ...this.stage.home.env, ...more, PATH: this.path }, folder);
  }

  /** Does a task with `eye` in the person's own tab, and checks it. */
  async withEye(task: Task): Promise<Shell> {
    const context = await this.stage.browser.newContext({ viewport: VIEWPORT });
    try {
      const page = await context.newPage();
      const { session } = await this.stage.enter(page, this.#url(task, ""));
      if (task.page === DESKTOP) {
        await page.waitForSelector("html[data-ready]");
        await page.evaluate(OPENED);
      }
      // Tabs of earlier tasks may not have closed yet; normally there is one tab and the agent names none.
      const shell = await this.shell({ EYE_PAGE: session });
      await this.#do(task, shell, task.withEye, async () => String(await page.evaluate(WINDOWS)));
      return shell;
    } finally {
      await context.close();
    }
  }

  /** As `withEye`, in a browser that eye starts: the page loads no client, and input is real. */
  async withHands(task: Task): Promise<Shell> {
    const shell = await this.shell();
    // The same agent, in a shell that is not counted: opening the page is not part of the task.
    const person = new Shell(shell.env, shell.folder);
    try {
      await person.run(`eye browse ${this.#url(task, "/plain")} --headless --private`);
      await person.run(`eye emulate --viewport ${String(VIEWPORT.width)}x${String(VIEWPORT.height)}`);
      if (task.page === DESKTOP) await person.run(`eye wait 'css=html[data-ready]' && eye "${OPENED}"`);
      await this.#do(task, shell, task.withEye, () => person.run(`eye "${WINDOWS}"`));
      return shell;
    } finally {
      await person.run("eye browse --stop");
    }
  }

  async hasPeer(): Promise<boolean> {
    const there = await Promise.all(
      this.path.split(delimiter).map((folder) =>
        access(join(folder, "agent-browser")).then(
          () => true,
          () => false,
        ),
      ),
    );
    return there.includes(true);
  }

  /**
   * As `withEye`, with the peer in the browser that it starts. Opening the page is not counted: for `eye` it is open
   * already.
   */
  async withPeer(task: Task): Promise<Shell> {
    const env = {
      AGENT_BROWSER_SESSION: `eye-${String(process.pid)}`,
      AGENT_BROWSER_EXECUTABLE_PATH: findChromium(),
      AGENT_BROWSER_ARGS: FLAGS.join(","),
    };
    const [hands, shell] = [await this.shell(env), await this.shell(env)];
    try {
      await hands.run(`agent-browser open ${this.#url(task, "/plain")}`);
      await hands.run(`agent-browser set viewport ${String(VIEWPORT.width)} ${String(VIEWPORT.height)}`);
      if (task.page === DESKTOP)
        await hands.run(`agent-browser wait 'html[data-ready]' && agent-browser eval "${OPENED}"`);
      await this.#do(
        task,
        shell,
        task.withPeer,
        async () => JSON.parse(await hands.run(`agent-browser eval "${WINDOWS}"`)) as string,
      );
      return shell;
    } finally {
      await hands.run("agent-browser close");
    }
  }

  close(): Promise<void> {
    return this.stage.close();
  }

  async #do(
    task: Task,
    shell: Shell,
    way: (shell: Shell) => Promise<void>,
    windows: () => Promise<string>,
  ): Promise<void> {
    const world: World = {
      backend: this.backend,
      windows: async () => JSON.parse(await windows()) as DesktopState["windows"],
    };
    task.before?.(world);
    await way(shell);
    await task.check(world, shell.calls.map(({ output }) => output).join("\n"));
  }

  #url(task: Task, prefix: string): string {
    return task.page === DESKTOP
      ? `${this.stage.home.url}/apps/desktop/`
      : this.stage.site.url(`${prefix}${task.page}`);
  }
}
