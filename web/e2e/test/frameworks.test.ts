// Acting on pages that a framework renders: a controlled form of React, and a list of Vue that only has rows in view.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bundle } from "../stage/bundle.js";
import { Stage } from "../stage/stage.js";
import { asking, refOf, refused } from "../stage/verbs.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  const { site } = stage;
  for (const [path, source] of [
    ["/react", "react-form.tsx"],
    ["/vue", "vue-list.ts"],
  ] as const) {
    const script = await bundle(source);
    site.serve(`${path}.js`, (_, response) =>
      response.writeHead(200, { "content-type": "text/javascript" }).end(script),
    );
    site.page(`${path}.html`, { title: path, body: `<div id="root"></div><script src="${path}.js"></script>` });
  }
  site.serve("/accepted", (_, response) => response.writeHead(200).end("{}"));
  site.serve("/refused", (_, response) => response.writeHead(409).end("{}"));
});
after(() => stage.close());

test("React: a form is filled and sent in one call, and the answer has what became of it", async () => {
  const ask = asking(stage, await stage.visit("/react.html"));
  assert.equal(
    await ask("look"),
    "# Join\ne1 Name: _ | e2 Email: _ | e3 Plan: Free (or Team, Company) | e4 (x) small | e5 ( ) large | e6 Notes: _ | e7 [ ] I accept | e8 [Send] (disabled) | 0 keys",
  );
  await ask("check", "text=large");
  const report = await ask(
    "fill",
    "text=Name=Ada",
    "text=Email=ada@x.org",
    "text=Plan=Team",
    "text=Notes=hi",
    "text=I accept=true",
    "--click",
    "text=Send",
  );
  assert.ok(report.includes("+ Welcome, Ada! Team, large, hi"), report);
});

test("React: an error on blur and a request that fails are in the answer", async () => {
  const ask = asking(stage, await stage.visit("/react.html"));
  await ask("fill", "text=Email", "nonsense");
  const blurred = await ask("click", "text=Name");
  assert.ok(blurred.includes("(invalid: That is no address.)"), blurred);
  await ask("type", "text=Name", "Mallory");
  assert.ok((await ask("look")).includes("7 keys"));
  await ask("check", "text=I accept");
  const held = await ask("click", "text=Send");
  assert.ok(held.includes("(invalid: That is no address., focus)"), held);
  await ask("fill", "text=Email", "mallory@x.org");
  const report = await ask("click", "text=Send");
  assert.ok(report.includes("error: POST /refused: 409"), report);
  assert.ok(report.includes("error: the server said 409"), report);
});

test("Vue: a row that scrolls into view is found, and a ref never means another row than the one that was shown", async () => {
  const page = await stage.visit("/vue.html");
  const ask = asking(stage, page);
  assert.ok((await ask("click", "text=Person 3")).includes("Person 3 chosen"));
  assert.ok((await ask("fill", "text=Filter", "77")).includes("people"));
  assert.ok((await ask("look")).includes("[Person 77]"));
  await ask("fill", "text=Filter", "");
  await ask("scroll", "#list", "--by", "150000");
  const outline = await ask("look");
  assert.ok(outline.includes("Person 5000"), outline);
  const ref = refOf(outline, "[Person 5003]");
  assert.ok((await ask("click", ref)).includes("Person 5003 chosen"));
  await ask("scroll", "#list", "--by", "3000");
  assert.match(
    (await refused(stage, page, "click", ref)).stderr,
    /^error: page: e\d+ (?:\[Person 5003\] is now \[Person \d+\]|is gone)/,
  );
  assert.ok((await ask("text")).includes("Person 5003 chosen"));
});
