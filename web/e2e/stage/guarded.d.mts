// An authorization server and the MCP server behind it.

export interface Guarded {
  /** The MCP server that requires a token. `write` requires one with `tools:write`. */
  readonly url: string;
  /** A server on the same host that requires no token. */
  readonly open: string;
  /** A server whose authorization server publishes the metadata of another one. */
  readonly lying: string;
  readonly issuer: string;
  /** Requests to the MCP servers, in order of arrival. */
  readonly seen: { readonly path: string; readonly authorization: string | undefined }[];
  /** The lifetime of new tokens, the number of refreshes, and the number of revoked refresh tokens. */
  readonly tokens: { lifetimeS: number; refreshed: number; revoked: number };
  endAccess(token: string): Promise<void>;
  endRefresh(token: string): Promise<void>;
  knowsRefresh(token: string): Promise<boolean>;
  close(): Promise<void>;
}

export function openGuarded(): Promise<Guarded>;
