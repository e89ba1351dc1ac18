// A tool as a form made from its JSON Schema. The hub checks the arguments, as it does for agents.

import { useState } from "preact/hooks";
import { Copy } from "./copy";
import { ask } from "./store";
import { eyeCommand, mcpCall } from "./words";

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

/** What was typed, as the schema's type; what does not parse is left to the hub to refuse. */
function value(schema: Schema, text: string): unknown {
  if (schema.type === "string" || schema.enum !== undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function ToolForm({ page, tool }: { readonly page: string; readonly tool: Tool }) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<{ readonly text: string; readonly bad: boolean }>();
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
      setAnswer({ text: JSON.stringify(result, null, 2), bad: false });
    } catch (error) {
      setAnswer({ text: error instanceof Error ? error.message : String(error), bad: true });
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
      <h3 class="mono">{tool.name}</h3>
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
        <Copy name="Copy as MCP call" text={() => mcpCall(page, "tools/call", params())} />
      </p>
      {answer === undefined ? null : (
        <pre tabIndex={0} class={answer.bad ? "bad" : ""} role="status">
          {answer.text}
        </pre>
      )}
    </form>
  );
}
