// Acting verbs on elements that only look like fields: editors that handle input themselves, an EditContext, sliders
// made of divs, canvases. Each page is the smallest one that shows how a real library behaves; web/e2e/apps tries the
// libraries themselves.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage } from "../stage/stage.js";
import { asking, refused, type Ask } from "../stage/verbs.js";

let stage: Stage;
let count = 0;

before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());

async function visit(
  body: string,
): Promise<{ readonly ask: Ask; readonly fails: (...args: string[]) => Promise<string> }> {
  const path = `/editor-${String(++count)}.html`;
  stage.site.page(path, { title: "Editor", body });
  const page = await stage.visit(path);
  const fails = async (...args: string[]): Promise<string> => (await refused(stage, page, ...args)).stderr;
  return { ask: asking(stage, page), fails };
}

// As Lexical does: reads the selection at its change event, and handles every input itself.
const TAKES_OVER = `<div id="t" contenteditable role="textbox" aria-label="Entry"></div><script>
  const t = document.querySelector("#t");
  let text = "", selected = false, known = false;
  document.addEventListener("selectionchange", () => {
    const s = getSelection();
    known = t.contains(s.anchorNode);
    selected = known && !s.isCollapsed;
  });
  t.addEventListener("beforeinput", (event) => {
    event.preventDefault();
    if (!known) return;
    text = (selected ? "" : text) + (event.inputType === "insertParagraph" ? "/" : event.data ?? "");
    t.textContent = text;
    getSelection().selectAllChildren(t);
    getSelection().collapseToEnd();
  });
</script>`;

test("an editor that takes the input over gets beforeinput, after it knows of the selection", async () => {
  const { ask } = await visit(TAKES_OVER);
  await ask("type", "#t", "ab\nc");
  assert.equal(await ask("t.textContent"), "ab/c");
  await ask("fill", "#t", "new");
  assert.equal(await ask("t.textContent"), "new");
});

// As Slate does: reads the current selection at an input, but not before it has handled the focus, and never at a
// paste.
const READS_LATE = `<div id="t" contenteditable role="textbox" aria-label="Minutes">Agenda</div><script>
  const t = document.querySelector("#t");
  let text = "Agenda", selected = false, ignored = 3;
  const put = (added) => { text = selected ? added : added + text; selected = false; t.textContent = text; };
  t.addEventListener("beforeinput", (event) => {
    event.preventDefault();
    selected = ignored-- <= 0 && !getSelection().isCollapsed;
    put(event.data ?? "");
  });
  t.addEventListener("paste", (event) => {
    event.preventDefault();
    put(event.clipboardData.getData("text/plain").replace("\\n", " "));
  });
</script>`;

test("fill replaces the text of an editor that is slow to know of the selection, a text of several lines too", async () => {
  for (const [filled, held] of [
    ["new", "new"],
    ["one\ntwo", "one two"],
    ["", ""],
  ] as const) {
    const { ask } = await visit(READS_LATE);
    await ask("fill", "#t", filled);
    assert.equal(await ask("t.textContent"), held);
  }
});

test("keys of one press come in tasks of their own, so that a framework renders between them", async () => {
  const { ask } =
    await visit(`<div id="t" role="slider" tabindex="0" aria-label="Volume" aria-valuenow="3">x</div><script>
    const t = document.querySelector("#t");
    t.onkeydown = () => { const next = Number(t.ariaValueNow) + 1; queueMicrotask(() => { t.ariaValueNow = String(next); }); };
  </script>`);
  await ask("press", "ArrowRight ArrowRight ArrowRight", "#t");
  assert.equal(await ask("document.querySelector('#t').ariaValueNow"), "6");
});

test("a key goes down and comes up in tasks of their own", async () => {
  const { ask } = await visit(`<div id="t" tabindex="0">x</div><script>
    const t = document.querySelector("#t");
    let down = false;
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { if (down) t.textContent = "deleted"; };
    t.onkeydown = () => { down = true; channel.port2.postMessage(0); };
    t.onkeyup = () => { down = false; };
  </script>`);
  await ask("press", "Delete", "#t");
  assert.equal(await ask("t.textContent"), "deleted");
});

test("marks have the key numbers of their keys, not those of arrows", async () => {
  const { ask } = await visit(`<input id="t"><script>
    const t = document.querySelector("#t");
    window.keys = [];
    t.onkeydown = ({ code, keyCode }) => keys.push(code + keyCode);
  </script>`);
  await ask("type", "#t", "a(.'%1");
  assert.equal(await ask("t.value + ' ' + keys"), "a(.'%1 KeyA65,Digit957,Period190,Quote222,Digit553,Digit149");
  await ask("press", "F5 Escape Delete", "#t");
  assert.equal(await ask("keys.slice(-3).join()"), "F5116,Escape27,Delete46");
});

test("fill moves a slider that is no input by its keys, and says when it does not take a value", async () => {
  const { ask, fails } =
    await visit(`<div id="t" role="slider" tabindex="0" aria-label="Volume" aria-valuenow="30">x</div><script>
    const t = document.querySelector("#t");
    t.onkeydown = ({ key }) => {
      const now = Number(t.ariaValueNow) + (key === "ArrowRight" ? 10 : -10);
      t.ariaValueNow = String(Math.min(100, Math.max(0, now)));
    };
  </script>`);
  await ask("fill", "#t", "70");
  assert.equal(await ask("document.querySelector('#t').ariaValueNow"), "70");
  await ask("fill", "#t", "0");
  assert.equal(await ask("document.querySelector('#t').ariaValueNow"), "0");
  assert.match(await fails("fill", "#t", "15"), /does not take 15/);
  assert.match(await fails("fill", "#t", "200"), /does not take 200/);
  assert.match(await fails("fill", "#t", "loud"), /takes a number/);
});

// As Monaco does: the text is in an EditContext, and the editor handles keys itself.
const CONTEXT = `<div id="t" tabindex="0" role="textbox" aria-label="Script" style="height: 40px"></div>
<div style="position: absolute; inset: 0">drawn above</div><script>
  const t = document.querySelector("#t");
  const context = (t.editContext = new EditContext());
  const all = () => context.updateSelection(0, context.text.length);
  t.addEventListener("keydown", (event) => {
    if (event.key === "a" && event.ctrlKey) { event.preventDefault(); all(); }
    if (event.key === "Home") { event.preventDefault(); context.updateSelection(0, 0); }
  });
  t.addEventListener("paste", (event) => {
    event.preventDefault();
    context.updateText(context.selectionStart, context.selectionEnd, event.clipboardData.getData("text/plain"));
  });
  window.told = "";
  context.addEventListener("textupdate", ({ text, updateRangeStart, updateRangeEnd }) => {
    told += text + updateRangeStart + updateRangeEnd + " ";
  });
</script>`;

test("an element with an EditContext is filled and typed into, although it is drawn by something above it", async () => {
  const { ask } = await visit(CONTEXT);
  await ask("type", "#t", "bc");
  assert.equal(await ask("context.text + '|' + told"), "bc|b00 c11 ");
  await ask("press", "Home", "#t");
  await ask("type", "#t", "a");
  assert.equal(await ask("context.text"), "abc");
  await ask("fill", "#t", "one line");
  assert.equal(await ask("context.text"), "one line");
  await ask("fill", "#t", "two\nlines");
  assert.equal(await ask("context.text"), "two\nlines");
});

test("arrows, with Shift too, move the selection of an editor and of a field, and typing goes on there", async () => {
  const { ask } = await visit(`<div id="t" contenteditable>one two</div><input id="f" value="one two">`);
  for (const [target, value] of [
    ["#t", "document.querySelector('#t').textContent"],
    ["#f", "document.querySelector('#f').value"],
  ] as const) {
    await ask("press", "End Shift+ArrowLeft Shift+ArrowLeft Shift+ArrowLeft", target);
    await ask("type", target, "2");
    assert.equal(await ask(value), "one 2");
    await ask("press", "Home ArrowRight Backspace", target);
    assert.equal(await ask(value), "ne 2");
  }
});

test("a click in an editor puts the caret where it is", async () => {
  const { ask } = await visit(
    `<div id="t" contenteditable style="width: 300px"><p>first</p><p id="second">second</p></div>`,
  );
  await ask("click", "#second");
  assert.equal(await ask("document.querySelector('#second').contains(getSelection().anchorNode)"), "true");
});

test("a click on a canvas has a duration", async () => {
  const { ask } = await visit(`<canvas id="t" tabindex="0"></canvas><script>
    const t = document.querySelector("#t");
    let down = 0;
    t.onpointerdown = () => { down = performance.now(); };
    t.onpointerup = () => { window.held = performance.now() - down; };
  </script>`);
  await ask("click", "#t");
  assert.ok(Number(await ask("held")) >= 80, await ask("held"));
});
