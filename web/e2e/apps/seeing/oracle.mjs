// What a browser itself says is seen and can be acted on in a page, over CDP: its accessibility tree, its hit-testing
// and its click listeners. Knows nothing of eye, and imports nothing.

/** Roles that a person acts on. */
const CONTROLS = new Set(
  (
    "button link textbox searchbox combobox checkbox radio switch slider spinbutton tab menuitem menuitemcheckbox " +
    "menuitemradio option treeitem DisclosureTriangle ColorWell Date DateTime InputTime PopUpButton"
  ).split(" "),
);

/**
 * Runs in the page, on one node: the box of what is seen of it, or `null`. `mayScroll`: to what is out of view, as a
 * person would. An element is seen if a pointer at one of nine places of its boxes hits it, something in it, its label,
 * or what it is drawn by: a wrapper that holds no other control.
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
  // A text inside of a pixel that cuts it off is for screen readers: its letters have boxes, but nothing of them is
  // painted.
  const isPixel = (node) => {
    const { width, height } = node.getBoundingClientRect();
    return getComputedStyle(node).overflow !== "visible" && width <= 1 && height <= 1;
  };
  if (this.nodeType === 3) for (let at = element; at !== null; at = up(at)) if (isPixel(at)) return null;
  const boxes = () => {
    // A control that is hidden to be drawn by its label is seen where the label is.
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
      // What a control is drawn by lies beside it: nothing but this control is in the box that holds both.
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

/** Puts every scroll position back to where it was. */
const KEPT = `(() => {
  const places = [...document.querySelectorAll("*")].filter((e) => e.scrollTop || e.scrollLeft).map((e) => [e, e.scrollLeft, e.scrollTop]);
  const { scrollX, scrollY } = window;
  globalThis.oracleRestore = () => {
    for (const e of document.querySelectorAll("*")) if (e.scrollTop || e.scrollLeft) e.scrollTo({ left: 0, top: 0, behavior: "instant" });
    for (const [e, left, top] of places) e.scrollTo({ left, top, behavior: "instant" });
    window.scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
  };
})()`;

/**
 * All that is seen in the page: `controls` that can be acted on, and `texts`; by the browser's own numbers of their
 * nodes.
 */
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
  // What is in view first: scrolling to the rest may remove it, in lists that keep only the rows around the view.
  for (const mayScroll of [false, true])
    for (const one of wanted) one.box ||= await isSeen(cdp, world, one.id, mayScroll);
  const seen = wanted.filter(({ box }) => box);
  const texts = seen.filter(({ isText }) => isText).map(({ id, name }) => ({ id, text: name }));
  const controls = seen
    .filter(({ isText }) => !isText)
    .map(({ id, role, name, value, box }) => ({ id, role, name, value, box }));
  // What only listens: the innermost of those that hold no control and are in none.
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

/**
 * The number of each of these elements, which are told by tag, id, class and box; `undefined` for what is not found.
 */
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

/** Notes every scroll position; looking for elements moves them. Returns what puts them back. */
export async function keepScroll(cdp) {
  const contextId = await isolatedWorld(cdp);
  await cdp.send("Runtime.evaluate", { expression: KEPT, contextId });
  return () => cdp.send("Runtime.evaluate", { expression: "oracleRestore()", contextId });
}

/** Whether an element is seen, by its number: as the page stands, or after scrolling to it. */
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
    // The node went while we looked.
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

/** Those with a listener of clicks, as the browser counts them. */
async function clickableNodes(cdp) {
  const { documents } = await cdp.send("DOMSnapshot.captureSnapshot", { computedStyles: [] });
  const found = new Set();
  for (const { nodes } of documents)
    for (const at of nodes.isClickable?.index ?? []) found.add(nodes.backendNodeId[at]);
  return found;
}

/** The document by the numbers of its nodes: parents, hosts of shadow roots among them. */
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

/** Every word that the accessibility tree has: names, values and descriptions. */
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
