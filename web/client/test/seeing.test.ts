// What `look` and `text` show of minimal pages in a real browser: everything that a person sees, and nothing else.

import assert from "node:assert/strict";
import { html } from "./hub.js";
import { ask, refused, scene, told } from "./scene.js";

/** Opens a page, and returns the outline that `look` prints. */
function seen(name: string, body: string, expected: string, params: object = {}): void {
  scene(
    name,
    async ({ page }) => {
      assert.equal(await told(page, "look", params), expected.trim());
    },
    html("", body),
  );
}

scene(
  "a focusable region shows its content, in look and in text",
  async ({ page }) => {
    const table = "Quarter | Sales\nQ1 | 100\nQ2 | 200";
    assert.equal(
      await told(page, "look"),
      `e1 <Quarterly figures>\n${table}\ne2 (x) Notes\ne3 <Notes> | Remember the milk`,
    );
    assert.equal(await told(page, "text"), `${table.replaceAll(" | ", " ")}\nNotes\nRemember the milk`);
  },
  html(
    "",
    `<div role=region aria-label="Quarterly figures" tabindex=0><table><tr><th>Quarter<th>Sales<tr><td>Q1<td>100<tr><td>Q2<td>200</table></div>
     <button role=tab aria-selected=true>Notes</button><div role=tabpanel tabindex=0 aria-label=Notes>Remember the milk</div>`,
  ),
);

scene(
  "the lines of a pre are lines, also where it can have the focus",
  async ({ page }) => {
    assert.equal(await told(page, "look"), "e1 <box>\nfn main() {\nprint(1);\n}");
    assert.equal(await told(page, "text"), "fn main() {\n  print(1);\n}");
  },
  html("", "<pre tabindex=0>fn main() {\n  print(1);\n}\n</pre>"),
);

scene(
  "text prints what stands in a field or an editor whole, line by line",
  async ({ page }) => {
    const line = `let sum = ${"1 + ".repeat(20)}1;`;
    assert.equal(await told(page, "text"), `Program: ${line}\n  done(sum);\nName: Ada\nNotes: ${line}\nend`);
  },
  html(
    "",
    `<p><textarea aria-label=Program>let sum = ${"1 + ".repeat(20)}1;\n  done(sum);\n</textarea></p><p><input aria-label=Name value=Ada></p>
     <div contenteditable role=textbox aria-label=Notes><div>let sum = ${"1 + ".repeat(20)}1;</div><div>end</div></div>`,
  ),
);

seen(
  "white space between inline elements is a space",
  "<p><b>Total:</b> <span>42</span> <i>EUR</i></p><ul><li><b>a</b> <i>b</i></ul>",
  "Total: 42 EUR\na b",
);

seen(
  "a closed details shows its summary only, whatever it holds",
  "<details><summary>More</summary>loose text<p>inner</p></details><details open><summary>Open</summary>shown</details>",
  "e1 [+ More]\ne2 [- Open]\nshown",
);

seen(
  "fixed and absolute children are not clipped by an overflow that does not contain them",
  `<div style="overflow:hidden;width:80px;height:30px">
     <div style="position:fixed;right:10px;bottom:10px">Saved <button>Undo</button></div>
     <div style="position:absolute;left:300px;top:60px"><button>Menu item</button></div>
     <div style="position:relative;overflow:hidden;height:20px"><p style="position:absolute;top:200px">cut off</p></div>
   </div>`,
  "Saved | e1 [Undo]\ne2 [Menu item]",
);

seen(
  "a toggle drawn by its track is seen: its input has no size, or is not drawn at all",
  `<label style="position:relative;display:inline-block;width:60px;height:30px;overflow:hidden">
     <input type=checkbox checked style="opacity:0;width:0;height:0;position:absolute"><span>Wi-Fi</span></label>
   <label><input type=checkbox style="display:none"><span>Bluetooth</span></label>`,
  "e1 [x] Wi-Fi\ne2 [ ] Bluetooth",
);

scene(
  "what says that it is modal and keeps nothing away hides nothing",
  async ({ page, tab }) => {
    assert.equal(await told(page, "look"), "e1 [Page]\ndialog Filters:\n e2 [Apply]");
    await tab.evaluate(() => {
      document.querySelector<HTMLElement>("[role=dialog]")?.style.setProperty("inset", "0");
    });
    assert.equal(await told(page, "look"), "dialog Filters:\n e2 [Apply]");
  },
  html(
    "",
    `<button>Page</button><div role=dialog aria-modal=true aria-label=Filters style="position:fixed;bottom:0;left:0;right:0;background:#fff"><button>Apply</button></div>`,
  ),
);

seen(
  "a dialog that fades out, and is kept from agents already, hides nothing",
  `<button>Page</button><div role=dialog aria-modal=true aria-hidden=true aria-label=Filters
    style="position:fixed;inset:0;background:#fff8"><button>Apply</button></div>`,
  "e1 [Page]",
);

seen(
  "names come from labels, placeholders and titles; a glyph is none, and letters stay as they are written",
  `<input placeholder="Search docs"><div contenteditable aria-placeholder="Write here" style="width:90px;height:20px"></div>
   <button role=switch aria-checked=true id=s></button><label for=s>Dark mode</label>
   <button title="Delete row">&#xe872;</button><button style="text-transform:uppercase"><span>Options</span></button>`,
  "e1 Search docs: _\ne2 Write here: _\ne3 [x] Dark mode | e4 [Delete row] | e5 [Options]",
);

seen(
  "a fieldset without a legend repeats nothing, and a title of a dialog is cut",
  `<fieldset><button>One</button> words</fieldset><div role=dialog aria-labelledby=t><p id=t>${"long ".repeat(30)}</p></div>`,
  `e1 [One] | words\ndialog ${"long ".repeat(15)}long…:\n ${"long ".repeat(19)}long…`,
);

seen(
  "lists that are opened by a button show what is chosen in them",
  `<label id=l>Age</label><div role=combobox tabindex=0 aria-expanded=false aria-labelledby=l>Ten</div>
   <button role=combobox aria-label=Fruit aria-expanded=false>Apple</button>
   <button aria-haspopup=listbox aria-expanded=true>Wade Cooper</button>`,
  "e1 [+ Age: Ten]\ne2 [+ Fruit: Apple] | e3 [- Wade Cooper]",
);

seen(
  "what only draws a control is not told beside it; a card that holds more than one is",
  `<div style="cursor:pointer;width:200px"><input type=range aria-label=Size min=1 max=9 value=3></div>
   <div style="cursor:pointer"><button>GET /pets</button><button>Unfold</button></div>
   <div style="cursor:pointer"><label id=l>Language</label><div role=combobox tabindex=0 aria-expanded=false aria-labelledby=l>English</div></div>
   <div style="cursor:pointer">Trip to Rome <button>Delete</button></div>
   <div style="cursor:pointer"><input type=checkbox aria-label=Done> Buy tea</div>`,
  `e1 Size: 3 (1-9)\ne2 [GET /pets] | e3 [Unfold]\ne4 [+ Language: English]\ne5 <box> | Trip to Rome | e6 [Delete]\ne7 <box> | e8 [ ] Done | Buy tea`,
);

seen(
  "a host that takes the focus for its button, and a list that takes it for its options, are told once",
  `<x-button tabindex=0 style="cursor:pointer"></x-button><script>
     document.querySelector("x-button").attachShadow({ mode: "open" }).innerHTML = "<button>Send</button>";</script>
   <ul role=listbox tabindex=0 aria-label=Fruit><li role=option aria-selected=true>Apple<li role=option>Plum</ul>`,
  "e1 [Send]\nFruit:\n e2 (x) Apple\n e3 ( ) Plum",
);

const PIXEL =
  "position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip:rect(0,0,0,0);white-space:nowrap";

seen(
  "a pixel for screen readers shows nothing but fields that are drawn beside it; what no scrolling reaches is not told",
  `<a href="#main" style="position:absolute;left:-9999px">Skip to content</a>
   <div style="${PIXEL}" aria-live=polite>3 options available</div>
   <div style="${PIXEL}"><button>Dismiss</button></div>
   <label><span style="${PIXEL}"><input type=checkbox></span>Coffee</label>
   <label style="display:block;width:0;height:0"><input type=radio style="${PIXEL}"><span style="${PIXEL}">Empty</span></label>`,
  "e1 [ ] Coffee",
);

seen(
  "a label names by its title, while an open list silences it, and with all that it shows",
  `<label title="Very large"><input type=radio name=size><svg width=20 height=20></svg></label>
   <div aria-hidden=true><label for=city>City</label></div><input id=city>
   <label><input type=radio aria-label=Rectangle><span>2</span></label>
   <label for=n>* Name :</label><input id=n><label for=m>Mail*:</label><input id=m required>`,
  "e1 ( ) Very large | e2 City: _ | e3 ( ) Rectangle: 2 | e4 Name*: _ | e5 Mail*: _",
);

seen(
  "a control without a name is called by the text beside it, and what a button shows is told beside its name",
  `<div><span>Days</span><div role=slider tabindex=0 aria-valuemin=1 aria-valuemax=14 aria-valuenow=3 style="width:80px;height:9px"></div></div>
   <button aria-label="Reset zoom">100%</button><button aria-label="Read more about tea">Read more</button>
   <button aria-label=Next style="font-family:'Material Icons'">chevron_right</button>`,
  "Days\ne1 Days: 3 (1-14)\ne2 [Reset zoom: 100%] | e3 [Read more about tea] | e4 [Next]",
);

seen(
  "a field with a list shows what is chosen in it, also where the choice is drawn beside an empty input",
  `<style>body { font-family: Roboto, "Segoe UI Symbol" }</style>
   <label for=f>Fruit</label><div style="display:flex"><div>Cherry</div><input id=f role=combobox aria-expanded=false readonly></div>
   <label for=c>Colour</label><div style="display:flex"><div class=my-placeholder>Choose one</div><input id=c role=combobox></div>
   <div><span>City</span> <input role=combobox aria-label=City></div>
   <div><input role=combobox aria-label=Street><div>Begin to type</div></div>`,
  "e1 Fruit: Cherry (read-only)\ne2 Colour: _ (Choose one)\ne3 City: _\ne4 Street: _\nBegin to type",
);

seen(
  "an editor that draws its lines beside the element that takes the keys shows them",
  `<div style="position:relative;height:60px"><div id=keys role=textbox aria-label=Script tabindex=0 style="width:1px;height:18px"></div>
     <div aria-hidden=true style="position:absolute;left:0;top:0;width:9px">1 2</div>
     <div aria-hidden=true style="position:absolute;left:20px;top:0;width:300px;height:40px">
       <div style="position:absolute;top:20px">const b = 2;</div><div style="position:absolute;top:0">const a = 1;</div></div></div>
   <script>keys.editContext = new EditContext()</script>`,
  "e1 Script: const a = 1; const b = 2;",
);

seen(
  "what is written in a drawing is read, and a part of it that reacts to a pointer is told by its title",
  `<svg width=200 height=60><text x=5 y=15>Revenue <tspan>42</tspan></text><g role=link tabindex=0><text x=90 y=15>May</text></g>
     <g style="cursor:pointer"><title>Slice</title><rect x=20 y=30 width=9 height=9></rect></g></svg>`,
  "Revenue 42 | e1 May | e2 <Slice>",
);

seen(
  "a label in view is read though its field is not, what is hidden until it is found is not, and editors' placeholders are names",
  `<label for=far>Far away</label><div hidden=until-found>found</div>
   <div contenteditable data-placeholder="Write here" style="width:90px;height:20px"></div><div style="height:1500px"></div><input id=far>`,
  "Far away\ne1 Write here: _\n… more out of view: 1 below (--all)",
);

seen(
  "what is around an element disables it, across shadow roots and slots too",
  `<div aria-disabled=true><button>In</button><label><input type=checkbox>Tick</label></div><button>Out</button>
   <x-box><button>Slotted</button></x-box><script>
     const root = document.querySelector("x-box").attachShadow({ mode: "open" });
     root.innerHTML = "<div aria-disabled=true><slot></slot><button>Inner</button></div><button>Beside</button>";
   </script>`,
  `e1 [In] (disabled) | e2 [ ] Tick (disabled)
e3 [Out]
e4 [Slotted] (disabled) | e5 [Inner] (disabled)
e6 [Beside]`,
);

seen(
  "a row of a table is drawn although its content need not be laid out, a cell is not",
  `<style>.left { content-visibility: hidden }</style>
   <table><tr class=left><td>Drawn<td class=left>Left out<td><button>Take</button></table><div class=left>Left out</div>`,
  "Drawn | e1 [Take]",
);

scene(
  "a style that changes between two looks is seen, without any change of the document",
  async ({ page, tab }) => {
    assert.equal(await told(page, "look"), "e1 [One]");
    await tab.evaluate("document.styleSheets[0].deleteRule(0)");
    assert.equal(await told(page, "look"), "e1 [One]\ne2 [Two] | Three");
    await tab.evaluate("document.styleSheets[0].insertRule('p { opacity: 0 }')");
    assert.equal(await told(page, "look"), "e1 [One]");
  },
  html("", "<style>p { display: none }</style><button>One</button><p><button>Two</button> <span>Three</span></p>"),
);

scene(
  "text= means the element whose own text it is, not an area that holds it",
  async ({ page, tab }) => {
    assert.equal(await told(page, "click", { target: "text=Reserved" }), "e1 Reserved for Ada: nothing else changed");
    assert.equal(await tab.evaluate("last.target.id"), "note");
  },
  html(
    "",
    `<section tabindex=0><h1>Rooms</h1><p id=note>Reserved for Ada</p><button>More</button></section>
     <script>addEventListener("click", (event) => { last = event; });</script>`,
  ),
);

seen(
  "pictures, progress, meters and what is selected, current or sorted are told",
  `<img alt="Sales by month" src="data:," width=40 height=40><img alt="" src="data:," width=40 height=40>
   <p><progress value=3 max=10 aria-label=Upload></progress></p><p><meter value=0.5 aria-label=Disk></meter></p>
   <div role=progressbar aria-label=Import style="height:9px"></div>
   <table><tr><th aria-sort=ascending>Name<th>Age<tr aria-selected=true><td>Ada<td>36</table>
   <ol><li aria-current=step>Pay<li>Done</ol>`,
  "image: Sales by month\nUpload: 30 %\nDisk: 50 %\nImport: under way\nName (sorted up) | Age\nAda | 36 (selected)\nPay (current)\nDone",
);

seen(
  "controls inside of an SVG are controls",
  `<svg width=200 height=60><g role=button tabindex=0 aria-label=North><rect width=50 height=50></rect></g>
   <a href="#x" aria-label=South><rect x=60 width=50 height=50></rect></a></svg><svg role=img aria-label="Map of Rome" width=20 height=20></svg>`,
  "e1 [North] | e2 South | image: Map of Rome",
);

scene(
  "a page that is still loading says so",
  async ({ hub, tab, page }) => {
    let end: (() => void) | undefined;
    hub.pages.set("/slow", (_, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).write(html("", "<p>first part</p>"));
      end = () => response.end("<p>second part</p>");
    });
    assert.equal(await told(page, "look"), "here");
    void tab.goto(`${hub.origin}/slow`).catch(() => undefined);
    const slow = await hub.joined();
    assert.equal(await told(slow, "look"), "first part\n… still loading");
    end?.();
    await tab.waitForLoadState("load");
    assert.equal(await told(slow, "look"), "first part\nsecond part");
  },
  html("", "<p>here</p>"),
);

scene(
  "controls that a page builds in its load event are seen by the first look",
  async ({ hub, tab, page }) => {
    hub.pages.set("/late.css", (_, response) => void setTimeout(() => response.end(), 300));
    hub.pages.set("/built", (_, response) => {
      const late = `document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/late.css" }))`;
      const builds = `onload = () => document.body.insertAdjacentHTML("beforeend", "<button>Choose</button>")`;
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(html("", `<p>a list</p><script>${late}; ${builds}</script>`));
    });
    assert.equal(await told(page, "look"), "here");
    void tab.goto(`${hub.origin}/built`).catch(() => undefined);
    const built = await hub.joined();
    assert.equal(await told(built, "look"), "a list\ne1 [Choose]");
  },
  html("", "<p>here</p>"),
);

scene(
  "a ref that look never gave is refused",
  async ({ page }) => {
    assert.equal(await refused(page, "click", { target: "e9" }), "there is no e9; look gives refs");
  },
  html("", "<button>x</button>"),
);

scene(
  "what the console shows as a table, to be unfolded, or because it does not hold, is in the logs",
  async ({ page }) => {
    const logs = (await ask(page, "logs")).value as { level: string; text: string }[];
    assert.deepEqual(
      logs.map(({ level, text }) => `${level}: ${text}`),
      ['log: [{"name":"Ada","age":36}]', 'log: {"a":1}', "error: Assertion failed: too late"],
    );
  },
  html(
    "",
    `<script>addEventListener("load", () => { console.table([{ name: "Ada", age: 36 }], ["name"]); console.dir({ a: 1 });
       console.assert(true, "never"); console.assert(false, "too late"); });</script>`,
  ),
);

scene(
  "an outline that is cut says how to go on, and not the same again for a part",
  async ({ page }) => {
    const last = async (params: object): Promise<string> => (await told(page, "look", params)).split("\n").at(-1) ?? "";
    assert.equal(await last({ all: true }), "… 1 more lines; look at a part of the page");
    assert.equal(await last({ target: "main", all: true }), "… 1 more lines; text prints it to read");
  },
  html("", `<main>${"<p>line</p>".repeat(5_001)}</main>`),
);
