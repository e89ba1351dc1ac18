// The parts of an act that need the page's own world: answering dialogs, and noticing what the page tries, requests and
// logs.

import type { Log } from "../core/journal.js";
import type { Core, PageWorld, Witnessed } from "../core/part.js";
import { loggedAfter } from "../page/logs.js";
import { blockedBy } from "./beyond.js";
import { capture } from "./capture.js";
import { answerDialogs } from "./dialogs.js";

/** For the world that this code runs in. */
export function pageWorld({ journal }: Pick<Core, "journal">): PageWorld {
  return {
    capture,
    witness(answers, isReal) {
      const logged = journal.entries.at(-1)?.n ?? 0;
      const asked: string[] = [];
      const beyond = blockedBy(isReal);
      const restore = answerDialogs(asked, answers);
      let witnessed: Witnessed | undefined;
      const ended = (): Witnessed => {
        restore();
        beyond.end();
        const errors = loggedAfter(journal, logged).filter(({ level }) => level === "error");
        return { asked, blocked: beyond.lines(), errors: errors.map(errorLine) };
      };
      return { open: () => journal.open, end: () => (witnessed ??= ended()) };
    },
  };
}

function errorLine({ text, count }: Log): string {
  return `error: ${text}${count === undefined ? "" : ` (${count} times)`}`;
}
