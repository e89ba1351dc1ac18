// The options of the Vite plugin.

export interface EyeOptions {
  /** The hub's URL; default `http://localhost:8765`, or the port in `EYE_PORT`. */
  readonly hub?: string | undefined;
  /** The path of the dev server under which pages find the client and the hub; default `/__eye`. */
  readonly path?: string | undefined;
  /** Whether to run `eye up` when no hub answers. By default, only if `hub` is not set and `eye` is on the PATH. */
  readonly start?: boolean | undefined;
}

export interface Settings {
  readonly hub: URL;
  /** Begins with a slash, ends without one. */
  readonly path: string;
  readonly start: boolean;
}

const PORT_DEFAULT = "8765";

export function settings(
  { hub, path = "/__eye", start = hub === undefined }: EyeOptions,
  port: string | undefined,
): Settings {
  const url = new URL((hub ?? `http://localhost:${port || PORT_DEFAULT}`).replace(/^ws/, "http"));
  return { hub: url, path: `/${path.replace(/^\/+|\/+$/g, "")}`, start };
}
