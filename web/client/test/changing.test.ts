// Reports of acting verbs on minimal pages in a real browser: the change that a person would see, without content that
// only moved.

import assert from "node:assert/strict";
import { html } from "./hub.js";
import { refused, scene, told } from "./scene.js";

scene(
  "a click on a web component whose slot holds text reaches the button inside, by its text too",
  async ({ page, tab }) => {
    assert.equal(await told(page, "look"), "e1 [Send]");
    assert.match(await told(page, "click", { target: "e1" }), /^e1 \[Send\]/);
    assert.match(await told(page, "click", { target: "text=Send" }), /^e1 \[Send\]/);
    assert.match(await told(page, "click", { target: "css=x-button" }), /Send/);
    assert.equal(await tab.evaluate("clicks"), 3);
  },
  html(
    "",
    `<script>clicks = 0; customElements.define("x-button", class extends HTMLElement {
       constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<button onclick='clicks++'><slot></slot></button>"; } });</script>
     <x-button>Send</x-button>`,
  ),
);

const ROWS = Array.from({ length: 14 }, (_, at) => `<li>row ${at + 1}</li>`).join("");

scene(
  "a row that is appended to a long list is told, below the fold too",
  async ({ page }) => {
    assert.match(await told(page, "look"), /more like this/);
    assert.equal(await told(page, "click", { target: "text=Add" }), "e1 [Add]\n+ row 15\n+ saved");
  },
  html(
    "",
    `<button onclick="list.insertAdjacentHTML('beforeend', '<li>row ' + (list.children.length + 1) + '</li>'); low.textContent = 'saved'">Add</button><ul id=list>${ROWS}</ul><div style="height:2000px"></div><p id=low></p>`,
  ),
);

scene(
  "a change behind the cut of a long text is shown where it is",
  async ({ page }) => {
    assert.equal(await told(page, "click", { target: "text=Go" }), "e1 [Go]\n~ …word word word tail is now two");
  },
  html(
    "",
    `<button onclick="p.textContent = p.textContent.replace('one', 'is now two')">Go</button><p id=p>${"word ".repeat(40)}tail one</p>`,
  ),
);

scene(
  "closing a dialog tells that it went, not that the page came",
  async ({ page }) => {
    await told(page, "look");
    const opened = await told(page, "click", { target: "text=Open" });
    assert.match(opened, /\+ dialog Ask:\n\+ e\d+ \[Close\]/);
    assert.doesNotMatch(opened, /Page|Other/);
    assert.equal(await told(page, "click", { target: "text=Close" }), "- dialog Ask:\n- e3 [Close]");
  },
  html(
    "",
    `<main id=m><h1>Page</h1><button onclick="d.showModal(); m.setAttribute('aria-hidden', true)">Open</button><button>Other</button></main>
     <dialog id=d aria-label=Ask><button onclick="d.close(); m.removeAttribute('aria-hidden')">Close</button></dialog>`,
  ),
);

scene(
  "what opens a moment after the hover is told",
  async ({ page }) => {
    assert.equal(await told(page, "hover", { target: "text=File" }), "e1 [File]\n+ e2 [Open…]");
  },
  html(
    "",
    `<button onmouseenter="setTimeout(() => { menu.hidden = false }, 250)">File</button><div id=menu hidden><button role=menuitem>Open…</button></div>`,
  ),
);

scene(
  "a page that had no time for it opens its menu all the same",
  async ({ page }) => {
    assert.equal(await told(page, "hover", { target: "text=File" }), "e1 [File]\n+ e2 [Open…]");
  },
  html(
    "",
    `<script>
       function hovered() {
         const end = performance.now() + 700;
         // The data that the menu waits for is ready while no code of the page runs, and arrives after the next frame.
         requestAnimationFrame(() => {
           while (performance.now() < end);
           setTimeout(() => setTimeout(() => (menu.hidden = false)));
         });
       }
     </script><button onmouseenter="hovered()">File</button><div id=menu hidden><button role=menuitem>Open…</button></div>`,
  ),
);

scene(
  "a text that an editor loses is told",
  async ({ page }) => {
    const text = "The quick brown fox jumps over the lazy dog, and runs away from it. ".repeat(2);
    const filled = await told(page, "fill", { target: "css=[contenteditable]", value: text.trim() });
    assert.match(filled, /^~ e1 Body: The quick brown fox/);
    assert.match(await told(page, "click", { target: "text=Cut" }), /~ e1 Body: The quick brown fox.*\n|~ e1 …/);
    assert.match(await told(page, "click", { target: "text=Clear" }), /~ e1 Body: _/);
  },
  html(
    "",
    `<div contenteditable aria-label=Body></div><button onclick="e = document.querySelector('[contenteditable]'); e.textContent = e.textContent.slice(0, -9)">Cut</button>
     <button onclick="document.querySelector('[contenteditable]').textContent = ''">Clear</button>`,
  ),
);

scene(
  "a ref of the document before is refused in the next, and never means another element",
  async ({ hub, page, tab }) => {
    hub.lastRef = 41;
    assert.equal(await told(page, "look"), "e1 [Delete]");
    await page.until(
      () => page.frames.some((one) => typeof one !== "string" && one.params?.lastRef === 1) || undefined,
    );
    void tab.reload();
    const next = await hub.joined();
    assert.equal(
      await refused(next, "click", { target: "e1" }),
      "e1 is of the page that was here before; look gives the refs of this one",
    );
    assert.equal(await told(next, "look"), "e42 [Delete]");
    assert.match(await told(next, "click", { target: "e42" }), /e42 \[Delete\]/);
  },
  html("", "<button>Delete</button>"),
);

scene(
  "a text that holds the mark between pieces is one piece, and a control in a heading has its ref",
  async ({ page }) => {
    assert.equal(await told(page, "look"), "e1 Rights: user | Can view (or user | Can add)\n# e2 [+ Section]\ne3 [Go]");
    assert.equal(
      await told(page, "click", { target: "e3" }),
      "e3 [Go]\n~ e1 Rights: user | Can add (or user | Can view)\n~ # e2 [- Section]",
    );
  },
  html(
    "",
    `<select id=s aria-label=Rights><option>user | Can view<option>user | Can add</select>
     <h1><button id=b aria-expanded=false>Section</button></h1>
     <p><button onclick="s.selectedIndex = 1; b.ariaExpanded = 'true'">Go</button></p>`,
  ),
);

scene(
  "a field that the page keeps from agents by itself is not told of; what a dialog silences is",
  async ({ page }) => {
    const report = await told(page, "click", { target: "text=USD" });
    assert.equal(report, "e1 [USD]\n+ Paid in USD\n- Paid in EUR");
  },
  html(
    "",
    `<button onclick="native.value = 'USD'; paid.textContent = 'Paid in USD'">USD</button>
     <input id=native aria-hidden=true tabindex=-1 value=EUR style="opacity:0"><div aria-hidden=true><p id=paid>Paid in EUR</p></div>`,
  ),
);

scene(
  "losing the focus is no news, and of a long text only the place that differs is shown",
  async ({ page }) => {
    assert.equal(await told(page, "fill", { target: "#a", value: "Ada" }), "~ e1 A: Ada (focus)");
    assert.equal(await told(page, "fill", { target: "#b", value: "Bea" }), "~ e2 B: Bea (focus)");
    const report = await told(page, "click", { target: "text=Sign" });
    assert.equal(report, "e3 [Sign]\n~ e4 C: Dear Ada, the quick brown fox…\n~ e5 …over the lazy dog. x Yours");
  },
  html(
    "",
    `<label for=a>A</label><input id=a><label for=b>B</label><input id=b>
     <label for=c>C</label><textarea id=c>the quick brown fox jumps over the lazy dog, and then the lazy dog jumps over it</textarea>
     <label for=d>D</label><textarea id=d>the quick brown fox jumps over the lazy dog, and over the lazy dog. x</textarea>
     <p><button onclick="c.value = 'Dear Ada, ' + c.value; d.value += ' Yours'">Sign</button></p>`,
  ),
);

scene(
  "what an action moved is told with where it is now, and a sorted table as a whole",
  async ({ page }) => {
    await told(page, "look");
    assert.equal(await told(page, "click", { target: "text=Swap" }), "e1 [Swap]\n~ Ada (moved behind Cleo)");
    assert.equal(await told(page, "click", { target: "text=Push" }), "e2 [Push]\n+ Zed");
    assert.equal(
      await told(page, "click", { target: "text=Sort" }),
      "e3 [Sort]\n~ 3 | Cy (moved behind Name | Person)\n~ 2 | Bo (moved behind 3 | Cy)",
    );
  },
  html(
    "",
    `<button onclick="list.append(list.children[0])">Swap</button>
     <button onclick="list.insertAdjacentHTML('afterbegin', '<li>Zed</li>')">Push</button>
     <button onclick="for (const row of [...rows.children].reverse()) rows.append(row)">Sort</button>
     <ul id=list><li>Ada</li><li>Bob</li><li>Cleo</li></ul>
     <table><thead><tr><th>Name</th><th>Person</th></tr></thead>
     <tbody id=rows><tr><td>1</td><td>Al</td></tr><tr><td>2</td><td>Bo</td></tr><tr><td>3</td><td>Cy</td></tr></tbody></table>`,
  ),
);
