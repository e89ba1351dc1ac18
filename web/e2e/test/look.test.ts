// `eye look`, `text` and `query`: what a person can see and operate, in lines that cost an agent few tokens.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Stage, type Visit } from "../stage/stage.js";
import { asking, refOf, refused } from "../stage/verbs.js";
import { web } from "../../harness/program.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());

let count = 0;

async function visit(
  body: string,
  more: { readonly head?: string; readonly headers?: Record<string, string> } = {},
): Promise<Visit> {
  const path = `/look-${String(++count)}.html`;
  stage.site.page(path, { body, ...more });
  return stage.visit(path);
}

function fixture(name: string): string {
  return /<body>([^]*)<\/body>/.exec(readFileSync(join(web(), "e2e/pages", `${name}.html`), "utf8"))?.[1] ?? "";
}

const FORM = `<nav aria-label="Main"><a href="/a" aria-current="page">Home</a></nav><h1>Sign in</h1>
<form><label>Email <input type="email" required value="ada@x.org"></label>
<label>Password <input type="password" value="secret"></label>
<label for="c">Colour</label><select id="c"><option>Red<option selected>Green<option>Blue</select>
<fieldset><legend>Size</legend><label><input type="radio" name="s" checked> Small</label><label><input type="radio" name="s"> Large</label></fieldset>
<label><input type="checkbox"> I accept</label> <button disabled>Sign in</button>
<button aria-expanded="false" aria-label="Menu"><svg></svg></button><div onclick="0">Card</div>
<input type="range" aria-label="Volume" max="10" value="3"><textarea aria-label="Notes"></textarea></form>`;

test("every kind of control is one piece: ref, name, value and state", async () => {
  const ask = asking(stage, await visit(FORM));
  assert.deepEqual((await ask("look")).split("\n"), [
    "nav Main:",
    " e1 Home (current)",
    "# Sign in",
    "e2 Email*: ada@x.org | e3 Password: ••• | e4 Colour: Green (or Red, Blue)",
    "Size:",
    " e5 (x) Small | e6 ( ) Large",
    "e7 [ ] I accept | e8 [Sign in] (disabled) | e9 [+ Menu]",
    "e10 <Card>",
    "e11 Volume: 3 (0-10) | e12 Notes: _",
  ]);
});

test("passwords, one-time codes and numbers of cards are hidden, in outlines and in elements", async () => {
  const ask = asking(
    stage,
    await visit(`<label>Code <input id="code" autocomplete="one-time-code" value="493817"></label>
    <label>Card <input autocomplete="billing cc-number" value="4111111111111111"></label>
    <label>CSC <input autocomplete="cc-csc" value="493817"></label>
    <label>Shown <input type="text" autocomplete="current-password" value="493817"></label>
    <label>Town <input autocomplete="address-level2" value="Oslo"></label>`),
  );
  const seen = `${await ask("look")}\n${await ask("query", "#code")}\n${await ask("code")}`;
  assert.match(seen, /Code: •••.*Card: •••.*CSC: •••.*Shown: •••.*Town: Oslo/s);
  assert.doesNotMatch(seen, /493817|4111/);
});

test("the README's outline is what such a page looks like", async () => {
  const others = Array.from({ length: 13 }, (_, at) => `<option>${["Kenya", "Mali"][at] ?? `Land ${String(at)}`}`).join(
    "",
  );
  const ask = asking(
    stage,
    await visit(`<h1>Sign in</h1><div><label>Email <input type="email" required value="ada@" aria-invalid="true" aria-describedby="w"></label></div><p id="w" hidden>no @</p>
    <div><label>Country <select>${others}</select></label></div><div><label><input type="checkbox"> Stay signed in</label> <label><input type="radio" checked> Day</label></div>
    <div><button disabled>Send</button> <button aria-expanded="false">More</button></div><div><a href="/f">Forgot password?</a> <span tabindex="0">Card</span></div>`),
  );
  const shown = (await ask("look")).replace(/\(or .*?(\d+) more\)/, "(or Mali, 9 more)").split("\n");
  const readme = readFileSync(join(web(), "client/README.md"), "utf8");
  const example = /An outline reads like this:\n\n```\n([^]*?)\n```/.exec(readme)?.[1] ?? "";
  assert.deepEqual(
    example.split("\n").map((line) => line.split(/ {2,}| (?=a list:)/)[0]),
    shown,
  );
});

test("what is not visible is left out: hidden, inert, aria-hidden, and the values of passwords", async () => {
  const ask = asking(
    stage,
    await visit(`<button hidden>A</button><button style="visibility:hidden">B</button><div inert><button>C</button></div>
    <div aria-hidden="true"><button>D</button></div><div style="opacity:0"><button>E</button></div><template><button>F</button></template>
    <input type="hidden" value="G"><details><summary>More</summary><button>H</button></details><button>Seen</button>`),
  );
  assert.equal(await ask("look"), "e1 [+ More]\ne2 [Seen]");
});

test("an invalid field says why", async () => {
  const ask = asking(
    stage,
    await visit(
      '<label>Age <input aria-invalid="true" aria-describedby="why" value="x"></label><p id="why" hidden>A number, please.</p>',
    ),
  );
  assert.equal(await ask("look"), "e1 Age: x (invalid: A number, please.)");
});

test("the viewport comes first, with how much is out of it, and --all shows everything", async () => {
  const ask = asking(
    stage,
    await visit('<button>Top</button><div style="height:3000px"></div><button>Far</button><a href="/x">Farther</a>'),
  );
  assert.equal(await ask("look"), "e1 [Top]\n… more out of view: 2 below (--all)");
  assert.equal(await ask("look", "--all"), "e1 [Top]\ne2 [Far] | e3 Farther");
  await ask("scroll", "bottom");
  assert.equal(await ask("look"), "e2 [Far] | e3 Farther\n… more out of view: 1 above (--all)");
});

test("long lists are folded, and shown whole with --all", async () => {
  const rows = Array.from({ length: 20 }, (_, at) => `<li><a href="/${String(at)}">Item ${String(at)}</a></li>`).join(
    "",
  );
  const ask = asking(stage, await visit(`<ul>${rows}</ul>`));
  const lines = (await ask("look")).split("\n");
  assert.deepEqual([lines.length, lines[7], lines[8]], [9, "e8 Item 7", "… 12 more like this"]);
  assert.equal((await ask("look", "--all")).split("\n").length, 20);
});

test("a dialog that keeps everything else away is all there is", async () => {
  const ask = asking(
    stage,
    await visit(
      '<button>Behind</button><dialog aria-label="Sure?"><p>Really?</p><button>Yes</button></dialog><script>document.querySelector("dialog").showModal()</script>',
    ),
  );
  assert.equal(await ask("look"), "dialog Sure?:\n Really?\n e1 [Yes]");
});

test("shadow roots and same-origin frames are part of the page", async () => {
  const ask = asking(
    stage,
    await visit(`<my-card><b slot="title">Slotted</b></my-card><iframe title="inner" srcdoc="<button onclick='parent.hit=1'>Framed</button>"></iframe>
    <script>customElements.define("my-card", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = '<h2><slot name="title"></slot></h2><label>Inside <input></label><button onclick="window.hits=(window.hits||0)+1">Shadowed</button>' } })</script>`),
  );
  const outline = await ask("look");
  assert.equal(outline, "## Slotted\ne1 Inside: _ | e2 [Shadowed]\nframe inner:\n e3 [Framed]");
  await ask("click", "text=shadowed");
  await ask("click", "e3");
  assert.equal(await ask("wait", "text=Slotted"), "e4 Slotted");
  await ask("fill", "e1", "text");
  assert.equal(
    await ask("[hits, hit, document.querySelector('my-card').shadowRoot.querySelector('input').value].join()"),
    "1,1,text",
  );
});

test("a frame of another origin is named, and what it holds is not", async () => {
  stage.site.page("/other.html", { body: "<button>Inside</button>", tag: false });
  const ask = asking(
    stage,
    await visit(
      `<iframe title="Payment" src="${stage.site.url("/other.html", "127.0.0.1")}"></iframe><button>Pay</button>`,
    ),
  );
  assert.equal(await ask("look"), "frame Payment (of another origin) | e1 [Pay]");
});

test("a ref stays with its element, and one that is gone says so with the nearest, and acts on nothing", async () => {
  const page = await visit(
    '<div id="box"><button onclick="window.n=(window.n||0)+1">Save</button></div><button>Cancel</button>',
  );
  const ask = asking(stage, page);
  const ref = refOf(await ask("look"), "Save");
  await ask(
    "document.querySelector('#box').prepend(document.createElement('hr')); document.querySelector('#box').style.padding = '9px'",
  );
  assert.equal(refOf(await ask("look"), "Save"), ref);
  await ask("void (document.querySelector('#box').innerHTML = document.querySelector('#box').innerHTML)");
  const { stderr } = await refused(stage, page, "click", ref);
  assert.match(
    stderr,
    new RegExp(
      `^error: page: ${ref} is gone; it was \\[Save\\]\nhint: nearest: \`e\\d+ \\[Save\\]\`, \`e\\d+ \\[Cancel\\]\``,
    ),
  );
  assert.equal(await ask("window.n ?? 0"), "0");
  assert.notEqual(refOf(await ask("look"), "Save"), ref);
  assert.match((await refused(stage, page, "click", "e999")).stderr, /there is no e999/);
});

test("--since shows only what changed since this agent's last look", async () => {
  const page = await visit('<label>Name <input></label><button>One</button><p id="p">Old</p>');
  const ask = asking(stage, page);
  await ask("look");
  assert.equal(await ask("look", "--since"), "nothing changed");
  await ask(
    "document.querySelector('input').value = 'Ada'; document.querySelector('button').remove(); document.querySelector('#p').textContent = 'New'; void 0",
  );
  assert.deepEqual((await ask("look", "--since")).split("\n").sort(), [
    "+ New",
    "- Old",
    "- e2 [One]",
    "~ e1 Name: Ada",
  ]);
});

test("a part of the page is looked at by a target", async () => {
  const page = await visit(
    '<main><h1>Shop</h1><section id="cart"><h2>Cart</h2><button>Pay</button></section></main><button>Other</button>',
  );
  const ask = asking(stage, page);
  assert.equal(await ask("look", "#cart"), "## Cart\ne1 [Pay]");
  assert.match((await refused(stage, page, "look", "#none")).stderr, /nothing matches #none/);
});

test("text is what can be read, without refs, links as text", async () => {
  const ask = asking(
    stage,
    await visit(
      '<nav><a href="/">Menu</a></nav><main><h1>Lens</h1><p>A <b>piece</b> of <a href="/g">glass</a>, which\n  bends light.</p><ul><li>one</li><li>two</li></ul></main>',
    ),
  );
  assert.equal(await ask("text"), "Lens\nA piece of glass, which bends light.\none\ntwo");
  assert.equal(await ask("text", "nav"), "Menu");
});

test("a password is in no answer", async () => {
  const ask = asking(stage, await visit('<form id="f"><input type="password" aria-label="P" value="secret"></form>'));
  for (const args of [["look"], ["text"], ["query", "#f"], ["query", "input"], ["fill", "text=P", "secret"]])
    assert.ok(!(await ask(...args)).includes("secret"), args.join(" "));
});

test("query says what an element is, or all of them shortly", async () => {
  const page = await visit('<p id="a" class="x y">Hello <b>there</b></p><p class="x">Second</p>');
  const ask = asking(stage, page);
  const one = JSON.parse(await ask("query", "#a")) as Record<string, unknown>;
  assert.deepEqual(
    { ...one, rect: typeof one.rect },
    {
      tag: "p",
      id: "a",
      className: "x y",
      text: "Hello there",
      html: '<p id="a" class="x y">Hello <b>there</b></p>',
      rect: "object",
    },
  );
  assert.deepEqual(JSON.parse(await ask("query", "--all", ".x")), [
    { tag: "p", id: "a", className: "x y", text: "Hello there" },
    { tag: "p", id: "", className: "x", text: "Second" },
  ]);
  assert.match((await refused(stage, page, "query", "p:hover[")).stderr, /is no CSS selector/);
});

test("everything of a page of a shop is there, each with a ref", async () => {
  const page = await visit(fixture("shop"));
  const ask = asking(stage, page);
  const outline = await ask("look", "--all");
  const wanted = Number(
    await ask(
      "[...document.querySelectorAll('a[href],button,input,select')].filter((one) => one.getBoundingClientRect().width > 1).length",
    ),
  );
  assert.equal(new Set(outline.match(/\be\d+(?= )/g)).size, wanted);
});
