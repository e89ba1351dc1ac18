// The permission screen: pairing, this tab, this site, and the list of all grants.

import { patterns } from "./grants.js";
import type { Ask, Shown } from "./worker.js";

/** Without the debugger, the browser itself asks the person about each site. */
const scripted = !chrome.runtime.getManifest().permissions.includes("debugger");
const EVERY_SITE = { origins: ["<all_urls>"] };

function part<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`there is no ${id}`);
  return found as T;
}

/** The tab in front, or the one named in the URL. */
const named = new URL(location.href).searchParams.get("tab");
const front = await chrome.tabs.query({ active: true, currentWindow: true });
const tabId = named === null ? (front[0]?.id ?? -1) : Number(named);

async function ask(what: Ask): Promise<Shown | true> {
  const answer = (await chrome.runtime.sendMessage(what)) as Shown | true | { readonly error: string };
  if (typeof answer === "object" && "error" in answer) throw new Error(answer.error);
  return answer;
}

async function change(what: Ask): Promise<void> {
  part("refused").textContent = "";
  await ask(what).catch((error: Error) => {
    if (what.ask === "pair") throw error;
    part("refused").textContent = error.message;
  });
  await show();
}

async function show(): Promise<void> {
  const state = (await ask({ ask: "state", tabId })) as Shown;
  part("dot").className = state.connected ? "on" : "";
  part("hub").textContent = state.connected
    ? "Connected to your hub"
    : state.paired
      ? `Not connected: ${state.why}`
      : "";
  part("scripted").hidden = !scripted;
  if (scripted) part<HTMLInputElement>("everywhere").checked = await chrome.permissions.contains(EVERY_SITE);
  part("pairing").hidden = state.paired;
  part("granting").hidden = !state.paired;
  const { tab } = state;
  part("this").hidden = tab === undefined;
  if (tab !== undefined) showTab(tab, state.sites);
  part("granted").hidden = state.tabs.length === 0 && state.sites.length === 0;
  const sites = state.sites.map((site) =>
    row(site, "Every tab", () => change({ ask: "site", origin: site, granted: false })),
  );
  const tabs = state.tabs
    .filter(({ origin }) => !state.sites.includes(origin))
    .map(({ id, title, origin }) =>
      row(title || origin, origin, () => change({ ask: "tab", tabId: id, granted: false })),
    );
  part("list").replaceChildren(...sites, ...tabs);
}

function showTab({ title, origin, by }: NonNullable<Shown["tab"]>, sites: readonly string[]): void {
  part("title").textContent = title;
  part("origin").textContent = origin ?? "Extensions cannot open this page to agents.";
  const button = part<HTMLButtonElement>("tab");
  button.textContent = by === undefined ? "Let agents use this tab" : "Stop agents in this tab";
  button.className = by === undefined ? "main" : "stop";
  button.disabled = origin === undefined;
  button.onclick = () => void change({ ask: "tab", tabId, granted: by === undefined });
  part("whole").hidden = origin === undefined;
  const box = part<HTMLInputElement>("site");
  box.checked = origin !== undefined && sites.includes(origin);
  box.onchange = () => {
    if (origin === undefined) return;
    // Requested while the click still counts as a user gesture. The worker handles the answer, because the browser's
    // prompt may close this screen.
    if (scripted && box.checked) void chrome.permissions.request({ origins: patterns(origin) });
    void change({ ask: "site", origin, granted: box.checked });
  };
}

function row(name: string, hint: string, remove: () => Promise<void>): HTMLLIElement {
  const line = document.createElement("li");
  const text = document.createElement("span");
  text.textContent = name;
  text.title = hint;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = "Take back";
  button.setAttribute("aria-label", `Take back ${name}`);
  button.onclick = () => void remove();
  line.append(text, button);
  return line;
}

part<HTMLFormElement>("pairing").onsubmit = async (event) => {
  event.preventDefault();
  const wrong = part("wrong");
  wrong.textContent = "";
  try {
    await change({ ask: "pair", code: part<HTMLInputElement>("code").value });
  } catch (error) {
    wrong.textContent = (error as Error).message;
  }
};
part<HTMLInputElement>("everywhere").onchange = ({ target }) => {
  const wanted = (target as HTMLInputElement).checked;
  void (wanted ? chrome.permissions.request(EVERY_SITE) : chrome.permissions.remove(EVERY_SITE)).then(show);
};
part("stop").onclick = () => void change({ ask: "stop" });
part("unpair").onclick = () => void change({ ask: "unpair" });
await show();
setInterval(() => void show(), 1_000);
