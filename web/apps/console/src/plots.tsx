// Plots of the last hour: of the hub, of one agent or of one page.

import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { agents, ask, pages, samples, type Sample } from "./store";
import { agentName, pageName } from "./words";

interface Kind {
  readonly title: string;
  readonly lines: readonly (readonly [string, (sample: Sample, step: number) => number])[];
  readonly hubOnly?: boolean;
}

const at = (index: number) => (sample: Sample) => sample[index] ?? 0;
const ms = (index: number) => (sample: Sample) => (sample[index] ?? 0) / 1000;
const KINDS: readonly Kind[] = [
  { title: "Calls per second", lines: [["calls", (sample, step) => at(1)(sample) / step]] },
  {
    title: "Time of a call, ms",
    lines: [
      ["p50", ms(3)],
      ["p95", ms(4)],
      ["p99", ms(5)],
    ],
  },
  { title: "Errors per second", lines: [["errors", (sample, step) => at(2)(sample) / step]] },
  {
    title: "Tokens per minute, about",
    lines: [["tokens", (sample, step) => (at(7)(sample) / 4 / step) * 60]],
  },
  {
    title: "KiB per second",
    lines: [
      ["asked", (s, step) => at(6)(s) / 1024 / step],
      ["answered", (s, step) => at(7)(s) / 1024 / step],
    ],
  },
  { title: "Memory of the hub, MiB", lines: [["memory", (sample) => at(8)(sample) / 1024 ** 2]], hubOnly: true },
];
/** Seconds per sample of an agent or a page. */
const NAMED_STEP_S = 5;

/** 500000 as 500K. */
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const subject = signal("all:");

/** Unix seconds as the time of day, with seconds only if they are not zero. */
function hour(second: number): string {
  const at = new Date(second * 1000);
  const two = (n: number): string => String(n).padStart(2, "0");
  const text = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return at.getSeconds() === 0 ? text : `${text}:${two(at.getSeconds())}`;
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function Plot({ kind, data, step }: { readonly kind: Kind; readonly data: readonly Sample[]; readonly step: number }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const columns = (): uPlot.AlignedData => [
    data.map((sample) => sample[0] ?? 0),
    ...kind.lines.map(([, value]) => data.map((sample) => value(sample, step))),
  ];
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    const strokes = ["--accent", "--number", "--string"].map(colour);
    const axis = { stroke: colour("--dim"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const shape = (): { width: number; height: number } => ({ width: parent.clientWidth, height: 160 });
    const made = new uPlot(
      {
        ...shape(),
        cursor: { y: false },
        axes: [
          { ...axis, size: 28, space: 80, values: (_, seconds) => seconds.map(hour) },
          { ...axis, size: 48, values: (_, numbers) => numbers.map((number) => COMPACT.format(number)) },
        ],
        series: [
          {},
          ...kind.lines.map(([label], n) => ({
            label,
            stroke: strokes[n] ?? "",
            width: 1.5,
            points: { show: false },
            // The value under the pointer; empty where there is none.
            value: (_: uPlot, value: number | null) => (value === null ? "" : COMPACT.format(value)),
          })),
        ],
      },
      columns(),
      parent,
    );
    plot.current = made;
    const watcher = new ResizeObserver(() => made.setSize(shape()));
    watcher.observe(parent);
    return () => {
      watcher.disconnect();
      made.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(columns()), [data]);
  const last = data.at(-1);
  const shown =
    last === undefined
      ? ""
      : kind.lines.map(([name, value]) => `${name} ${COMPACT.format(value(last, step))}`).join(", ");
  return (
    <figure>
      <figcaption>
        {kind.title} <span class="dim mono">{shown}</span>
      </figcaption>
      <div ref={place} />
    </figure>
  );
}

export function Plots() {
  const [named, setNamed] = useState<readonly Sample[]>([]);
  const [what = "all", ...rest] = subject.value.split(":");
  const name = rest.join(":");
  const latest = samples.value.at(-1)?.[0] ?? 0;
  const due = what !== "all" && latest % NAMED_STEP_S === 0 ? latest : 0;
  useEffect(() => {
    if (what === "all") return;
    void ask<{ samples: readonly Sample[] }>("console/series", { what, name }).then(
      ({ samples }) => setNamed(samples),
      () => undefined,
    );
  }, [subject.value, due]);
  const data = what === "all" ? samples.value : named;
  return (
    <>
      <h1 class="hidden">Plots</h1>
      <div class="tools">
        <label>
          Of{" "}
          <select value={subject.value} onChange={({ currentTarget }) => (subject.value = currentTarget.value)}>
            <option value="all:">the whole hub</option>
            {agents.value.map(({ name }) => (
              <option key={name} value={`agent:${name}`}>
                agent {agentName(name)}
              </option>
            ))}
            {pages.value.map((page) => (
              <option key={page.id} value={`page:${page.id}`}>
                page {pageName(page)}
              </option>
            ))}
          </select>
        </label>
        <span class="dim">The last hour, kept in the hub's memory.</span>
      </div>
      <div class="plots">
        {KINDS.filter(({ hubOnly }) => what === "all" || hubOnly !== true).map((kind) => (
          <Plot
            key={`${subject.value} ${kind.title}`}
            kind={kind}
            data={data}
            step={what === "all" ? 1 : NAMED_STEP_S}
          />
        ))}
      </div>
    </>
  );
}
