// Assembles the page: the scene, its view, gestures and controls, and the agents that share it.

import { bindControls } from "./controls.js";
import { type Eye, findEye } from "./eye.js";
import { Gestures, type Sight } from "./hands/gestures.js";
import { lightKeys, listen, modelKeys } from "./hands/keys.js";
import { Reach } from "./hands/reach.js";
import { Turning } from "./hands/turning.js";
import { INITIAL, LIGHT_NAMES, type LightName } from "./model.js";
import { offer } from "./offer.js";
import { degrees, Readings, short } from "./readings.js";
import { type Message, Sharing, throttled } from "./share.js";
import { showStatus } from "./status.js";
import { Studio } from "./studio.js";
import { Toasts } from "./toasts.js";
import { View } from "./view/view.js";

const LABELS: Readonly<Record<LightName, string>> = { keyLight: "Key light", fillLight: "Fill light" };
const LIGHT_GROUND = 0.45;

function element<T extends HTMLElement>(selector: string, kind: new () => T): T {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the page has no ${selector}`);
  return found;
}

const studio = new Studio(INITIAL);
const eye = findEye();
const canvas = element("#view", HTMLCanvasElement);
const label = element("#label", HTMLElement);
let held: LightName | undefined;

const view = started();
const sight: Sight = { lightAt: (x, y) => view?.lightAt(x, y), hold };
const clock = { frame: requestAnimationFrame.bind(globalThis), cancel: cancelAnimationFrame.bind(globalThis) };
const isCalm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
const turning = new Turning(studio, clock, isCalm, () => eye?.changed());
const reach = new Reach(studio);

new Gestures(canvas, sight, turning, reach);
listen(canvas, modelKeys(turning, reach));
for (const light of LIGHT_NAMES) {
  const grip = element(`[data-light=${light}]`, HTMLButtonElement);
  listen(grip, lightKeys(light, reach));
  grip.addEventListener("focus", () => hold(light));
  grip.addEventListener("blur", () => hold(undefined));
}

bindControls(element("#controls", HTMLElement), studio, () => eye?.changed());
const readings = new Readings(element("#readings", HTMLElement));
studio.watch(show);
show();
showStatus(element("#status", HTMLElement), eye);

const address = new URLSearchParams(location.search);
const named = address.get("scene");
const session = address.get("sessionId") ?? eye?.session;
if (named !== null && eye !== undefined) void shareOverHub(eye, named);
else if (session !== undefined) {
  const tabs = new BroadcastChannel(`eye-scene-${session}`);
  const sharing = new Sharing(studio, (message) => tabs.postMessage(message));
  tabs.onmessage = ({ data }) => sharing.heard(data);
  sharing.ask();
}

if (eye !== undefined) {
  const toasts = new Toasts(element("#toasts", HTMLElement));
  offer(eye, studio, ({ name, title }) => toasts.show(name, title));
}

/** Pages in any browser whose address names this scene share it through the hub. */
async function shareOverHub(through: Eye, name: string): Promise<void> {
  const [topic, by] = [`scene/${name}`, crypto.randomUUID()];
  const tell = throttled((message) => void through.publish(topic, { ...message, by }, { queue: false }));
  const sharing = new Sharing(studio, tell);
  await through.subscribe(topic, (message) => {
    if ((message as Message | null)?.by !== by) sharing.heard(message);
  });
  sharing.ask();
}

/** Without WebGL there is no picture, but the scene and its tools work. */
function started(): View | undefined {
  try {
    return new View(canvas, studio);
  } catch (error) {
    console.error(error);
    const obstacle = element("#obstacle", HTMLElement);
    obstacle.textContent =
      "This browser shows no WebGL, so there is no picture. The scene and its tools work all the same.";
    obstacle.hidden = false;
    return undefined;
  }
}

function show(): void {
  const { background } = studio.scene;
  readings.show(studio.scene);
  document.documentElement.dataset.ground = brightness(background) > LIGHT_GROUND ? "light" : "dark";
  document.documentElement.style.background = background;
  tag();
}

function hold(light: LightName | undefined): void {
  held = light;
  view?.hold(light);
  tag();
}

/** Labels the light under the pointer, at its position. */
function tag(): void {
  label.hidden = held === undefined || view === undefined;
  if (held === undefined || view === undefined) return;
  const { azimuth, elevation, distance } = studio.scene[held].position;
  label.textContent = `${LABELS[held]} · ${degrees(azimuth)} ${degrees(elevation)} · ${short(distance)}`;
  const { x, y } = view.placeOf(held);
  const { width, height } = label.getBoundingClientRect();
  label.style.left = `${String(within(x, width / 2, canvas.clientWidth - width / 2))}px`;
  label.style.top = `${String(within(y, height / 2, canvas.clientHeight - height / 2))}px`;
}

function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

/** The perceived brightness of a colour, from 0 to 1. */
function brightness(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
