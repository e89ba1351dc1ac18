// A click, as a person does it where the browser lets us, else by events of the page's own.

import { inTop } from "../look/tree.js";
import { click, type Clicking } from "./pointer.js";
import type { Spot } from "./ready.js";
import { realClick } from "./real.js";
import type { Hands } from "./turn.js";

/** Whether something was clicked. */
export async function clickAt(spot: Spot, hands: Hands, how: Clicking = {}): Promise<boolean> {
  const { own, turn, input } = hands;
  if (input === undefined) return click(spot, hands, how);
  // What follows is this call's.
  own(() => undefined);
  await realClick(input, inTop(spot, spot.hit), how, turn);
  return true;
}
