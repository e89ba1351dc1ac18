// The part behind `eye.tool`: registers tools with the hub, and runs them. It holds no socket.

import { failed, threw } from "../page/failed.js";
import { CODE_INTERNAL } from "../generated/protocol.js";
import { FRAME_BYTES_MAX } from "../core/limits.js";
import type { Core, Rpc, ToolsPart } from "../core/part.js";
import type { Tool, ToolOptions } from "./tool.js";
import type { ContextTool } from "../webmcp/context.js";

interface Held {
  /** The definition for the hub: a copy, so that later changes of the page's object have no effect. */
  readonly told: ContextTool;
  readonly tool: Tool;
  /** Aborts when the tool is removed or replaced. */
  readonly gone: AbortController;
}

const NAME = /^[\w.-]{1,128}$/;
const OWN_ID = "tools-";
const MEBIBYTE = 1024 * 1024;
const HEAD_BYTES = 512;

export function offer(core: Core): ToolsPart {
  const held = new Map<string, Held>();
  const running = new Map<string, AbortController>();
  /** Names whose changes were not sent yet; the state at the time of sending counts. */
  const changed = new Set<string>();
  let connected = false;
  let requests = 0;

  const request = (method: string, params: object): void =>
    core.send({ id: OWN_ID + String(++requests), method, params });

  const change = (name: string): void => {
    if (changed.size === 0) queueMicrotask(announce);
    changed.add(name);
  };

  const announce = (): void => {
    const names = [...changed];
    changed.clear();
    if (!connected) return;
    const tools = names.flatMap((name) => held.get(name)?.told ?? []);
    const gone = names.filter((name) => !held.has(name));
    if (tools.length > 0) request("tools/register", { tools });
    if (gone.length > 0) request("tools/unregister", { names: gone });
  };

  const tool = (tool: Tool, options: ToolOptions = {}, overheard = false): void => {
    const { name, execute } = tool;
    if (typeof name !== "string" || !NAME.test(name))
      throw new TypeError(`${String(name)} is no name of a tool: 1 to 128 of [A-Za-z0-9_.-]`);
    if (typeof execute !== "function") throw new TypeError(`the tool ${name} needs a function execute(args)`);
    if (options.signal?.aborted === true) return;
    const mine: Held = { told: JSON.parse(JSON.stringify(tool)) as ContextTool, tool, gone: new AbortController() };
    held.get(name)?.gone.abort();
    held.set(name, mine);
    change(name);
    options.signal?.addEventListener("abort", () => {
      // A hot reload may have replaced it.
      if (held.get(name) === mine) untool(name);
    });
    if (!overheard && hasContext())
      core.load("webmcp").then(
        ({ mirror }) =>
          mirror(
            mine.told,
            (args, { signal }) => tool.execute(args as Record<string, unknown>, { signal, progress: () => undefined }),
            mine.gone.signal,
          ),
        () => undefined,
      );
  };

  const untool = (name: string): void => {
    held.get(name)?.gone.abort();
    if (held.delete(name)) change(name);
  };

  const call = async (id: string, tool: Tool, args: unknown, delta: boolean): Promise<void> => {
    const aborter = new AbortController();
    running.set(id, aborter);
    const isMine = (): boolean => running.get(id) === aborter;
    const progress = (progress: number, total?: number, message?: string): void => {
      if (isMine()) core.send({ method: "call/progress", params: { id, progress, total, message } });
    };
    let answer: object;
    try {
      answer = answered(
        core,
        id,
        await tool.execute((args ?? {}) as Record<string, unknown>, { signal: aborter.signal, progress }),
      );
    } catch (error) {
      answer = threw(core, id, error);
    }
    core.called(delta);
    // A call that was cancelled, or whose connection is lost, has been ended already.
    if (!isMine()) return;
    running.delete(id);
    core.send(answer);
  };

  const take = ({ id, method, params, result, error }: Rpc): boolean => {
    if (method === "tools/call" && id !== undefined) {
      const called = held.get(String(params?.name))?.tool;
      if (called !== undefined) void call(String(id), called, params?.arguments, params?.delta === true);
      return called !== undefined;
    }
    if (method === "call/cancel") {
      const cancelled = String(params?.id);
      running.get(cancelled)?.abort();
      return running.delete(cancelled);
    }
    if (method !== undefined || typeof id !== "string" || !id.startsWith(OWN_ID)) return false;
    if (error !== undefined) console.warn(`eye: ${error.message}`);
    const { rejected = [] } = (result ?? {}) as {
      readonly rejected?: readonly { readonly name: string; readonly error: string }[];
    };
    for (const one of rejected) console.warn(`eye: the hub does not take the tool ${one.name}: ${one.error}`);
    return true;
  };

  return {
    tool,
    untool,
    take,
    joined() {
      connected = true;
      changed.clear();
      // The first list of a connection replaces the one that the hub remembers, so it is sent even when empty.
      request("tools/register", { tools: [...held.values()].map(({ told }) => told) });
    },
    left() {
      connected = false;
      const left = [...running.values()];
      running.clear();
      for (const aborter of left) aborter.abort();
    },
  };
}

/** Whether the page has WebMCP; outside of a browser there is no document. */
function hasContext(): boolean {
  return "modelContext" in (globalThis.document ?? {});
}

function answered(core: Core, id: string, value: unknown): object {
  if (value === undefined) return { id, result: null };
  const bytes = binary(value);
  if (bytes !== undefined)
    return tooLarge(id, bytes.size) ?? new Blob([`${id} ${bytes.type || "application/octet-stream"}\n`, bytes]);
  const rendered = core.render(value);
  const text = rendered.slice(1);
  if (rendered.startsWith("!")) return failed(id, CODE_INTERNAL, text.replace(/^\S+ /, "").replaceAll("\x1f", "; "));
  const answer = { id, result: rendered.startsWith("=") ? (JSON.parse(text) as unknown) : text };
  // One UTF-16 unit is at most six bytes when written, so only large results are measured.
  return (
    (text.length * 6 > FRAME_BYTES_MAX / 2 ? tooLarge(id, new Blob([JSON.stringify(answer)]).size) : undefined) ??
    answer
  );
}

function binary(value: unknown): Blob | undefined {
  if (value instanceof Blob) return value;
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? new Blob([value as BlobPart]) : undefined;
}

/** Leaves room for the envelope of a result. */
function tooLarge(id: string, bytes: number): object | undefined {
  if (bytes <= FRAME_BYTES_MAX - HEAD_BYTES) return undefined;
  return failed(
    id,
    CODE_INTERNAL,
    `the result is ${(bytes / MEBIBYTE).toFixed(1)} MiB, over the frame limit of ${FRAME_BYTES_MAX / MEBIBYTE} MiB`,
  );
}
