// What the page's own address says: whether backends are mocks, and where else they are than at the hub that serves the
// page.

export interface Settings {
  readonly mock: boolean;
  /** `http://host:port` */
  readonly backends: string;
  /** Whether they are somewhere else than the page. */
  readonly elsewhere: boolean;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Another place must be on this machine: a link from a stranger must not make the page talk to the stranger's server.
 */
export function settingsOf(address: string): Settings {
  const { origin, searchParams } = new URL(address);
  const named = searchParams.get("backends");
  const other = named !== null && URL.canParse(named) ? new URL(named) : undefined;
  const isTaken = other !== undefined && /^https?:$/.test(other.protocol) && LOOPBACK.test(other.hostname);
  return {
    mock: searchParams.get("mock_backends") === "true",
    backends: isTaken ? other.origin : origin,
    elsewhere: isTaken && other.origin !== origin,
  };
}
