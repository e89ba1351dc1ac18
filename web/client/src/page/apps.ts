// The verbs `apps`, `open` and `send`: the page's own applications, offered with `eye.app`.

import { hint } from "../core/hint.js";
import { misused, textOf, type Params, type Verbs } from "./verb.js";

export interface App {
  readonly name: string;
  readonly title?: string | undefined;
  readonly icon?: string | undefined;
  open(): unknown;
  close?(): unknown;
  /** Receives messages from agents. */
  onMessage?(message: unknown, from: string): unknown;
}

export interface AppRow {
  readonly name: string;
  readonly title?: string | undefined;
  readonly icon?: string | undefined;
}

export interface Apps {
  readonly verbs: Verbs;
  /** The returned function removes the app. */
  app(app: unknown): () => void;
}

/** The original desktop's own interface to its applications. */
interface Original {
  readonly ALGO?: {
    readonly bridge?: { openApp?(id: string): unknown; getState?(): unknown };
    readonly pubsub?: { publish?(topic: string, message: unknown, options?: object, from?: string): unknown };
  };
  openSystemApp?(id: string): unknown;
}

interface Listed {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly icon?: unknown;
}

export function apps(): Apps {
  const offered = new Map<string, App>();
  const page = globalThis as Original;

  const rows = (): AppRow[] => {
    const own = [...offered.values()].map(({ name, title, icon }) => ({ name, title, icon }));
    return own.length > 0 ? own : originals(page);
  };

  const find = (wanted: string): App | undefined => {
    const same = ({ name, title }: AppRow): boolean =>
      [name, title].some((text) => text?.toLowerCase() === wanted.toLowerCase());
    const found = [...offered.values()].find(same);
    if (found !== undefined) return found;
    const original = originals(page).find(same);
    const open = page.ALGO?.bridge?.openApp ?? page.openSystemApp;
    if (open === undefined || (original === undefined && page.ALGO?.bridge?.getState !== undefined)) return undefined;
    const name = original?.name ?? wanted;
    return {
      name,
      open: () =>
        page.ALGO?.bridge?.openApp === undefined ? page.openSystemApp?.(name) : page.ALGO.bridge.openApp(name),
      onMessage: (message, from) => page.ALGO?.pubsub?.publish?.(name, message, { autoOpen: true }, from),
    };
  };

  const known = (params: Params): App => {
    const wanted = textOf(params, "app");
    const app = find(wanted);
    if (app !== undefined) return app;
    const names = rows().map(({ name }) => name);
    throw misused(`no app ${wanted}`, names.length === 0 ? hint("no-apps") : hint("apps", ...names));
  };

  return {
    app(app) {
      const { name, open } = (app ?? {}) as Partial<App>;
      if (typeof name !== "string" || name === "" || typeof open !== "function")
        throw new TypeError("an app needs a name and a function open()");
      offered.set(name, app as App);
      return () => {
        // A hot reload may have replaced it.
        if (offered.get(name) === app) offered.delete(name);
      };
    },
    verbs: {
      // JSON leaves out undefined members.
      apps: () => JSON.parse(JSON.stringify(rows())) as unknown,
      async open(params) {
        const app = known(params);
        return done(await app.open(), { opened: app.name });
      },
      async send(params, { agent }) {
        const app = known(params);
        if (app.onMessage === undefined) throw misused(`the app ${app.name} takes no messages`);
        return done(await app.onMessage(params.message, agent), { sent: app.name });
      },
    },
  };
}

/** The app's own result, or `what` if it has none. The original reports failures as results; these are thrown. */
function done(value: unknown, what: object): unknown {
  const { success, error } = (typeof value === "object" && value !== null ? value : {}) as {
    success?: unknown;
    error?: unknown;
  };
  if (success === false) throw misused(String(error));
  return isPlainData(value) ? value : what;
}

function isPlainData(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  return typeof value !== "object" || Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

function originals({ ALGO }: Original): AppRow[] {
  const state = (ALGO?.bridge?.getState?.() ?? {}) as { readonly result?: object };
  const { systemApps = [] } = (state.result ?? state) as { readonly systemApps?: readonly Listed[] };
  return systemApps.map(({ id, name, icon }) => ({
    name: String(id ?? name),
    title: name === undefined ? undefined : String(name),
    icon: typeof icon === "string" ? icon : undefined,
  }));
}
