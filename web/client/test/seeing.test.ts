// What `look` and `text` show of minimal pages in a real browser: everything that a person sees, and nothing that is not there.

import assert from "node:assert/strict";
import { html } from "./hub.js";
import { refused, scene, told } from "./scene.js";

/** A page, and what a look at it prints. */
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
  "Age\ne1 [+ Age: Ten]\ne2 [+ Fruit: Apple] | e3 [- Wade Cooper]",
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
  "a ref that look never gave is refused",
  async ({ page }) => {
    assert.equal(await refused(page, "click", { target: "e9" }), "there is no e9; look gives refs");
  },
  html("", "<button>x</button>"),
);
