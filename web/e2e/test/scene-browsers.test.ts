// One scene in two browsers that share only the hub.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { WEBGL_FLAGS } from "../stage/scene.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open(...WEBGL_FLAGS);
});

after(() => stage.close());

test("two browsers show one scene, changed in either", async () => {
  const open = async (session: string): Promise<void> => {
    // A context of its own has its own storage and channels, as another browser would.
    const page = await (await stage.browser.newContext()).newPage();
    await stage.enter(page, `${stage.home.url}/apps/scene/?sessionId=${session}&scene=ours`);
    await until(`${session} offers its tools`, async () =>
      (await stage.home.eye("--page", session, "tools")).stdout.includes("apply_scene_batch") ? true : undefined,
    );
  };
  const colour = async (session: string): Promise<string> =>
    (await stage.home.eye("--page", session, "state", "model.color", "--fresh")).stdout.trim();
  const paint = async (session: string, color: string): Promise<void> => {
    const { code, stderr } = await stage.home.eye("--page", session, "call", "change_model_color", `color=${color}`);
    assert.equal(code, 0, stderr);
  };
  await open("one");
  await paint("one", "#ff0000");
  await open("two");
  await until("the second shows what the first has", async () =>
    (await colour("two")) === "#ff0000" ? true : undefined,
  );
  await paint("two", "#0000ff");
  await until("the first follows the second", async () => ((await colour("one")) === "#0000ff" ? true : undefined));
  assert.equal(await colour("two"), "#0000ff");
});
