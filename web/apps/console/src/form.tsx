// A form for a tool, built from its JSON Schema. The hub checks the arguments, as it does for agents.

import { useState } from "preact/hooks";
import { Copy } from "./copy";
import { ask, pages } from "./store";
import { Tree } from "./tree";
import { eyeCommand, mcpCall, message } from "./words";

export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: Schema;
}

/** The typed text, converted to the schema's type; the hub refuses what does not parse. */
function value(schema: Schema, text: string): unknown {
  if (schema.type === "string" || schema.enum !== undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface Content {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

interface Result {
  readonly content?: readonly Content[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

const NO_CHANGES: ReadonlySet<string> = new Set();

/** A tool's result: texts and pictures as such, values as a tree, and the raw result on demand. */
function Answer({ result, bad }: { readonly result: unknown; readonly bad: boolean }) {
  const { content = [], structuredContent } = (result ?? {}) as Result;
  return (
    <>
      {content.map((part, n) => {
        const key = `${String(n)} ${part.type}`;
        if (part.type === "text") {
          return (
            <pre key={key} tabIndex={0} class={bad ? "bad" : ""}>
              {part.text}
            </pre>
          );
        }
        if (part.type === "image" && part.data !== undefined)
          return (
            <img key={key} class="given" src={`data:${part.mimeType ?? ""};base64,${part.data}`} alt="The answer" />
          );
        return (
          <pre key={key} tabIndex={0}>
            {JSON.stringify(part, null, 2)}
          </pre>
        );
      })}
      {structuredContent === undefined ? null : (
        <div class="tree">
          <Tree name="value" value={structuredContent} path="" depth={0} changed={NO_CHANGES} />
        </div>
      )}
      <details>
        <summary class="dim">To the letter</summary>
        <pre tabIndex={0}>{JSON.stringify(result, null, 2)}</pre>
      </details>
    </>
  );
}

export function ToolForm({ page, tool }: { readonly page: string; readonly tool: Tool }) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<{ readonly result: unknown; readonly bad: boolean }>();
  const fields = Object.entries(tool.inputSchema?.properties ?? {});
  const given = (): Record<string, unknown> =>
    Object.fromEntries(
      fields
        .filter(([name]) => (typed[name] ?? "") !== "")
        .map(([name, schema]) => [name, value(schema, typed[name] ?? "")]),
    );
  const params = (): Record<string, unknown> => ({ name: tool.name, arguments: given() });
  const call = async (): Promise<void> => {
    try {
      const result = await ask("tools/call", { ...params(), page, confirm: true });
      setAnswer({ result, bad: (result as Result | null)?.isError === true });
    } catch (error) {
      setAnswer({ result: { content: [{ type: "text", text: message(error) }] }, bad: true });
    }
  };
  const set = (name: string, text: string): void => setTyped({ ...typed, [name]: text });
  return (
    <form
      class="tool"
      aria-label={tool.name}
      onSubmit={(event) => {
        event.preventDefault();
        void call();
      }}
    >
      <h2 class="mono">{tool.name}</h2>
      {tool.description === undefined ? null : <p class="dim">{tool.description}</p>}
      {fields.map(([name, schema]) => (
        <label key={name} class="field">
          <span>
            {name} <span class="dim">{schema.type}</span>
            {tool.inputSchema?.required?.includes(name) === true ? " (required)" : ""}
          </span>
          {schema.enum !== undefined || schema.type === "boolean" ? (
            <select value={typed[name] ?? ""} onChange={({ currentTarget }) => set(name, currentTarget.value)}>
              <option value="">–</option>
              {(schema.enum ?? [true, false]).map((one) => (
                <option key={String(one)} value={String(one)}>
                  {String(one)}
                </option>
              ))}
            </select>
          ) : (
            <input
              value={typed[name] ?? ""}
              placeholder={schema.default === undefined ? "" : JSON.stringify(schema.default)}
              onInput={({ currentTarget }) => set(name, currentTarget.value)}
            />
          )}
        </label>
      ))}
      <p class="actions">
        <button type="submit" class="main">
          Call
        </button>
        <Copy name="Copy as eye command" text={() => eyeCommand(page, "tools/call", params())} />
        <Copy name="Copy as MCP call" text={() => mcpCall(page, "tools/call", params(), pages.value)} />
      </p>
      {answer === undefined ? null : (
        <div role="status">
          <Answer result={answer.result} bad={answer.bad} />
        </div>
      )}
    </form>
  );
}
