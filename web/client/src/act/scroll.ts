// Scrolls the page, or what scrolls around an element, and says where it is then.

import { misused, type Params } from "../page/verb.js";

const PAGE_PART = 0.8;

/** Scrolls, and returns how to say where it is; what loads or draws by scrolling does so in a later frame. */
export function scroll(element: Element | undefined, { by, to }: Params): () => string {
  const box = scrolling(element);
  const page = to === "up" ? -PAGE_PART : PAGE_PART;
  if (element !== undefined && by === undefined && to === undefined)
    element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  else if (by !== undefined) {
    const [left, top] = pair(by, "by");
    box.scrollBy({ left, top, behavior: "instant" });
  } else if (to === "top" || to === "bottom")
    box.scrollTo({ top: to === "top" ? 0 : box.scrollHeight, behavior: "instant" });
  else if (to !== undefined && to !== "up" && to !== "down") {
    const [left, top] = pair(to, "to");
    box.scrollTo({ left, top, behavior: "instant" });
  } else box.scrollBy({ top: box.clientHeight * page, behavior: "instant" });
  return () => {
    const { scrollTop, scrollLeft, scrollHeight, clientHeight } = box;
    const end = scrollTop + clientHeight >= scrollHeight - 1;
    return `at ${Math.round(scrollTop)} of ${Math.max(0, scrollHeight - clientHeight)} px${scrollLeft > 0 ? `, ${Math.round(scrollLeft)} px right` : ""}${end ? ", the end" : ""}`;
  };
}

function scrolling(element: Element | undefined): Element {
  for (let at = element; at !== undefined; at = at.parentElement ?? undefined) {
    const { overflowY, overflowX } = getComputedStyle(at);
    if (
      (/auto|scroll/.test(overflowY) && at.scrollHeight > at.clientHeight) ||
      (/auto|scroll/.test(overflowX) && at.scrollWidth > at.clientWidth)
    )
      return at;
  }
  return (element?.ownerDocument ?? document).scrollingElement ?? document.documentElement;
}

function pair(value: unknown, name: string): [number, number] {
  const [x, y] = Array.isArray(value) ? (value as unknown[]) : [0, value];
  if (typeof x !== "number" || typeof y !== "number") throw misused(`${name} is [x, y] in pixels`);
  return [x, y];
}
