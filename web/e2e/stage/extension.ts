// A browser as a person uses it, with the extension loaded unpacked, and the person's actions: pairing, granting,
// stopping.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { startProfile, without } from "../../harness/chromium.js";
import type { Home, Row } from "../../harness/home.js";
import { until, within } from "../../harness/until.js";

export const ID = "ideahddmfnocldhgfkollgmdihcnhibj";

/** The extension's prefix of a title: `web/extension/src/sign.ts`. */
export const MARK = "\u{1F441}\u2060 ";

/** The extension APIs of its own pages and worker; tests read them, and change nothing. */
declare const chrome: {
  readonly tabs: { query(what: object): Promise<{ readonly id: number; readonly url: string }[]> };
  readonly action: { getBadgeText(what: { tabId: number }): Promise<string> };
  readonly developerPrivate: {
    addHostPermission(id: string, pattern: string): Promise<void>;
  };
  readonly windows: { create(what: { tabId: number }): Promise<{ readonly id: number }> };
};

function flagsOf(scripted: boolean): readonly string[] {
  return scripted ? ["--no-debugger"] : [];
}

export class Person {
  private constructor(
    readonly home: Home,
    readonly context: BrowserContext,
    readonly browser: CDPSession,
    readonly folder: string,
    /** A page of the extension in a tab: there the extension APIs are available without waking the worker. */
    readonly desk: Page,
    /** The extension lacks the debugger permission. */
    readonly scripted: boolean,
  ) {}

  /** Starts a browser with a fresh profile and the extension that `eye extension` writes. */
  static async open(home: Home, how?: "scripted"): Promise<Person> {
    const folder = await mkdtemp(join(tmpdir(), "eye-e2e-person-"));
    const extension = join(folder, "extension");
    const { code, stderr } = await home.eye("extension", "--dir", extension, ...flagsOf(how === "scripted"));
    if (code !== 0) throw new Error(stderr);
    const context = await startProfile(
      join(folder, "profile"),
      `--load-extension=${extension}`,
      without("DisableLoadExtensionCommandLineSwitch"),
      "--enable-unsafe-extension-debugging",
    );
    const browser = await context.browser()?.newBrowserCDPSession();
    if (browser === undefined) throw new Error("the browser cannot be asked");
    const desk = await context.newPage();
    await until("the extension is loaded", async () =>
      (await desk.goto(`chrome-extension://${ID}/icon16.png`).catch(() => undefined)) === undefined ? undefined : true,
    );
    return new Person(home, context, browser, folder, desk, how === "scripted");
  }

  /** A fresh pairing code. */
  async code(...flags: readonly string[]): Promise<string> {
    const kind = flagsOf(this.scripted);
    const folder = join(this.folder, "extension");
    const { stdout } = await this.home.eye("extension", "--json", "--dir", folder, ...kind, ...flags);
    return (JSON.parse(stdout) as { code: string }).code;
  }

  /** Opens the permission screen for this tab, as a click on the extension's button does. */
  async popup(page?: Page): Promise<Page> {
    const about = page === undefined ? "" : `?tab=${String(await this.tabId(page))}`;
    const popup = await this.context.newPage();
    await popup.goto(`chrome-extension://${ID}/popup.html${about}`);
    return popup;
  }

  /** Types a code into the permission screen. Returns the error, or nothing. */
  async pair(code: string): Promise<string> {
    const popup = await this.popup();
    await popup.fill("#code", code);
    await popup.click("#pairing button");
    const status = await until("it is paired, or says why not", async () => {
      if (await popup.isVisible("#granting")) return "";
      return (await popup.textContent("#wrong")) || undefined;
    });
    await popup.close();
    return status;
  }

  /** Pairs the extension if it is not paired. */
  async paired(): Promise<void> {
    const popup = await this.popup();
    await popup.waitForSelector("#pairing:not([hidden]), #granting:not([hidden])");
    const done = await popup.isVisible("#granting");
    await popup.close();
    if (done) return;
    const wrong = await this.pair(await this.code());
    if (wrong !== "") throw new Error(wrong);
  }

  /** Opens a URL in a tab that was not granted. */
  async visit(url: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(url);
    return page;
  }

  async grant(page: Page, what: "tab" | "site" = "tab"): Promise<void> {
    if (this.scripted) {
      // The button gives access to the tab; about a site the browser asks, and the person agrees.
      if (what === "tab") await this.click(page);
      else await this.allow(`${new URL(page.url()).origin}/*`);
    }
    const popup = await this.popup(page);
    await popup.click(what === "tab" ? "text=Let agents use this tab" : "#site");
    await popup.waitForSelector("text=Stop agents in this tab");
    await popup.close();
  }

  /** Grants a site in advance, as the person's answer would: the browser then does not ask. */
  async allow(pattern: string): Promise<void> {
    const page = await this.context.newPage();
    await page.goto("chrome://extensions");
    await page.evaluate(([id, site]) => chrome.developerPrivate.addHostPermission(id, site), [ID, pattern] as const);
    await page.close();
  }

  /** Closes every tab and revokes every grant, for the next test. */
  async rest(): Promise<void> {
    const popup = await this.popup();
    for (const page of this.context.pages()) if (page !== popup && page !== this.desk) await page.close();
    await until("nothing is granted", async () => {
      // A closed tab may leave the list at any moment, so the button is found and clicked in one step.
      const granted = await popup.locator("#list button").evaluateAll((buttons) => {
        (buttons[0] as HTMLElement | undefined)?.click();
        return buttons.length;
      });
      return granted === 0 ? true : undefined;
    });
    await until("no page is connected", async () =>
      (await this.home.pages()).every((row) => row.state === "gone") ? true : undefined,
    );
    await popup.close();
  }

  /** Clicks the extension's button in the toolbar. */
  async click(page: Page): Promise<void> {
    const { targetId } = (await (await this.context.newCDPSession(page)).send("Target.getTargetInfo")).targetInfo;
    const filter = [{ type: "tab" }];
    const { targetInfos } = await this.browser.send("Target.getTargets", { filter });
    const own = await this.browser.send("Target.getTargets");
    const url = own.targetInfos.find((info) => info.targetId === targetId)?.url;
    const tab = targetInfos.find((info) => info.url === url);
    if (tab === undefined) throw new Error("the tab is not there");
    await (this.browser as unknown as { send(method: string, params: object): Promise<unknown> }).send(
      "Extensions.triggerAction",
      { id: ID, targetId: tab.targetId },
    );
  }

  async tabId(page: Page): Promise<number> {
    const tabs = await this.desk.evaluate(() => chrome.tabs.query({}));
    const tab = tabs.find(({ url }) => url === page.url());
    if (tab === undefined) throw new Error(`no tab shows ${page.url()}`);
    return tab.id;
  }

  async moveOut(page: Page): Promise<void> {
    await this.desk.evaluate((tabId) => chrome.windows.create({ tabId }), await this.tabId(page));
  }

  async badge(page: Page): Promise<string> {
    const tabId = await this.tabId(page);
    return this.desk.evaluate((id) => chrome.action.getBadgeText({ tabId: id }), tabId);
  }

  /** Stops the extension's worker, as the browser does with an idle one. */
  async stopWorker(): Promise<void> {
    const session = await this.context.newCDPSession(this.desk);
    const stopped = new Promise<void>((resolve) =>
      session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
        if (versions.some(({ runningStatus }) => runningStatus === "stopped")) resolve();
      }),
    );
    await session.send("ServiceWorker.enable");
    await session.send("ServiceWorker.stopAllWorkers");
    await within("the worker is stopped", stopped);
    await session.detach();
  }

  /** Waits until the hub has a connected page at this URL. */
  joined(page: Page): Promise<Row> {
    return until(`${page.url()} has joined`, async () =>
      (await this.home.pages()).find((row) => row.url === page.url() && row.state === "connected"),
    );
  }

  /** Kills the browser, as a crash would. */
  async kill(): Promise<void> {
    const { processInfo } = await this.browser.send("SystemInfo.getProcessInfo");
    const main = processInfo.find(({ type }) => type === "browser");
    if (main === undefined) throw new Error("the browser does not name its process");
    const closed = new Promise((resolve) => this.context.once("close", resolve));
    process.kill(main.id, "SIGKILL");
    await within("the browser is gone", closed);
  }

  async close(): Promise<void> {
    await this.context.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
