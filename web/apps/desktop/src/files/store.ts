// The desktop's files: text by path, stored in the browser's storage as one document. No network, no elements.

export interface Entry {
  readonly name: string;
  readonly path: string;
  readonly type: "file" | "directory";
  readonly size: number;
  /** Unix time in milliseconds; for a folder, that of its newest file. */
  readonly modified: number;
}

interface Kept {
  readonly content: string;
  readonly modified: number;
}

/** The part of `localStorage` that the store needs. A person may have switched storage off. */
export interface Keep {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export const FILE_CHARS_MAX = 1024 * 1024;
const PATH_CHARS_MAX = 256;
const KEY = "desktop.files";

export class FileError extends Error {
  constructor(
    readonly kind: "missing" | "path" | "size" | "full",
    message: string,
  ) {
    super(message);
  }
}

export class FileStore {
  readonly #keep: Keep | undefined;
  readonly #now: () => number;
  readonly #changed = new Set<() => void>();
  #files: Map<string, Kept>;

  constructor(seed: Readonly<Record<string, string>>, keep: Keep | undefined, now: () => number = Date.now) {
    this.#keep = keep;
    this.#now = now;
    const fresh = (): [string, Kept][] =>
      Object.entries(seed).map(([path, content]) => [path, { content, modified: now() }]);
    this.#files = new Map(restored(keep) ?? fresh());
  }

  get(path: string): string {
    const kept = this.#files.get(normal(path));
    if (kept === undefined) throw new FileError("missing", `File not found: ${path}`);
    return kept.content;
  }

  has(path: string): boolean {
    return this.#files.has(normal(path));
  }

  save(path: string, content: string): void {
    const name = normal(path);
    if (name === "") throw new FileError("path", "a file needs a name");
    if ([...this.#files.keys()].some((other) => other.startsWith(`${name}/`)))
      throw new FileError("path", `${name} is a folder`);
    if (content.length > FILE_CHARS_MAX)
      throw new FileError("size", `a file has at most ${String(FILE_CHARS_MAX)} characters`);
    const files = new Map(this.#files).set(name, { content, modified: this.#now() });
    try {
      this.#keep?.setItem(KEY, JSON.stringify([...files]));
    } catch {
      throw new FileError("full", "the browser's storage is full");
    }
    this.#files = files;
    for (const listener of this.#changed) listener();
  }

  /** The entries directly in a folder, folders first. */
  list(folder = ""): readonly Entry[] {
    const base = normal(folder);
    const prefix = base === "" ? "" : `${base}/`;
    const entries = new Map<string, Entry>();
    for (const [path, { content, modified }] of this.#files) {
      if (!path.startsWith(prefix)) continue;
      const [name = "", ...deeper] = path.slice(prefix.length).split("/");
      const before = entries.get(name);
      entries.set(name, {
        name,
        path: prefix + name,
        type: deeper.length > 0 ? "directory" : "file",
        size: (before?.size ?? 0) + content.length,
        modified: Math.max(before?.modified ?? 0, modified),
      });
    }
    return [...entries.values()].sort((a, b) => a.type.localeCompare(b.type) || a.name.localeCompare(b.name));
  }

  /** Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }
}

/** The stored form of a path: no leading slash, and no parts that lead outside. */
function normal(path: string): string {
  if (path.length > PATH_CHARS_MAX)
    throw new FileError("path", `a path has at most ${String(PATH_CHARS_MAX)} characters`);
  const parts = path
    .replace(/^~(?=\/|$)/, "")
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new FileError("path", `not inside the files: ${path}`);
  return parts.join("/");
}

/** `undefined` if nothing was stored, or the stored document is not ours. */
function restored(keep: Keep | undefined): [string, Kept][] | undefined {
  try {
    const kept = JSON.parse(keep?.getItem(KEY) ?? "null") as unknown;
    if (!Array.isArray(kept)) return undefined;
    return kept.filter(
      (one): one is [string, Kept] =>
        Array.isArray(one) && typeof one[0] === "string" && typeof (one[1] as Kept | undefined)?.content === "string",
    );
  } catch {
    return undefined;
  }
}
