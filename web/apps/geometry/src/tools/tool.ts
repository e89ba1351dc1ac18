// The interface of a tool: its schema for callers, and its effect on the system. Returns an object or throws `Failure`.

import type { Backends, Doing } from "../backends/backends.js";
import type { Cartridges } from "../cartridge/cartridges.js";
import { invalid } from "../failure.js";
import type { Meter } from "../map/meter.js";
import type { PixelMap } from "../map/pixel-map.js";
import type { Viewport } from "../map/viewport.js";
import type { Agents } from "../agents.js";

export interface WindowRow {
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly visible: boolean;
}

/** Everything that tools may use. */
export interface System {
  readonly viewport: Viewport;
  readonly map: PixelMap;
  readonly cartridges: Cartridges;
  readonly agents: Agents;
  readonly backends: Backends;
  readonly meter: Meter;
  windows(): readonly WindowRow[];
  /** Whether the page has joined a hub. */
  isConnected(): boolean;
  calls(): Readonly<Record<string, number>>;
  /** Marks a pixel that was read. */
  mark(x: number, y: number): void;
  /** Prints a line in the console window. */
  say(text: string): void;
  /** Puts a program's picture on the map. */
  showFramebuffer(rgba: Uint8ClampedArray): void;
}

export type Args = Readonly<Record<string, unknown>>;

export interface GeometryTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, object>>;
    readonly required?: readonly string[];
    readonly additionalProperties: false;
  };
  readonly annotations: { readonly readOnlyHint: boolean; readonly untrustedContentHint?: boolean };
  /** Timeout of a call in milliseconds, if longer than usual. */
  readonly timeout?: number;
  run(args: Args, system: System, doing: Doing): Promise<object> | object;
}

/** A caller's timeout is this much longer than the tool's own. */
export const MARGIN_MS = 5_000;

/**
 * Browsers do not check arguments against a schema, so every tool does, in its own words. This function covers the
 * arguments that no tool knows.
 */
export function refuseUnknown({ inputSchema }: GeometryTool, args: Args): void {
  const known = Object.keys(inputSchema.properties);
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid(`unknown argument "${unknown}"; it takes ${known.join(", ")}`);
}

export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

export function isObject(value: unknown): value is Args {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An optional flag. */
export function flag(args: Args, name: string, otherwise: boolean): boolean {
  const value = args[name] ?? otherwise;
  if (typeof value !== "boolean") throw invalid(`${name} must be true or false`);
  return value;
}

/** A required text. */
export function textOf(args: Args, name: string): string {
  const value = args[name];
  if (typeof value !== "string" || value.trim() === "")
    throw invalid(`${name} is required and must be a non-empty string`);
  return value;
}

/** An optional text. */
export function optionalText(args: Args, name: string): string | undefined {
  const value = args[name];
  if (value !== undefined && typeof value !== "string") throw invalid(`${name} must be a string`);
  return value;
}

export function wholeNumber(args: Args, name: string, otherwise: number, least: number, most: number): number {
  const value = args[name] ?? otherwise;
  if (!isNumber(value) || !Number.isInteger(value) || value < least || value > most)
    throw invalid(`${name} must be an integer between ${String(least)} and ${String(most)}`);
  return value;
}

export function numberBetween(args: Args, name: string, otherwise: number, least: number, most: number): number {
  const value = args[name] ?? otherwise;
  if (!isNumber(value) || value < least || value > most)
    throw invalid(`${name} must be a number between ${String(least)} and ${String(most)}`);
  return value;
}
