// `eye logs` with a real page: its messages since it was loaded, each line once for each agent, and live.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";
import { asking } from "../stage/verbs.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/noisy.html", {
    body: '<script>console.log("first", { a: 1 }); console.warn("careful"); nope()</script><img src="/none.png">',
  });
});
after(() => stage.close());

test("everything since the page was loaded, then only what is new, each agent for itself", async () => {
  const visit = await stage.visit("/noisy.html");
  await visit.page.waitForLoadState("load");
  const ask = asking(stage, visit);
  const lines = (await ask("logs")).split("\n");
  assert.equal(lines.length, 4, lines.join("\n"));
  assert.match(
    lines.join("\n"),
    /first \{"a":1\}[^]*careful[^]*Uncaught ReferenceError: nope is not defined[^]*none\.png: not loaded/,
  );
  assert.equal(await ask("logs"), "");
  await ask("console.info('later')");
  assert.match(await ask("logs"), /later$/);
  const other = await stage.home.eyeWith({ folder: "elsewhere" }, "--page", visit.session, "logs", "--level", "warn");
  assert.equal(other.stdout.trim().split("\n").length, 3);
  assert.equal((await ask("logs", "--all")).split("\n").length, 5);
});

test("followed, they come as they are logged", async () => {
  const visit = await stage.visit("/noisy.html");
  const ask = asking(stage, visit);
  await ask("logs");
  const { ended: result } = await stage.home.start([
    "--page",
    visit.session,
    "logs",
    "-f",
    "--count",
    "2",
    "--for",
    "10",
  ]);
  let ended = false;
  void result.then(() => (ended = true));
  await until("both are there", async () => {
    await ask("console.log('tick')");
    return ended || undefined;
  });
  assert.match((await result).stdout, /tick\n.*tick\n$/);
});
