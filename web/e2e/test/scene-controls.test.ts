// The controls of the scene: agents read what a person sets with them, and they show what agents set. The lights'
// panels glow.

import { after, before, test } from "node:test";
import { SceneTab, WEBGL_FLAGS } from "../stage/scene.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open(...WEBGL_FLAGS);
});

after(() => stage.close());

test("a person sets colours, size, intensity and background, and agents read them", async () => {
  const tab = await SceneTab.open(stage, "controls");
  await tab.page.locator("#controls > summary").click();
  for (const [label, value, path, wanted] of [
    ["Model color", "#336699", "model.color", '"#336699"'],
    ["Model size", "50", "model.scale", '{"x":2,"y":2,"z":2}'],
    ["Key light color", "#ff8800", "keyLight.color", '"#ff8800"'],
    ["Key light intensity", "7.5", "keyLight.intensity", "7.5"],
    ["Fill light intensity", "0", "fillLight.intensity", "0"],
    ["Background color", "#102030", "background", '"#102030"'],
  ] as const) {
    await tab.page.getByLabel(label, { exact: true }).fill(value);
    await tab.cached(path, (told) => told === wanted || told === wanted.replaceAll('"', ""));
  }
  await tab.page.close();
});

test("what an agent sets is shown in the controls", async () => {
  const tab = await SceneTab.open(stage, "shown");
  await tab.page.locator("#controls > summary").click();
  await tab.call("change_model_color", "color=#00ff00");
  await tab.call("set_key_light_intensity", "intensity=4");
  const shown = (label: string) => tab.page.getByLabel(label, { exact: true }).inputValue();
  await until("both controls show it", async () =>
    (await shown("Model color")) === "#00ff00" && (await shown("Key light intensity")) === "4" ? true : undefined,
  );
  await tab.page.close();
});

test("a light's panel glows, more where the light is stronger", async () => {
  const tab = await SceneTab.open(stage, "glow");
  /** The brightness of the picture below the key light's panel, 0 to 255. */
  const glow = async (): Promise<number> => {
    const png = (await tab.page.screenshot({ clip: { x: 320, y: 146, width: 60, height: 16 } })).toString("base64");
    return tab.page.evaluate(async (text) => {
      const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const drawing = canvas.getContext("2d");
      if (drawing === null) throw new Error("no canvas");
      drawing.drawImage(picture, 0, 0);
      const { data } = drawing.getImageData(0, 0, picture.width, picture.height);
      return data.reduce((sum, value, at) => (at % 4 === 3 ? sum : sum + value), 0) / (data.length * 0.75);
    }, png);
  };
  await tab.call("set_key_light_intensity", "intensity=0");
  const dark = await until("the panel is dark", async () => {
    const found = await glow();
    return found < 10 ? found : undefined;
  });
  await tab.call("set_key_light_intensity", "intensity=10");
  await until("the panel glows", async () => ((await glow()) > dark + 10 ? true : undefined));
  await tab.page.close();
});
