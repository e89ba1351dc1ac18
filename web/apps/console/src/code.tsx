// An input line for code in the page, with completion and history, and the result.

import { useEffect, useRef, useState } from "preact/hooks";
import { Copy } from "./copy";
import { ask, pages } from "./store";
import { answerText, eyeCommand, mcpCall, message } from "./words";

interface Evaluation {
  readonly code: string;
  readonly answer: string;
  readonly bad: boolean;
}

export function Code({ page }: { readonly page: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [evaluations, setEvaluations] = useState<readonly Evaluation[]>([]);
  useEffect(() => {
    const add = (one: Evaluation): void => setEvaluations((known) => [one, ...known].slice(0, 200));
    const run = (code: string): void =>
      void ask("eval", { page, code }).then(
        (answer) =>
          add({ code, answer: answerText((answer as { rendering?: string }).rendering ?? answer), bad: false }),
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
        {evaluations.map((one, n) => (
          <li key={evaluations.length - n}>
            <code>{one.code}</code>
            <pre tabIndex={0} class={one.bad ? "bad" : ""}>
              {one.answer}
            </pre>
            <p class="actions">
              <Copy name="Copy as eye command" text={() => eyeCommand(page, "eval", { code: one.code })} />
              <Copy name="Copy as MCP call" text={() => mcpCall(page, "eval", { code: one.code }, pages.value)} />
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
