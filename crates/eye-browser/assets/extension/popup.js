// src/grants.ts
function patterns(origin) {
  return [`${origin}/*`];
}
var last = Promise.resolve();

// src/popup.ts
var scripted = !chrome.runtime.getManifest().permissions.includes("debugger");
var EVERY_SITE = { origins: ["<all_urls>"] };
function part(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`there is no ${id}`);
  return found;
}
var named = new URL(location.href).searchParams.get("tab");
var front = await chrome.tabs.query({ active: true, currentWindow: true });
var tabId = named === null ? front[0]?.id ?? -1 : Number(named);
async function ask(what) {
  const answer = await chrome.runtime.sendMessage(what);
  if (typeof answer === "object" && "error" in answer) throw new Error(answer.error);
  return answer;
}
async function change(what) {
  part("refused").textContent = "";
  await ask(what).catch((error) => {
    if (what.ask === "pair") throw error;
    part("refused").textContent = error.message;
  });
  await show();
}
async function show() {
  const state = await ask({ ask: "state", tabId });
  part("dot").className = state.connected ? "on" : "";
  part("hub").textContent = state.connected ? "Connected to your hub" : state.paired ? `Not connected: ${state.why}` : "";
  part("scripted").hidden = !scripted;
  if (scripted) part("everywhere").checked = await chrome.permissions.contains(EVERY_SITE);
  part("pairing").hidden = state.paired;
  part("granting").hidden = !state.paired;
  const { tab } = state;
  part("this").hidden = tab === void 0;
  if (tab !== void 0) showTab(tab, state.sites);
  part("granted").hidden = state.tabs.length === 0 && state.sites.length === 0;
  const sites = state.sites.map(
    (site) => row(site, "Every tab", () => change({ ask: "site", origin: site, granted: false }))
  );
  const tabs = state.tabs.filter(({ origin }) => !state.sites.includes(origin)).map(
    ({ id, title, origin }) => row(title || origin, origin, () => change({ ask: "tab", tabId: id, granted: false }))
  );
  part("list").replaceChildren(...sites, ...tabs);
}
function showTab({ title, origin, by }, sites) {
  part("title").textContent = title;
  part("origin").textContent = origin ?? "Extensions cannot open this page to agents.";
  const button = part("tab");
  button.textContent = by === void 0 ? "Let agents use this tab" : "Stop agents in this tab";
  button.className = by === void 0 ? "main" : "stop";
  button.disabled = origin === void 0;
  button.onclick = () => void change({ ask: "tab", tabId, granted: by === void 0 });
  part("whole").hidden = origin === void 0;
  const box = part("site");
  box.checked = origin !== void 0 && sites.includes(origin);
  box.onchange = () => {
    if (origin === void 0) return;
    if (scripted && box.checked) void chrome.permissions.request({ origins: patterns(origin) });
    void change({ ask: "site", origin, granted: box.checked });
  };
}
function row(name, hint, remove) {
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
part("pairing").onsubmit = async (event) => {
  event.preventDefault();
  const wrong = part("wrong");
  wrong.textContent = "";
  try {
    await change({ ask: "pair", code: part("code").value });
  } catch (error) {
    wrong.textContent = error.message;
  }
};
part("everywhere").onchange = ({ target }) => {
  const wanted = target.checked;
  void (wanted ? chrome.permissions.request(EVERY_SITE) : chrome.permissions.remove(EVERY_SITE)).then(show);
};
part("stop").onclick = () => void change({ ask: "stop" });
part("unpair").onclick = () => void change({ ask: "unpair" });
await show();
setInterval(() => void show(), 1e3);
