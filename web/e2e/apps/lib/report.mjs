// Prints what came of the applications, as Markdown tables.

import { percent, table } from "../../bench/table.mjs";

const seconds = (ms) => (ms / 1000).toFixed(1);

/** A row per application: whether its task is done, and how much of what a person sees is printed. */
export function resultTable(results) {
  const total = { wanted: 0, missed: 0, given: 0, wrong: 0 };
  const rows = results.map(({ app, eye, seeing }) => {
    const sum = { wanted: 0, missed: 0, given: 0, wrong: 0 };
    for (const { wanted, given, missed, wrong } of seeing) {
      sum.wanted += wanted;
      sum.given += given;
      sum.missed += missed.length;
      sum.wrong += wrong.length;
    }
    for (const key of Object.keys(total)) total[key] += sum[key];
    return [app.name, outcome(app, eye), eye.calls, eye.tokens, seconds(eye.ms), ...ratios(sum)];
  });
  const done = results.filter(({ eye }) => eye.failure === undefined).length;
  rows.push([
    "all",
    `${done} of ${results.length}`,
    ...["calls", "tokens"].map((key) => sumOf(results, "eye", key)),
    "",
    ...ratios(total),
  ]);
  table(
    "Real applications with eye",
    ["application", "task", "calls", "tokens", "s", "recall", "precision", "misses"],
    rows,
  );
}

/** A row per application: eye beside agent-browser. */
export function benchTable(results) {
  const rows = results.map(({ app, eye, peer }) => [
    app.name,
    outcome(app, eye),
    eye.calls,
    eye.tokens,
    seconds(eye.ms),
    peer.failure === undefined ? "done" : "failed",
    peer.calls,
    peer.tokens,
    seconds(peer.ms),
    percent(eye.tokens, peer.tokens),
  ]);
  const both = results.filter(({ eye, peer }) => eye.failure === undefined && peer.failure === undefined);
  const sum = (who, key) => sumOf(both, who, key);
  const half = (who) => [sum(who, "calls"), sum(who, "tokens"), seconds(sum(who, "ms"))];
  rows.push([
    `${both.length} that both did`,
    "",
    ...half("eye"),
    "",
    ...half("peer"),
    percent(sum("eye", "tokens"), sum("peer", "tokens")),
  ]);
  const head = [
    "application",
    "eye",
    "calls",
    "tokens",
    "s",
    "agent-browser",
    "calls",
    "tokens",
    "s",
    "tokens, eye / peer",
  ];
  table("Tasks in real applications (o200k tokens)", head, rows);
}

function outcome(app, { failure }) {
  if (failure === undefined) return "done";
  return app.fails === undefined ? "failed" : "fails, as expected";
}

function ratios({ wanted, missed, given, wrong }) {
  const ratio = (part, whole) => (whole === 0 ? "1.000" : (part / whole).toFixed(3));
  return [ratio(wanted - missed, wanted), ratio(given - wrong, given), missed + wrong];
}

function sumOf(results, who, key) {
  return results.reduce((total, result) => total + result[who][key], 0);
}
