// The console's data as signals: the feed writes them, the views read them. Renders nothing.

import { signal } from "@preact/signals";
import { key, ConsoleConnection } from "./link";

export interface PageRow {
  readonly id: string;
  /** The hub that holds it, if not this one. */
  readonly hub?: string;
  readonly name?: string;
  readonly alias?: string;
  readonly title: string;
  readonly url: string;
  readonly origin: string;
  readonly state: "connected" | "away" | "gone";
  readonly visible: boolean;
  readonly eval: boolean;
  readonly hands: boolean;
  readonly tools: number;
  readonly pending: number;
  readonly revision?: number;
  readonly usedAt?: number;
  readonly usedBy?: string;
}

export interface AgentRow {
  readonly name: string;
  readonly face: string;
  readonly token?: string;
  readonly connections: number;
  readonly calls: number;
  readonly errors: number;
  readonly lastAt?: number;
}

export interface CallRow {
  readonly time: string;
  readonly agent?: string;
  readonly token?: string;
  readonly face?: string;
  readonly page?: string;
  readonly op?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly bytes?: number;
  readonly answered?: number;
  readonly hash?: string;
  readonly ending?: string;
  readonly code?: number;
  readonly us?: number;
  readonly args?: string;
  readonly dropped?: number;
}

export interface ServerRow {
  readonly name: string;
  readonly description?: string;
  readonly state: string;
  readonly why?: string;
  readonly tools?: number;
  readonly wantsLogin?: boolean;
}

/** A change of a server that waits for a person. `seen` identifies exactly what was shown. */
export interface WaitingRow {
  readonly kind: "entry" | "tools";
  readonly server: string;
  readonly folder: string;
  readonly seen: string;
  readonly command?: readonly string[];
  readonly entry?: object;
  readonly overOwn?: boolean;
  readonly tools?: readonly {
    readonly name: string;
    readonly changed: boolean;
    readonly difference: readonly string[];
  }[];
}

export interface Held {
  readonly id: number;
  readonly agent: string;
  readonly page: string;
  readonly tool: string;
  readonly arguments: string;
  readonly at: number;
}

export interface Control {
  readonly pauses: { readonly all: boolean; readonly agents: readonly string[]; readonly pages: readonly string[] };
  readonly held: readonly Held[];
  /** Calls that wait because their agent or page is paused. */
  readonly waiting: number;
}

/** The hubs of the cluster, including this one. */
export interface Hubs {
  readonly cluster: string;
  readonly own: string;
  readonly up: boolean;
  readonly others: readonly { readonly name: string; readonly pages: number }[];
}

/** time, calls, errors, p50, p95, p99, bytes of requests, bytes of responses, memory, pages, agents */
export type Sample = readonly number[];

interface Feed {
  readonly calls?: readonly CallRow[];
  readonly dropped?: number;
  readonly pages?: readonly PageRow[];
  readonly agents?: readonly AgentRow[];
  readonly servers?: { readonly servers?: readonly ServerRow[] } | null;
  readonly waiting?: { readonly waiting?: readonly WaitingRow[] } | null;
  readonly control?: Control;
  readonly hubs?: Hubs | null;
  readonly sample?: Sample;
}

interface Now extends Feed {
  readonly hub: { readonly version: string; readonly pid: number; readonly uptimeMs: number };
  readonly audit: string;
  readonly samples: readonly Sample[];
}

export const CALLS_MAX = 10_000;
const SAMPLES_MAX = 3600;
const AGAIN_MS = 1000;

export const status = signal<"connecting" | "live" | "away" | "locked">("connecting");
export const hub = signal<Now["hub"] | undefined>(undefined);
export const audit = signal("on");
export const pages = signal<readonly PageRow[]>([]);
export const agents = signal<readonly AgentRow[]>([]);
export const servers = signal<readonly ServerRow[]>([]);
export const hubs = signal<Hubs | null>(null);
export const waiting = signal<readonly WaitingRow[]>([]);
export const control = signal<Control>({ pauses: { all: false, agents: [], pages: [] }, held: [], waiting: 0 });
export const samples = signal<readonly Sample[]>([]);
/** The latest calls, oldest first. The array is changed in place; `callsSeen` changes with it. */
export const calls: CallRow[] = [];
export const callsSeen = signal(0);
export const notice = signal("");

let link: ConsoleConnection | undefined;
/** Whether the feed was live before: past calls are loaded only once. */
let wasLive = false;

export function ask<Answer>(method: string, params: object = {}): Promise<Answer> {
  if (link === undefined) return Promise.reject(new Error("the hub is not there"));
  return link.ask<Answer>(method, params);
}

/** Sends a request, and shows a failure as a notice. */
export async function act(method: string, params: object, done = ""): Promise<void> {
  try {
    await ask(method, params);
    notice.value = done;
  } catch (error) {
    notice.value = error instanceof Error ? error.message : String(error);
  }
}

function hear(feed: Feed): void {
  if (feed.calls !== undefined) addCalls(feed.calls);
  if (feed.dropped !== undefined) addCalls([{ time: new Date().toISOString(), dropped: feed.dropped }]);
  if (feed.pages !== undefined) pages.value = feed.pages;
  if (feed.agents !== undefined) agents.value = feed.agents;
  if (feed.servers !== undefined) servers.value = feed.servers?.servers ?? [];
  if (feed.waiting !== undefined) waiting.value = feed.waiting?.waiting ?? [];
  if (feed.hubs !== undefined) hubs.value = feed.hubs;
  if (feed.control !== undefined) control.value = feed.control;
  if (feed.sample !== undefined) samples.value = [...samples.value.slice(1 - SAMPLES_MAX), feed.sample];
}

/** The list shows what agents do; what a person does in the console is only in the audit log. */
const isAgents = ({ face }: CallRow): boolean => face !== "console";

function addCalls(all: readonly CallRow[]): void {
  const rows = all.filter(isAgents);
  calls.push(...rows);
  if (calls.length > CALLS_MAX) calls.splice(0, calls.length - CALLS_MAX);
  callsSeen.value += rows.length;
}

export async function connect(): Promise<void> {
  const secret = await key();
  if (secret === undefined) {
    status.value = "locked";
    return;
  }
  const again = (): void => {
    link = undefined;
    status.value = "away";
    setTimeout(() => void connect(), AGAIN_MS);
  };
  link = await ConsoleConnection.open(
    secret,
    (method, params) => method === "console/feed" && hear(params as Feed),
    again,
  );
  if (link === undefined) {
    // Retries if the hub does not run; a hub that runs and refuses requires a new link.
    const there = await fetch("/").then(
      ({ ok }) => ok,
      () => false,
    );
    if (there) status.value = "locked";
    else again();
    return;
  }
  const now = await link.ask<Now>("console/watch");
  if (!wasLive) {
    const past = await link.ask<{ rows: readonly CallRow[] }>("audit/read", { limit: 500 });
    calls.unshift(...past.rows.filter(isAgents));
    wasLive = true;
  }
  hub.value = now.hub;
  audit.value = now.audit;
  samples.value = now.samples;
  hear(now);
  callsSeen.value += 1;
  status.value = "live";
}
