// The script tag: reads its own attributes and joins the hub it was loaded from, which has the parts too.

import { connectWith } from "./connect.js";
import type { PartModule } from "./part.js";

const tag = document.currentScript;
const { src, dataset } = tag instanceof HTMLScriptElement ? tag : { src: "", dataset: {} as DOMStringMap };
const { hub, alias, session, eval: allowed } = dataset;

connectWith((from) => import(new URL("eye/tools.js", from).href) as Promise<PartModule>, {
  hub: hub ?? (src === "" ? undefined : new URL(".", src).href),
  alias,
  session,
  eval: allowed !== "off" && allowed !== "false",
});
