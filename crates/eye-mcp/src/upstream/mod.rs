//! One upstream: its process or URL, its wire, its supervision.
