// The script tag: reads its own attributes and joins the hub it was loaded from, which has the parts too.

import { connectWith } from "./connect.js";
import type { Parts, PartModule } from "./part.js";

const tag = document.currentScript;
const { src, dataset } = tag instanceof HTMLScriptElement ? tag : { src: "", dataset: {} as DOMStringMap };
const { hub, alias, session, eval: allowed } = dataset;

connectWith(<Name extends keyof Parts>(name: Name, from: URL) => import(new URL(`eye/${name}.js`, from).href) as Promise<PartModule<Parts[Name]>>, {
  hub: hub ?? (src === "" ? undefined : new URL(".", src).href),
  alias,
  session,
  eval: allowed !== "off" && allowed !== "false",
});
