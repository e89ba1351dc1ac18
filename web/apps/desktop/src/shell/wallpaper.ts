// The wallpaper: an iris, drawn from a fixed pseudo-random sequence. The stylesheet sets its colours.

import { drawing } from "../el.js";

/** Long thin rays, and short ones close to the pupil. */
const RAYS = 300;
const SHORT_RAYS = 260;
const VIEW = 1000;
const MIDDLE = VIEW / 2;

export function wallpaper(): SVGElement {
  const chance = sequence(7);
  const around = (count: number, reach: number) =>
    Array.from({ length: count }, (_, at) => ray((at / count) * Math.PI * 2 + chance() * 0.03, reach, chance));
  const rays = [...around(SHORT_RAYS, 60), ...around(RAYS, 150)];
  const rings = [150, 158, 300, 436].map(
    (radius) => `<circle class="iris-ring" cx="${String(MIDDLE)}" cy="${String(MIDDLE)}" r="${String(radius)}"/>`,
  );
  return drawing(`<svg class="iris" viewBox="0 0 ${String(VIEW)} ${String(VIEW)}" aria-hidden="true">
    <defs>
      <radialGradient id="iris-rays" gradientUnits="userSpaceOnUse" cx="${String(MIDDLE)}" cy="${String(MIDDLE)}" r="460">
        <stop class="iris-stop-1" offset=".3"/><stop class="iris-stop-2" offset=".62"/><stop class="iris-stop-3" offset="1"/>
      </radialGradient>
      <radialGradient id="iris-pupil" cx=".5" cy=".56" r=".56"><stop class="iris-pupil-1" offset=".35"/><stop class="iris-pupil-2" offset="1"/></radialGradient>
      <radialGradient id="iris-glint"><stop class="iris-glint-1" offset="0"/><stop class="iris-glint-2" offset="1"/></radialGradient>
    </defs>
    <g fill="none" stroke="url(#iris-rays)" stroke-linecap="round">${rays.join("")}</g>
    <g fill="none">${rings.join("")}</g>
    <circle cx="${String(MIDDLE)}" cy="${String(MIDDLE)}" r="150" fill="url(#iris-pupil)"/>
    <ellipse cx="${String(MIDDLE + 52)}" cy="${String(MIDDLE - 62)}" rx="62" ry="46" fill="url(#iris-glint)" transform="rotate(38 ${String(MIDDLE + 52)} ${String(MIDDLE - 62)})"/>
  </svg>`);
}

/** One fibre: from the pupil outwards, slightly bent, with random length and weight. */
function ray(angle: number, reach: number, chance: () => number): string {
  const from = 154 + chance() * 16;
  const to = from + reach * 0.6 + chance() ** 2 * reach * 1.2;
  const bend = (chance() - 0.5) * 0.22;
  const [x1, y1] = point(angle, from);
  const [cx, cy] = point(angle + bend, (from + to) / 2);
  const [x2, y2] = point(angle + bend * 0.4, to);
  return `<path d="M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}" stroke-width="${(0.6 + chance() * 2).toFixed(2)}" opacity="${(0.25 + chance() * 0.75).toFixed(2)}"/>`;
}

function point(angle: number, radius: number): [string, string] {
  return [(MIDDLE + Math.cos(angle) * radius).toFixed(1), (MIDDLE + Math.sin(angle) * radius).toFixed(1)];
}

/** Pseudo-random numbers from 0 to 1, the same each time. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}
