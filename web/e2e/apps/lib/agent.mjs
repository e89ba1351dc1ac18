// An agent that does a task: runs its commands in a real shell, and refuses any that is not a verb of seeing or acting.
// A step done by evaluating code would prove nothing about those.

const EYE_VERBS =
  "look text click dblclick fill type press select check uncheck hover scroll drag upload wait focus goto back forward".split(
    " ",
  );
const PEER_VERBS =
  "snapshot click dblclick fill type press select check uncheck hover scroll scrollintoview drag upload wait find focus keyboard mouse get".split(
    " ",
  );
const VERBS = { eye: EYE_VERBS, "agent-browser": PEER_VERBS };

export class Agent {
  #shell;
  #program;

  constructor(shell, program) {
    this.#shell = shell;
    this.#program = program;
  }

  /** Runs verbs, chained into one command as an agent would write it, and returns their output. */
  async run(...verbs) {
    for (const verb of verbs) this.#refuseCode(verb);
    return this.#shell.run(verbs.map((verb) => `${this.#program} ${verb}`).join(" && "));
  }

  #refuseCode(line) {
    const [verb, first = ""] = line.split(" ");
    if (!VERBS[this.#program].includes(verb))
      throw new Error(`${this.#program} ${line}: only seeing and acting verbs count`);
    const isCode =
      verb === "wait" && this.#program === "eye" ? !/^'?(?:text=|css=|@?e\d)/.test(first) : line.includes("--fn");
    if (isCode) throw new Error(`${this.#program} ${line}: a task waits for what is seen, not for code`);
  }
}

/**
 * The ref of an element in eye's outline by its name: the first that begins with it, else the first that contains it.
 */
export function ref(outline, name) {
  const pieces = outline
    .split(/\n| \| /)
    .map((piece) => /\b(e\d+) (.*)$/.exec(piece))
    .filter(Boolean);
  const plain = (text) => text.replace(/^(?:\[[x -]\] |\([x ]\) )?[[<]?(?:[-+] )?/, "");
  const isNamed = typeof name === "string" ? (text) => plain(text).startsWith(name) : (text) => name.test(text);
  const found =
    pieces.find(([, , text]) => isNamed(text)) ??
    pieces.find(([, , text]) => typeof name === "string" && text.includes(name));
  if (found === undefined) throw new Error(`nothing called ${name} in\n${outline}`);
  return found[1];
}

/** The ref of an element in agent-browser's snapshot by its name, and by its role if one is given. */
export function peerRef(snapshot, name, role = "") {
  const isNamed = (one) => (typeof name === "string" ? one.includes(`"${name}`) : name.test(one));
  // The page as a whole is listed with all of its text.
  const lines = snapshot.split("\n").filter((one) => !/^\s*- main /.test(one));
  const found = /\bref=(e\d+)/.exec(lines.find((one) => one.includes(role) && isNamed(one)) ?? "");
  if (found === null) throw new Error(`no ${role} "${name}" in\n${snapshot}`);
  return `@${found[1]}`;
}
