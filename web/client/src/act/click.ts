// A click: by real input where the browser allows it, else by synthetic events.

import { inTop } from "../look/tree.js";
import { click, type Clicking } from "./pointer.js";
import type { Spot } from "./ready.js";
import { realClick } from "./real.js";
import type { Hands } from "./turn.js";

/** Whether something was clicked. */
export async function clickAt(spot: Spot, hands: Hands, how: Clicking = {}): Promise<boolean> {
  const { turn, input } = hands;
  if (input === undefined) return click(spot, hands, how);
  await realClick(input, inTop(spot, spot.hit), how, turn);
  return true;
}
