// Accesses tabs through the browser's debugger: real input, pictures, requests, frames of other sites.

import type { Params } from "./guard.js";
import { MARK } from "./sign.js";
import type { Listener, Debuggee, Way } from "./way.js";

const VERSION = "1.3";
/** Answered by the browser itself, so a hung page does not matter. */
const PROBE = "Page.getNavigationHistory";

const MARKED = `document.title.startsWith(${JSON.stringify(MARK)})||(document.title=${JSON.stringify(MARK)}+document.title)`;
const UNMARKED = `document.title.startsWith(${JSON.stringify(MARK)})&&(document.title=document.title.slice(${String(MARK.length)}))`;

export class Debugged implements Way {
  readonly scripted = false;

  constructor({ happened, detached }: Listener) {
    chrome.debugger.onEvent.addListener((source, method, params) => happened(source, method, params ?? {}));
    chrome.debugger.onDetach.addListener(({ tabId }, why) => detached(tabId, why));
  }

  async attach(tabId: number): Promise<string | undefined> {
    try {
      await chrome.debugger.attach({ tabId }, VERSION);
    } catch (error) {
      // A stopped worker leaves its debugger sessions behind, and the browser does not report who owns a session.
      await chrome.debugger.sendCommand({ tabId }, PROBE).catch(() => Promise.reject(error));
      await chrome.debugger.detach({ tabId });
      await chrome.debugger.attach({ tabId }, VERSION);
    }
    const targets = await chrome.debugger.getTargets();
    const target = targets.find((one) => one.tabId === tabId && one.type === "page")?.id;
    if (target === undefined) await chrome.debugger.detach({ tabId });
    return target;
  }

  async detach(tabId: number): Promise<void> {
    await chrome.debugger.detach({ tabId }).catch(() => undefined);
  }

  async send(debuggee: Debuggee, method: string, params: Params): Promise<object> {
    return (await chrome.debugger.sendCommand(debuggee, method, params)) ?? {};
  }

  mark(tabId: number, marked: boolean): void {
    const expression = marked ? MARKED : UNMARKED;
    void this.send({ tabId }, "Runtime.evaluate", { expression, silent: true }).catch(() => undefined);
  }
}
