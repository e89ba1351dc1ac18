//! What identities were told.
