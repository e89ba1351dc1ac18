// One line with a tool's parameters and summary: `add(a: number, b?: number) — Adds`.

import { isObject } from "../wire/rpc.js";

export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly [more: string]: unknown;
}

const ENUM_VALUES_MAX = 6;

export function signature(tool: ListedTool): string {
  const schema = isObject(tool.inputSchema) ? tool.inputSchema : {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? (schema.required as unknown[]) : []);
  const parameters = Object.entries(properties).map(
    ([name, type]) => `${name}${required.has(name) ? "" : "?"}: ${typeName(type)}`,
  );
  const summary = firstSentence(tool.description ?? "");
  return `${tool.name}(${parameters.join(", ")})${summary === "" ? "" : ` — ${summary}`}`;
}

function typeName(schema: unknown): string {
  if (!isObject(schema)) return "any";
  const { type, items } = schema;
  const values = schema.enum;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(values)) return alternatives(values.map((value) => JSON.stringify(value)));
  if (Array.isArray(type)) return alternatives(type.map(String));
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return alternatives(choices.map(typeName));
  if (type === "array") return isObject(items) ? `${typeName(items).replace(/.* \| .*/, "($&)")}[]` : "array";
  return typeof type === "string" ? type : "any";
}

function alternatives(names: readonly string[]): string {
  const shown = [...new Set(names)];
  return shown.length > ENUM_VALUES_MAX ? `${shown.slice(0, ENUM_VALUES_MAX).join(" | ")} | …` : shown.join(" | ");
}

function firstSentence(text: string): string {
  const line = text.trim().split(/\n\s*\n|\n/)[0] ?? "";
  return (/^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line).replace(/\.$/, "");
}
