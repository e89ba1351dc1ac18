// Starts the server of an application that has its own, waits until it answers, and stops it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { load } from "../../../harness/load.mjs";

const { freePort, until } = await load("harness/ports.js", "harness/until.js");
const START_MS_MAX = 90_000;

export { freePort };

/** `args` are for Python; `path` answers once the server is up. `close()` stops it. */
export async function startPython(python, args, { cwd, env = {}, port, path = "/" }) {
  const url = `http://localhost:${port}`;
  const child = spawn(python, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes) => (output = (output + bytes).slice(-4000)));
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`the server ended: ${output}`);
    const response = await fetch(url + path).catch(() => undefined);
    return response?.ok ? true : undefined;
  };
  await until(`${url}${path} answers`, answers, START_MS_MAX);
  return {
    url,
    async close() {
      const ended = once(child, "exit");
      if (child.exitCode === null && child.kill()) await ended;
    },
  };
}

/** Runs a Python program to its end and returns its output. */
export async function runPython(python, args, { cwd, env = {} }) {
  const child = spawn(python, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (bytes) => (output += bytes));
  child.stderr.on("data", (bytes) => (errors += bytes));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`python ${args.join(" ")} ended with ${code}: ${errors}`);
  return output;
}
