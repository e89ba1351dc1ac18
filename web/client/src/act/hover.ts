// Finds style rules that only a real pointer triggers: `:hover` follows the person's mouse, not synthetic events.

import { HOVER_RULES_MAX } from "../core/limits.js";
import { above } from "../look/tree.js";

/** Properties that show or hide something; changes of colour or underline are not reported. */
const SHOWS =
  /^(?:display|visibility|opacity|(?:max-|min-)?(?:height|width)|clip|clip-path|transform|translate|scale|left|right|top|bottom|inset.*|overflow|pointer-events|content-visibility)$/;
const HOVER = ":hover";

/**
 * A line about the first rule that shows or hides something when a person points at this element; empty if there is
 * none.
 */
export function hoverStyles(element: Element): string[] {
  const around: Element[] = [];
  for (let at: Element | null = element; at !== null; at = above(at)) around.push(at);
  let left = HOVER_RULES_MAX;

  const first = (rules: CSSRuleList, outer: string): string | undefined => {
    for (const rule of rules) {
      if (left-- <= 0) return undefined;
      const own = (rule as CSSStyleRule).selectorText as string | undefined;
      const selector = own === undefined ? outer : own.replaceAll("&", outer === "" ? ":scope" : `:is(${outer})`);
      const { style, cssRules } = rule as CSSStyleRule;
      const shows = style !== undefined && [...style].some((name) => SHOWS.test(name));
      if (shows && selector.includes(HOVER) && reacts(selector, around)) return selector;
      const inner = cssRules === undefined ? undefined : first(cssRules, selector);
      if (inner !== undefined) return inner;
    }
    return undefined;
  };

  for (const sheet of element.ownerDocument.styleSheets) {
    try {
      const found = first(sheet.cssRules, "");
      if (found !== undefined) return [`needs a person's pointer: ${found} shows or hides something`];
    } catch {
      // A style sheet of another origin.
    }
  }
  return [];
}

/** Whether a selector reacts to the pointer being over one of these elements. */
function reacts(selector: string, around: readonly Element[]): boolean {
  return selector.split(",").some((one) => {
    const end = one.indexOf(HOVER);
    if (end < 0) return false;
    const before = one.slice(0, end).trim();
    try {
      return around.some((element) =>
        element.matches(before === "" || /[\s>+~(]$/.test(one.slice(0, end)) ? `${before}*` : before),
      );
    } catch {
      return false;
    }
  });
}
