// An authorization server and the MCP server behind it.

export interface Guarded {
  /** The MCP server that wants a token. `write` wants one with `tools:write`. */
  readonly url: string;
  /** One of the same host that wants none. */
  readonly open: string;
  /** One whose authorization server publishes the metadata of another. */
  readonly lying: string;
  readonly issuer: string;
  /** Requests to the MCP servers, as they came. */
  readonly seen: { readonly path: string; readonly authorization: string | undefined }[];
  /** How long new tokens live, how often one was renewed, how many refresh tokens have ended. */
  readonly tokens: { lifetimeS: number; refreshed: number; revoked: number };
  endAccess(token: string): Promise<void>;
  endRefresh(token: string): Promise<void>;
  knowsRefresh(token: string): Promise<boolean>;
  close(): Promise<void>;
}

export function openGuarded(): Promise<Guarded>;
