// Five whole tasks, as done by an agent that has read `eye skill` and knows nothing else about the page: each command
// depends only on what it has read. A task fails unless the wish is fulfilled and the agent has read that it is.

import assert from "node:assert/strict";
import { FIRST_ABOVE_80_DEGREES, IMPORTED, REFUSAL, type Backend } from "./pages.js";
import type { Shell } from "./shell.js";

/** The environment of a task, for its check. */
export interface World {
  readonly backend: Backend;
  /** The current positions of the desktop's windows, requested without the agent. */
  windows(): Promise<readonly { readonly title: string; readonly x: number; readonly y: number }[]>;
}

export interface Task {
  readonly name: string;
  /** What the person asks for. */
  readonly wish: string;
  /** A page of the site, or the desktop. */
  readonly page: string;
  readonly before?: (world: World) => void;
  readonly withEye: (shell: Shell) => Promise<void>;
  /** The same task with `agent-browser`, in the shortest sensible commands, chained as its guide advises. */
  readonly withPeer: (shell: Shell) => Promise<void>;
  /** `read` is everything that the agent has read. */
  readonly check: (world: World, read: string) => Promise<void> | void;
}

export const DESKTOP = "desktop";
const PLACE = { x: 40, y: 60 };
/** Offset from a window's corner to its title bar, as an agent would guess. */
const GRIP = 15;
const ASK_SERVER = 'fetch("/api/export?quarter=3",{method:"POST"}).then(r=>r.text())';
const TEMPERATURE = "+/Temperature: (\\d+)/.exec(document.body.innerText)[1]";

export const TASKS: readonly Task[] = [
  {
    name: "sign up and verify",
    wish: "Sign me up: Ada Lovelace, ada@example.org, password “correct horse”, plan Team, terms accepted. Make sure it worked.",
    page: "/sign-up",
    async withEye(shell) {
      const seen = await shell.run("eye look");
      const ref = (label: string): string => found(seen, new RegExp(`^ *(e\\d+) .*${label}`, "m"));
      const fields = `${ref("Full name")}='Ada Lovelace' ${ref("Email")}=ada@example.org ${ref("Password")}='correct horse' ${ref("Plan")}=Team ${ref("terms")}=true`;
      const changed = await shell.run(`eye fill ${fields} --click ${ref("Create account")}`);
      // The answer contains only changes that came soon enough; an agent that has read of none looks again.
      if (!/^\+ /m.test(changed)) await shell.run("eye look --since");
    },
    async withPeer(shell) {
      const seen = await shell.run("agent-browser snapshot -i");
      const ref = (label: string): string => `@${found(seen, new RegExp(`"${label}.*\\bref=(e\\d+)`))}`;
      const steps = [
        `fill ${ref("Full name")} 'Ada Lovelace'`,
        `fill ${ref("Email")} ada@example.org`,
        `fill ${ref("Password")} 'correct horse'`,
        `select ${ref("Plan")} Team`,
        `check ${ref("I accept")}`,
        `click ${ref("Create account")}`,
      ];
      await shell.run(chain(...steps, "wait --text Welcome", "get text body"));
    },
    check({ backend }, read) {
      assert.deepEqual(backend.signUps.splice(0), [
        { name: "Ada Lovelace", email: "ada@example.org", plan: "Team", terms: true },
      ]);
      assert.match(read, /Welcome, Ada Lovelace\. Your account is H-\d+/);
    },
  },
  {
    name: "why a button fails",
    wish: "The Export button does nothing. Why?",
    page: "/reports",
    async withEye(shell) {
      await shell.run("eye click text=Export");
      await shell.run(`eye '${ASK_SERVER}'`);
    },
    async withPeer(shell) {
      await shell.run(chain("find text Export click", "errors", "console", "network requests --filter api"));
      await shell.run(`agent-browser eval '${ASK_SERVER}'`);
    },
    check(_, read) {
      for (const cause of [
        "export failed: Cannot read properties of undefined (reading 'length')",
        "/api/export?quarter=3",
        "507",
        REFUSAL,
      ])
        assert.ok(read.includes(cause), `${cause} in\n${read}`);
    },
  },
  {
    name: "wait for a job",
    wish: "Start the import and tell me how it ended.",
    page: "/import",
    async withEye(shell) {
      await shell.run("eye click 'text=Start import' && eye wait text=imported");
    },
    async withPeer(shell) {
      await shell.run(chain("find text 'Start import' click", "wait --text imported", "get text body"));
    },
    check: (_, read) => assert.ok(read.includes(IMPORTED), read),
  },
  {
    name: "a value passes a threshold",
    wish: "Tell me the temperature as soon as it is above 80.",
    page: "/boiler",
    before: ({ backend }) => backend.heat(),
    async withEye(shell) {
      await shell.run("eye text");
      await shell.run(`eye wait '(t=${TEMPERATURE}) > 80 && t'`);
    },
    async withPeer(shell) {
      await shell.run("agent-browser get text body");
      await shell.run(chain(`wait --fn '(t=${TEMPERATURE}) > 80'`, "eval t"));
    },
    check: (_, read) => assert.match(read, new RegExp(`(?:^|\\n)${String(FIRST_ABOVE_80_DEGREES)}$`)),
  },
  {
    name: "move a window",
    wish: `Put the Files window at ${String(PLACE.x)}, ${String(PLACE.y)}.`,
    page: DESKTOP,
    async withEye(shell) {
      await shell.run("eye tools window");
      const windows = JSON.parse(await shell.run("eye state windows")) as readonly { id: number; title: string }[];
      const files = windows.find(({ title }) => title === "Files");
      assert.ok(files !== undefined);
      await shell.run(`eye call move_window id=${String(files.id)} x=${String(PLACE.x)} y=${String(PLACE.y)}`);
    },
    async withPeer(shell) {
      await shell.run("agent-browser snapshot");
      const box = await shell.run("agent-browser get box '[role=dialog]'");
      const [x, y] = ["x", "y"].map((side) => Number(found(box, new RegExp(`^${side}: +(\\S+)`, "m"))) + GRIP);
      const to = [PLACE.x + GRIP, PLACE.y + GRIP].join(" ");
      await shell.run(
        chain(
          `mouse move ${String(x)} ${String(y)}`,
          "mouse down",
          `mouse move ${to}`,
          "mouse up",
          "get box '[role=dialog]'",
        ),
      );
    },
    async check(world, read) {
      const files = (await world.windows()).find(({ title }) => title === "Files");
      assert.deepEqual(files && { x: files.x, y: files.y }, PLACE);
      assert.match(read, /\bx\W+40\W+y\W+60\b/);
    },
  },
];

/** The session with which this project began: 13 calls and about 1,600 tokens to change one icon. */
export const ICON: Task = {
  name: "change one icon",
  wish: "Put a fox on the icon of javascript.ide.",
  page: DESKTOP,
  async withEye(shell) {
    await shell.run("eye tools icon");
    await shell.run("eye call set_icon app=javascript.ide icon=🦊");
    await shell.run(`eye '$$(".desktop-icon").map(i => i.innerText)'`);
  },
  async withPeer(shell) {
    await shell.run("agent-browser snapshot");
    await shell.run(
      `agent-browser eval '(b=[...document.querySelectorAll("button")].find(b=>b.innerText.includes("javascript.ide"))).firstChild.textContent="🦊",b.innerText'`,
    );
  },
  check: (_, read) => assert.match(read, /🦊(?:\s|\\n)*javascript\.ide/),
};

/** The match in what the agent has read. */
function found(text: string, what: RegExp): string {
  const [, ref] = what.exec(text) ?? [];
  if (ref === undefined) throw new Error(`${String(what)} is not in\n${text}`);
  return ref;
}

function chain(...commands: readonly string[]): string {
  return commands.map((command) => `agent-browser ${command}`).join(" && ");
}
