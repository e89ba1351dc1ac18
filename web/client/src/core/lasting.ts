// Listeners of document and window that survive `document.open()`, which removes all listeners.

/** Functions that add the listeners again, each one once. */
const kept = new Set<() => void>();
let observer: MutationObserver | undefined;

type Events = DocumentEventMap & WindowEventMap;

export function listen<Name extends keyof Events>(
  to: Document | Window,
  names: readonly Name[],
  listener: (event: Events[Name]) => void,
  options?: AddEventListenerOptions,
): void {
  if (observer === undefined) {
    // `document.open()` removes the document's children, which this notices.
    observer = new MutationObserver(again);
    observer.observe(document, { childList: true });
  }
  for (const name of names) {
    const add = (): void => {
      // Wrappers of these functions, such as zone.js, may still consider the listener added.
      to.removeEventListener(name, listener as EventListener, options);
      to.addEventListener(name, listener as EventListener, options);
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
    // The page may have replaced these functions; its `document.open()` must not fail because of them.
  }
}
