// Acting verbs on minimal pages in a real browser: the events that a person causes, and actions that only a person may
// do.

import assert from "node:assert/strict";
import { html } from "./hub.js";
import { refused, scene, told } from "./scene.js";

const LOG = `<script>
  log = [];
  note = (event) => log.push(event.type + (event.currentTarget.id ? "@" + event.currentTarget.id : "") + (event.detail > 1 ? event.detail : ""));
  middle = (element) => { const { x, y, width, height } = element.getBoundingClientRect(); return [x + width / 2, y + height / 2]; };
  watch = (element, names) => names.split(" ").forEach((name) => element.addEventListener(name, note));
</script>`;
const POINTER = "pointerover pointerenter pointermove pointerdown pointerup pointerout pointerleave";
const MOUSE =
  "mouseover mouseenter mousemove mousedown mouseup mouseout mouseleave click dblclick contextmenu auxclick";

const PIXEL = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0);white-space:nowrap";

scene(
  "a click comes in the browser's order, enters what is around it and leaves what it was on",
  async ({ hub, tab }) => {
    await tab.mouse.click(...((await tab.evaluate("middle(a)")) as [number, number]));
    const real = (await tab.evaluate("log.splice(0)")) as string[];
    assert.ok(real.includes("mouseenter@box") && real.includes("click@a"));
    await tab.mouse.move(...((await tab.evaluate("middle(b)")) as [number, number]));
    const left = (await tab.evaluate("log.splice(0)")) as string[];
    await tab.reload();
    const again = await hub.joined();
    await told(again, "click", { target: "#a" });
    assert.deepEqual(await tab.evaluate("log.splice(0)"), real);
    await told(again, "hover", { target: "#b" });
    assert.deepEqual(await tab.evaluate("log.splice(0)"), left);
  },
  html(
    "",
    `${LOG}<div id=box><button id=a>A</button><button id=b>B</button></div>
     <script>watch(box, "pointerenter mouseenter pointerleave mouseleave"); for (const one of [a, b]) watch(one, "${POINTER} ${MOUSE}");</script>`,
  ),
);

scene(
  "a press lasts, and as long as it is told to",
  async ({ page, tab }) => {
    await told(page, "click", { target: "#a" });
    assert.ok(Number(await tab.evaluate("time")) >= 80);
    await told(page, "click", { target: "#a", hold: 300 });
    assert.ok(Number(await tab.evaluate("time")) >= 290);
    assert.match(await refused(page, "click", { target: "#a", hold: 10_001 }), /at most 10000/);
    await told(page, "click", { target: "#a", hold: 0 });
  },
  html(
    "",
    `<button id=a onpointerdown="at = performance.now()" onpointerup="time = performance.now() - at">A</button>`,
  ),
);

scene(
  "a pointerdown that is prevented has no mouse events, but a click",
  async ({ page, tab }) => {
    await told(page, "click", { target: "#a" });
    assert.deepEqual(await tab.evaluate("log"), ["pointerdown@a", "pointerup@a", "click@a"]);
  },
  html(
    "",
    `${LOG}<button id=a>A</button><script>watch(a, "pointerdown pointerup mousedown mouseup click"); a.onpointerdown = (event) => event.preventDefault()</script>`,
  ),
);

scene(
  "double, right, modifiers and places",
  async ({ page, tab }) => {
    await told(page, "click", { target: "#a", double: true });
    assert.deepEqual(await tab.evaluate("log.splice(0)"), [
      "mousedown@a",
      "click@a",
      "mousedown@a2",
      "click@a2",
      "dblclick@a2",
    ]);
    assert.equal(await tab.evaluate("getSelection().toString().trim()"), "word");
    await told(page, "click", { target: "#a", right: true });
    assert.deepEqual(await tab.evaluate("log.splice(0)"), ["mousedown@a", "contextmenu@a", "auxclick@a"]);
    await told(page, "click", { target: "#a", mod: "Shift+Control", at: [3, 4] });
    assert.deepEqual(await tab.evaluate("[last.shiftKey, last.ctrlKey, last.altKey, last.offsetX, last.offsetY]"), [
      true,
      true,
      false,
      3,
      4,
    ]);
    await told(page, "click", { at: [5, 5] });
    assert.deepEqual(await tab.evaluate("[last.clientX, last.clientY]"), [5, 5]);
    assert.match(await refused(page, "click", {}), /click needs a target/);
    assert.match(await refused(page, "click", { target: "#a", mod: "Hyper" }), /no key Hyper/);
  },
  html(
    "",
    `${LOG}<p id=a style="margin:20px">word</p><script>watch(a, "mousedown click dblclick contextmenu auxclick"); addEventListener("click", (event) => { last = event })</script>`,
  ),
);

scene(
  "an input that its track, thumb or label covers is reachable; aria-hidden is not invisible",
  async ({ page, tab }) => {
    await told(page, "check", { target: "#t" });
    assert.equal(await tab.evaluate("t.checked"), true);
    await told(page, "check", { target: "#n" });
    assert.equal(await tab.evaluate("n.checked"), true);
    await told(page, "click", { target: "#h" });
    assert.equal(await tab.evaluate("hits"), 1);
    assert.match(await refused(page, "click", { target: "#c", timeout: 200 }), /covered by/);
  },
  html(
    "",
    `<script>hits = 0</script>
     <span style="position:relative;display:block;width:60px;height:30px"><input id=t type=checkbox style="width:100%;height:100%"><i style="position:absolute;inset:0;background:#ccc"></i></span>
     <input id=n type=checkbox style="display:none"><label for=n>News</label>
     <div aria-hidden=true><button id=h onclick="hits++">Icon</button></div>
     <div style="position:relative;width:90px;height:40px"><button id=c>Below</button><button style="position:absolute;inset:0">Above</button></div>`,
  ),
);

scene(
  "a slider, a colour and a date take what fits them, and say what does not",
  async ({ page, tab }) => {
    await told(page, "fill", { target: "#r", value: "7" });
    await told(page, "fill", { target: "#c", value: "#ff8800" });
    await told(page, "fill", { target: "#d", value: "2026-11-15" });
    assert.deepEqual(await tab.evaluate("[r.value, c.value, d.value]"), ["7", "#ff8800", "2026-11-15"]);
    assert.match(await refused(page, "fill", { target: "#r", value: "70" }), /does not take "70"/);
    assert.match(await refused(page, "fill", { target: "#c", value: "orange" }), /color field does not take/);
    assert.match(await refused(page, "fill", { target: "#d", value: "today" }), /date field does not take/);
    assert.deepEqual(await tab.evaluate("[r.value, c.value, d.value]"), ["7", "#ff8800", "2026-11-15"]);
  },
  html("", "<input id=r type=range min=0 max=10><input id=c type=color><input id=d type=date>"),
);

scene(
  "a drag goes from one place of the page to another",
  async ({ page, tab }) => {
    await told(page, "drag", { from: [20, 20], to: [120, 80] });
    assert.deepEqual(await tab.evaluate("[down, up]"), [
      [20, 20],
      [120, 80],
    ]);
  },
  html(
    "",
    `<script>addEventListener("pointerdown", (e) => { down = [e.clientX, e.clientY] }); addEventListener("pointerup", (e) => { up = [e.clientX, e.clientY] })</script><canvas width=400 height=300></canvas>`,
  ),
);

scene(
  "what only a person may do is said at once",
  async ({ page }) => {
    assert.match(await told(page, "click", { target: "text=Popup" }), /the browser blocked a popup/);
    assert.match(await told(page, "click", { target: "text=Choose" }), /needs a person: a file chooser; use upload/);
    assert.match(await told(page, "click", { target: "text=Full" }), /needs a person: full screen/);
    assert.match(await told(page, "click", { target: "text=Tab" }), /in a new tab, which the browser may block/);
    assert.doesNotMatch(await told(page, "click", { target: "text=Plain" }), /needs a person|blocked/);
  },
  html(
    "",
    `<button onclick="window.open('/other')">Popup</button><button onclick="f.click()">Choose</button><input id=f type=file hidden>
     <button onclick="document.body.requestFullscreen().catch(() => {})">Full</button><a target=_blank href="/other">Tab</a><button>Plain</button>`,
  ),
);

scene(
  "a box of a pixel is ticked where its label is: the stars of a rating read the pointer",
  async ({ page, tab }) => {
    await told(page, "look");
    await told(page, "check", { target: "text=4 Stars" });
    assert.equal(await tab.evaluate("hovered"), 4);
    assert.equal(await tab.evaluate("document.querySelector(':checked').value"), "4");
  },
  html(
    "",
    `<span id=stars style="position:relative;display:inline-flex">${[1, 2, 3, 4, 5]
      .map(
        (
          value,
        ) => `<label for=s${value} style="width:24px;height:24px">★<span style="${PIXEL}">${value} Stars</span></label>
        <input id=s${value} type=radio name=stars value=${value} style="${PIXEL}">`,
      )
      .join("")}</span>
     <script>stars.onmousemove = ({ clientX }) => { hovered = Math.ceil((clientX - stars.getBoundingClientRect().left) / 24); };</script>`,
  ),
);

scene(
  "a slider that takes a change for done when a key ends it gets that key, at its ends too",
  async ({ page, tab }) => {
    for (const value of ["6", "1", "20"]) {
      await told(page, "fill", { target: "input", value });
      assert.deepEqual(await tab.evaluate("[input.value, ended]"), [value, Number(value)]);
    }
    assert.match(await refused(page, "fill", { target: "input", value: "21" }), /does not take "21"/);
  },
  html(
    "",
    `<input id=input type=range min=1 max=20 value=4 aria-label=People><script>
       let shown = 4;
       ended = undefined;
       input.oninput = () => queueMicrotask(() => { shown = Number(input.value); });
       input.onkeydown = (event) => {
         const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
         event.preventDefault();
         ended = shown = Math.min(20, Math.max(1, shown + step));
         input.value = shown;
       };</script>`,
  ),
);
