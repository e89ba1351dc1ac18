// Parses the hub's frames as far as the activity display needs: the call, its code or tool, and its ending.
// docs/wire.md is the contract.

export interface Asked {
  /** Empty for fired calls, which get no answer. */
  readonly id: string;
  readonly kind: "eval" | "fire" | "tool" | "verb";
  readonly text: string;
}

export interface Ended {
  readonly id: string;
  readonly failed: boolean;
  readonly text: string;
}

interface Rpc {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown } | undefined;
}

const LINE = /^(\w{0,19}):([^]*)$/;
const ANSWER = /^(\w{1,19})([:=~!])([^]*)$/;
const VERB = "page/";
/** Separates an error's message from its hint. */
const SEPARATOR = "\x1f";

export const TEXT_CHARS_MAX = 200;

/** A message is one frame or a list of frames. A message that is not JSON is ignored. */
export function framesOf(message: string): readonly unknown[] {
  try {
    return [JSON.parse(message) as unknown].flat();
  } catch {
    return [];
  }
}

/** The call in this frame from the hub; `undefined` if the frame is not a call of an agent. */
export function asked(frame: unknown): Asked | undefined {
  if (typeof frame === "string") {
    const [, id = "", code = frame] = LINE.exec(frame) ?? [];
    return code === "" ? undefined : { id, kind: id === "" ? "fire" : "eval", text: clipped(code) };
  }
  const { id, method, params = {} } = rpc(frame);
  const known = typeof id === "string" || typeof id === "number" ? String(id) : "";
  if (method === "eval") return { id: known, kind: known === "" ? "fire" : "eval", text: clipped(String(params.code)) };
  if (method === "tools/call")
    return { id: known, kind: "tool", text: clipped(`${String(params.name)} ${shortly(params.arguments)}`) };
  if (typeof method !== "string" || !method.startsWith(VERB) || known === "") return undefined;
  const { agent: _, timeout: __, ...rest } = params;
  return { id: known, kind: "verb", text: clipped(`${method.slice(VERB.length)} ${shortly(rest)}`) };
}

/** The id of the call that this frame cancels. */
export function cancelled(frame: unknown): string | undefined {
  const { method, params } = rpc(frame);
  return method === "call/cancel" ? String(params?.id) : undefined;
}

/** The ending in this frame from the page. */
export function ended(frame: unknown): Ended | undefined {
  if (typeof frame === "string") {
    const [, id, kind, text = ""] = ANSWER.exec(frame) ?? [];
    if (id === undefined) return undefined;
    const failed = kind === "!";
    return { id, failed, text: clipped(failed ? (text.replace(/^-?\d+ /, "").split(SEPARATOR)[0] ?? "") : text) };
  }
  const { id, method, result, error } = rpc(frame);
  if (method !== undefined || (typeof id !== "string" && typeof id !== "number")) return undefined;
  const failed = error !== undefined;
  return {
    id: String(id),
    failed,
    text: clipped(failed ? String(error.message) : typeof result === "string" ? result : shortly(result)),
  };
}

function rpc(frame: unknown): Rpc {
  return typeof frame === "object" && frame !== null ? frame : {};
}

function shortly(value: unknown): string {
  const text = value === undefined ? "" : (JSON.stringify(value) ?? "");
  return text === "{}" ? "" : text;
}

function clipped(text: string): string {
  const line = text
    .slice(0, TEXT_CHARS_MAX * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > TEXT_CHARS_MAX ? `${line.slice(0, TEXT_CHARS_MAX - 1)}…` : line;
}
