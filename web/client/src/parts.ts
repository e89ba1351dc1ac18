// The parts that a hub serves as one file: together they are a tenth smaller than alone, and a page that needs one soon
// needs another. Ordered for the best compression.
export { offer as hands } from "./page/hands.js";
export { offer as verbs } from "./page/verbs.js";
export { offer as state } from "./state/state.js";
export { offer as tools } from "./tools/tools.js";
