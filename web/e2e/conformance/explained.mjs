// What of the conformance suite fails, and why that is as it should be. Everything else must pass.

const TASKS = "an optional extension (io.modelcontextprotocol/tasks) that eye does not declare; the suite does not score it";
const LOGS = "log messages of upstreams stay at the gateway";
const NAMES = "a tool of an upstream is listed under its prefixed name; the suite does not score it";
const ASKING = "a legacy upstream cannot ask the agents behind a gateway: it serves many of them with one connection";

const PREFIXED = { "json-schema-2020-12": NAMES, "tools-call-with-logging": LOGS };

export const EXPLAINED = {
  both: Object.fromEntries(
    ["lifecycle", "capability-negotiation", "wire-fields", "request-state-removal", "mrtr-input", "request-headers", "dispatch-and-envelope", "required-task-error", "mrtr-composition"].map((name) => [`tasks-${name}`, TASKS]),
  ),
  face: {},
  "gateway-legacy": {
    ...PREFIXED,
    "tools-call-sampling": ASKING,
    "tools-call-elicitation": ASKING,
    "elicitation-sep1034-defaults": ASKING,
    "elicitation-sep1330-enums": ASKING,
    "input-required-result-capability-check": ASKING,
    "server-stateless": ASKING,
  },
  "gateway-modern": PREFIXED,
};
