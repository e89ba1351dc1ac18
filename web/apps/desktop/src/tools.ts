// The desktop's tools, one object each. The hub checks arguments against the schemas before they arrive here.

import { appNamed, type App, type Desk } from "./desk.js";
import type { EyeTool } from "./eye.js";
import type { Rect } from "./geometry.js";
import type { Frame } from "./shell/frame.js";
import { setTile } from "./shell/tile.js";

const text = (description: string) => ({ type: "string", description });
const pixels = (description: string) => ({ type: "number", description });
const WINDOW = { type: "integer", minimum: 0, description: "id of a window, as in state" };
const READS = { readOnlyHint: true };

export function tools(desk: Desk): readonly EyeTool[] {
  const app = (name: unknown): App => {
    const found = appNamed(desk.apps, String(name));
    if (found === undefined)
      throw new Error(`App not found: ${String(name)}; there are ${desk.apps.map(({ id }) => id).join(", ")}`);
    return found;
  };
  const frame = (id: unknown): Frame => {
    const found = desk.stack.get(Number(id));
    if (found === undefined)
      throw new Error(
        `Window not found: ${String(id)}; there are ${desk.stack.frames.map((one) => `${String(one.id)} ${one.title}`).join(", ") || "none"}`,
      );
    return found;
  };
  return [
    {
      name: "open_app",
      description: "Opens an app, or brings its window to the front; gives the window.",
      inputSchema: object(
        {
          app: { ...text("id or name"), examples: desk.apps.map(({ id }) => id) },
          path: text("a file to open, for notepad and javascript.ide"),
        },
        "app",
      ),
      execute: (args) => desk.open(app(args.app).id, args.path as string | undefined)?.summary,
    },
    {
      name: "move_window",
      description: "Moves and resizes a window, as far as it stays on the screen; gives where it is now.",
      inputSchema: object(
        {
          id: WINDOW,
          x: pixels("left"),
          y: pixels("top"),
          width: pixels("at least 260"),
          height: pixels("at least 180"),
        },
        "id",
      ),
      execute({ id, ...place }) {
        const window = frame(id);
        window.move(place as Partial<Rect>);
        return window.summary;
      },
    },
    {
      name: "close_window",
      description: "Closes a window. One with unsaved text stays, unless discard is true.",
      inputSchema: object({ id: WINDOW, discard: { type: "boolean" } }, "id"),
      annotations: { destructiveHint: true },
      execute({ id, discard }) {
        const window = frame(id);
        if (window.unsaved && discard !== true)
          throw new Error(`${window.title} has unsaved text; pass discard to lose it`);
        desk.stack.close(window);
        return `closed ${window.title}`;
      },
    },
    {
      name: "arrange_windows",
      description: "Arranges the windows that are not minimised.",
      inputSchema: object({ layout: { enum: ["tile", "cascade"] } }, "layout"),
      execute({ layout }) {
        desk.stack.arrange(layout === "tile" ? "tile" : "cascade");
        return desk.stack.frames.map(({ summary }) => summary);
      },
    },
    {
      name: "list_files",
      description: "Lists a folder of the desktop's files.",
      inputSchema: object({ path: text("a folder; the home if left out") }),
      annotations: READS,
      execute: ({ path }) =>
        desk.files
          .list(path as string | undefined)
          .map((entry) => `${entry.path}${entry.type === "directory" ? "/" : ""} ${String(entry.size)}`)
          .join("\n"),
    },
    {
      name: "read_file",
      description: "Gives the text of a file.",
      inputSchema: object({ path: text("as list_files shows it") }, "path"),
      annotations: READS,
      execute: ({ path }) => desk.files.get(String(path)),
    },
    {
      name: "write_note",
      description: "Writes a file, and shows it in the notepad if show is true.",
      inputSchema: object(
        {
          path: text("where"),
          content: text("what"),
          append: { type: "boolean", description: "keep what is there" },
          show: { type: "boolean" },
        },
        "path",
        "content",
      ),
      execute({ path, content, append, show }) {
        const name = String(path);
        const before = append === true && desk.files.has(name) ? desk.files.get(name) : "";
        desk.files.save(name, before + String(content));
        if (show === true) desk.open("notepad", name);
        return `${name}: ${String(before.length + String(content).length)} characters`;
      },
    },
    {
      name: "set_icon",
      description: "Puts a character or two, such as an emoji, on an app's icon; an empty one brings the drawing back.",
      inputSchema: object(
        { app: text("id or name"), icon: { ...text("the character"), maxLength: 16 } },
        "app",
        "icon",
      ),
      execute(args) {
        const changed = app(args.app);
        setTile(changed, String(args.icon));
        return `${changed.id}: ${String(args.icon)}`;
      },
    },
  ];
}

function object(properties: Readonly<Record<string, object>>, ...required: readonly string[]): object {
  return { type: "object", properties, required, additionalProperties: false };
}
