// Listeners of document and window that outlive `document.open()`, which removes all of them there.

/** Each has one listener there, once. */
const kept = new Set<() => void>();
let observer: MutationObserver | undefined;

type Events = DocumentEventMap & WindowEventMap;

export function listen<Name extends keyof Events>(
  to: Document | Window,
  names: readonly Name[],
  heard: (event: Events[Name]) => void,
  options?: AddEventListenerOptions,
): void {
  if (observer === undefined) {
    // Opening a document empties it.
    observer = new MutationObserver(again);
    observer.observe(document, { childList: true });
  }
  for (const name of names) {
    const add = (): void => {
      // What wraps these functions, as zone.js does, may take it for still there.
      to.removeEventListener(name, heard as EventListener, options);
      to.addEventListener(name, heard as EventListener, options);
    };
    add();
    kept.add(add);
    options?.signal?.addEventListener("abort", () => kept.delete(add));
  }
}

function again(): void {
  try {
    for (const add of kept) add();
  } catch {
    // The page's own functions may be in these places; its call must not fail by them.
  }
}
