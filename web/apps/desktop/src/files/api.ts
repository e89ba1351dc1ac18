// Answers `fetch("/api/files/…")` from the store. Not every origin can have a service worker, so `fetch` itself is
// replaced, for exactly these three addresses of this origin; all others go to the original `fetch`.

import { FileError, type FileStore } from "./store.js";

const PREFIX = "/api/files/";
const STATUS: Readonly<Record<FileError["kind"], number>> = { missing: 404, path: 400, size: 413, full: 507 };

type Fetch = typeof fetch;

export function serveFiles(files: FileStore, target: { fetch: Fetch } = window): void {
  const beyond = target.fetch.bind(window);
  target.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input), document.baseURI);
    const answer = url.origin === location.origin ? ANSWERS[url.pathname.slice(PREFIX.length)] : undefined;
    if (answer === undefined || !url.pathname.startsWith(PREFIX)) return beyond(input, init);
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    if (request.method !== answer.method) return json({ error: `use ${answer.method}` }, 405);
    try {
      return json(await answer.run(files, url.searchParams.get("path") ?? "", request));
    } catch (error) {
      if (error instanceof FileError) return json({ error: error.message }, STATUS[error.kind]);
      throw error;
    }
  };
}

interface Answer {
  readonly method: "GET" | "POST";
  run(files: FileStore, path: string, request: Request): object | Promise<object>;
}

const ANSWERS: Readonly<Record<string, Answer | undefined>> = {
  list: {
    method: "GET",
    run: (files, path) => ({
      files: files.list(path).map(({ name, path, type, size }) => ({ name, path, type, size })),
    }),
  },
  get: {
    method: "GET",
    run: (files, path) => ({ content: files.get(path) }),
  },
  save: {
    method: "POST",
    async run(files, _, request) {
      const body = (await request.json().catch(() => undefined)) as
        | { readonly path?: unknown; readonly content?: unknown }
        | null
        | undefined;
      if (typeof body?.path !== "string" || typeof body.content !== "string")
        throw new FileError("path", "save needs {path, content}");
      files.save(body.path, body.content);
      return { success: true };
    },
  },
};

function json(body: object, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}
