// Reports the browser's own dialogs to the hub before they open: a dialog blocks the page until a person answers.

/**
 * `tell` gets `confirm: text` before a dialog opens, and an empty text when it is closed. It must send synchronously.
 */
export function watchDialogs(report: (dialog: string) => void): void {
  for (const name of ["alert", "confirm", "prompt"] as const) {
    const original = window[name] as (...args: unknown[]) => unknown;
    if (typeof original !== "function") continue;
    const watched = new Proxy(original, {
      apply(target, _, args: unknown[]) {
        report(`${name}: ${args[0] ?? ""}`);
        try {
          return Reflect.apply(target, window, args);
        } finally {
          report("");
        }
      },
    });
    Object.assign(window, { [name]: watched });
  }
}
