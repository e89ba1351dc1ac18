// Takes a picture of a granted tab without the debugger. The browser captures what a window shows, so the picture is
// taken only while that is this tab, and cropped to the requested area.

import { Refusal } from "./guard.js";
import type { Metrics } from "./relay.js";

/** The hub's request, with the debugger's names: `clip` in CSS pixels of the page, and the scale. */
export interface Wanted {
  readonly format: "png" | "jpeg" | "webp";
  readonly quality?: number;
  readonly clip: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly scale: number;
  };
}

/** The browser allows two pictures per second. */
const QUOTA = /MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND/;
const QUOTA_MS = 550;
const TRIES = 4;
const ACCESS = /activeTab|all_urls/;
/** Sizes are rounded. */
const ROUNDED_PX = 1;
const STRETCHED_MAX = 0.02;
const PERCENT = 100;
const CHUNK = 0x8000;

export async function capture(tabId: number, wanted: Wanted, measure: () => Promise<Metrics>): Promise<object> {
  const { windowId, active } = await chrome.tabs.get(tabId);
  if (!active) await chrome.tabs.update(tabId, { active: true });
  const before = await measure();
  const picture = await ofTab(tabId, windowId);
  const after = await measure();
  const bitmap = await createImageBitmap(await (await fetch(picture)).blob());
  const source = place(wanted, after, bitmap);
  if (before.pageX !== after.pageX || before.pageY !== after.pageY || before.width !== after.width)
    throw new Refusal("the page moved while its picture was taken");
  const { clip, format, quality } = wanted;
  const side = (length: number): number => Math.max(1, Math.round(length * clip.scale * after.density));
  const canvas = new OffscreenCanvas(side(clip.width), side(clip.height));
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("there is no room for a picture");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, ...source, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const options = { type: `image/${format}`, ...(quality === undefined ? {} : { quality: quality / PERCENT }) };
  return { data: base64(new Uint8Array(await (await canvas.convertToBlob(options)).arrayBuffer())) };
}

/** A capture of the window, if it shows this tab from the beginning to the end. */
async function ofTab(tabId: number, windowId: number): Promise<string> {
  let switched = false;
  const noted = (info: { windowId: number }): void => {
    switched ||= info.windowId === windowId;
  };
  for (let tries = 1; ; tries++) {
    if (!(await chrome.tabs.get(tabId)).active) throw new Refusal("another tab is in front of it");
    chrome.tabs.onActivated.addListener(noted);
    try {
      switched = false;
      const picture = await chrome.tabs.captureVisibleTab(windowId, { format: "png" });
      const tab = await chrome.tabs.get(tabId);
      if (switched || !tab.active || tab.windowId !== windowId) throw new Refusal("another tab came in front of it");
      return picture;
    } catch (error) {
      const why = String((error as Error).message);
      if (ACCESS.test(why)) throw new Refusal(NO_PICTURE);
      if (!QUOTA.test(why) || tries === TRIES) throw error;
    } finally {
      chrome.tabs.onActivated.removeListener(noted);
    }
    await new Promise((resolve) => setTimeout(resolve, QUOTA_MS));
  }
}

const NO_PICTURE =
  "without the debugger permission the browser gives a picture only of a tab that was granted by the eye's own button " +
  "in it, or where every site is allowed in the eye's screen";

/** The requested area in the picture: left, top, width and height in its pixels. */
export function place(
  { clip }: Wanted,
  { pageX, pageY, width, height, pinched }: Metrics,
  bitmap: { readonly width: number; readonly height: number },
): [x: number, y: number, width: number, height: number] {
  const factor = bitmap.width / width;
  // Masks are painted at the page's coordinates: if those differ from the picture's, a secret might stay visible.
  if (pinched !== 1 || Math.abs(bitmap.height / height / factor - 1) > STRETCHED_MAX)
    throw new Refusal("the page is zoomed in, so that what is secret in it cannot be found in a picture");
  const [x, y] = [clip.x - pageX, clip.y - pageY];
  const within =
    x >= -ROUNDED_PX &&
    y >= -ROUNDED_PX &&
    x + clip.width <= width + ROUNDED_PX &&
    y + clip.height <= height + ROUNDED_PX;
  if (!within)
    throw new Refusal(
      "without the debugger permission a picture shows what is in view: scroll there first (eye scroll)",
    );
  return [x * factor, y * factor, clip.width * factor, clip.height * factor];
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}
