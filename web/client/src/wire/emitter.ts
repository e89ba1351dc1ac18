// Listeners by event. An error of one listener does not affect the others.

export type Listener<Args extends readonly unknown[]> = (...args: Args) => void;

export class Emitter<Events extends { readonly [name in keyof Events]: readonly unknown[] }> {
  readonly #listeners = new Map<keyof Events, Set<unknown>>();

  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    const known = this.#listeners.get(name);
    if (known === undefined) this.#listeners.set(name, new Set([listener]));
    else known.add(listener);
  }

  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    this.#listeners.get(name)?.delete(listener);
  }

  emit<Name extends keyof Events>(name: Name, ...args: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        (listener as Listener<Events[Name]>)(...args);
      } catch (error) {
        console.error(error);
      }
    }
  }
}
