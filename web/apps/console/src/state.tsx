// The state of a page as a tree, and the timeline of its revisions with their changes.

import { useEffect, useRef, useState } from "preact/hooks";
import { Copy } from "./copy";
import { ask } from "./store";
import { Tree } from "./tree";
import { message } from "./words";

/** Revisions requested when the view opens; the hub may have fewer. */
const PAST = 20;
const SHOWN_MAX = 100;
const VALUE_CHARS_MAX = 120;

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

interface Revision {
  readonly revision: number;
  readonly operations: readonly Operation[];
}

interface Answer {
  readonly value?: unknown;
  readonly patch?: readonly Operation[];
  readonly revision: number;
  readonly stale: boolean;
  readonly time: string;
}

/**
 * The hub returns all changes since a revision as one list. So the changes of one revision are the list since the
 * revision before it, without the part that later revisions added.
 */
async function before(page: string, now: number, known: number): Promise<readonly Revision[]> {
  const found: Revision[] = [];
  let later = 0;
  for (let since = now - 1; since >= Math.max(known, now - PAST, 0); since--) {
    const { patch, revision } = await ask<Answer>("state/get", { page, since });
    if (patch === undefined || revision !== now) break;
    found.push({ revision: since + 1, operations: patch.slice(0, patch.length - later) });
    later = patch.length;
  }
  return found;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text;
}

function Change({ op, path, from, value }: Operation) {
  const sign = op === "add" ? "+" : op === "remove" ? "−" : "~";
  return (
    <li class={`change ${op}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class="hidden">{op}</span> <span class="key">{path === "" ? "/" : path}</span>{" "}
      {from === undefined ? null : <span class="dim">from {from} </span>}
      {value === undefined ? null : <span class="string">{short(value)}</span>}
    </li>
  );
}

export function State({ page, revision }: { readonly page: string; readonly revision: number | undefined }) {
  const [now, setNow] = useState<Answer>();
  const [bad, setBad] = useState("");
  const [past, setPast] = useState<readonly Revision[]>([]);
  const [chosen, setChosen] = useState<number>();
  const known = useRef<number | undefined>(undefined);
  useEffect(() => {
    const load = async (): Promise<void> => {
      const answer = await ask<Answer>("state/get", { page });
      const since = known.current ?? 0;
      known.current = answer.revision;
      setBad("");
      setNow(answer);
      const found = await before(page, answer.revision, since);
      setPast((past) => [...found, ...past.filter((one) => one.revision <= since)].slice(0, SHOWN_MAX));
    };
    load().catch((error: unknown) => setBad(message(error)));
  }, [revision]);
  if (bad !== "") return <p class="dim">{bad}</p>;
  if (now === undefined) return <p class="dim">Reading…</p>;
  const shown = past.find((one) => one.revision === (chosen ?? now.revision));
  const changed = new Set(shown?.operations.map(({ path }) => path));
  return (
    <div class="beside">
      <section>
        <h2>
          Now <span class="dim">revision {now.revision}</span>
        </h2>
        {now.stale ? <p class="warn">The page is away; this is what it last published.</p> : null}
        <div class="tree" role="region" aria-label="State of the page" tabIndex={0}>
          <Tree key={page} name="state" value={now.value} path="" depth={0} changed={changed} />
        </div>
        <p class="actions">
          <Copy name="Copy the state" text={() => JSON.stringify(now.value, null, 2)} />
          <Copy name="Copy as eye command" text={() => `eye --page ${page} state`} />
        </p>
      </section>
      <section>
        <h2>Revisions</h2>
        {past.length === 0 ? <p class="dim">No change is known yet.</p> : null}
        <ol class="timeline">
          {past.map((one) => (
            <li key={one.revision}>
              <button
                type="button"
                aria-pressed={one.revision === (chosen ?? now.revision)}
                title="Mark what it changed in the tree"
                onClick={() => setChosen(one.revision === chosen ? undefined : one.revision)}
              >
                {one.revision}
              </button>
              <ul>
                {one.operations.map((operation, n) => (
                  <Change key={`${String(n)} ${operation.path}`} {...operation} />
                ))}
                {one.operations.length === 0 ? <li class="dim">nothing</li> : null}
              </ul>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}
