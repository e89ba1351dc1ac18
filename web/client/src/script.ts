// The script tag's client: reads the tag's attributes and joins the hub that served the script, which also serves the
// parts.

import { connectWith } from "./core/connect.js";
import type { LoadPart, Offer, Parts } from "./core/part.js";

const tag = document.currentScript;
const { src, dataset } = tag instanceof HTMLScriptElement ? tag : { src: "", dataset: {} as DOMStringMap };
const { hub, alias, session, token, webmcp, eval: allowed } = dataset;

/** The exports of each file. */
type Served = { readonly [Name in keyof Parts]: Offer<Parts[Name]> };

const load: LoadPart = async (name, from) =>
  ((await import(new URL(`eye/${name === "webmcp" ? name : "parts"}.js`, from).href)) as Served)[name];

connectWith(load, {
  hub: hub ?? (src === "" ? undefined : new URL(".", src).href),
  alias,
  session,
  token,
  webmcp: webmcp !== undefined,
  eval: allowed !== "off" && allowed !== "false",
});
