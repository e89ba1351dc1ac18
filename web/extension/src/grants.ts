// The person's grants: single tabs until they are closed, and sites until they are revoked. Tab grants last as long as
// the browser runs, site grants are permanent.

/** By tab id: granted, or stopped although their site is granted. */
type Tabs = Readonly<Record<string, "granted" | "stopped">>;

const TABS = "tabs";
const SITES = "sites";

export interface Grants {
  readonly tabs: Tabs;
  readonly sites: readonly string[];
}

export async function grants(): Promise<Grants> {
  const [session, local] = await Promise.all([chrome.storage.session.get(TABS), chrome.storage.local.get(SITES)]);
  return { tabs: (session[TABS] ?? {}) as Tabs, sites: (local[SITES] ?? []) as readonly string[] };
}

/**
 * The origin of a URL that can be granted. Web pages only: a tab that shows a file can be navigated to any other file.
 */
export function originOf(url: string | undefined): string | undefined {
  if (url === undefined || !/^https?:/.test(url)) return undefined;
  return new URL(url).origin;
}

/** The match patterns for the pages of an origin. */
export function patterns(origin: string): string[] {
  return [`${origin}/*`];
}

/** Whether a tab is granted by itself, by its site, or not at all. */
export function how({ tabs, sites }: Grants, tabId: number, url: string | undefined): "tab" | "site" | undefined {
  const own = tabs[tabId];
  const origin = originOf(url);
  if (own === "stopped" || origin === undefined) return undefined;
  if (own === "granted") return "tab";
  return sites.includes(origin) ? "site" : undefined;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Applies changes one after the other, because each builds on the previous result: a stop must not be lost when another
 * tab closes.
 */
function change(make: () => Promise<void>): Promise<void> {
  const mine = last.then(make);
  last = mine.catch(() => undefined);
  return mine;
}

export function setTab(tabId: number, to: "granted" | "stopped" | undefined): Promise<void> {
  return change(async () => {
    const { [tabId]: _, ...others } = (await grants()).tabs as Record<string, "granted" | "stopped">;
    await chrome.storage.session.set({ [TABS]: to === undefined ? others : { ...others, [tabId]: to } });
  });
}

export function setSite(origin: string, granted: boolean): Promise<void> {
  return change(async () => {
    const others = (await grants()).sites.filter((site) => site !== origin);
    await chrome.storage.local.set({ [SITES]: granted ? [...others, origin] : others });
  });
}

/** Forgets every tab, as when the person ends all debugging. Tabs that a site would grant again stay stopped. */
export function forgetTabs(stopped: readonly number[]): Promise<void> {
  return change(() =>
    chrome.storage.session.set({ [TABS]: Object.fromEntries(stopped.map((tabId) => [tabId, "stopped"])) }),
  );
}
