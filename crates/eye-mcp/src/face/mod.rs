//! The MCP faces of eye.
