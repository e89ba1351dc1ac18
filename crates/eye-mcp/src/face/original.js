async (name, args) => {
  // What the original's bridge does in its own page, for every other page.
  const clip = (text, chars) => String(text ?? "").trim().slice(0, chars);
  const brief = (e, chars) => ({ tag: e.tagName.toLowerCase(), id: e.id, className: String(e.getAttribute("class") ?? ""), text: clip(e.textContent, chars) });
  const missing = (selector) => ({ success: false, error: `Element not found: ${selector}` });
  const nodes = (value) => value instanceof NodeList || value instanceof HTMLCollection;
  const shown = (value) => {
    if (value === undefined) return { result: "undefined", type: "undefined" };
    if (typeof value === "function") return { result: clip(value, 1000), type: "function" };
    if (value instanceof Element) return { result: value.outerHTML.slice(0, 1000), type: "element" };
    if (nodes(value)) return { result: [...value].map((e) => clip(e.outerHTML ?? e.textContent, 200)), type: "nodelist" };
    return { result: value, type: typeof value };
  };
  const bridge = {
    async eval(code) {
      try {
        return { success: true, ...shown(await (0, eval)(code)) };
      } catch (error) {
        return { success: false, error: error?.message ?? String(error), stack: error?.stack };
      }
    },
    getState: () => ({ user: null, windows: [{ id: 0, title: document.title, minimized: document.hidden }], activeWindow: 0, systemApps: [], pubsubApps: [] }),
    query(selector) {
      const e = document.querySelector(selector);
      if (e === null) return { success: true, result: null };
      const { x, y, width, height } = e.getBoundingClientRect();
      return { success: true, result: { ...brief(e, 500), html: e.outerHTML.slice(0, 1000), rect: { x, y, width, height } } };
    },
    queryAll(selector) {
      const all = [...document.querySelectorAll(selector)];
      return { success: true, count: all.length, result: all.slice(0, 50).map((e) => brief(e, 100)) };
    },
    click(selector) {
      const e = document.querySelector(selector);
      if (e === null) return missing(selector);
      e.click();
      return { success: true, clicked: selector };
    },
    setValue(selector, value) {
      const e = document.querySelector(selector);
      if (e === null) return missing(selector);
      // The element's own setter: frameworks watch the instance's.
      const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), "value")?.set;
      own === undefined ? (e.value = value) : own.call(e, value);
      for (const type of ["input", "change"]) e.dispatchEvent(new Event(type, { bubbles: true }));
      return { success: true, selector, value };
    },
    openApp: (id) => ({ success: false, error: `App not found: ${id}` }),
    closeWindow: (id) => ({ success: false, error: `Window not found: ${id}` }),
  };
  const own = globalThis.ALGO?.bridge;
  const value = await (typeof own?.[name] === "function" ? own[name](...args) : bridge[name](...args));
  return value !== null && typeof value === "object" && "success" in value ? value : { success: true, result: value };
}
