// The half of a driven page's client that runs in the page's own world: `eye`, agents' code, tools, state, WebMCP, logs
// and topics. Looking and acting is in the other half (`hands.ts`), which a page cannot reach. This half is trusted no
// more than the page.

import { pageWorld } from "../act/page-world.js";
import { contentOf } from "../act/real-choose.js";
import type { Driven } from "../core/connect.js";
import { journal } from "../core/journal.js";
import type { Capture, HandsPart, LoadPart, Offer, Parts, Witness } from "../core/part.js";
import { offer as verbs } from "../page/verbs.js";
import type { Asking, Params } from "../page/verb.js";
import { offer as state } from "../state/state.js";
import { offer as tools } from "../tools/tools.js";
import { webmcp } from "../webmcp/part.js";
import { channelAs } from "./channel.js";
import { driverBehind, taken, type Names } from "./driver.js";
import { endingIn, type Ending } from "./ending.js";
import { join } from "./joined.js";

declare const eyeDriven: Names;

/** The message that requests the other half from the driver, which creates it on demand. */
const WANTED = "+";

/** How long that may take, in ms. */
const WANTED_MS = 10_000;

const post = taken(eyeDriven.binding);
// The parent document handles a frame of its own origin; a frame of another origin has its own client.
if (frameElement === null && post !== undefined) drive(post);

function drive(call: (message: string) => void): void {
  const { session, channel: name } = eyeDriven;
  /** The frame numbers of elements, kept for when the other half begins. */
  const shown: { readonly element: WeakRef<Element>; readonly number: string }[] = [];
  const witnesses = new Map<number, Witness>();
  const captures = new Map<number, Capture>();
  const world = pageWorld({ journal: journal() });
  let count = 0;
  let begun: (() => void) | undefined;

  const channel = channelAs("page", name, {
    begun: () => {
      for (const { element, number } of shown) {
        const there = element.deref();
        if (there !== undefined) channel.call("shows", there, number);
      }
      begun?.();
    },
    called: (delta) => {
      for (const part of driven.parts?.() ?? []) part.called?.(delta === true);
    },
    isAt: (revision) => [...(driven.parts?.() ?? [])].some((part) => part.isAt?.(Number(revision)) === true),
    witness: (answers, isReal) => {
      witnesses.set(++count, world.witness(answers as Params, isReal === true));
      return count;
    },
    open: (id) => witnesses.get(Number(id))?.open(),
    end: (id) => {
      const witness = witnesses.get(Number(id));
      witnesses.delete(Number(id));
      return witness?.end();
    },
    capture: (within) => {
      captures.set(++count, world.capture(within as Element));
      return count;
    },
    captured: (id) => captures.get(Number(id))?.element(),
    release: (id) => {
      captures.get(Number(id))?.end();
      captures.delete(Number(id));
    },
    done: (id, ending) => waiting.get(Number(id))?.(ending as Ending),
  });

  const { say, open, input } = driverBehind(call, eyeDriven, {
    stays: () => driven.stays?.(),
    frame: () => undefined,
    shows: (element, number) => {
      shown.push({ element: new WeakRef(element), number });
      channel.call("shows", element, number);
    },
  });
  const driven: Driven = { session, open, input };

  /** Resolves when the other half is there. */
  const there = (): Promise<void> =>
    new Promise((resolve, reject) => {
      if (channel.call("here") === true) resolve();
      else {
        begun = resolve;
        say(WANTED);
        setTimeout(() => reject(new Error("nothing looks or acts in this page at the moment")), WANTED_MS);
      }
    });

  const waiting = new Map<number, (ending: Ending) => void>();
  const ask = async (verb: string, params: Params, { signal }: Asking): Promise<unknown> => {
    const given = verb === "upload" ? { ...params, files: await contentsOf(params.files) } : params;
    signal.throwIfAborted();
    const id = ++count;
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(id, (ending) => {
          try {
            resolve(endingIn(ending));
          } catch (error) {
            reject(error);
          }
        });
        signal.addEventListener("abort", () => {
          channel.call("cancel", id);
          reject(signal.reason);
        });
        if (channel.call("verb", id, verb, given) !== true) reject(new Error(`${verb} cannot be done in this page`));
      });
    } finally {
      waiting.delete(id);
    }
  };
  const hands: Offer<HandsPart> = () => ({
    verbs: new Proxy({}, { get: (_, verb) => (params: Params, asking: Asking) => ask(String(verb), params, asking) }),
    seen: (target, frame) => endingIn(channel.call("seen", target, frame) as Ending | undefined) as string | undefined,
  });

  const parts: { readonly [Name in keyof Parts]: Offer<Parts[Name]> } = { hands, state, tools, verbs, webmcp };
  const load: LoadPart = async (part) => {
    if (part === "hands") await there();
    return parts[part];
  };
  join(load, driven);
}

/** Files of the page in the form that the other half accepts. */
async function contentsOf(files: unknown): Promise<unknown> {
  if (!Array.isArray(files)) return files;
  const content = async (file: unknown): Promise<unknown> =>
    file instanceof Blob ? { ...(await contentOf(file)), type: file.type } : file;
  return Promise.all(files.map(content));
}
