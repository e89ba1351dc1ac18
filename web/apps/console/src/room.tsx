// One page: its outline to act on, its picture, state, tools, logs, and a line for code.

import { useEffect, useRef, useState } from "preact/hooks";
import { Copy } from "./copy";
import { ToolForm, type Tool } from "./form";
import { act, ask, control, pages } from "./store";
import { eyeCommand, pageName } from "./words";

const TABS = ["Outline", "State", "Tools", "Logs", "Code"] as const;
type Tab = (typeof TABS)[number];

const REF = /(^|\s)(e\d+)(?=\s|$)/;

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const textOf = (answer: unknown): string => {
  const value = (answer as { value?: unknown } | null)?.value ?? answer;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
};

function Outline({ page, hands }: { readonly page: string; readonly hands: boolean }) {
  const [text, setText] = useState("…");
  const [picture, setPicture] = useState<string>();
  const look = (): unknown =>
    ask("page/look", { page, all: true }).then(
      (answer) => setText(textOf(answer)),
      (error) => setText(message(error)),
    );
  const shoot = async (): Promise<void> => {
    try {
      const { base64, mediaType } = await ask<{ base64: string; mediaType: string }>("page/shot", { page });
      setPicture(`data:${mediaType};base64,${base64}`);
    } catch {
      setPicture(undefined);
    }
  };
  useEffect(() => {
    look();
    if (hands) void shoot();
  }, []);
  const click = async (target: string): Promise<void> => {
    await act("page/click", { page, target }, `Clicked ${target}.`);
    look();
  };
  const point = (target: string): void => void ask("page/hover", { page, target }).catch(() => undefined);
  return (
    <>
      <p class="actions">
        <button type="button" onClick={() => look()}>
          Look again
        </button>
        {hands ? (
          <button type="button" onClick={() => void shoot()}>
            Take a picture
          </button>
        ) : null}
        <Copy name="Copy as eye command" text={() => `eye --page ${page} look --all`} />
      </p>
      {picture === undefined ? null : <img class="shot" src={picture} alt="The page as it looks now" />}
      <ul class="outline" aria-label="Outline of the page">
        {text.split("\n").map((line, n) => {
          const ref = REF.exec(line)?.[2];
          const depth = line.search(/\S/);
          return (
            <li key={`${String(n)} ${line}`} class={`depth-${String(Math.min(8, Math.max(0, Math.floor(depth / 2))))}`}>
              {ref === undefined ? (
                line.trim()
              ) : (
                <button
                  type="button"
                  class="element"
                  title={`Click ${ref}`}
                  onClick={() => void click(ref)}
                  onFocus={() => point(ref)}
                >
                  {line.trim()}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

interface Revision {
  readonly revision: number;
  readonly patch: string;
}

function State({ page, revision }: { readonly page: string; readonly revision: number | undefined }) {
  const [value, setValue] = useState("");
  const [past, setPast] = useState<readonly Revision[]>([]);
  const last = useRef<number | undefined>(undefined);
  useEffect(() => {
    const load = async (): Promise<void> => {
      const now = await ask<{ value: unknown; revision: number }>("state/get", { page });
      setValue(JSON.stringify(now.value, null, 2));
      if (last.current !== undefined && now.revision > last.current) {
        const { patch } = await ask<{ patch?: unknown }>("state/get", { page, since: last.current });
        setPast((known) => [{ revision: now.revision, patch: JSON.stringify(patch, null, 1) }, ...known].slice(0, 50));
      }
      last.current = now.revision;
    };
    load().catch((error) => setValue(message(error)));
  }, [revision]);
  return (
    <div class="columns">
      <section>
        <h2>Now{revision === undefined ? "" : `, revision ${String(revision)}`}</h2>
        <pre tabIndex={0}>{value}</pre>
      </section>
      <section>
        <h2>What changed</h2>
        {past.length === 0 ? <p class="dim">Nothing since this view was opened.</p> : null}
        {past.map(({ revision, patch }) => (
          <details key={revision}>
            <summary>Revision {revision}</summary>
            <pre tabIndex={0}>{patch}</pre>
          </details>
        ))}
      </section>
    </div>
  );
}

function Tools({ page, count }: { readonly page: string; readonly count: number }) {
  const [tools, setTools] = useState<readonly Tool[]>([]);
  useEffect(() => {
    void ask<{ tools: readonly Tool[] }>("tools/list", { page }).then(
      ({ tools }) => setTools(tools),
      () => undefined,
    );
  }, [count]);
  if (count === 0) return <p class="dim">This page offers no tools.</p>;
  return (
    <div class="columns">
      {tools.map((tool) => (
        <ToolForm key={tool.name} page={page} tool={tool} />
      ))}
    </div>
  );
}

function Logs({ page }: { readonly page: string }) {
  const [text, setText] = useState("…");
  const load = (): unknown =>
    ask("page/logs", { page, all: true }).then(
      (answer) => setText(textOf(answer)),
      (error) => setText(message(error)),
    );
  useEffect(() => void load(), []);
  return (
    <>
      <p class="actions">
        <button type="button" onClick={() => load()}>
          Read again
        </button>
      </p>
      <pre tabIndex={0}>{text}</pre>
    </>
  );
}

interface Said {
  readonly code: string;
  readonly answer: string;
  readonly bad: boolean;
}

function Code({ page }: { readonly page: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState<readonly Said[]>([]);
  useEffect(() => {
    const add = (one: Said): void => setSaid((known) => [one, ...known].slice(0, 200));
    const run = (code: string): void =>
      void ask("eval", { page, code }).then(
        (answer) => add({ code, answer: textOf((answer as { rendering?: string }).rendering ?? answer), bad: false }),
        (error: unknown) => add({ code, answer: message(error), bad: true }),
      );
    const names = async (object: string): Promise<readonly string[]> => {
      const code = `(() => { const n = new Set(); for (let o = Object(${object}); o; o = Object.getPrototypeOf(o)) Object.getOwnPropertyNames(o).forEach((k) => n.add(k)); return [...n]; })()`;
      const answer = await ask<{ value?: readonly string[] }>("eval", { page, code }).catch(() => ({ value: [] }));
      return answer.value ?? [];
    };
    const parent = place.current;
    if (parent !== null && parent.shadowRoot === null)
      void import("./repl").then(({ openRepl }) => openRepl(parent, { run, names }));
  }, []);
  return (
    <>
      <div ref={place} class="repl" />
      <p class="dim">
        Enter evaluates in the page, <kbd>↑</kbd> brings back what was asked, <kbd>Ctrl Space</kbd> completes.
      </p>
      <ol class="said" aria-label="Answers, latest first" aria-live="polite">
        {said.map((one, n) => (
          <li key={said.length - n}>
            <code>{one.code}</code>
            <pre tabIndex={0} class={one.bad ? "bad" : ""}>
              {one.answer}
            </pre>
            <Copy name="Copy as eye command" text={() => eyeCommand(page, "eval", { code: one.code })} />
          </li>
        ))}
      </ol>
    </>
  );
}

export function Room({ page }: { readonly page: string }) {
  const [tab, setTab] = useState<Tab>("Outline");
  const row = pages.value.find(({ id }) => id === page);
  if (row === undefined) return <p class="dim">There is no such page any more.</p>;
  const paused = control.value.pauses.pages.includes(page);
  return (
    <>
      <div class="head">
        <div>
          <h1>{pageName(row)}</h1>
          <p class="dim mono cut">{row.url}</p>
        </div>
        <button
          type="button"
          aria-pressed={paused}
          onClick={() => void act("console/pause", { what: "page", name: page, paused: !paused })}
        >
          {paused ? "Let go on" : "Pause this page"}
        </button>
      </div>
      <div class="tabs" role="tablist" aria-label="Of this page">
        {TABS.map((name) => (
          <button key={name} type="button" role="tab" aria-selected={tab === name} onClick={() => setTab(name)}>
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" aria-label={tab}>
        {tab === "Outline" ? <Outline page={page} hands={row.hands} /> : null}
        {tab === "State" ? <State page={page} revision={row.revision} /> : null}
        {tab === "Tools" ? <Tools page={page} count={row.tools} /> : null}
        {tab === "Logs" ? <Logs page={page} /> : null}
        {tab === "Code" ? <Code page={page} /> : null}
      </div>
    </>
  );
}
