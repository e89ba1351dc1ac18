// A value as a collapsible tree. Only open nodes are in the document, and long lists are shown in parts.

import { useState } from "preact/hooks";

const PART = 100;
const OPEN_DEPTH = 2;
const OPEN_CHILDREN_MAX = 30;
const TEXT_CHARS_MAX = 300;

interface Node {
  readonly name: string;
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
  /** JSON Pointers of the latest revision's changes. */
  readonly changed: ReadonlySet<string>;
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === "string") {
    const cut = value.length > TEXT_CHARS_MAX;
    return (
      <span class="string" title={cut ? value : undefined}>
        {JSON.stringify(cut ? `${value.slice(0, TEXT_CHARS_MAX)}…` : value)}
      </span>
    );
  }
  return <span class="number">{JSON.stringify(value)}</span>;
}

export function pointer(path: string, name: string): string {
  return `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function Branch({ name, value, path, depth, changed }: Node) {
  const children = Object.entries(value as object);
  const [open, setOpen] = useState(depth < OPEN_DEPTH && children.length <= OPEN_CHILDREN_MAX);
  const [shown, setShown] = useState(PART);
  const kind = Array.isArray(value) ? `[${String(children.length)}]` : `{${String(children.length)}}`;
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class={changed.has(path) ? "changed" : ""}>
        <span class="key">{name}</span> <span class="dim">{kind}</span>
      </summary>
      {open ? (
        <ul>
          {children.slice(0, shown).map(([key, child]) => (
            <li key={key}>
              <Tree name={key} value={child} path={pointer(path, key)} depth={depth + 1} changed={changed} />
            </li>
          ))}
          {children.length > shown ? (
            <li>
              <button type="button" onClick={() => setShown(shown + PART)}>
                {children.length - shown} more
              </button>
            </li>
          ) : null}
        </ul>
      ) : null}
    </details>
  );
}

export function Tree(node: Node) {
  const { name, value, path, changed } = node;
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0) return <Branch {...node} />;
  return (
    <p class={changed.has(path) ? "leaf changed" : "leaf"}>
      <span class="key">{name}</span> <Leaf value={value} />
    </p>
  );
}
