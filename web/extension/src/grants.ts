// What the person has granted: single tabs until they are closed, and sites until they are taken back. Tabs are kept
// for as long as the browser runs, sites for good.

/** Tabs by their ids: granted, or stopped in spite of their site. */
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

/** The origin of an address that can be granted: of the web, for a tab that shows one file can be sent to any other. */
export function originOf(url: string | undefined): string | undefined {
  if (url === undefined || !/^https?:/.test(url)) return undefined;
  return new URL(url).origin;
}

/** How the browser calls the pages of an origin. */
export function patterns(origin: string): string[] {
  return [`${origin}/*`];
}

/** How a tab is granted: by itself, by its site, or not. */
export function how({ tabs, sites }: Grants, tabId: number, url: string | undefined): "tab" | "site" | undefined {
  const own = tabs[tabId];
  const origin = originOf(url);
  if (own === "stopped" || origin === undefined) return undefined;
  if (own === "granted") return "tab";
  return sites.includes(origin) ? "site" : undefined;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * One change after the other, for each is made of what the one before left: a stop must not be lost to another tab's
 * end.
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

/** Forgets every tab, as when the person ends all debugging; those stay stopped that a site would grant. */
export function forgetTabs(stopped: readonly number[]): Promise<void> {
  return change(() =>
    chrome.storage.session.set({ [TABS]: Object.fromEntries(stopped.map((tabId) => [tabId, "stopped"])) }),
  );
}
