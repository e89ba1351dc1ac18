// The command palette: every view, every page and every pause by its name.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { go, VIEWS } from "./route";
import { act, agents, control, pages } from "./store";
import { agentName, pageName } from "./words";

export const paletteOpen = signal(false);

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

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  // Before the next key: what is typed after it is meant for it.
  useLayoutEffect(() => {
    setWords("");
    setAt(0);
    if (paletteOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [paletteOpen.value]);
  const chosen = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => chosen.current?.scrollIntoView({ block: "nearest" }), [at, words]);
  const fits = commands().filter(({ name }) =>
    words
      .toLowerCase()
      .split(" ")
      .every((word) => name.toLowerCase().includes(word)),
  );
  const run = (command: Command | undefined): void => {
    paletteOpen.value = false;
    command?.run();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, fits.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") run(fits[at]);
    // The dialog would close by itself, but say so only later: the next Ctrl K would be taken to close it.
    else if (event.key === "Escape") run(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Commands" onClose={() => (paletteOpen.value = false)}>
      <input
        aria-label="Command"
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={fits.length > 0 ? `command-${String(at)}` : undefined}
        placeholder="Type a command"
        value={words}
        onInput={({ currentTarget }) => {
          setWords(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={keys}
      />
      <ul id="commands" role="listbox" aria-label="Commands">
        {fits.map((command, n) => (
          <li
            key={command.name}
            ref={n === at ? chosen : null}
            id={`command-${String(n)}`}
            role="option"
            aria-selected={n === at}
            onClick={() => run(command)}
          >
            {command.name}
          </li>
        ))}
      </ul>
    </dialog>
  );
}
