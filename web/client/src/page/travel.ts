// The verbs that go to another page: goto, back and forward. The hub ends them with the outline of the page at which
// they arrive.

import { NAVIGATION_MS, TRAVEL_MS } from "../core/limits.js";
import type { Core } from "../core/part.js";
import { misused, textOf, timeoutOf, type Asking, type Params, type Verbs } from "./verb.js";

export function travels(core: Core): Verbs {
  const go = async (params: Params, asking: Asking, act: () => void, soon = false): Promise<unknown> => {
    if (await stays(core, () => asking.own(act, soon))) {
      const { look } = (await core.load("hands")).verbs;
      return look?.({ loaded: true }, asking);
    }
    const ms = timeoutOf(params, TRAVEL_MS);
    await new Promise<void>((resolve) => core.after(ms, resolve));
    return `still at ${location.href}: ${core.leaving} has not answered within ${ms / 1000} s`;
  };
  const step = (name: "back" | "forward", can: "canGoBack" | "canGoForward") => (params: Params, asking: Asking) => {
    if ("navigation" in window && !window.navigation[can]) throw misused(`there is no page to go ${name} to`);
    return go(params, asking, () => history[name](), true);
  };
  return {
    goto: (params, asking) => {
      const url = address(textOf(params, "url"));
      return go(params, asking, () => location.assign(url));
    },
    back: step("back", "canGoBack"),
    forward: step("forward", "canGoForward"),
  };
}

/** Whether the document is still the same when the navigation that `act` starts has begun. */
function stays(core: Core, act: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    if (!("navigation" in window)) {
      act();
      resolve(false);
      return;
    }
    const { navigation } = window;
    const listening = new AbortController();
    const decided = (answer: boolean): void => {
      listening.abort();
      resolve(answer);
    };
    const begun = (event: NavigateEvent): void =>
      // Its listeners have decided by then whether the page does it itself.
      queueMicrotask(() => {
        const { destination, downloadRequest, defaultPrevented } = event;
        decided(
          destination.sameDocument || downloadRequest !== null || defaultPrevented || navigation.transition !== null,
        );
      });
    navigation.addEventListener("navigate", begun as EventListener, { signal: listening.signal });
    act();
    core.after(NAVIGATION_MS, () => decided(true));
  });
}

const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/;
/** Others run code, or leave for another program. */
const ALLOWED = /^(?:https?|file):/;

/** An address as people write it; one that begins with / or . is of this site. */
function address(text: string): string {
  let url: URL;
  try {
    url = new URL(LOCAL.test(text) ? `http://${text}` : text, location.href);
  } catch {
    throw misused(`${text} is no address`);
  }
  if (!ALLOWED.test(url.href) && url.href !== "about:blank")
    throw misused(`goto takes addresses of http, https and file, not ${url.protocol}`);
  return url.href;
}
