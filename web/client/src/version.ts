// The versions this client speaks of: its own, and the protocol's (docs/wire.md).

export const VERSION = "0.1.0";
export const PROTOCOL_VERSION = "1.0.0";
