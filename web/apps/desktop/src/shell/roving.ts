// Arrow keys between items in a row, a column or a grid: one of them is in the Tab order at a time.

/** Moves to the visually nearest item in the arrow's direction. */
export function roving(group: HTMLElement, selector: string): void {
  const items = (): HTMLElement[] =>
    [...group.querySelectorAll<HTMLElement>(selector)].filter((item) => item.getClientRects().length > 0);
  const settle = (on: HTMLElement | undefined): void => {
    for (const item of items()) item.tabIndex = item === on ? 0 : -1;
  };
  settle(items()[0]);
  group.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target.matches(selector)) settle(target);
  });
  group.addEventListener("keydown", (event) => {
    const from = document.activeElement;
    if (!(from instanceof HTMLElement) || !from.matches(selector)) return;
    const all = items();
    const to = event.key === "Home" ? all[0] : event.key === "End" ? all.at(-1) : nearest(from, all, event.key);
    if (to === undefined) return;
    event.preventDefault();
    to.focus();
  });
}

function nearest(from: HTMLElement, all: readonly HTMLElement[], key: string): HTMLElement | undefined {
  const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (direction === undefined) return undefined;
  const [x = 0, y = 0] = direction;
  const here = middle(from);
  const costs = all.flatMap((item) => {
    const there = middle(item);
    const along = (there.x - here.x) * x + (there.y - here.y) * y;
    const aside = Math.abs((there.x - here.x) * y) + Math.abs((there.y - here.y) * x);
    // An item that is further aside than ahead is not in this direction.
    return along > 1 && aside <= along * 2 ? [{ item, cost: along + aside * 3 }] : [];
  });
  return costs.toSorted((a, b) => a.cost - b.cost)[0]?.item;
}

function middle(element: HTMLElement): { readonly x: number; readonly y: number } {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}
