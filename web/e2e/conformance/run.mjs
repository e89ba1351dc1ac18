// Runs the official MCP conformance suite with both requirement sets: against a hub's own MCP endpoint, and through its
// gateway. EYE_CONFORMANCE names the program (cargo build -p eye --example conformance). A word limits the run: legacy,
// modern, face, gateway-legacy or gateway-modern.

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { peers } from "../peers/install.mjs";
import { EXPLAINED } from "./explained.mjs";

const SETS = { legacy: "2025-11-25", modern: "2026-07-28" };
const program = resolve(
  process.env.EYE_CONFORMANCE ?? join(import.meta.dirname, "../../../target/debug/examples/conformance"),
);
const wanted = process.argv.slice(2);
const chosen = (names) =>
  names.filter(
    (name) => wanted.length === 0 || wanted.includes(name) || !names.some((other) => wanted.includes(other)),
  );

if (!existsSync(program)) {
  console.error(
    `error: no program at ${program}\nhint: cargo build -p eye --example conformance, or name it with EYE_CONFORMANCE`,
  );
  process.exit(1);
}

const { node, conformance } = await peers();

/** Starts a hub and waits for the line with its URL. */
async function start(...args) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) return { url: line, end: () => child.stdin.end() };
  throw new Error("the hub did not start");
}

/** Runs one set and returns the failures without an explanation. */
function run(url, requirements, way) {
  const { stdout } = spawnSync(node, [conformance, "server", "--url", url, "--requirements", requirements], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const lines = [...stdout.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gmu)];
  if (lines.length === 0) throw new Error(`the suite said nothing that can be read:\n${stdout}`);
  let passed = 0;
  const failed = [];
  for (const [, , scenario, good, bad] of lines) {
    passed += Number(good);
    if (Number(bad) > 0)
      failed.push({ scenario, bad: Number(bad), why: EXPLAINED[way]?.[scenario] ?? EXPLAINED.both[scenario] });
  }
  console.log(
    `${way} ${requirements}: ${String(lines.length)} scenarios, ${String(passed)} checks passed, ${String(failed.reduce((sum, { bad }) => sum + bad, 0))} failed`,
  );
  for (const { scenario, bad, why } of failed)
    console.log(`  ${scenario}: ${String(bad)} failed; ${why ?? "NOT EXPLAINED"}`);
  return failed.filter(({ why }) => why === undefined);
}

const face = await start();
let unexplained = 0;
for (const way of chosen(["face", "gateway-legacy", "gateway-modern"])) {
  const behind = way === "face" ? undefined : await start(face.url, way.replace("gateway-", ""));
  for (const era of chosen(["legacy", "modern"])) unexplained += run((behind ?? face).url, SETS[era], way).length;
  behind?.end();
}
face.end();
process.exitCode = unexplained === 0 ? 0 : 1;
