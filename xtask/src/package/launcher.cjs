#!/usr/bin/env node
// Runs the eye of this platform's package, with this process's own stdin, stdout and stderr, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");

const { platform, arch } = process;
const name = `eye-hub-${platform}-${arch}`;
const program = platform === "win32" ? "eye.exe" : "eye";

let path;
try {
  path = require.resolve(`${name}/bin/${program}`);
} catch {
  console.error(`error: the package ${name} is not installed\nhint: install eye-hub without --omit=optional; platforms that have no package need a build from source`);
  process.exit(1);
}

const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
// The terminal sends these to both; the program decides what they mean.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`error: ${path} cannot be run: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
  process.kill(process.pid, signal);
});
