// The current view, from the address: #/calls, #/page/ID. The code of a console link is removed before this runs.

import { signal } from "@preact/signals";

export const VIEWS = [
  { id: "now", name: "Now" },
  { id: "calls", name: "Calls" },
  { id: "plots", name: "Plots" },
  { id: "control", name: "Control" },
] as const;

export interface Route {
  readonly view: string;
  readonly page?: string;
}

function read(): Route {
  const [, view = "now", page] = location.hash.split("/");
  return page === undefined ? { view } : { view, page: decodeURIComponent(page) };
}

export const route = signal<Route>(read());
addEventListener("hashchange", () => (route.value = read()));

export function go(view: string, page?: string): void {
  location.hash = page === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(page)}`;
}
