// The bookmarklet: adds the client to the page that it is clicked on, and tells the person what is in the way.
// `eye join` leaves out these lines, joins the rest, and writes the hub's address for __HUB__.
javascript:(() => {
  const hub = "__HUB__";
  const url = hub + "/eye.js";
  let policy = false;
  if (globalThis[Symbol.for("eye.client")]) return;
  document.addEventListener("securitypolicyviolation", ({ blockedURI }) => { policy ||= blockedURI.startsWith(hub); });
  const failed = () => setTimeout(() => alert("eye: " + (policy
    ? "this page's Content-Security-Policy blocks " + url + "; add " + hub + " to script-src"
    : "nothing came from " + url + "; start a hub with `eye up`, or allow this site local network access")), 100);
  const script = document.createElement("script");
  script.dataset.hub = hub;
  script.onerror = failed;
  try {
    script.src = url;
    document.documentElement.append(script);
  } catch {
    Object.defineProperty(document, "currentScript", { value: script, configurable: true });
    import(url).catch(failed).finally(() => { delete document.currentScript; });
  }
})();
