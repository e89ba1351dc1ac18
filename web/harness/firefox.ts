// Finds Firefox and starts it. A distribution's Firefox is driven over WebDriver BiDi, which playwright does not
// support.

import { launch, type Browser } from "puppeteer-core";
import { findProgram } from "./program.js";

export function startFirefox(): Promise<Browser> {
  const executablePath = findProgram("EYE_FIREFOX", "firefox-esr", "firefox");
  return launch({ browser: "firefox", executablePath, headless: true });
}
