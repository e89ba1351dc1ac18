// A click: by real input where the browser allows it, else by synthetic events.

import { inTop } from "../look/tree.js";
import { click, type Clicking } from "./pointer.js";
import type { Spot } from "./ready.js";
import { realClick } from "./real.js";
import type { Hands } from "./turn.js";

/** Whether something was clicked. */
export async function clickAt(spot: Spot, hands: Hands, how: Clicking = {}): Promise<boolean> {
  const { own, turn, input } = hands;
  if (input === undefined) return click(spot, hands, how);
  const clicked = realClick(input, inTop(spot, spot.hit), how, turn);
  // While the commands travel, the page is looked at: its thread runs them after this task. A navigation that follows
  // belongs to this call.
  own(() => undefined);
  await clicked;
  return true;
}
