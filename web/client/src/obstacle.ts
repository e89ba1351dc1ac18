// Says in the console, once each, what stands between this page and its hub and what a person can do about it.

const SEEN = new Set<string>();

export function warn(text: string, level: "info" | "warn" = "warn"): void {
  if (SEEN.has(text)) return;
  SEEN.add(text);
  console[level](`eye: ${text}`);
}

export function watchPolicy(hub: URL): void {
  document.addEventListener("securitypolicyviolation", (event) => {
    const blocked = event.blockedURI.replace(/^ws/, "http");
    if (event.effectiveDirective !== "connect-src" || !blocked.startsWith(hub.origin)) return;
    const sources = `${hub.origin} ${hub.origin.replace(/^http/, "ws")}`;
    warn(`this page's Content-Security-Policy blocks the hub; add ${sources} to connect-src`);
  });
}

/** The browser says nothing about a refused connection, so everything that could refuse it is asked. */
export async function diagnose(hub: URL): Promise<void> {
  if (location.protocol === "https:" && hub.protocol === "http:" && !isLoopback(hub.hostname)) {
    warn(`an https page cannot reach ${hub.origin}; serve it on localhost, or with --tls-cert and --tls-key`);
    return;
  }
  const state = !isLoopback(location.hostname) && isLoopback(hub.hostname) ? await permission() : undefined;
  const allow = `allow this site "local network access" in the browser's site settings, so that it reaches the hub`;
  // While the browser asks, the request below waits for the person.
  if (state === "prompt") warn(allow);
  try {
    const response = await fetch(new URL("why", hub), { cache: "no-store", credentials: "omit" });
    const why = (await response.json()) as { allowed?: boolean; reason?: string; hint?: string };
    if (why.allowed === false) warn([why.reason, why.hint].filter(Boolean).join("; "));
  } catch {
    // A permission that is denied blocks not everything, so that it is named only when nothing came back.
    if (state === "denied") warn(allow);
    else warn(`no hub answers at ${hub.origin}; start one with \`eye up\``, "info");
  }
}

async function permission(): Promise<PermissionState | undefined> {
  try {
    return (await navigator.permissions.query({ name: "local-network-access" as PermissionName })).state;
  } catch {
    // This browser does not know that permission, and so does not ask for it.
    return undefined;
  }
}

function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|\[::1\]|127\.[\d.]+)$/.test(host);
}
