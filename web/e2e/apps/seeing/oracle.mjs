// What the browser itself reports as visible and operable in a page, over CDP: its accessibility tree, its hit-testing
// and its click listeners. Independent of eye; imports nothing.

/** Roles of elements that a person operates. */
const CONTROLS = new Set(
  (
    "button link textbox searchbox combobox checkbox radio switch slider spinbutton tab menuitem menuitemcheckbox " +
    "menuitemradio option treeitem DisclosureTriangle ColorWell Date DateTime InputTime PopUpButton"
  ).split(" "),
);

/**
 * Runs in the page, on one node: returns the box of its visible part, or `null`. `mayScroll`: scrolls to it if it is
 * out of view, as a person would. An element is visible if a pointer at one of nine points of its boxes hits the
 * element, a descendant, its label, or the element that draws it: a wrapper that contains no other control.
 */
const SEEN = function seen(mayScroll) {
  const element = this.nodeType === 3 ? this.parentElement : this;
  if (element === null || !element.isConnected || !element.checkVisibility({ visibilityProperty: true })) return null;
  let opacity = 1;
  const up = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const control = /^(?:input|select|textarea)$/.test(element.localName);
  for (let at = control ? up(element) : element; at !== null; at = up(at))
    opacity *= Number(getComputedStyle(at).opacity);
  if (opacity < 0.01) return null;
  // A text in a one-pixel box that clips it is for screen readers: its letters have boxes, but nothing of them is
  // painted.
  const isPixel = (node) => {
    const { width, height } = node.getBoundingClientRect();
    return getComputedStyle(node).overflow !== "visible" && width <= 1 && height <= 1;
  };
  if (this.nodeType === 3) for (let at = element; at !== null; at = up(at)) if (isPixel(at)) return null;
  const boxes = () => {
    // A hidden control that its label draws is visible where the label is.
    if (this.nodeType !== 3) return [element, ...(element.labels ?? [])].flatMap((one) => [...one.getClientRects()]);
    const range = document.createRange();
    range.selectNodeContents(this);
    return [...range.getClientRects()];
  };
  const hit = (x, y) => {
    let at = element.ownerDocument.elementFromPoint(x, y);
    for (
      let inner = at?.shadowRoot?.elementFromPoint(x, y);
      inner && inner !== at;
      inner = at.shadowRoot?.elementFromPoint(x, y)
    )
      at = inner;
    return at;
  };
  const holds = (outer, inner) => {
    for (let at = inner; at !== null; at = up(at)) if (at === outer) return true;
    return false;
  };
  const FOCUSED = "a[href],button,input:not([type=hidden]),select,textarea,[tabindex],[role=option]";
  const isOf = (found) => {
    if (found === null) return false;
    if (holds(element, found) || found.closest("label")?.control === element) return true;
    if (this.nodeType === 3) return holds(found, element);
    if (!holds(found, element)) {
      // The element that draws a control lies next to it: their common box contains no other control.
      const box = up(element);
      return box !== null && holds(box, found) && box.querySelectorAll(FOCUSED).length <= 1;
    }
    return found !== document.body && found !== document.documentElement && found.querySelectorAll(FOCUSED).length <= 1;
  };
  const attempt = () => {
    for (const { left, top, width, height } of boxes()) {
      if (width < 1 || height < 1) continue;
      for (const part of [0.5, 0.2, 0.8])
        for (const down of [0.5, 0.2, 0.8])
          if (isOf(hit(left + width * part, top + height * down))) return { left, top, width, height };
    }
    return null;
  };
  const found = attempt();
  if (found !== null || !mayScroll) return found;
  element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  return attempt();
};

/** Saves every scroll position, to restore it later. */
const KEPT = `(() => {
  const places = [...document.querySelectorAll("*")].filter((e) => e.scrollTop || e.scrollLeft).map((e) => [e, e.scrollLeft, e.scrollTop]);
  const { scrollX, scrollY } = window;
  globalThis.oracleRestore = () => {
    for (const e of document.querySelectorAll("*")) if (e.scrollTop || e.scrollLeft) e.scrollTo({ left: 0, top: 0, behavior: "instant" });
    for (const [e, left, top] of places) e.scrollTo({ left, top, behavior: "instant" });
    window.scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
  };
})()`;

/** Everything visible in the page, by the browser's node ids: `controls` that a person can operate, and `texts`. */
export async function survey(cdp) {
  await cdp.send("Accessibility.enable");
  await cdp.send("DOM.enable");
  const world = await isolatedWorld(cdp);
  const { root } = await cdp.send("DOM.getDocument", { depth: -1, pierce: true });
  const tree = indexed(root);
  const { nodes } = await cdp.send("Accessibility.getFullAXTree");
  const clickable = await clickableNodes(cdp);
  const restore = await keepScroll(cdp);

  const wanted = [];
  for (const node of nodes) {
    const id = node.backendDOMNodeId;
    const dom = tree.get(id);
    if (node.ignored || dom === undefined) continue;
    const role = node.role?.value ?? "";
    const name = (node.name?.value ?? "").trim();
    const isText = role === "StaticText" && /[\p{L}\p{N}]/u.test(name);
    const isControl = CONTROLS.has(role) && !(dom.name === "option" && insideOf(dom, "select"));
    if (isText || isControl) wanted.push({ id, role, name, isText, value: textOf(node.value) });
  }
  // Elements in view come first: scrolling to the rest may remove them, in lists that keep only the rows near the view.
  for (const mayScroll of [false, true])
    for (const one of wanted) one.box ||= await isSeen(cdp, world, one.id, mayScroll);
  const seen = wanted.filter(({ box }) => box);
  const texts = seen.filter(({ isText }) => isText).map(({ id, name }) => ({ id, text: name }));
  const controls = seen
    .filter(({ isText }) => !isText)
    .map(({ id, role, name, value, box }) => ({ id, role, name, value, box }));
  // Elements that only have a listener: the innermost ones that neither contain a control nor are inside one.
  const known = new Set(controls.map(({ id }) => id));
  const holders = new Set([...known].flatMap((id) => ancestors(tree, id)));
  const listening = [...clickable].filter((id) => tree.has(id) && !known.has(id) && !holders.has(id));
  for (const id of listening) {
    const around = ancestors(tree, id);
    if (
      around.some((one) => known.has(one)) ||
      listening.some((one) => one !== id && ancestors(tree, one).includes(id))
    )
      continue;
    if (/^(?:html|body|label|#document|svg)$/.test(tree.get(id).name)) continue;
    const box = await isSeen(cdp, world, id);
    if (box && (await isPointedAt(cdp, world, id))) controls.push({ id, role: "listener", name: "", value: "", box });
  }
  await restore();
  return { controls, texts, tree, clickable, words: accessibleWords(nodes) };
}

/** The node id of each of these elements, which are identified by tag, id, class and box; `undefined` if not found. */
export async function locate(cdp, elements) {
  const world = await isolatedWorld(cdp);
  const found = await cdp.send("Runtime.evaluate", {
    contextId: world,
    expression: `(${function locateAll(wanted) {
      const all = [];
      const walk = (root) => {
        for (const element of root.querySelectorAll("*")) {
          all.push(element);
          if (element.shadowRoot) walk(element.shadowRoot);
          if (element.localName === "iframe" && element.contentDocument) walk(element.contentDocument);
        }
      };
      walk(document);
      return wanted.map(({ tag, id, className, rect }) => {
        const alike = all.filter(
          (e) => e.localName === tag && e.id === id && (e.getAttribute("class") ?? "") === className,
        );
        const near = (e) => {
          const { x, y, width, height } = e.getBoundingClientRect();
          return (
            Math.abs(x - rect.x) + Math.abs(y - rect.y) + Math.abs(width - rect.width) + Math.abs(height - rect.height)
          );
        };
        return alike.sort((a, b) => near(a) - near(b)).find((e) => near(e) < 4) ?? null;
      });
    }})(${JSON.stringify(elements)})`,
  });
  const numbers = [];
  for (let at = 0; at < elements.length; at += 1) {
    const one = await cdp.send("Runtime.callFunctionOn", {
      objectId: found.result.objectId,
      functionDeclaration: `function () { return this[${at}]; }`,
    });
    const described =
      one.result.objectId === undefined
        ? undefined
        : await cdp.send("DOM.describeNode", { objectId: one.result.objectId });
    numbers.push(described?.node.backendNodeId);
  }
  return numbers;
}

/** Saves every scroll position, because locating elements scrolls. Returns a function that restores them. */
export async function keepScroll(cdp) {
  const contextId = await isolatedWorld(cdp);
  await cdp.send("Runtime.evaluate", { expression: KEPT, contextId });
  return () => cdp.send("Runtime.evaluate", { expression: "oracleRestore()", contextId });
}

/** Whether the element with this node id is visible: without scrolling, or after scrolling to it. */
export async function seenNumber(cdp, id, mayScroll) {
  return isSeen(cdp, await isolatedWorld(cdp), id, mayScroll);
}

export function ancestors(tree, id) {
  const found = [];
  for (let at = tree.get(id)?.parent; at !== undefined; at = tree.get(at)?.parent) found.push(at);
  return found;
}

async function isolatedWorld(cdp) {
  const { frameTree } = await cdp.send("Page.getFrameTree");
  const made = await cdp.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "oracle" });
  return made.executionContextId;
}

async function isSeen(cdp, world, id, mayScroll = true) {
  try {
    const { object } = await cdp.send("DOM.resolveNode", { backendNodeId: id, executionContextId: world });
    const call = {
      objectId: object.objectId,
      functionDeclaration: String(SEEN),
      returnByValue: true,
      arguments: [{ value: mayScroll }],
    };
    const { result, exceptionDetails } = await cdp.send("Runtime.callFunctionOn", call);
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value ?? false;
  } catch (error) {
    // The node was removed in the meantime.
    if (/No node|Node with given id|Could not find|Cannot find context/.test(error.message)) return false;
    throw error;
  }
}

async function isPointedAt(cdp, world, id) {
  const { object } = await cdp.send("DOM.resolveNode", { backendNodeId: id, executionContextId: world });
  const functionDeclaration =
    'function () { return this.nodeType === 1 && getComputedStyle(this).cursor === "pointer"; }';
  const { result } = await cdp.send("Runtime.callFunctionOn", {
    objectId: object.objectId,
    functionDeclaration,
    returnByValue: true,
  });
  return result.value === true;
}

/** Nodes with a click listener, as the browser counts them. */
async function clickableNodes(cdp) {
  const { documents } = await cdp.send("DOMSnapshot.captureSnapshot", { computedStyles: [] });
  const found = new Set();
  for (const { nodes } of documents)
    for (const at of nodes.isClickable?.index ?? []) found.add(nodes.backendNodeId[at]);
  return found;
}

/** The document's nodes by their ids, with their parents; the host is the parent of a shadow root. */
function indexed(root) {
  const tree = new Map();
  const walk = (node, parent) => {
    tree.set(node.backendNodeId, { name: node.nodeName.toLowerCase(), parent, attributes: node.attributes ?? [] });
    const inner = [
      ...(node.children ?? []),
      ...(node.shadowRoots ?? []),
      ...(node.contentDocument ? [node.contentDocument] : []),
    ];
    for (const child of inner) walk(child, node.backendNodeId);
  };
  walk(root, undefined);
  for (const node of tree.values()) node.tree = tree;
  return tree;
}

function insideOf(dom, name) {
  for (let at = dom; at !== undefined; at = dom.tree.get(at.parent)) if (at.name === name) return true;
  return false;
}

/** All words in the accessibility tree: names, values and descriptions. */
function accessibleWords(nodes) {
  const texts = nodes.flatMap(({ name, value, description, properties = [] }) => [
    textOf(name),
    textOf(value),
    textOf(description),
    ...properties
      .filter(({ name: one }) => /^(?:valuetext|placeholder|roledescription)$/.test(one))
      .map((one) => textOf(one.value)),
  ]);
  return texts.filter((text) => text !== "");
}

function textOf(value) {
  return value?.value === undefined ? "" : String(value.value).trim();
}
