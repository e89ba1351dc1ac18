//! Prints the JSON Schema of the gateway's config file.
#![allow(clippy::print_stdout, reason = "printing is all it does")]

fn main() {
    println!("{:#}", eye_mcp::config::schema());
}
