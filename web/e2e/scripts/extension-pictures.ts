// Pictures of the extension's permission screen, light and dark: before pairing, on a tab that is not granted, and on
// one that is.
//
//   node script.mjs extension-pictures FOLDER

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Person } from "../stage/extension.js";
import { Home } from "../../harness/home.js";
import { Site } from "../stage/site.js";

const folder = process.argv[2] ?? "pictures";
await mkdir(folder, { recursive: true });
const home = await Home.open();
await home.up();
const site = await Site.open(home.url);
site.page("/shop", { title: "Shop: everything for the garden", body: "<h1>Shop</h1>", tag: false });
site.page("/mail", { title: "Inbox (3)", body: "<h1>Mail</h1>", tag: false });
const person = await Person.open(home);

async function picture(name: string, page?: Page): Promise<void> {
  const popup = await person.popup(page);
  await popup.setViewportSize({ width: 360, height: 420 });
  await popup.waitForSelector("#pairing:not([hidden]), #granting:not([hidden])");
  for (const colorScheme of ["light", "dark"] as const) {
    await popup.emulateMedia({ colorScheme });
    await popup.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
  await popup.close();
}

await picture("pairing");
await person.paired();
const shop = await person.visit(site.url("/shop"));
await picture("tab", shop);
const mail = await person.visit(site.url("/mail", "127.0.0.1"));
await person.grant(mail);
await person.grant(shop, "site");
await picture("granted", shop);
await person.close();
await site.close();
await home.close();
process.exit(0);
