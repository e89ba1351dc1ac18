// Counts with strace the cost of one request: started programs, opened connections, messages through the hub.

import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const LATE_MS = 50;

export function hasStrace() {
  return spawnSync("strace", ["-V"]).status === 0;
}

/** Runs a shell command; returns its output, the programs it started and the connections it opened. */
export function traceCommand(command, { env, folder, out }) {
  const { status, stdout, stderr } = spawnSync(
    "strace",
    ["-f", "-qq", "-e", "trace=execve,connect", "-o", out, "sh", "-c", command],
    { env, cwd: folder, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  const lines = readFileSync(out, "utf8").split("\n");
  const programs = lines.filter((line) => /execve\(/.test(line) && / = 0$/.test(line)).length;
  // A non-blocking socket is still connecting when the call returns.
  const connections = lines.filter((line) => /connect\(/.test(line) && / = 0$| EINPROGRESS /.test(line)).length;
  return { stdout, programs, connections };
}

/** Traces a running hub during a request; returns the messages it received from sockets and sent to them. */
export async function traceHub(pid, out, ask) {
  const tracer = spawn(
    "strace",
    ["-f", "-yy", "-e", "trace=read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg", "-o", out, "-p", String(pid)],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise((resolve) => tracer.once("exit", resolve));
  await new Promise((resolve, reject) => {
    let printed = "";
    tracer.stderr.on("data", (bytes) => {
      printed += bytes;
      if (printed.includes("attached")) resolve();
    });
    tracer.once("exit", () => reject(new Error(`strace could not watch the hub: ${printed}`)));
  });
  try {
    await ask();
    // The answer arrives before the hub's call that sent it has returned, and before strace has recorded it.
    await new Promise((resolve) => setTimeout(resolve, LATE_MS));
  } finally {
    tracer.kill("SIGINT");
    await ended;
  }
  const lines = readFileSync(out, "utf8").split("\n");
  const onSocket = lines.filter(
    (line) => /^\d+ +\w+\(\d+<(?:TCP|UNIX)[^ ]*:\[/.test(line) && / = [1-9]\d*$/.test(line),
  );
  const received = onSocket.filter((line) => /^\d+ +(?:read|recv)/.test(line)).length;
  return { received, sent: onSocket.length - received };
}
