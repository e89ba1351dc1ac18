// Using the desktop by hand: a real mouse, a real keyboard, and a phone-sized screen.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Desktop } from "../stage/desktop.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

const BAR = { x: 200, y: 20 };

let stage: Stage;
let desktop: Desktop;

before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());
beforeEach(async () => {
  desktop = await Desktop.open(stage);
});
afterEach(() => desktop.close());

const frame = (id: number): string => `.window[data-window='${String(id)}']`;
const focused = (): Promise<string | null> =>
  desktop.page.evaluate(
    () => document.activeElement?.getAttribute("data-app") ?? document.activeElement?.tagName ?? null,
  );
/** Ordered from bottom to top. */
const order = (): Promise<(string | undefined)[]> =>
  desktop.page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>(".window:not(.is-minimized)")]
      .sort((a, b) => Number(a.style.zIndex) - Number(b.style.zIndex))
      .map((one) => one.dataset.app),
  );

test("a window is dragged by its bar, and its place is in the state", async () => {
  await desktop.page.click(".desktop-icon[data-app=files]");
  const from = await desktop.box(frame(0));
  await desktop.drag(`${frame(0)} .window-bar`, BAR, [120, 60]);
  const to = { ...from, x: from.x + 120, y: from.y + 60 };
  assert.deepEqual(await desktop.box(frame(0)), to);
  await desktop.shows("the state has it", ({ windows: [row] }) =>
    row?.x === to.x && row.y === to.y ? true : undefined,
  );
});

test("a window never leaves the screen", async () => {
  await desktop.page.click(".desktop-icon[data-app=files]");
  await desktop.drag(`${frame(0)} .window-bar`, BAR, [-2000, -2000]);
  const { x, y } = await desktop.box(frame(0));
  assert.deepEqual([x, y], [0, 0]);
  await desktop.drag(`${frame(0)} .window-bar`, BAR, [2000, 2000]);
  const low = await desktop.box(frame(0));
  const bar = await desktop.box(".taskbar");
  assert.equal(low.x + low.width, 1280);
  assert.ok(low.y + low.height <= bar.y, "it stays above the bar");
  await desktop.page.setViewportSize({ width: 900, height: 600 });
  // The page learns its new size with its next frame.
  await until("it fits the smaller screen", async () => {
    const fitted = await desktop.box(frame(0));
    return (fitted.x + fitted.width <= 900 && fitted.y + fitted.height <= 600) || undefined;
  });
});

test("a window is resized by its edges, down to a size that is still of use", async () => {
  await desktop.page.click(".desktop-icon[data-app=files]");
  const from = await desktop.box(frame(0));
  await desktop.drag(`${frame(0)} .window-edge-se`, { x: 7, y: 7 }, [60, 40]);
  assert.deepEqual(await desktop.box(frame(0)), { ...from, width: from.width + 60, height: from.height + 40 });
  await desktop.drag(`${frame(0)} .window-edge-w`, { x: 4, y: 50 }, [-50, 0]);
  assert.deepEqual(await desktop.box(frame(0)), {
    ...from,
    x: from.x - 50,
    width: from.width + 110,
    height: from.height + 40,
  });
  await desktop.drag(`${frame(0)} .window-edge-nw`, { x: 7, y: 7 }, [2000, 2000]);
  const { width, height, x, y } = await desktop.box(frame(0));
  assert.deepEqual([width, height], [260, 180]);
  assert.deepEqual(
    [x + width, y + height],
    [from.x + from.width + 60, from.y + from.height + 40],
    "the opposite corner stays",
  );
});

test("the window that is pressed comes to the front", async () => {
  await desktop.page.click(".desktop-icon[data-app=files]");
  await desktop.page.click(".desktop-icon[data-app=chat]");
  assert.deepEqual(await order(), ["files", "chat"]);
  const { x, y } = await desktop.box(frame(0));
  await desktop.page.mouse.click(x + 30, y + 20);
  assert.deepEqual(await order(), ["chat", "files"]);
  await desktop.shows("the state says so", ({ activeWindow }) => (activeWindow === 0 ? true : undefined));
  const covered = await desktop.box(frame(1));
  const top = await desktop.page.evaluate(
    ([x, y]) => document.elementFromPoint(x, y)?.closest<HTMLElement>(".window")?.dataset.app,
    [covered.x + 30, covered.y + 60] as const,
  );
  assert.equal(top, "files", "and is what the mouse meets where the two overlap");
});

test("a window is minimised, brought back from the bar, maximised, restored and closed", async () => {
  await desktop.page.click(".desktop-icon[data-app=files]");
  await desktop.page.click(".desktop-icon[data-app=chat]");
  const from = await desktop.box(frame(0));
  await desktop.page.click(".task[data-window='0']");
  await desktop.page.click(`${frame(0)} .window-minimise`);
  await desktop.shows("it is minimised, and the other has the keyboard", ({ windows: [row], activeWindow }) =>
    row?.minimized === true && activeWindow === 1 ? true : undefined,
  );
  await desktop.page.locator(frame(0)).waitFor({ state: "hidden" });
  await desktop.page.click(".task[data-window='0']");
  await desktop.shows("it is back", ({ windows: [row], activeWindow }) =>
    row?.minimized === false && activeWindow === 0 ? true : undefined,
  );
  await desktop.page.dblclick(`${frame(0)} .window-bar`, { position: BAR });
  assert.deepEqual(await desktop.box(frame(0)), await desktop.box(".windows"));
  await desktop.page.click(`${frame(0)} .window-maximise`);
  assert.deepEqual(await desktop.box(frame(0)), from);
  await desktop.page.click(`${frame(0)} .window-close`);
  await desktop.shows("it is gone", ({ windows, activeWindow }) =>
    windows.length === 1 && activeWindow === 1 ? true : undefined,
  );
  assert.equal(await desktop.page.locator(".task").count(), 1);
});

test("a maximised window that is dragged takes its own size again, under the pointer", async () => {
  await desktop.page.click(".desktop-icon[data-app=files]");
  const { width, height } = await desktop.box(frame(0));
  await desktop.page.click(`${frame(0)} .window-maximise`);
  await desktop.drag(`${frame(0)} .window-bar`, { x: 640, y: 20 }, [0, 100]);
  assert.deepEqual(await desktop.box(frame(0)), { x: 640 - width / 2, y: 100, width, height });
});

test("after a reload the windows are where they were, and in their order", async () => {
  for (const app of ["files", "chat", "agents"]) await desktop.page.click(`.desktop-icon[data-app=${app}]`);
  await desktop.drag(`${frame(0)} .window-bar`, { x: 60, y: 20 }, [40, 30]);
  for (let press = 0; press < 2; press++) await desktop.page.click(".task[data-window='2']");
  const rows = (
    await desktop.shows("all is told", (state) => (state.windows[2]?.minimized === true ? state : undefined))
  ).windows;
  const before = await order();
  await desktop.reload();
  assert.deepEqual(await order(), before);
  const again = (await desktop.shows("all is there", (state) => (state.windows.length === 3 ? state : undefined)))
    .windows;
  const places = (all: readonly { title: string }[]): unknown[] =>
    all.map((row) => ({ ...row, id: 0 })).sort((a, b) => a.title.localeCompare(b.title));
  assert.deepEqual(places(again), places(rows));
});

test("icons are walked with the arrows and opened with Enter; Escape closes the window", async () => {
  await desktop.page.keyboard.press("Tab");
  assert.equal(await focused(), "chat");
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await desktop.page.keyboard.press(key);
  assert.equal(await focused(), "files");
  await desktop.page.keyboard.press("End");
  assert.equal(await focused(), "javascript.ide");
  await desktop.page.keyboard.press("Home");
  await desktop.page.keyboard.press("ArrowDown");
  const ring = await desktop.page.evaluate(
    () => document.activeElement !== null && getComputedStyle(document.activeElement).outlineStyle,
  );
  assert.equal(ring, "solid", "it is seen where the keyboard is");
  await desktop.page.keyboard.press("Enter");
  await desktop.page.locator(frame(0)).waitFor();
  await desktop.page.keyboard.press("Escape");
  await desktop.page.locator(frame(0)).waitFor({ state: "detached" });
});

test("the start menu finds an app by a few letters", async () => {
  await desktop.page.focus("#start-button");
  await desktop.page.keyboard.press("Enter");
  await desktop.page.keyboard.type("cal");
  assert.deepEqual(await desktop.page.locator(".start-app b").allTextContents(), ["Calendar"]);
  await desktop.page.keyboard.press("Enter");
  await desktop.page.locator(".window[data-app=calendar]").waitFor();
  assert.equal(await desktop.page.locator("#start-menu").isVisible(), false);
  await desktop.page.click("#start-button");
  await desktop.page.keyboard.press("ArrowDown");
  await desktop.page.keyboard.press("ArrowDown");
  assert.equal(await focused(), "files");
  await desktop.page.keyboard.press("Escape");
  assert.equal(await desktop.page.locator("#start-menu").isVisible(), false);
  assert.equal(await desktop.page.evaluate(() => document.activeElement?.id), "start-button");
});

test("a window is moved, resized and closed without a mouse; F6 goes to the next one", async () => {
  await desktop.page.click(".desktop-icon[data-app=files]");
  const { x, y, width, height } = await desktop.box(frame(0));
  await desktop.page.focus(frame(0));
  await desktop.page.keyboard.press("ArrowRight");
  await desktop.page.keyboard.press("ArrowDown");
  await desktop.page.keyboard.press("Shift+ArrowRight");
  assert.deepEqual(await desktop.box(frame(0)), { x: x + 16, y: y + 16, width: width + 16, height });
  await desktop.page.click(".desktop-icon[data-app=agents]");
  assert.deepEqual(await order(), ["files", "agents"]);
  await desktop.page.keyboard.press("F6");
  assert.deepEqual(await order(), ["agents", "files"]);
  await desktop.page.keyboard.press("Control+w");
  await desktop.page.locator(frame(0)).waitFor({ state: "detached" });
  assert.deepEqual(await order(), ["agents"]);
});

test("what is not saved is not lost by a key, nor by the mouse; saved, it is there for an agent", async () => {
  await desktop.page.click(".desktop-icon[data-app=notepad]");
  await desktop.page.keyboard.type("remember the milk");
  await desktop.page.keyboard.press("Escape");
  await desktop.page.keyboard.press("Escape");
  const question = desktop.page.getByRole("alertdialog", { name: "Not saved" });
  await question.waitFor();
  await desktop.page.keyboard.press("Enter");
  await question.waitFor({ state: "detached" });
  await desktop.page.click(`${frame(0)} .window-close`);
  await question.getByRole("button", { name: "Keep" }).click();
  await desktop.page.focus(`${frame(0)} textarea`);
  await desktop.page.keyboard.press("Control+s");
  assert.equal(await desktop.output("call", "read_file", "path=untitled.txt"), "remember the milk");
  await desktop.page.keyboard.type("!");
  await desktop.page.click(`${frame(0)} .window-close`);
  await question.getByRole("button", { name: "Discard" }).click();
  await desktop.page.locator(frame(0)).waitFor({ state: "detached" });
  assert.equal(await desktop.output("call", "read_file", "path=untitled.txt"), "remember the milk");
});

test("folders and files open; a note on a day is kept in a file", async () => {
  await desktop.page.click(".desktop-icon[data-app=files]");
  await desktop.page.click(".file-row[data-path=notes]");
  await desktop.page.click(".file-row[data-path='notes/ideas.md']");
  assert.match(await desktop.page.locator(".window.is-active textarea").inputValue(), /^Ideas/);
  await desktop.page.click(".desktop-icon[data-app=calendar]");
  await desktop.page.focus(".day-cell[aria-pressed=true]");
  await desktop.page.keyboard.press("ArrowRight");
  const day = await desktop.page.evaluate(() => document.activeElement?.getAttribute("data-day") ?? "");
  await desktop.page.fill(".day .field", "dentist");
  await desktop.page.keyboard.press("Enter");
  assert.deepEqual(JSON.parse(await desktop.output("call", "read_file", "path=calendar.json")), { [day]: ["dentist"] });
});

test("javascript.ide runs code in the page and shows what it throws", async () => {
  await desktop.page.click(".desktop-icon[data-app='javascript.ide']");
  await desktop.page.keyboard.press("Control+Enter");
  await desktop.page.locator(".console", { hasText: "root has 1 window(s) open" }).waitFor();
  await desktop.page.locator(".is-code").fill("nope");
  await desktop.page.keyboard.press("Control+Enter");
  await desktop.page.locator(".console .is-failed", { hasText: "nope is not defined" }).waitFor();
});

test("who reads and does not look finds the same things by their names", async () => {
  const apps = desktop.page.getByRole("navigation", { name: "Apps" }).getByRole("button");
  assert.deepEqual(await apps.evaluateAll((all) => all.length), 7);
  await desktop.page.getByRole("button", { name: "javascript.ide", exact: true }).click();
  await desktop.page.getByRole("button", { name: "Calendar", exact: true }).click();
  const calendar = desktop.page.getByRole("dialog", { name: "Calendar", exact: true });
  const today = new Date().toLocaleDateString("en-US", { day: "numeric", month: "long" });
  assert.equal(await calendar.getByRole("button", { name: today, exact: true }).getAttribute("aria-current"), "date");
  await desktop.page
    .getByRole("toolbar", { name: "Open windows" })
    .getByRole("button", { name: "javascript.ide", exact: true })
    .click();
  await desktop.page
    .getByRole("dialog", { name: "javascript.ide" })
    .getByRole("button", { name: "Close", exact: true })
    .click();
  await desktop.page.getByRole("button", { name: "Activity", exact: true }).click();
  const may = desktop.page.getByRole("switch", { name: "Agents may act" });
  assert.equal(await may.getAttribute("aria-checked"), "true");
  await may.press("Space");
  assert.equal(await may.getAttribute("aria-checked"), "false");
  await desktop.page.getByRole("button", { name: "Activity: agents are paused" }).waitFor();
});

test("on a phone windows are sheets above the bar, and one tap is enough", async () => {
  const phone = await Desktop.open(stage, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await phone.page.tap(".desktop-icon[data-app=chat]");
  const bar = await phone.box(".taskbar");
  const sheet = await phone.box(frame(0));
  assert.deepEqual([sheet.x, sheet.y, sheet.width], [0, 0, 390]);
  assert.ok(sheet.y + sheet.height <= bar.y, "the bar stays");
  await phone.shows("the state has what is seen", ({ windows: [row] }) =>
    row?.width === 390 && row.height === sheet.height ? true : undefined,
  );
  await phone.page.tap(".chat-form input");
  await phone.page.keyboard.type("hello");
  await phone.page.tap(".chat-form button");
  assert.equal(await phone.page.locator(".chat-line.is-mine p").textContent(), "hello");
  await phone.page.tap(`${frame(0)} .window-close`);
  await phone.page.tap("#start-button");
  const menu = await phone.box("#start-menu");
  assert.ok(menu.x >= 0 && menu.x + menu.width <= 390 && menu.y >= 0, JSON.stringify(menu));
  assert.equal(
    await phone.page.evaluate(() => document.documentElement.scrollWidth),
    390,
    "nothing is wider than the screen",
  );
  await phone.close();
});

test("with reduced motion nothing takes time", async () => {
  const calm = await Desktop.open(stage, { reducedMotion: "reduce" });
  await calm.page.click(".desktop-icon[data-app=files]");
  const longest = await calm.page.evaluate(() =>
    Math.max(0, ...document.getAnimations().map((one) => Number(one.effect?.getComputedTiming().duration ?? 0))),
  );
  assert.ok(longest <= 1, `${String(longest)} ms`);
  await calm.close();
});
