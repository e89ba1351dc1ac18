// The page's outline, line by line. Hovering over a line highlights its element in the page, a click clicks the
// element, and a field can be filled from here.

import { useEffect, useRef, useState } from "preact/hooks";
import { Copy } from "./copy";
import { act, ask } from "./store";
import { answerText, message } from "./words";

/** A line may hold several elements; each begins with its ref. */
const PIECES = /\s+(?=e\d+ )/;
const REF = /^(e\d+) /;
/** `e5 Name: _`: the form of a field, and also of some links. */
const MAYBE_FIELD = /^e\d+ [^[(<].*: /;
const TYPED = /^(?:input|textarea)$/;
const POINT_MS = 60;
const SHOWN_MS = 4000;

interface Picture {
  readonly src: string;
  readonly at: string;
}

function Fill({ page, target, done }: { readonly page: string; readonly target: string; readonly done: () => void }) {
  const [value, setValue] = useState("");
  return (
    <form
      class="fill"
      onSubmit={(event) => {
        event.preventDefault();
        void act("page/fill", { page, target, value }, `Filled ${target}.`).then(done);
      }}
    >
      <input
        autofocus
        aria-label={`Text for ${target}`}
        value={value}
        onInput={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <button type="submit" class="main">
        Fill
      </button>
      <button type="button" onClick={done}>
        Cancel
      </button>
    </form>
  );
}

export function Outline({ page, hands }: { readonly page: string; readonly hands: boolean }) {
  const [text, setText] = useState("");
  const [bad, setBad] = useState("");
  const [picture, setPicture] = useState<Picture>();
  const [filling, setFilling] = useState("");
  const pointing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const look = (): Promise<void> =>
    ask("page/look", { page, all: true }).then(
      (answer) => {
        setBad("");
        setText(answerText(answer));
      },
      (error: unknown) => setBad(message(error)),
    );
  const shoot = async (): Promise<void> => {
    try {
      const { base64, mediaType } = await ask<{ base64: string; mediaType: string }>("page/shot", { page });
      setPicture({ src: `data:${mediaType};base64,${base64}`, at: new Date().toLocaleTimeString() });
    } catch (error) {
      setBad(message(error));
    }
  };
  const again = (): void => {
    setFilling("");
    void look();
    if (hands) void shoot();
  };
  const point = (target?: string): void => {
    clearTimeout(pointing.current);
    const params = target === undefined ? { page } : { page, target, ms: SHOWN_MS };
    // Delayed, so that a short hover highlights nothing. A page that cannot highlight is ignored.
    pointing.current = setTimeout(() => void ask("page/highlight", params).catch(() => undefined), POINT_MS);
  };
  useEffect(() => {
    again();
    return () => {
      clearTimeout(pointing.current);
      void ask("page/highlight", { page }).catch(() => undefined);
    };
  }, []);
  const choose = async (target: string, line: string): Promise<void> => {
    if (MAYBE_FIELD.test(line)) {
      const found = await ask<{ value?: { tag?: string } }>("page/query", { page, target }).catch(() => undefined);
      if (TYPED.test(found?.value?.tag ?? "")) return setFilling(target);
    }
    await act("page/click", { page, target }, `Clicked ${target}.`);
    again();
  };
  return (
    <>
      <p class="actions">
        <button type="button" onClick={() => again()}>
          Look again
        </button>
        <Copy name="Copy as eye command" text={() => `eye --page ${page} look --all`} />
        <span class="dim">Point at a line to see its element framed in the page; click to act on it.</span>
      </p>
      {bad === "" ? null : (
        <p class="bad" role="alert">
          {bad}
        </p>
      )}
      <div class={picture === undefined ? "" : "beside"}>
        <ul class="outline" aria-label="Outline of the page" onMouseLeave={() => point()}>
          {text.split("\n").map((line, n) => {
            const depth = Math.min(8, Math.max(0, Math.floor(line.search(/\S/) / 2)));
            const pieces = line.trim().split(PIECES);
            const refs = pieces.map((piece) => REF.exec(piece)?.[1]);
            return (
              <li key={`${String(n)} ${line}`} class={`depth-${String(depth)}`}>
                {pieces.map((piece, at) => {
                  const ref = refs[at];
                  if (ref === undefined) return <span key={piece}>{piece} </span>;
                  return (
                    <button
                      key={ref}
                      type="button"
                      class="element"
                      onClick={() => void choose(ref, piece)}
                      onMouseEnter={() => point(ref)}
                      onFocus={() => point(ref)}
                      onBlur={() => point()}
                    >
                      <span class="dim">{ref}</span> {piece.slice(ref.length + 1)}
                    </button>
                  );
                })}
                {refs.includes(filling) ? <Fill page={page} target={filling} done={again} /> : null}
              </li>
            );
          })}
        </ul>
        {picture === undefined ? null : (
          <figure class="shot">
            <img src={picture.src} alt="The page as it looks now" />
            <figcaption>
              <span class="dim">As it looked at {picture.at}</span>
              <button type="button" onClick={() => void shoot()}>
                Take another
              </button>
            </figcaption>
          </figure>
        )}
      </div>
    </>
  );
}
