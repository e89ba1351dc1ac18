// What a tool is: its schema for callers, and what it does with the system. It gives an object or throws `Failure`.

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

/** All that tools may touch. */
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
  /** Shows a pixel that was asked for. */
  mark(x: number, y: number): void;
  /** Says something in the console window. */
  say(text: string): void;
  /** Puts what a program has drawn on the map. */
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
  /** ms that a caller waits, where it is more than the usual. */
  readonly timeout?: number;
  run(args: Args, system: System, doing: Doing): Promise<object> | object;
}

/** Callers of a tool wait a little longer than the tool itself does. */
export const MARGIN_MS = 5_000;

/**
 * Browsers check no arguments against a schema, so every tool does it in its own words; this is for what no tool has
 * words for.
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

/** A flag that may be left out. */
export function flag(args: Args, name: string, otherwise: boolean): boolean {
  const value = args[name] ?? otherwise;
  if (typeof value !== "boolean") throw invalid(`${name} must be true or false`);
  return value;
}

/** Text that must be there. */
export function textOf(args: Args, name: string): string {
  const value = args[name];
  if (typeof value !== "string" || value.trim() === "")
    throw invalid(`${name} is required and must be a non-empty string`);
  return value;
}

/** Text that may be left out. */
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
