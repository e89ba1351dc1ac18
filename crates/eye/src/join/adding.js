// Adds the client to a page that does not name it, and says what is in the way: the whole of the bookmarklet, and of
// the userscript below its head. `eye join` leaves out lines that are comments, and writes the hub's address for
// __HUB__ and who is told for __TELL__.
(() => {
  const hub = "__HUB__";
  const url = hub + "/eye.js";
  let policy = false;
  if (globalThis[Symbol.for("eye.client")]) return;
  document.addEventListener("securitypolicyviolation", ({ blockedURI }) => { policy ||= blockedURI.startsWith(hub); });
  const failed = () => setTimeout(() => __TELL__("eye: " + (policy
    ? "this page's Content-Security-Policy blocks " + url + "; add " + hub + " to script-src"
    : "nothing came from " + url + "; start a hub with `eye up`, or allow this site local network access")), 100);
  const script = document.createElement("script");
  script.dataset.hub = hub;
  script.onerror = failed;
  try {
    script.src = url;
    document.documentElement.append(script);
  } catch {
    // Trusted Types forbid the address of a script, but not an import; the client reads its hub from this script all
    // the same.
    Object.defineProperty(document, "currentScript", { value: script, configurable: true });
    import(url).catch(failed).finally(() => { delete document.currentScript; });
  }
})();
