// Frames of another site in tabs of a person's own browser, through the extension: looked into, acted on and hidden in
// pictures, according to the grants.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { decode } from "fast-png";
import { Person } from "../stage/extension.js";
import { Home } from "../../harness/home.js";
import { Site } from "../stage/site.js";
import { until } from "../../harness/until.js";

let home: Home;
let site: Site;
let person: Person;

/** The field is the only yellow element. */
const PAY = `<p>Pay here</p><button id="go">Pay</button><p id="out"></p>
<input id="card" autocomplete="cc-number" style="background:#ff0;border:0"><script>
document.getElementById("go").addEventListener("click", (event) => {
  document.getElementById("out").textContent = "clicked:" + event.isTrusted;
});
</script>`;

/** In a zoomed-in page this field is out of sight until it is scrolled into view. */
const WIDE = `<div style="width:1200px;height:900px"></div><input id="card" autocomplete="cc-number"
style="position:absolute;left:900px;top:600px;width:200px;height:30px;background:#ff0;border:0">`;

before(async () => {
  home = await Home.open();
  await home.up();
  site = await Site.open(home.url);
  const pay = site.url("/pay", "127.0.0.1");
  const frame = `<h1>Shop</h1><iframe id="far" src="${pay}" width="400" height="250" style="margin:30px"></iframe>`;
  site.page("/pay", { title: "Pay", body: PAY, tag: false });
  site.page("/shop", { title: "Shop", body: frame, tag: false });
  site.page("/wide", { title: "Wide", body: WIDE, tag: false });
  person = await Person.open(home);
  await person.paired();
});

afterEach(() => person.rest());

after(async () => {
  await person.close();
  await site.close();
  await home.close();
});

async function output(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.eye(...args);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** The number of yellow pixels in a picture of the tab. */
async function yellow(id: string): Promise<number> {
  const file = join(home.folder, "shot.png");
  await output("shot", "--format", "png", "-o", file, "--page", id);
  const { data, channels } = decode(await readFile(file));
  let count = 0;
  for (let at = 0; at < data.length; at += channels) {
    if (data[at] === 255 && data[at + 1] === 255 && data[at + 2] === 0) count++;
  }
  return count;
}

test("in a granted tab a frame of another site is looked into and acted on, and what is typed there is painted over", async () => {
  const page = await person.visit(site.url("/shop"));
  await person.grant(page);
  const { id } = await person.joined(page);
  const look = await until("the outline has the frame's lines", async () => {
    const { stdout } = await home.eye("look", "--page", id);
    return /\[Pay\]/.test(stdout) ? stdout : undefined;
  });
  assert.match(look, /^frame far \(of another origin: --frame (f\d)\)\n Pay here\n \1e\d+ \[Pay\]/m);
  const [target = ""] = /f\d+e\d+(?= \[Pay\])/.exec(look) ?? [];
  await output("click", target, "--page", id);
  assert.equal(await output("--frame", "/pay", "out.textContent", "--page", id), "clicked:true\n");
  assert.ok((await yellow(id)) > 100, "an empty field is shown");
  await output("--frame", "/pay", "fill", "#card", "4111", "--page", id);
  assert.equal(await output("--frame", "/pay", "card.value", "--page", id), "4111\n");
  assert.equal(await yellow(id), 0);
  await page.evaluate(() => document.querySelector("iframe")?.remove());
  await until("the frame is no page any more", async () =>
    (await home.pages()).some((row) => row.id.startsWith(`${id}.`) && row.state !== "gone") ? undefined : true,
  );
  await page.close();
});

test("in a tab that a site grants, a frame of another site is neither seen nor shown in pictures", async () => {
  const page = await person.visit(site.url("/shop"));
  await person.grant(page, "site");
  const { id } = await person.joined(page);
  assert.equal(await yellow(id), 0, "the whole frame is hidden");
  assert.match(await output("look", "--page", id), /^# Shop\nframe far \(of another origin\)\n$/);
  const frames = (await home.pages()).filter((row) => row.id.startsWith(`${id}.`) && row.state !== "gone");
  assert.deepEqual(frames, []);
  assert.notEqual((await home.eye("--frame", "/pay", "1", "--page", id)).code, 0);
  await page.close();
});

test("in a tab that is zoomed in by pinching, what is typed is painted over where it is shown", async () => {
  const page = await person.visit(site.url("/wide"));
  await person.grant(page);
  const { id } = await person.joined(page);
  const cdp = await page.context().newCDPSession(page);
  // Taking a picture ends the zoom.
  const zoomed = async (): Promise<number> => {
    await cdp.send("Emulation.setPageScaleFactor", { pageScaleFactor: 2 });
    return page.evaluate(() => {
      document.querySelector("#card")?.scrollIntoView({ block: "center", inline: "center" });
      return visualViewport?.offsetLeft ?? 0;
    });
  };
  assert.ok((await zoomed()) > 0, "the part that is seen is not the first");
  assert.ok((await yellow(id)) > 100, "an empty field is shown");
  await output("fill", "#card", "4111", "--page", id);
  assert.ok((await zoomed()) > 0);
  assert.equal(await yellow(id), 0);
  await page.close();
});
