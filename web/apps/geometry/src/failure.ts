// Why a tool could not do its work: one of the three codes that callers know, in words for them, with what was done so
// far.

export type ErrorCode = "BACKEND_UNAVAILABLE" | "INVALID_INPUT" | "EXECUTION_FAILED";

const CODES: readonly string[] = ["BACKEND_UNAVAILABLE", "INVALID_INPUT", "EXECUTION_FAILED"] satisfies ErrorCode[];

export class Failure extends Error {
  override readonly name = "Failure";

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** Told beside the error: what was done before it, or where it is. */
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

/** The text of a foreign error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
