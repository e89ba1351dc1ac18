// When a page has a click and when it is at rest after it, by its own clock; what an agent waits beyond that is eye's.
// The page's clock is compared with ours before the clicks.

/** As the client has it (`SETTLE_*` in web/client/src/core/limits.ts, web/client/src/act/settle.ts). */
const QUIET_MS = 60;
const FRAME_MS_MAX = 100;
const FRAME_MS = 17;
const FRAMES_MIN = 3;

/** How often the clocks are compared; the quickest answer counts. */
const COMPARISONS = 50;

/**
 * For the page: notes when a trusted click has come, and when nothing has changed for long enough, counted from the
 * first frame after it. Only for pages that do nothing but change at once.
 */
export const CLICKED = `
globalThis.clicked = undefined;
addEventListener("click", async ({ isTrusted }) => {
  if (!isTrusted) return;
  const clock = () => performance.timeOrigin + performance.now();
  const frame = () => new Promise((then) => requestAnimationFrame(() => then(clock())));
  const timer = (ms) => new Promise((then) => setTimeout(() => then(clock()), Math.max(Math.ceil(ms), 1)));
  const came = clock();
  clicked = undefined;
  const first = await frame();
  let [looked, quiet, frames] = [first, 0, 0];
  while (quiet < ${QUIET_MS}) {
    const rest = ${QUIET_MS} - quiet;
    const now = await (frames >= ${FRAMES_MIN} && rest < ${FRAME_MS} ? timer(rest) : frame());
    frames++;
    quiet += Math.min(now - looked, ${FRAME_MS_MAX});
    looked = now;
  }
  clicked = { came, rested: looked };
}, { capture: true });`;

const clock = () => performance.timeOrigin + performance.now();
const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

/** How far a page's clock is before ours, in ms. */
async function ahead(evaluate) {
  let best = { took: Infinity, ahead: 0 };
  for (let at = 0; at < COMPARISONS; at++) {
    const begun = clock();
    const there = await evaluate("performance.timeOrigin + performance.now()");
    const took = clock() - begun;
    if (took < best.took) best = { took, ahead: there - begun - took / 2 };
  }
  return best.ahead;
}

/** Clicks through eye and directly, by turns. */
export class Clicks {
  #eye;
  #raw;
  #taken = { call: [], direct: [], after: [], own: [], targeted: [] };

  /** Each evaluates code in its page. */
  static async between(eye, raw) {
    const clicks = new Clicks();
    clicks.#eye = { evaluate: eye, ahead: await ahead(eye) };
    clicks.#raw = { evaluate: raw, ahead: await ahead(raw) };
    return clicks;
  }

  /** What each does: clicks at a place, on a target, and by commands alone. */
  async measure({ placed, click, raw }) {
    const { call, direct, after, own, targeted } = this.#taken;
    const one = await this.#timed(this.#eye, placed);
    call.push(one.until);
    after.push(one.after);
    own.push(one.until + one.after);
    targeted.push((await this.#timed(this.#eye, click)).until);
    direct.push((await this.#timed(this.#raw, raw)).until);
  }

  medians() {
    return Object.fromEntries(Object.entries(this.#taken).map(([name, times]) => [name, median(times)]));
  }

  async #timed({ evaluate, ahead }, act) {
    const begun = clock();
    await act();
    const answered = clock();
    // Directly there is nothing that waits for the page's rest.
    let found;
    while (found === undefined || found === null) found = await evaluate("globalThis.clicked");
    await evaluate("globalThis.clicked = undefined, 0");
    return { until: found.came - ahead - begun, after: answered - (found.rested - ahead) };
  }
}
