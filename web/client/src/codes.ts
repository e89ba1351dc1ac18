// Codes of errors (docs/wire.md) that cargo xtask gen does not write yet.

export const CODE_TIMEOUT = -32001;
export const CODE_TOOL = -32004;
export const CODE_SCHEMA = -32005;
export const CODE_CANCELLED = -32800;
