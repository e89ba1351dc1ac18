"use strict";
(() => {
  // ../client/src/core/element.ts
  var SECRETS = /\b(?:one-time-code|cc-number|cc-csc|(?:current|new)-password)$/i;
  var PASSWORD = /passw(?:or)?d/i;
  var FIELD = /^(?:input|textarea)$/;
  function isSecret(element) {
    return element.getAttribute("type")?.toLowerCase() === "password" || SECRETS.test(element.getAttribute("autocomplete") ?? "") || // Also a password field that shows its text. The browser's driver has the same rule (`drive/secrets.rs`).
    FIELD.test(element.localName) && PASSWORD.test(`${element.getAttribute("name")} ${element.getAttribute("id")}`);
  }

  // src/sign.ts
  var MARK = "👁⁠ ";

  // src/relay.ts
  var FRAMES = /* @__PURE__ */ new Set(["iframe", "frame", "object", "embed", "fencedframe"]);
  var SAME_PX = 0.5;
  var DRAWN_MS_MAX = 500;
  var relay = {
    join(name, { toPage, fromPage }) {
      const port = chrome.runtime.connect({ name });
      const passOn = (event) => port.postMessage(event.detail);
      document.addEventListener(fromPage, passOn);
      port.onMessage.addListener((message) => {
        if (typeof message === "boolean") mark(message);
        else document.dispatchEvent(new CustomEvent(toPage, { detail: message }));
      });
      port.onDisconnect.addListener(() => document.removeEventListener(fromPage, passOn));
    },
    metrics,
    shown: async () => {
      const drawn = new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      await Promise.race([drawn, new Promise((resolve) => setTimeout(resolve, DRAWN_MS_MAX))]);
      return metrics();
    },
    hidden: (unmasked) => hiddenIn(document, 0, 0, unmasked)
  };
  function metrics() {
    return {
      pageX: scrollX,
      pageY: scrollY,
      width: innerWidth,
      height: innerHeight,
      clientWidth: visualViewport?.width ?? innerWidth,
      clientHeight: visualViewport?.height ?? innerHeight,
      contentWidth: (document.scrollingElement ?? document.documentElement).scrollWidth,
      contentHeight: (document.scrollingElement ?? document.documentElement).scrollHeight,
      density: devicePixelRatio,
      pinched: visualViewport?.scale ?? 1
    };
  }
  function mark(marked) {
    const has = document.title.startsWith(MARK);
    if (marked && !has) document.title = MARK + document.title;
    else if (!marked && has) document.title = document.title.slice(MARK.length);
  }
  function hiddenIn(root, dx, dy, unmasked) {
    const found = [];
    for (const one of root.querySelectorAll("*")) {
      const box = () => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return [x + dx, y + dy, width, height];
      };
      const shadow = chrome.dom.openOrClosedShadowRoot(one);
      if (shadow !== null) found.push(...hiddenIn(shadow, dx, dy, unmasked));
      if (FRAMES.has(one.localName)) {
        const [x, y, width, height] = box();
        const inner = documentOf(one);
        const within = inner && hiddenIn(inner, x + one.clientLeft, y + one.clientTop, unmasked);
        const same = Math.abs(width - one.offsetWidth) < SAME_PX && Math.abs(height - one.offsetHeight) < SAME_PX;
        if (within === void 0 || within.length > 0 && !same) found.push([x, y, width, height]);
        else found.push(...within);
      } else if (!unmasked && isFilled(one) && isSecret(one)) found.push(box());
    }
    return found.filter(([, , width, height]) => width > 0 && height > 0);
  }
  function documentOf(frame) {
    return frame.contentDocument ?? void 0;
  }
  function isFilled(one) {
    return /^(?:input|textarea)$/.test(one.localName) && one.value !== "";
  }
  globalThis.eyeRelay = relay;
})();
