// The versions of this client and of the protocol (docs/wire.md).

export { EYE_VERSION as VERSION, PROTOCOL_VERSION } from "../generated/protocol.js";
