// Tells the hub of the browser's own dialogs: they stop the page, which could not say so any more, until a person
// answers.

/**
 * `tell` gets `confirm: text` before a dialog opens, and an empty text when it is over. It must not wait for a later
 * task.
 */
export function watchDialogs(tell: (dialog: string) => void): void {
  for (const name of ["alert", "confirm", "prompt"] as const) {
    const original = window[name] as (...args: unknown[]) => unknown;
    if (typeof original !== "function") continue;
    const watched = new Proxy(original, {
      apply(target, _, args: unknown[]) {
        tell(`${name}: ${args[0] ?? ""}`);
        try {
          return Reflect.apply(target, window, args);
        } finally {
          tell("");
        }
      },
    });
    Object.assign(window, { [name]: watched });
  }
}
