//! The commands of the CLI that are not one method: their words and flags are declared once, in the command's own file.

use super::class::Class;
use super::operation::{Effect, Group, Operation};

const fn local(name: &'static str, group: Group, about: &'static str) -> Operation {
    Operation::command(name, group, Class::Read, about).effect(Effect::Reads)
}

const fn admin(name: &'static str, group: Group, about: &'static str) -> Operation {
    Operation::command(name, group, Class::Admin, about)
}

const fn evaluates(name: &'static str, about: &'static str) -> Operation {
    Operation::command(name, Group::Ask, Class::Eval, about).effect(Effect::Evaluates)
}

pub const OPERATIONS: &[Operation] = &[
    evaluates("fire", "Hand code to a page and return at once"),
    evaluates("async", "Evaluate code in the background and print an id to collect its value with"),
    evaluates("batch", "Evaluate the lines of stdin, many at a time"),
    evaluates("repl", "Evaluate line by line"),
    admin("open", Group::Pages, "Open an app of the page, a URL in your browser, or a file or folder"),
    local("join", Group::Pages, "Print what to write into a page, or anywhere near it, so that it joins"),
    admin("rpc", Group::Tools, "Send one JSON-RPC request to the hub and print its answer"),
    admin("mcp", Group::Mcp, "Serve MCP on stdio, for an agent's configuration"),
    admin("up", Group::Hub, "Run a hub; verbs that need one do it by themselves"),
    admin(
        "connect",
        Group::Hub,
        "Keep a link to a remote hub, so that every verb goes there; without a URL, use the local hub",
    ),
    admin("disconnect", Group::Hub, "End the link to a remote hub; the next command uses a local one"),
    local(
        "doctor",
        Group::Hub,
        "Check hub, socket, token, browser and pages; or what stands between a page and the hub",
    ),
    admin("token", Group::Hub, "Show or replace the hub's own token; make, list or revoke named ones that may do less"),
    admin("allow", Group::Hub, "Let pages of an origin join, or list those that may"),
    admin("deny", Group::Hub, "Keep agents from sites, or list those that they are kept from"),
    admin("tls", Group::Hub, "Make a certificate for this machine, for HTTPS pages, and say how to trust it"),
    local("skill", Group::Shell, "Print a short guide for agents"),
    local("completions", Group::Shell, "Print completions for a shell"),
    local("man", Group::Shell, "Print the manual page"),
    local("upgrade", Group::Shell, "Tell how this eye was installed and what upgrades it"),
    local("version", Group::Shell, "Print the version"),
    local("help", Group::Shell, "Help for a verb"),
];
