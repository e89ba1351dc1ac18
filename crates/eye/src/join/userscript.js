// ==UserScript==
// @name         eye
// @description  Joins the pages of this machine to the eye hub, so that agents see and act in them
// @match        http://localhost/*
// @match        http://127.0.0.1/*
// @match        https://localhost/*
// @run-at       document-end
// @grant        none
// ==/UserScript==

// For further sites add a @match here, and run `eye allow ORIGIN`. `eye join` writes the hub's address for __HUB__.
(() => {
  const hub = "__HUB__";
  const url = hub + "/eye.js";
  let policy = false;
  if (globalThis[Symbol.for("eye.client")]) return;
  document.addEventListener("securitypolicyviolation", ({ blockedURI }) => { policy ||= blockedURI.startsWith(hub); });
  const failed = () => setTimeout(() => console.warn("eye: " + (policy
    ? "this page's Content-Security-Policy blocks " + url + "; add " + hub + " to script-src"
    : "nothing came from " + url + "; start a hub with `eye up`, or allow this site local network access")), 100);
  const script = document.createElement("script");
  script.dataset.hub = hub;
  script.onerror = failed;
  try {
    script.src = url;
    document.documentElement.append(script);
  } catch {
    // Trusted Types forbid the address of a script, but not an import; the client reads its hub from this script all the same.
    Object.defineProperty(document, "currentScript", { value: script, configurable: true });
    import(url).catch(failed).finally(() => { delete document.currentScript; });
  }
})();
