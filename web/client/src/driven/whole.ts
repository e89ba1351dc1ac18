// The client of a driven page in one piece, in the page's own world: for the extension without the debugger. It
// contains all parts and uses a function instead of a socket, so that it works under any policy.

import type { Driven } from "../core/connect.js";
import type { LoadPart, Offer, Parts } from "../core/part.js";
import { prefixRefs } from "../look/refs.js";
import { frameNumbers } from "../look/titles.js";
import { hands, state, tools, verbs } from "../parts.js";
import { webmcp } from "../webmcp/part.js";
import { driverBehind, taken, type Names } from "./driver.js";
import { join } from "./joined.js";

declare const eyeDriven: Names;

const post = taken(eyeDriven.binding);
// The parent document handles a frame of its own origin; a frame of another origin has its own client.
if (frameElement === null && post !== undefined) drive(post);

function drive(call: (message: string) => void): void {
  const { session, hands: hasHands } = eyeDriven;
  const { open, input } = driverBehind(call, eyeDriven, {
    stays: () => driven.stays?.(),
    frame: prefixRefs,
    shows: (element, number) => void frameNumbers.set(element, number),
  });
  const driven: Driven = { session, open, input: hasHands ? input : undefined };
  const parts: { readonly [Name in keyof Parts]: Offer<Parts[Name]> } = { hands, state, tools, verbs, webmcp };
  const load: LoadPart = async (name) => parts[name];
  join(load, driven);
}
