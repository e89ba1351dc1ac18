// Shows, on a page whose content is known, that the oracle is right and that the comparison finds every kind of miss.
// Runs before the applications: a comparison that measures nothing would pass them all.

import assert from "node:assert/strict";
import { missedGoals } from "../lib/report.mjs";
import { compare } from "./compare.mjs";
import { survey } from "./oracle.mjs";

const PAGE = `<!doctype html><style>body { margin: 8px } .far { margin-top: 2000px }
  .cover { position: absolute; left: 0; top: 300px; width: 300px; height: 60px; background: #fff }
  .under { position: absolute; left: 10px; top: 310px }</style>
<h1>Harbour</h1>
<button id="save">Save</button>
<button style="display: none">Hidden</button>
<button style="opacity: 0">Clear</button>
<button class="under">Covered</button><div class="cover"></div>
<label>Name <input id="name"></label>
<div id="card" style="cursor: pointer; width: 90px">Card</div>
<p style="visibility: hidden">Secret</p>
<p style="position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; white-space: nowrap">Only heard</p>
<p class="far">Below <a id="more" href="#x">More</a></p>
<x-button id="host"></x-button>
<script>
  document.getElementById("card").addEventListener("click", () => {});
  const shadow = document.getElementById("host").attachShadow({ mode: "open" });
  shadow.innerHTML = "<button id='inner'>Inner</button>";
</script>`;

/** Fails unless the oracle and the comparison are right about that page, and the goals are checked at their limits. */
export async function prove(browser) {
  proveGoals();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  try {
    await page.setContent(PAGE);
    const cdp = await page.context().newCDPSession(page);
    const seen = await survey(cdp);
    const names = seen.controls.map(({ role, name }) => `${role} ${name}`.trim()).sort();
    assert.deepEqual(names, ["button Inner", "button Save", "link More", "listener", "textbox Name"]);
    assert.deepEqual(seen.texts.map(({ text }) => text).sort(), [
      "Below",
      "Card",
      "Harbour",
      "Inner",
      "More",
      "Name",
      "Save",
    ]);

    const right = "# Harbour\ne1 [Save]\ne2 Name: _\ne3 <Card>\nBelow | e4 More\ne5 [Inner]";
    const all = await facts(page, { e1: "#save", e2: "#name", e3: "#card", e4: "#more", e5: "#inner", e6: ".under" });
    const nothing = await compare(cdp, right, all);
    assert.deepEqual([nothing.missed, nothing.wrong], [[], []]);

    const some = await compare(cdp, "e1 [Store]\ne2 Name: _\ne3 <Card>\ne5 [Inner]\ne6 [Covered]\nSecret", all);
    assert.deepEqual(some.missed.sort(), [
      'control not printed: link "More"',
      'control without its name: button "Save" is printed as [Store]',
      "text not printed: Below",
      "text not printed: Harbour",
      "text not printed: More",
      "text not printed: Save",
    ]);
    assert.deepEqual(some.wrong.sort(), ["control that is not seen: [Covered]", "text that is not seen: Secret"]);
  } finally {
    await page.close();
  }
}

async function facts(page, selectors) {
  const found = {};
  for (const [ref, selector] of Object.entries(selectors)) {
    found[ref] = await page.locator(selector).evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const { localName: tag, id } = element;
      return { tag, id, className: element.getAttribute("class") ?? "", rect: { x, y, width, height } };
    });
  }
  return found;
}

/** 98 of 100 is enough, 97 is not; a failed task is never enough. */
function proveGoals() {
  const result = (missed, wrong, failure) => {
    const misses = (count) => Array.from({ length: count }, () => "a miss");
    const seeing = [{ wanted: 100, given: 100, missed: misses(missed), wrong: misses(wrong) }];
    return { app: { name: "one" }, eye: { failure }, seeing };
  };
  assert.deepEqual(missedGoals([result(2, 2)]), []);
  assert.deepEqual(missedGoals([result(3, 0)]), ["recall 0.9700 is below 0.98"]);
  assert.deepEqual(missedGoals([result(0, 3)]), ["precision 0.9700 is below 0.98"]);
  assert.deepEqual(missedGoals([result(0, 0, "it broke")]), ["tasks not done: one"]);
}
