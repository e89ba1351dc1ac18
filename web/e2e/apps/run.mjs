// Tries eye on real applications: does each task with eye's verbs, asks the application whether it is done, and
// compares the output of `look --all` with what the browser reports as visible.
//   node run.mjs            the light applications, as `cargo xtask test` does
//   node run.mjs --all      all of them
//   node run.mjs NAME…      these; --show prints every command and its output, --misses every miss
//   node run.mjs --save=FOLDER  keeps a picture and the outline of each page, before and after its task
//   node run.mjs --hands    each task in eye's own browser too, with trusted input
//   node run.mjs --bench    each task with agent-browser too: success, calls, tokens and time
// EYE_BIN names eye, EYE_CHROMIUM the browser.

import { Corpus } from "./lib/corpus.mjs";
import { benchTable, handsTable, missedGoals, missedPeerGoals, missList, resultTable } from "./lib/report.mjs";

const words = process.argv.slice(2);
const has = (flag) => words.includes(`--${flag}`);
const names = words.filter((word) => !word.startsWith("--"));
const save = words.find((word) => word.startsWith("--save="))?.slice("--save=".length);
const corpus = await Corpus.open({
  names,
  all: has("all") || has("bench"),
  peer: has("bench"),
  hands: has("hands"),
  save,
});
const results = [];
try {
  for (const app of corpus.apps) {
    const result = await corpus.try(app);
    if (has("show"))
      console.log(
        `\n=== ${app.name}\n${result.eye.transcript}\n${result.hands?.transcript ?? ""}\n${result.peer?.transcript ?? ""}`,
      );
    if (has("misses"))
      for (const { at, missed, wrong } of result.seeing)
        console.log([`--- ${app.name} ${at}`, ...missed, ...wrong].join("\n"));
    if (result.peer?.failure !== undefined) console.log(`${app.name}: agent-browser: ${result.peer.failure}`);
    for (const line of result.faults) console.error(`${app.name}: ${line}`);
    console.log(`${result.faults.length === 0 ? "ok" : "FAILED"} ${app.name}`);
    results.push(result);
  }
} finally {
  await corpus.close();
}
resultTable(results);
if (has("hands")) handsTable(results);
missList(results);
if (has("bench")) benchTable(results);
for (const line of corpus.skipped) console.log(`skipped: ${line}`);
// The goals are for the whole set; single applications may be below them.
const goals = names.length > 0 ? [] : [...missedGoals(results), ...(has("bench") ? missedPeerGoals(results) : [])];
for (const line of goals) console.error(`goal missed: ${line}`);
process.exitCode = goals.length > 0 || results.some(({ faults }) => faults.length > 0) ? 1 : 0;
