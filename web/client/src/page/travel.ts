// The verbs that navigate: goto, reload, back and forward. The hub ends them with the outline of the new page.

import { NAVIGATION_MS, TRAVEL_MS } from "../core/limits.js";
import { tellsNavigations } from "../core/navigation.js";
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
    if (tellsNavigations() && !window.navigation[can]) throw misused(`there is no page to go ${name} to`);
    return go(params, asking, () => history[name](), true);
  };
  return {
    goto: (params, asking) => {
      const url = address(textOf(params, "url"));
      return go(params, asking, () => assign(core, url));
    },
    reload: (_, { own }) =>
      own(() => {
        if (!tellsNavigations()) core.departs(location.href);
        location.reload();
      }),
    back: step("back", "canGoBack"),
    forward: step("forward", "canGoForward"),
  };
}

function assign(core: Core, url: string): void {
  if (!tellsNavigations() && !isHere(url)) core.departs(url);
  location.assign(url);
}

/** Whether a URL is a fragment of this document. */
function isHere(url: string): boolean {
  const [there, place] = url.split("#");
  return place !== undefined && there === location.href.split("#")[0];
}

/** Whether the document stays when the navigation that `act` starts has begun. */
function stays(core: Core, act: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    if (!tellsNavigations()) {
      act();
      resolve(core.leaving === "");
      return;
    }
    const { navigation } = window;
    const listening = new AbortController();
    const decided = (answer: boolean): void => {
      listening.abort();
      resolve(answer);
    };
    const begun = (event: NavigateEvent): void =>
      // By then the page's own listeners have decided whether the page handles the navigation itself.
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
/** Other schemes run code, or open another program. */
const ALLOWED = /^(?:https?|file):/;

/** A URL as people write it; one that begins with / or . is relative to this site. */
function address(text: string): string {
  let url: URL;
  try {
    url = new URL(LOCAL.test(text) ? `http://${text}` : text, location.href);
  } catch {
    throw misused(`${text} is no address`);
  }
  if (!ALLOWED.test(url.href) && url.href !== "about:blank")
    throw misused(`goto takes addresses of http, https and file, not ${url.protocol}`);
  // Browsers refuse this without an error.
  if (url.protocol === "file:" && location.protocol !== "file:")
    throw misused("only a page that is a file itself may go to a file; eye browse opens one");
  return url.href;
}
