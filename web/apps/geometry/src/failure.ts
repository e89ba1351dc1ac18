// The failure of a tool: one of the three codes that callers know, a message for them, and what was done so far.

export type ErrorCode = "BACKEND_UNAVAILABLE" | "INVALID_INPUT" | "EXECUTION_FAILED";

const CODES: readonly string[] = ["BACKEND_UNAVAILABLE", "INVALID_INPUT", "EXECUTION_FAILED"] satisfies ErrorCode[];

export class Failure extends Error {
  override readonly name = "Failure";

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** Members added to the error: what was done before it, or its position. */
    readonly more: object = {},
  ) {
    super(message);
  }
}

export function invalid(message: string, more?: object): Failure {
  return new Failure("INVALID_INPUT", message, more);
}

export function unavailable(message: string, more?: object): Failure {
  return new Failure("BACKEND_UNAVAILABLE", message, more);
}

export function failed(message: string, more?: object): Failure {
  return new Failure("EXECUTION_FAILED", message, more);
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && CODES.includes(value);
}

/** The text of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
