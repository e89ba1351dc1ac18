// Adds the client to a page that does not load it, and reports what blocks it. It is the whole bookmarklet, and the
// body of the userscript. `eye join` drops the comment lines, and replaces __HUB__ by the hub's address and __TELL__ by
// the function that shows a message.
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
    // Trusted Types forbid setting a script's address, but not an import. The client finds its hub through this script
    // element in both cases.
    Object.defineProperty(document, "currentScript", { value: script, configurable: true });
    import(url).catch(failed).finally(() => { delete document.currentScript; });
  }
})();
