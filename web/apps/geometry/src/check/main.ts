// The test page: runs every check against the app in a frame, and shows what each observed.

import { el } from "../../../desktop/src/el.js";
import { messageOf } from "../failure.js";
import { Away, type Check, type Group, type Subjects } from "./check.js";
import { PHASE_A } from "./phase-a.js";
import { PHASE_B } from "./phase-b.js";
import { Subject } from "./subject.js";
import { WORKFLOW } from "./workflow.js";

type Outcome = "passed" | "failed" | "away";

interface Row {
  readonly check: Check;
  readonly element: HTMLElement;
  readonly reason: HTMLElement;
}

const GROUPS: readonly Group[] = [...PHASE_A, ...PHASE_B, WORKFLOW];
const WORDS: Readonly<Record<Outcome, string>> = { passed: "passed", failed: "failed", away: "away" };

const [summary, frames, place] = ["#summary", "#frames", "#groups"].map(element);
const rows: Row[] = [];
let subjects: Promise<Subjects> | undefined;
let busy = false;

for (const group of GROUPS) {
  const mine = group.checks.map(rowOf);
  rows.push(...mine);
  const run = el(
    "button",
    { type: "button", "aria-label": `Run ${group.title}`, on: { click: () => void runAll(mine) } },
    "Run",
  );
  place?.append(
    el(
      "section",
      {},
      el("header", {}, el("h2", {}, group.title), run),
      el("ol", {}, ...mine.map((row) => row.element)),
    ),
  );
}
element("#run").addEventListener("click", () => void runAll(rows));
void runAll(rows);

function element(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
}

function rowOf(check: Check): Row {
  const reason = el("p", {});
  return { check, reason, element: el("li", { "data-outcome": "waiting" }, el("b", {}, check.title), reason) };
}

/** One after the other, because they share one map. */
async function runAll(wanted: readonly Row[]): Promise<void> {
  if (busy) return;
  busy = true;
  for (const row of wanted) said(row, "waiting", "");
  tell("running");
  try {
    const opened = await (subjects ??= open());
    for (const row of wanted) await run(row, opened);
  } catch (error) {
    subjects = undefined;
    for (const row of wanted) said(row, "failed", messageOf(error));
  }
  busy = false;
  tell("done");
}

async function open(): Promise<Subjects> {
  const place = frames ?? document.body;
  const more = new URLSearchParams(location.search).toString();
  const address = (query: string): string => `./?${[query, more].filter((part) => part !== "").join("&")}`;
  const [real, mock] = await Promise.all([
    Subject.open(place, "Geometry OS", address("")),
    Subject.open(place, "Geometry OS with mock backends", address("mock_backends=true")),
  ]);
  return { real, mock };
}

async function run(row: Row, subjects: Subjects): Promise<void> {
  said(row, "running", "");
  try {
    said(row, "passed", await row.check.run(subjects));
  } catch (error) {
    said(row, error instanceof Away ? "away" : "failed", messageOf(error));
  }
}

function said({ element, reason }: Row, outcome: Outcome | "waiting" | "running", text: string): void {
  element.dataset.outcome = outcome;
  reason.textContent = text;
}

function tell(state: "running" | "done"): void {
  const count = (outcome: Outcome): number => rows.filter(({ element }) => element.dataset.outcome === outcome).length;
  const parts = (["passed", "failed", "away"] as const).map((outcome) => `${String(count(outcome))} ${WORDS[outcome]}`);
  const text = `${parts.join(" · ")}${state === "running" ? " · running…" : ""}`;
  if (summary === undefined) return;
  summary.textContent = text;
  summary.dataset.state = state;
  summary.dataset.good = String(count("failed") === 0);
  document.title = `${count("failed") === 0 ? "✓" : "✗"} ${text}`;
}
