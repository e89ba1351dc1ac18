// Assembles the page: the map and its view, gestures and windows, the eight tools, and the agents that share it.

import { showStatus } from "../../scene/src/status.js";
import { Agents, isAlive } from "./agents.js";
import { geometryOSApp, type GeometryOSApp } from "./app.js";
import { MockBackends } from "./backends/mock.js";
import { RealBackends } from "./backends/real.js";
import { announceReady, publishBridge } from "./bridge.js";
import { Cartridges } from "./cartridge/cartridges.js";
import { Dock } from "./dock.js";
import { element } from "./element.js";
import { findEye } from "./eye.js";
import { messageOf } from "./failure.js";
import { Coast } from "./hands/coast.js";
import { Gestures } from "./hands/gestures.js";
import { mapKeys } from "./hands/keys.js";
import { FRAMEBUFFER } from "./machine/machine.js";
import { GRID_PIXELS, REGIONS, showing } from "./map/camera.js";
import { Meter } from "./map/meter.js";
import { Overlay, type Framed } from "./map/overlay.js";
import { PixelMap, type Layer, type Rect } from "./map/pixel-map.js";
import { View } from "./map/view.js";
import { Viewport } from "./map/viewport.js";
import { hearAgents, offer } from "./offer.js";
import { Readout } from "./readout.js";
import { settingsOf } from "./settings.js";
import { Desk } from "./tools/desk.js";
import { TOOLS } from "./tools/table.js";
import type { System } from "./tools/tool.js";
import { AgentsPanel } from "./windows/agents-panel.js";
import { CartridgesPanel } from "./windows/cartridges-panel.js";
import { ConsolePanel } from "./windows/console-panel.js";
import { LabPanel } from "./windows/lab-panel.js";
import { StatePanel } from "./windows/state-panel.js";
import { Windows } from "./windows/windows.js";

const NARROW = "(max-width: 640px)";

const settings = settingsOf(location.href);
const eye = findEye();
const isCalm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
const isConnected = (): boolean => eye?.connected === true;

const [ground, over] = [element("#map", HTMLCanvasElement), element("#over", HTMLCanvasElement)];
const viewport = new Viewport(REGIONS.origin, () => ({ width: ground.clientWidth, height: ground.clientHeight }));
const map = new PixelMap();
const meter = new Meter();
const cartridges = new Cartridges(map);
const agents = new Agents();
const backends = settings.mock
  ? new MockBackends()
  : new RealBackends(settings.backends, () => (eye?.session === "" ? undefined : eye?.session));
let screen: Layer | undefined;

const overlay = new Overlay(framed, isCalm);
const view = new View(
  map,
  viewport,
  meter,
  { ground, over },
  (context, camera, size) => overlay.draw(context, camera, size),
  isCalm,
);
const windows = new Windows(element("#windows", HTMLElement), area, () => matchMedia(NARROW).matches);

const system: System = {
  viewport,
  map,
  cartridges,
  agents,
  backends,
  meter,
  windows: () => windows.rows,
  isConnected,
  calls: () => desk.counts,
  mark(x, y) {
    overlay.mark(x, y);
    view.ask();
  },
  say: (text) => consolePanel.say(text),
  showFramebuffer,
};
const desk = new Desk(
  TOOLS,
  () => system,
  (called) => {
    consolePanel.called(called);
    statePanel.show();
    // The hub does not see calls by WebMCP or by the page's own code, so the state change is reported here.
    eye?.changed();
  },
);

const statePanel = new StatePanel(system);
const consolePanel = new ConsolePanel((program) => void desk.invoke("execute_pixel_program", { program }));
const agentsPanel = new AgentsPanel(agents, {
  spawn: (agent_type) => void desk.invoke("spawn_area_agent", { agent_type, region: inView() }),
  order: (agentId, order) => void orderAgent(agentId, order),
  show: ({ region }) => show(region),
});
const cartridgesPanel = new CartridgesPanel(cartridges, {
  load: (url) => void desk.invoke("load_rts_cartridge", { url }),
  show: ({ layer }) => show(layer),
});
const labPanel = new LabPanel({
  call: (tool, args) => desk.invoke(tool, args),
  async load(url) {
    const reply = await desk.invoke("load_rts_cartridge", { url });
    const [newest] = cartridges.all.slice(-1);
    if (newest !== undefined) show(newest.layer);
    return reply;
  },
});
windows.add({
  id: "state",
  title: "State",
  content: statePanel.content,
  rect: { x: 16, y: 88, width: 284, height: 320 },
  shown: () => statePanel.show(),
});
windows.add({
  id: "console",
  title: "Console",
  content: consolePanel.content,
  shown: () => consolePanel.shown(),
  rect: { x: 16, y: 420, width: 420, height: 300 },
});
windows.add({
  id: "agents",
  title: "Agents",
  content: agentsPanel.content,
  rect: { x: 10_000, y: 88, width: 320, height: 316 },
});
windows.add({
  id: "cartridges",
  title: "Cartridges",
  content: cartridgesPanel.content,
  rect: { x: 10_000, y: 412, width: 320, height: 300 },
});

windows.add({
  id: "lab",
  title: "Lab",
  content: labPanel.content,
  rect: { x: 330, y: 88, width: 380, height: 420 },
});

const readout = new Readout(element("#readout", HTMLElement), map, viewport, () => overlay.shown.gridSize);
const coast = new Coast(viewport, isCalm, () => eye?.changed());
new Gestures(ground, viewport, coast, (point) => readout.point(point));
const dock = new Dock({
  viewport,
  windows,
  overlay,
  meter,
  changed() {
    readout.show();
    view.ask();
  },
  visit: (region) => void desk.invoke("navigate_map", { region }),
  figured: () => {
    if (windows.isOpen("state")) statePanel.show();
  },
});
mapKeys(ground, viewport, { grid: () => dock.toggle("grid"), curve: () => dock.toggle("curve") }, () =>
  readout.point(undefined),
);

viewport.watch(moved);
map.watch(() => readout.show());
for (const part of [cartridges, agents]) {
  part.watch(() => {
    view.ask();
    statePanel.show();
    eye?.changed();
  });
}
windows.watch(() => {
  dock.show();
  eye?.changed();
});
moved();
if (!matchMedia(NARROW).matches) windows.open("state");

if (settings.mock) element("#mock", HTMLElement).hidden = false;
showStatus(element("#status", HTMLElement), eye);
void ready();

/** The page is complete before it is announced, and tools are offered before they are reported ready. */
async function ready(): Promise<void> {
  (globalThis as { geometryOSApp?: GeometryOSApp }).geometryOSApp = geometryOSApp(
    map,
    viewport,
    cartridges,
    () => windows.rows,
    settings.mock,
  );
  let isRegistered = false;
  publishBridge(desk, settings.mock, () => isRegistered, isConnected);
  dispatchEvent(new CustomEvent("geometry-os-ready"));
  if (eye !== undefined) {
    await offer(eye, desk, system);
    isRegistered = true;
  }
  announceReady(desk, settings.mock);
  await hear();
}

/**
 * The hub publishes agent events on topics, to this page and to agents; other backends send them only over their own
 * connection.
 */
async function hear(): Promise<void> {
  if (settings.mock || settings.elsewhere || eye === undefined) {
    backends.onAgentEvent((event) => agents.heard(event, Date.now()));
    return;
  }
  try {
    await hearAgents(eye, agents, () => backends.agents());
  } catch (error) {
    // The page also works with a hub without area agents; spawning one then fails with a reason.
    console.info(`geometry: no area agents are known: ${messageOf(error)}`);
  }
}

async function orderAgent(agentId: string, order: "pause" | "resume" | "stop"): Promise<void> {
  try {
    agents.turned(agentId, await backends.order(agentId, order));
  } catch (error) {
    consolePanel.say(`${order} ${agentId}: ${messageOf(error)}`);
    windows.open("console");
  }
}

function framed(): readonly Framed[] {
  return [
    ...(screen === undefined ? [] : [{ ...screen, label: "framebuffer", kind: "program" } as const]),
    ...cartridges.all.map(({ layer, name }) => ({ ...layer, label: name, kind: "cartridge" }) as const),
    ...agents.all
      .filter(isAlive)
      .map(
        ({ region, agentType, status }) => ({ ...region, label: `${agentType} · ${status}`, kind: "agent" }) as const,
      ),
  ];
}

/** A program's picture is shown at the system console's position, below all cartridges that are placed later. */
function showFramebuffer(rgba: Uint8ClampedArray): void {
  if (screen !== undefined) map.take(screen);
  const { x, y } = REGIONS.system_console;
  screen = { picture: { ...FRAMEBUFFER, rgba }, scale: 1, x: x * GRID_PIXELS, y: y * GRID_PIXELS, ...FRAMEBUFFER };
  map.put(screen);
}

function show({ x, y, width, height }: Rect): void {
  viewport.goTo(showing({ left: x, top: y, right: x + width, bottom: y + height }, viewport.size), "gliding");
  eye?.changed();
}

function inView(): Rect {
  const { left, top, right, bottom } = viewport.bounds ?? { left: 0, top: 0, right: 1, bottom: 1 };
  return { x: Math.floor(left), y: Math.floor(top), width: Math.ceil(right - left), height: Math.ceil(bottom - top) };
}

/** The part of the page that windows may cover. */
function area(): Rect {
  const bar = element("#dock", HTMLElement).offsetHeight;
  return { x: 8, y: 8, width: Math.max(1, innerWidth - 16), height: Math.max(1, innerHeight - bar - 40) };
}

function moved(): void {
  dock.moved();
  readout.show();
  if (windows.isOpen("state")) statePanel.show();
}
