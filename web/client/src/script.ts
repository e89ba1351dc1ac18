// The script tag: reads its own attributes and joins the hub it was loaded from.

import { connect } from "./connect.js";

const tag = document.currentScript;
const { src, dataset } = tag instanceof HTMLScriptElement ? tag : { src: "", dataset: {} as DOMStringMap };
const { hub, alias, session, eval: allowed } = dataset;

connect({ hub: hub ?? (src === "" ? undefined : new URL(".", src).href), alias, session, eval: allowed !== "off" && allowed !== "false" });
