// The drawings of the desktop: lines on a grid of 24, in the colour of the surrounding text.

import { drawing } from "./el.js";

const LINES = {
  chat: '<path d="M5 5.5h14a2 2 0 0 1 2 2v7.5a2 2 0 0 1-2 2h-6.5L8 20.5V17H5a2 2 0 0 1-2-2V7.5a2 2 0 0 1 2-2z"/><path d="M7.5 9.7h9M7.5 12.9h5.5"/>',
  files:
    '<path d="M3 7.2a2 2 0 0 1 2-2h4.2l2.3 2.6H19a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z"/><path d="M3 11.2h18"/>',
  notepad:
    '<path d="M6.5 3.5h8.2l3.8 3.9V18.5a2 2 0 0 1-2 2h-10a2 2 0 0 1-2-2v-13a2 2 0 0 1 2-2z"/><path d="M14.5 3.7v4h4M8 12h8M8 15.7h5.5"/>',
  calendar:
    '<path d="M5 5.5h14a2 2 0 0 1 2 2V18a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7.5a2 2 0 0 1 2-2zM3 10h18M8 3.2v4M16 3.2v4"/>',
  agents:
    '<rect x="4.5" y="8" width="15" height="11" rx="3.5"/><path d="M12 8V4.8M9.3 12.5v1.6M14.7 12.5v1.6M2.2 12.5v3M21.8 12.5v3"/><circle cx="12" cy="3.7" r="1.1"/>',
  eyes: '<path d="M2 12c2.9-4.6 6.2-6.9 10-6.9S19.1 7.4 22 12c-2.9 4.6-6.2 6.9-10 6.9S4.9 16.6 2 12z"/><circle cx="12" cy="12" r="3.2"/>',
  code: '<path d="M8.5 7 3.5 12l5 5M15.5 7l5 5-5 5M13.5 5l-3 14"/>',
  file: '<path d="M7 3.5h7.5l4 4v11.5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 19V5A1.5 1.5 0 0 1 7 3.5z"/><path d="M14.3 3.7v4h4"/>',
  minimise: '<path d="M6 12.5h12"/>',
  maximise: '<rect x="6.5" y="6.5" width="11" height="11" rx="2"/>',
  restore: '<rect x="6" y="9" width="9" height="9" rx="2"/><path d="M9.5 6h6a2.5 2.5 0 0 1 2.5 2.5v6"/>',
  close: '<path d="m7 7 10 10M17 7 7 17"/>',
  pause: '<path d="M9 6.5v11M15 6.5v11"/>',
  play: '<path d="M8.5 6v12l9.5-6z"/>',
  send: '<path d="M12 19V5.5M6 11l6-6 6 6"/>',
  search: '<circle cx="11" cy="11" r="5.5"/><path d="m15.3 15.3 4 4"/>',
  left: '<path d="m14.5 6-6 6 6 6"/>',
  right: '<path d="m9.5 6 6 6-6 6"/>',
  plus: '<path d="M12 5.5v13M5.5 12h13"/>',
  user: '<circle cx="12" cy="8.5" r="3.7"/><path d="M5 19.5c.8-3.6 3.5-5.5 7-5.5s6.2 1.9 7 5.5"/>',
} as const;

export type IconName = keyof typeof LINES;

export function icon(name: IconName): SVGElement {
  return drawing(
    `<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${LINES[name]}</svg>`,
  );
}

/** The mark on the start button: a filled eye. */
export function mark(): SVGElement {
  return drawing(`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
    <path class="mark-white" d="M1.5 12C4.6 7.2 8 4.8 12 4.8s7.4 2.4 10.5 7.2c-3.1 4.8-6.5 7.2-10.5 7.2S4.6 16.8 1.5 12z"/>
    <circle class="mark-iris" cx="12" cy="12" r="4.7"/><circle class="mark-pupil" cx="12" cy="12" r="2.1"/><circle class="mark-glint" cx="13.7" cy="10.3" r="1"/>
  </svg>`);
}

/** The calendar's tile shows the current day. */
export function calendarLeaf(day: Date): SVGElement {
  const month = day.toLocaleDateString("en", { month: "short" }).toUpperCase();
  return drawing(`<svg class="leaf" viewBox="0 0 48 48" aria-hidden="true">
    <text x="24" y="15.5" text-anchor="middle" class="leaf-month">${month}</text>
    <text x="24" y="38" text-anchor="middle" class="leaf-day">${String(day.getDate())}</text>
  </svg>`);
}
