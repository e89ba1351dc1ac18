// Frame times of the geometry map while a mouse drags it, next to an empty page that only counts its frames; in one
// browser, in turns. `node bench/panning.mjs [--quick]`; EYE_BIN names the binary.

import { load } from "../../harness/load.mjs";
import { table } from "./table.mjs";

const rounds = process.argv.includes("--quick") ? 2 : 5;
const FRAMES = 120;
const { Stage, GeometryTab } = await load("e2e/stage/stage.js", "e2e/stage/geometry.js");

const stage = await Stage.open();
const empty = await stage.context.newPage();
await empty.setContent("<!doctype html><canvas width=640 height=480></canvas>");
const { page } = await GeometryTab.open(stage, "panning");

/** The times between frames of a page while `move` acts on it. */
async function frames(page, move) {
  await page.bringToFront();
  const counted = page.evaluate(
    (count) =>
      new Promise((resolve) => {
        const times = [];
        let last = performance.now();
        const frame = () => {
          const now = performance.now();
          times.push(now - last);
          last = now;
          if (times.length > count) resolve(times.slice(1));
          else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
    FRAMES,
  );
  let done = false;
  void counted.finally(() => (done = true));
  for (let step = 0; !done; step += 1) await move(step);
  return counted;
}

/** About one mouse move per frame, in circles. */
const circling = (page) => (step) => page.mouse.move(320 + 150 * Math.cos(step / 9), 240 + 150 * Math.sin(step / 9));

const series = { empty: [], "zoom 1": [], "zoom 0.25": [], "zoom 4": [] };
for (let round = 0; round < rounds; round += 1) {
  series.empty.push(...(await frames(empty, circling(empty))));
  for (const zoom of [1, 0.25, 4]) {
    await page.evaluate((zoom) => globalThis.invokeWebMCPTool("navigate_map", { x: 3, y: 3, zoom }), zoom);
    await page.mouse.move(470, 240);
    await page.mouse.down();
    series[`zoom ${zoom}`].push(...(await frames(page, circling(page))));
    await page.mouse.up();
  }
}
await stage.close();

const at = (times, part) => [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * part)];
const rows = Object.entries(series).map(([name, times]) => [
  name === "empty" ? "an empty page" : `the map, dragged at ${name}`,
  at(times, 0.5).toFixed(1),
  at(times, 0.95).toFixed(1),
  at(times, 1).toFixed(1),
  (at(times, 0.5) / at(series.empty, 0.5)).toFixed(2),
]);
table(
  `Frame times while panning (ms, ${rounds} rounds of ${FRAMES} frames each, headless, painted by the CPU)`,
  ["page", "p50", "p95", "longest", "× empty"],
  rows,
);
