// What of the conformance suite fails, and why that is as it should be. Everything else must pass.

const TASKS = "an optional extension (io.modelcontextprotocol/tasks) that eye does not declare; the suite does not score it";

export const EXPLAINED = {
  both: Object.fromEntries(
    ["lifecycle", "capability-negotiation", "wire-fields", "request-state-removal", "mrtr-input", "request-headers", "dispatch-and-envelope", "required-task-error", "mrtr-composition"].map((name) => [`tasks-${name}`, TASKS]),
  ),
  face: {},
  gateway: {},
};
