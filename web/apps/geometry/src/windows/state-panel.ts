// The state of the system, for people: the output of `get_os_state` in few words.

import { el } from "../../../desktop/src/el.js";
import { GRID_PIXELS } from "../map/camera.js";
import type { System } from "../tools/tool.js";

export class StatePanel {
  readonly content = el("dl", { class: "facts" });
  #text = "";

  constructor(readonly system: System) {}

  show(): void {
    const rows = this.#rows();
    const text = JSON.stringify(rows);
    if (text === this.#text) return;
    this.#text = text;
    this.content.replaceChildren(...rows.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, value)]));
  }

  #rows(): readonly (readonly [string, string])[] {
    const { viewport, meter, cartridges, agents, backends } = this.system;
    const { camera, bounds } = viewport;
    const { fps, deltaTime, frameTime } = meter.figures(performance.now());
    const calls = Object.values(this.system.calls()).reduce((sum, count) => sum + count, 0);
    return [
      ["Camera", `${short(camera.x)}, ${short(camera.y)} px`],
      ["Grid", `${short(camera.x / GRID_PIXELS)}, ${short(camera.y / GRID_PIXELS)}`],
      ["Zoom", short(camera.zoom)],
      [
        "In view",
        bounds === null ? "nothing" : `${short(bounds.right - bounds.left)} × ${short(bounds.bottom - bounds.top)} px`,
      ],
      ["Last motion", fps === 0 ? "none yet" : `${short(fps)} fps · Δ ${short(deltaTime)} ms`],
      ["Drawing", `${short(frameTime)} ms a frame`],
      ["Cartridges", String(cartridges.all.length)],
      ["Agents", String(agents.all.length)],
      ["Calls", String(calls)],
      ["Backends", backends.mock ? "mock" : this.system.isConnected() ? "hub" : "no hub"],
    ];
  }
}

export function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}
