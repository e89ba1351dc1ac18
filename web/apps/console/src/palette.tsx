// The command palette: every view, page and pause by name.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { go, VIEWS } from "./route";
import { act, agents, control, pages } from "./store";
import { agentName, pageName } from "./words";

export const paletteOpen = signal(false);
/** The typed text and the chosen command. Signals, because the next key may arrive before this one is rendered. */
const words = signal("");
const at = signal(0);

interface Command {
  readonly name: string;
  readonly run: () => void;
}

function commands(): Command[] {
  const { pauses } = control.value;
  const pause = (what: string, name: string, paused: boolean, shown: string): Command => ({
    name: `${paused ? "Let go on" : "Pause"}: ${shown}`,
    run: () => void act("console/pause", { what, name, paused: !paused }),
  });
  return [
    ...VIEWS.map(({ id, name }) => ({ name: `Go to ${name}`, run: () => go(id) })),
    ...pages.value.map((page) => ({ name: `Open page ${pageName(page)}`, run: () => go("page", page.id) })),
    pause("all", "", pauses.all, "everything"),
    ...agents.value.map(({ name }) => pause("agent", name, pauses.agents.includes(name), `agent ${agentName(name)}`)),
    ...pages.value.map((page) => pause("page", page.id, pauses.pages.includes(page.id), `page ${pageName(page)}`)),
  ];
}

/** The commands that contain every typed word. */
function fitting(): Command[] {
  const wanted = words.value.toLowerCase().split(" ");
  return commands().filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)));
}

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  // A layout effect, so that the next key already goes to the dialog.
  useLayoutEffect(() => {
    words.value = "";
    at.value = 0;
    if (paletteOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [paletteOpen.value]);
  const chosen = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => chosen.current?.scrollIntoView({ block: "nearest" }), [at.value, words.value]);
  const fits = fitting();
  const run = (command: Command | undefined): void => {
    paletteOpen.value = false;
    command?.run();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") at.value = Math.min(at.value + 1, Math.max(0, fitting().length - 1));
    else if (event.key === "ArrowUp") at.value = Math.max(at.value - 1, 0);
    else if (event.key === "Enter") run(fitting()[at.value]);
    // The dialog would close by itself but report it later; the next Ctrl K would then be taken to close it.
    else if (event.key === "Escape") run(undefined);
    else return;
    event.preventDefault();
  };
  // The browser reports it late: the dialog may be open again.
  const closed = (): void => {
    if (dialog.current?.open !== true) paletteOpen.value = false;
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Commands" onClose={closed}>
      <input
        aria-label="Command"
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={fits.length > 0 ? `command-${String(at.value)}` : undefined}
        placeholder="Type a command"
        value={words.value}
        onInput={({ currentTarget }) => {
          words.value = currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={keys}
      />
      <ul id="commands" role="listbox" aria-label="Commands">
        {fits.map((command, n) => (
          <li
            key={command.name}
            ref={n === at.value ? chosen : null}
            id={`command-${String(n)}`}
            role="option"
            aria-selected={n === at.value}
            onClick={() => run(command)}
          >
            {command.name}
          </li>
        ))}
      </ul>
    </dialog>
  );
}
