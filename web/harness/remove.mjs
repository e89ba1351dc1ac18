// Removes the folder of a program that was just killed, although its helper processes write there for a moment longer.

import { rm } from "node:fs/promises";

/** Tries for 20 s. Not `rmSync`: between its tries it does not remove what was written since the first. */
export function removeFolder(folder) {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
