// Joins a driven document to its hub, replacing the client of an earlier driver.

import { connectWith, type Driven, type Eye } from "../core/connect.js";
import type { LoadPart } from "../core/part.js";

/** The key of a driven document's client. */
const DRIVEN = Symbol.for("eye.driven");

export function join(load: LoadPart, driven: Driven): void {
  // The client of an earlier driver is still in the document, but has no connection any more.
  (globalThis as { [DRIVEN]?: Eye })[DRIVEN]?.close();
  const eye = connectWith(load, {}, driven);
  Object.defineProperty(globalThis, DRIVEN, { value: eye, configurable: true });
}
