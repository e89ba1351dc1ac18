// Warns in the console, once for each problem, about what prevents a connection to the hub and what to do about it.

import { listen } from "./lasting.js";

const SEEN = new Set<string>();
/** The page's policy has blocked the hub, and a warning was given. */
let blocked = false;

export function warn(text: string, level: "info" | "warn" = "warn"): void {
  if (SEEN.has(text)) return;
  SEEN.add(text);
  console[level](`eye: ${text}`);
}

export function watchPolicy({ href, origin }: URL): void {
  listen(document, ["securitypolicyviolation"], ({ blockedURI, disposition, effectiveDirective }) => {
    if (disposition !== "enforce" || !blockedURI.replace(/^ws/, "http").startsWith(href)) return;
    blocked = true;
    // The blocked resource is the socket, or a part, which is a script (script-src-elem).
    warn(
      `this page's Content-Security-Policy blocks the hub; add ${origin} ${origin.replace("http", "ws")} to ${effectiveDirective.replace("-elem", "")}`,
    );
  });
}

/**
 * Finds out why the connection was refused, by checking everything that could refuse it: the browser gives no reason.
 */
export async function diagnose(hub: URL): Promise<void> {
  const { origin, hostname, protocol } = hub;
  const near = isLoopback(hostname);
  // Lexical comparison: "https:" is greater than "http:".
  if (location.protocol > protocol && !near) {
    warn(`an https page cannot reach ${origin}; \`eye tls\` makes a certificate`);
    return;
  }
  const state = near && !isLoopback(location.hostname) ? await permission() : undefined;
  // Only a secure context may request that permission.
  const allow = isSecureContext
    ? `allow this site "local network access" in its site settings`
    : "serve this page over https or from localhost";
  // While the browser asks the person, the request below waits.
  if (state === "prompt") warn(allow);
  try {
    // Behind a path of the page's own server, only a POST carries the page's origin.
    const response = await fetch(new URL("why", hub), { method: "POST" });
    const why = (await response.json()) as { allowed?: boolean; reason?: string; hint?: string };
    if (why.allowed === false) warn(`${why.reason}; ${why.hint}`);
  } catch {
    // A denied permission does not block every request, so it is only reported if none came through.
    if (state === "denied") warn(allow);
    else if (!blocked) warn(`no hub answers at ${hub.href.replace(/\/$/, "")}; start one with \`eye up\``, "info");
  }
}

async function permission(): Promise<PermissionState | undefined> {
  try {
    return (await navigator.permissions.query({ name: "local-network-access" as PermissionName })).state;
  } catch {
    // This browser does not know the permission, so it does not require it.
    return undefined;
  }
}

function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|\[::1\]|127\.[\d.]+)$/.test(host);
}
