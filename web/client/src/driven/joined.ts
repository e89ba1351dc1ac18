// Joins a driven document to its hub: one client, in place of that of a driver that was here before.

import { connectWith, type Driven, type Eye } from "../core/connect.js";
import type { LoadPart } from "../core/part.js";

/** Where the client of a driven document is. */
const DRIVEN = Symbol.for("eye.driven");

export function join(load: LoadPart, driven: Driven): void {
  // A driver that was here before and left put a client into this document, which hears nothing any more.
  (globalThis as { [DRIVEN]?: Eye })[DRIVEN]?.close();
  const eye = connectWith(load, {}, driven);
  Object.defineProperty(globalThis, DRIVEN, { value: eye, configurable: true });
}
