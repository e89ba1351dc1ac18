// All apps of the desktop, in the order of their icons.

import type { App } from "../desk.js";
import { agents } from "./agents.js";
import { calendar } from "./calendar.js";
import { chat } from "./chat.js";
import { claudeEyes } from "./claude-eyes.js";
import { files } from "./files.js";
import { ide } from "./ide.js";
import { notepad } from "./notepad.js";

export const apps: readonly App[] = [chat, files, notepad, calendar, agents, claudeEyes, ide];
