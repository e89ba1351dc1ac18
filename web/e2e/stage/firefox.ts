// Finds Firefox and starts it. A distribution's own is driven over WebDriver BiDi, which playwright does not speak.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { launch, type Browser } from "puppeteer-core";

const NAMES = ["firefox-esr", "firefox"];

export function findFirefox(): string {
  const named = process.env.EYE_FIREFOX;
  if (named !== undefined && named !== "") return named;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found === undefined) throw new Error("no Firefox on PATH; name one in EYE_FIREFOX");
  return found;
}

export function startFirefox(): Promise<Browser> {
  return launch({ browser: "firefox", executablePath: findFirefox(), headless: true });
}
