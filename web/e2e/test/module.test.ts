// The built module, imported by a page instead of a script tag.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Stage } from "../stage/stage.js";
import { web } from "../../harness/program.js";

const MODULE = join(web(), "client/dist/index.js");

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.serve("/eye-client.js", (_, response) =>
    response.setHeader("content-type", "text/javascript").end(readFileSync(MODULE)),
  );
});

after(() => stage.close());

const importing = (code: string): string =>
  `<script type="module">import { connect } from "/eye-client.js"; ${code}</script>`;

test("import { connect } joins the hub it names, and connecting twice is one client", async () => {
  const hub = JSON.stringify(stage.home.url);
  stage.site.page("/", {
    title: "Module",
    tag: false,
    body: importing(
      `const one = connect({ hub: ${hub}, alias: "module" }); window.same = one === connect({ hub: ${hub} })`,
    ),
  });
  const { page, session } = await stage.visit("/");
  assert.equal((await stage.home.eye("--page", "module", "document.title")).stdout, "Module\n");
  assert.equal((await stage.home.eye("same")).stdout, "true\n");
  assert.deepEqual(
    (await stage.home.pages()).map(({ id }) => id),
    [session],
  );
  await page.close();
});

test("a module with eval: false refuses eval, and one beside the script tag is the same client", async () => {
  const hub = JSON.stringify(stage.home.url);
  stage.site.page("/refuses.html", {
    title: "Refuses",
    tag: false,
    body: importing(`connect({ hub: ${hub}, eval: false })`),
  });
  const refusing = await stage.visit("/refuses.html");
  assert.equal((await stage.home.eye("--page", refusing.session, "1+1")).code, 4);
  stage.site.page("/both.html", { title: "Both", body: importing(`connect({ hub: ${hub} })`) });
  const both = await stage.visit("/both.html");
  await both.page.waitForLoadState("load");
  assert.equal((await stage.home.pages()).filter(({ title }) => title === "Both").length, 1);
  assert.equal((await stage.home.eye("--page", both.session, "1+1")).stdout, "2\n");
});
