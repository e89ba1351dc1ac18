// Calls between the two halves of a driven page's client, which share what the browser made for the window and no
// object of JavaScript: events of a name that only they know, with JSON and elements. A call runs at once and gives
// what the other half returns.
// What comes from the page's own world is what the page wants it to be.

/** What a half does for the other. */
export type Functions = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

export interface Channel {
  /** `undefined` where the other half is not there, has no such function, or fails. */
  call(name: string, ...args: readonly unknown[]): unknown;
}

/** Stands for an element in the JSON. */
const ELEMENT = "eye:element";

type Half = "page" | "hands";

/** Where the events are. `document.open()` removes the listeners of document and window, and leaves these. */
const where: EventTarget = performance;

export function channelAs(half: Half, name: string, functions: Functions): Channel {
  const other: Half = half === "page" ? "hands" : "page";
  /** What the other half has said to the call that runs. */
  let said: unknown;
  const mine = document;

  where.addEventListener(`${name}.${half}`, (event) => {
    // The first document of a popup leaves its window to another, with another client.
    if (document !== mine) return;
    let result: unknown;
    try {
      const [wanted, ...args] = read(event) as readonly [string, ...unknown[]];
      result = Object.hasOwn(functions, wanted) ? functions[wanted]?.(...args) : undefined;
    } catch {
      // The half that called goes on without.
    }
    where.dispatchEvent(written(`${name}.${other}.said`, result ?? null));
  });
  where.addEventListener(`${name}.${half}.said`, (event) => {
    try {
      said = read(event) ?? undefined;
    } catch {
      said = undefined;
    }
  });

  return {
    call(wanted, ...args) {
      const before = said;
      said = undefined;
      where.dispatchEvent(written(`${name}.${other}`, [wanted, ...args]));
      const mine = said;
      said = before;
      return mine;
    },
  };
}

/** Nothing else of an event goes from one world to another as it is. */
function written(type: string, value: unknown): Event {
  const targetRanges: StaticRange[] = [];
  const data = JSON.stringify(value, (_, one: unknown) => {
    if (!isElement(one)) return one;
    const place = { startContainer: one, startOffset: 0, endContainer: one, endOffset: 0 };
    return { [ELEMENT]: targetRanges.push(new StaticRange(place)) - 1 };
  });
  return new InputEvent(type, { data, targetRanges });
}

function read(event: Event): unknown {
  const { data } = event as InputEvent;
  const ranges = (event as InputEvent).getTargetRanges();
  return JSON.parse(data ?? "null", (_, one: unknown) => {
    const at = (one as { [ELEMENT]?: unknown } | null)?.[ELEMENT];
    return typeof at === "number" ? ranges[at]?.startContainer : one;
  });
}

/** Of any window. */
function isElement(value: unknown): value is Element {
  return (value as { nodeType?: unknown } | null | undefined)?.nodeType === 1;
}
