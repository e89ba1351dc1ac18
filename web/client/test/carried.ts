// The hub carries a copy of the page client; a test of ours is about the one that was built last.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../harness/home.js";
import { web } from "../../harness/program.js";

/** Throws where the hub's client is another than the built one. */
export async function carriesOurClient(home: Home): Promise<void> {
  const dist = join(web(), "client/dist");
  const built = readdirSync(dist).filter(
    // What is for driven browsers is carried by the program, and served to no page.
    (name) => name.endsWith(".js") && name !== "index.js" && !name.startsWith("driven"),
  );
  for (const name of built) {
    const carried = await (await fetch(`${home.url}/${name === "eye.js" ? name : `eye/${name}`}`)).text();
    if (carried !== readFileSync(join(dist, name), "utf8"))
      throw new Error(`the hub carries another ${name}; cargo build -p eye`);
  }
}
