// The versions this client speaks of: its own, and the protocol's (docs/wire.md).

export { EYE_VERSION as VERSION, PROTOCOL_VERSION } from "../generated/protocol.js";
