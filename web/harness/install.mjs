// Installs third-party programs for tests and measurements: commands with useful errors, and separate Python
// environments.

import { spawn } from "node:child_process";
import { statfsSync } from "node:fs";
import { join } from "node:path";

/** Characters of a failed command's output that are reported. */
const TOLD = 4000;
const GIB = 2 ** 30;

/** Runs a command to its end. Rejects with its last output and the free disk space: a full disk is often the reason. */
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
 * Makes a Python environment in `folder` with these packages, and returns its interpreter. The existing pip fills it;
 * if there is none, or one before 22.3, the new environment gets its own pip first.
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
    const read = (chunk) => {
      words = (words + chunk).slice(-TOLD);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", (error) => resolve({ code: error.message, words }));
    child.on("close", (code, signal) => resolve({ code: code ?? signal, words }));
  });
}
