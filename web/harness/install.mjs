// Installs programs of others for tests and measurements: commands that say why they failed, and Pythons of their own.

import { spawn } from "node:child_process";
import { statfsSync } from "node:fs";
import { join } from "node:path";

/** How much of what a command printed is told when it fails. */
const TOLD = 4000;
const GIB = 2 ** 30;

/** Runs a command to its end. Rejects with its last words and the room on the disk: a full one is often the reason. */
export async function run(command, args, cwd, env = process.env) {
  const { code, words } = await end(command, args, cwd, env);
  if (code === 0) return;
  const { bavail, bsize } = statfsSync(cwd);
  const free = ((bavail * bsize) / GIB).toFixed(1);
  throw new Error(`${command} ${args.join(" ")} failed in ${cwd} (${code}; ${free} GiB are free)\n${words}`);
}

/** Whether a command succeeds. */
export async function works(command, args, cwd = ".") {
  return (await end(command, args, cwd, process.env)).code === 0;
}

/**
 * Makes a Python in `folder` with these packages, and returns its program. The pip that is there fills it; where there
 * is none, or one before 22.3, the new Python gets its own first.
 */
export async function makePython(folder, packages, cwd) {
  const python = join(folder, "bin/python");
  const install = ["install", "--quiet", "--disable-pip-version-check", ...packages];
  const fills = await works("python3", ["-m", "pip", "--python", "python3", "--version"]);
  await run("python3", ["-m", "venv", "--clear", ...(fills ? ["--without-pip"] : []), folder], cwd);
  if (fills) await run("python3", ["-m", "pip", "--python", python, ...install], cwd);
  else await run(python, ["-m", "pip", ...install], cwd);
  return python;
}

function end(command, args, cwd, env) {
  return new Promise((resolve) => {
    let words = "";
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const hear = (chunk) => {
      words = (words + chunk).slice(-TOLD);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", (error) => resolve({ code: error.message, words }));
    child.on("close", (code, signal) => resolve({ code: code ?? signal, words }));
  });
}
