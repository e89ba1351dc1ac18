// The settings in the page's address: whether backends are mocks, and where they are if not at the hub that serves the
// page.

export interface Settings {
  readonly mock: boolean;
  /** `http://host:port` */
  readonly backends: string;
  /** Whether they are at another origin than the page. */
  readonly elsewhere: boolean;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Another origin must be on this machine: a stranger's link must not make the page connect to the stranger's server.
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
