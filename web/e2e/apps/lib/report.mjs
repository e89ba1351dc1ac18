// Prints the results of the applications as Markdown tables.

import { percent, table } from "../../bench/table.mjs";

const seconds = (ms) => (ms / 1000).toFixed(1);

/** Recall is the share of visible items that are printed; precision the share of printed items that are visible. */
const RECALL_MIN = 0.98;
const PRECISION_MIN = 0.98;

/** One row per application: whether its task is done, and recall and precision. */
export function resultTable(results) {
  const rows = results.map(({ app, eye, seeing }) => [
    app.name,
    outcome(app, eye),
    eye.calls,
    eye.tokens,
    seconds(eye.ms),
    ...ratios(counted(seeing)),
  ]);
  const done = results.filter(({ eye }) => eye.failure === undefined).length;
  rows.push([
    "all",
    `${done} of ${results.length}`,
    ...["calls", "tokens"].map((key) => sumOf(results, "eye", key)),
    "",
    ...ratios(counted(results.flatMap(({ seeing }) => seeing))),
  ]);
  table(
    "Real applications with eye",
    ["application", "task", "calls", "tokens", "s", "recall", "precision", "misses"],
    rows,
  );
}

/**
 * One row per application: its task in eye's own browser, with trusted input, next to the same task in a joined page.
 */
export function handsTable(results) {
  const rows = results.map(({ app, eye, hands }) => [
    app.name,
    outcome(app, hands),
    hands.calls,
    hands.tokens,
    seconds(hands.ms),
    outcome(app, eye),
    eye.calls,
    eye.tokens,
    seconds(eye.ms),
  ]);
  const done = results.filter(({ hands }) => hands.failure === undefined).length;
  const sums = (who) => ["calls", "tokens"].map((key) => sumOf(results, who, key));
  rows.push(["all", `${done} of ${results.length}`, ...sums("hands"), "", "", ...sums("eye"), ""]);
  const head = ["application", "own browser", "calls", "tokens", "s", "joined page", "calls", "tokens", "s"];
  table("Real applications with hands", head, rows);
}

/** The goals that all applications together miss, one line each. */
export function missedGoals(results) {
  const { recall, precision } = shares(counted(results.flatMap(({ seeing }) => seeing)));
  const failed = results.filter(({ eye }) => eye.failure !== undefined).map(({ app }) => app.name);
  return [
    ...(recall < RECALL_MIN ? [`recall ${recall.toFixed(4)} is below ${RECALL_MIN}`] : []),
    ...(precision < PRECISION_MIN ? [`precision ${precision.toFixed(4)} is below ${PRECISION_MIN}`] : []),
    ...(failed.length > 0 ? [`tasks not done: ${failed.join(", ")}`] : []),
  ];
}

/** Eye's largest share of the peer's tokens and calls in sum, and of its tokens per task. */
const TOKENS_SHARE_MAX = 0.6;
const CALLS_SHARE_MAX = 1;
const TASK_SHARE_MAX = 1.2;

/** The goals against the peer that are missed, one line each. Tasks that either of them failed do not count. */
export function missedPeerGoals(results) {
  const both = results.filter(({ eye, peer }) => eye.failure === undefined && peer.failure === undefined);
  const share = (key) => sumOf(both, "eye", key) / sumOf(both, "peer", key);
  const above = both.filter(({ eye, peer }) => eye.tokens > peer.tokens * TASK_SHARE_MAX);
  return [
    ...(share("tokens") > TOKENS_SHARE_MAX ? [`tokens are more than ${TOKENS_SHARE_MAX} of the peer's`] : []),
    ...(share("calls") > CALLS_SHARE_MAX ? [`calls are more than ${CALLS_SHARE_MAX} of the peer's`] : []),
    ...above.map(({ app }) => `${app.name} takes more than ${TASK_SHARE_MAX} of the peer's tokens`),
  ];
}

/** Prints every miss with its application. */
export function missList(results) {
  for (const { app, seeing } of results)
    for (const { at, missed, wrong } of seeing)
      for (const miss of [...missed, ...wrong]) console.log(`miss: ${app.name}, ${at} the task: ${miss}`);
}

/** One row per application: eye next to agent-browser. */
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

function counted(seeing) {
  const sum = { wanted: 0, missed: 0, given: 0, wrong: 0 };
  for (const { wanted, given, missed, wrong } of seeing) {
    sum.wanted += wanted;
    sum.given += given;
    sum.missed += missed.length;
    sum.wrong += wrong.length;
  }
  return sum;
}

function shares({ wanted, missed, given, wrong }) {
  const share = (part, whole) => (whole === 0 ? 1 : part / whole);
  return { recall: share(wanted - missed, wanted), precision: share(given - wrong, given) };
}

function ratios(sum) {
  const { recall, precision } = shares(sum);
  return [recall.toFixed(3), precision.toFixed(3), sum.missed + sum.wrong];
}

function sumOf(results, who, key) {
  return results.reduce((total, result) => total + result[who][key], 0);
}
