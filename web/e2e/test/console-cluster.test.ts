// The hubs of a cluster in the console: two real hubs and a real nats-server.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ConsoleTab } from "../stage/console.js";
import { Home } from "../../harness/home.js";
import { Nats } from "../stage/nats.js";
import { Stage } from "../stage/stage.js";
import { until } from "../../harness/until.js";

/** The others notice a killed hub by its missing heartbeats. */
const DEADLINE_MS = 60_000;

let nats: Nats;
let stage: Stage;
let other: Home;
let tab: ConsoleTab;

before(async () => {
  nats = await Nats.start();
  stage = await Stage.openWith(["--cluster", nats.url, "--hub-name", "here"]);
  other = await Home.open();
  await other.up("--cluster", nats.url, "--hub-name", "there");
  tab = await ConsoleTab.open(stage);
});

after(async () => {
  await tab.close();
  await other.close();
  await stage.close();
  await nats.close();
});

const hubs = async (): Promise<readonly string[]> =>
  tab.page.locator("section[aria-labelledby=hubs] li").allInnerTexts();
const shows = (what: string, wanted: readonly RegExp[]): Promise<unknown> =>
  until(
    what,
    async () => {
      const rows = await hubs();
      return rows.length === wanted.length && wanted.every((one, at) => one.test(rows[at] ?? "")) ? true : undefined;
    },
    DEADLINE_MS,
  );

test("both hubs are shown, also one without pages", async () => {
  await shows("both, without pages", [/here\s+this hub\s+0 pages/u, /there\s+0 pages/u]);
});

test("a page of the other hub is listed with its hub", async () => {
  await stage.enter(await stage.context.newPage(), `${other.url}/`);
  await shows("its page is counted", [/here\s+this hub\s+0 pages/u, /there\s+1 page$/u]);
  const card = await tab.page.waitForSelector(".card >> text=at there");
  assert.ok(await card.isVisible());
});

test("a hub that is killed is shown no more, nor is its page", async () => {
  await other.killHub();
  await shows("one is left", [/here\s+this hub\s+0 pages/u]);
  await tab.page.waitForSelector(".card >> text=at there", { state: "detached" });
});
