// Calls between the two halves of a driven page's client. They share the window's DOM but no JavaScript objects, so a
// call is an event with a secret name that carries JSON and elements. A call runs synchronously and returns the other
// half's result. Values from the page's own world are under the page's control.

/** The functions that a half offers to the other. */
export type Functions = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

export interface Channel {
  /** `undefined` if the other half is not there, has no such function, or fails. */
  call(name: string, ...args: readonly unknown[]): unknown;
}

/** The key that marks an element in the JSON. */
const ELEMENT = "eye:element";

type Half = "page" | "hands";

/** The event target. `document.open()` removes the listeners of document and window, but not these. */
const where: EventTarget = performance;

export function channelAs(half: Half, name: string, functions: Functions): Channel {
  const other: Half = half === "page" ? "hands" : "page";
  /** The other half's answer to the current call. */
  let answer: unknown;
  const mine = document;

  where.addEventListener(`${name}.${half}`, (event) => {
    // The first document of a popup is replaced in the same window by another one, with its own client.
    if (document !== mine) return;
    let result: unknown;
    try {
      const [wanted, ...args] = read(event) as readonly [string, ...unknown[]];
      result = Object.hasOwn(functions, wanted) ? functions[wanted]?.(...args) : undefined;
    } catch {
      // The calling half gets `undefined`.
    }
    where.dispatchEvent(written(`${name}.${other}.said`, result ?? null));
  });
  where.addEventListener(`${name}.${half}.said`, (event) => {
    try {
      answer = read(event) ?? undefined;
    } catch {
      answer = undefined;
    }
  });

  return {
    call(wanted, ...args) {
      const before = answer;
      answer = undefined;
      where.dispatchEvent(written(`${name}.${other}`, [wanted, ...args]));
      const mine = answer;
      answer = before;
      return mine;
    },
  };
}

/** An `InputEvent`: its data and target ranges are all that passes unchanged from one world to the other. */
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

/** An element of any window. */
function isElement(value: unknown): value is Element {
  return (value as { nodeType?: unknown } | null | undefined)?.nodeType === 1;
}
