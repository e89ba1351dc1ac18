// The extension's worker: the link to the hub, the granted tabs, and the popup's requests.

import { Debugged } from "./debugged.js";
import { grants, how, originOf, patterns, setSite } from "./grants.js";
import { PairedConnection } from "./link.js";
import { Scripted } from "./scripted.js";
import { type Command, Tabs } from "./tabs.js";

/** A request of the popup. */
export type Ask =
  | { readonly ask: "state"; readonly tabId: number }
  | { readonly ask: "pair"; readonly code: string }
  | { readonly ask: "unpair" }
  | { readonly ask: "tab"; readonly tabId: number; readonly granted: boolean }
  | { readonly ask: "site"; readonly origin: string; readonly granted: boolean }
  | { readonly ask: "stop" };

/** The data that the popup shows. */
export interface Shown {
  readonly paired: boolean;
  readonly connected: boolean;
  readonly why: string;
  readonly tab?: {
    readonly id: number;
    readonly title: string;
    readonly origin?: string;
    readonly by?: "tab" | "site";
  };
  readonly tabs: readonly { readonly id: number; readonly title: string; readonly origin: string }[];
  readonly sites: readonly string[];
}

/** Key of the site for which the browser is asking the person. */
const WANTED_SITE = "asked";
const WAKE = "wake";
/** The shortest interval that the browser supports. */
const WAKE_MINUTES = 0.5;

const link: PairedConnection = new PairedConnection(
  (message) => void tabs.take(message as Command),
  (connected) => !connected && tabs.leave(),
);
const scripted = !chrome.runtime.getManifest().permissions.includes("debugger");
const tabs = new Tabs(
  (message) => link.send(message),
  (listener) => (scripted ? new Scripted(listener) : new Debugged(listener)),
);

chrome.alarms.onAlarm.addListener(() => void wake());
chrome.runtime.onInstalled.addListener(() => void wake());
chrome.runtime.onStartup.addListener(() => void wake());
chrome.action.onClicked.addListener(({ id }) => id !== undefined && void tabs.stop(id));
chrome.runtime.onMessage.addListener((message, sender, answer) => {
  if (sender.id !== chrome.runtime.id) return false;
  answerTo(message as Ask).then(answer, (error: unknown) => answer({ error: String((error as Error).message) }));
  return true;
});
if (scripted) {
  chrome.permissions.onAdded.addListener(() => void allowed());
  chrome.permissions.onRemoved.addListener(() => void takenBack());
}
void chrome.alarms.create(WAKE, { periodInMinutes: WAKE_MINUTES });
void link.connect();

/** Reconnects after the worker was stopped; detaches the tabs if no hub is connected. */
async function wake(): Promise<void> {
  await link.connect();
  if (!(await link.state()).connected) await tabs.letGo();
}

async function answerTo(ask: Ask): Promise<Shown | true> {
  switch (ask.ask) {
    case "state":
      return shown(ask.tabId);
    case "pair":
      await link.pair(ask.code);
      return true;
    case "unpair":
      await link.unpair();
      await tabs.letGo();
      return true;
    case "tab":
      if (ask.granted) await tabs.grant(ask.tabId);
      else await tabs.stop(ask.tabId);
      return true;
    case "site":
      await site(ask.origin, ask.granted);
      return true;
    case "stop":
      await tabs.stopAll();
      return true;
  }
}

/** Whether the browser lets the extension run on a site; with the debugger no site permission is needed. */
async function mayRun(origin: string): Promise<boolean> {
  return !scripted || chrome.permissions.contains({ origins: patterns(origin) });
}

/**
 * Grants or revokes a site. The browser may ask the person first, which closes the popup; their answer then completes
 * the grant.
 */
async function site(origin: string, granted: boolean): Promise<void> {
  await chrome.storage.session.remove(WANTED_SITE);
  if (granted && !(await mayRun(origin))) {
    await chrome.storage.session.set({ [WANTED_SITE]: origin });
    return allowed();
  }
  await setSite(origin, granted);
  if (scripted && !granted) await chrome.permissions.remove({ origins: patterns(origin) }).catch(() => false);
  await tabs.refreshAll();
}

/** The browser lets the extension run on more sites. */
async function allowed(): Promise<void> {
  const { [WANTED_SITE]: wanted } = await chrome.storage.session.get(WANTED_SITE);
  if (typeof wanted === "string" && (await mayRun(wanted))) await site(wanted, true);
}

/** The person revoked sites in the browser's own settings. */
async function takenBack(): Promise<void> {
  for (const origin of (await grants()).sites) if (!(await mayRun(origin))) await setSite(origin, false);
  await tabs.refreshAll();
}

async function shown(tabId: number): Promise<Shown> {
  const [state, all, open] = await Promise.all([link.state(), grants(), chrome.tabs.query({})]);
  const rows = open.flatMap(({ id, title = "", url }) => {
    const origin = originOf(url);
    return id !== undefined && origin !== undefined && how(all, id, url) !== undefined ? [{ id, title, origin }] : [];
  });
  const tab = open.find(({ id }) => id === tabId);
  const origin = originOf(tab?.url);
  const by = how(all, tabId, tab?.url);
  const mine = { id: tabId, title: tab?.title ?? "", ...(origin && { origin }), ...(by && { by }) };
  return { ...state, ...(tab === undefined ? {} : { tab: mine }), tabs: rows, sites: all.sites };
}
