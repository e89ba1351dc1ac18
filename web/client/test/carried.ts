// Checks that the hub serves the client that was built last, since it carries a copy.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../harness/home.js";
import { web } from "../../harness/program.js";

/** Throws if the hub's client differs from the built one. */
export async function carriesOurClient(home: Home): Promise<void> {
  const dist = join(web(), "client/dist");
  const built = readdirSync(dist).filter(
    // The client for driven browsers is part of the program, and is not served to pages.
    (name) => name.endsWith(".js") && name !== "index.js" && !name.startsWith("driven"),
  );
  for (const name of built) {
    const carried = await (await fetch(`${home.url}/${name === "eye.js" ? name : `eye/${name}`}`)).text();
    if (carried !== readFileSync(join(dist, name), "utf8"))
      throw new Error(`the hub carries another ${name}; cargo build -p eye`);
  }
}
