// One page: its outline to act on, its picture, state, tools, logs, network, and a line for code.

import { useEffect, useState } from "preact/hooks";
import { Code } from "./code";
import { ToolForm, type Tool } from "./form";
import { Logs, Network } from "./logs";
import { Outline } from "./outline";
import { State } from "./state";
import { act, ask, control, pages } from "./store";
import { pageName } from "./words";

const TABS = ["Outline", "State", "Tools", "Logs", "Network", "Code"] as const;
type Tab = (typeof TABS)[number];

function Tools({ page, count }: { readonly page: string; readonly count: number }) {
  const [tools, setTools] = useState<readonly Tool[]>([]);
  useEffect(() => {
    void ask<{ tools: readonly Tool[] }>("tools/list", { page }).then(
      ({ tools }) => setTools(tools),
      () => undefined,
    );
  }, [count]);
  if (count === 0) return <p class="dim">This page offers no tools.</p>;
  return (
    <div class="forms">
      {tools.map((tool) => (
        <ToolForm key={tool.name} page={page} tool={tool} />
      ))}
    </div>
  );
}

export function Room({ page }: { readonly page: string }) {
  const [tab, setTab] = useState<Tab>("Outline");
  const row = pages.value.find(({ id }) => id === page);
  if (row === undefined) return <p class="dim">There is no such page any more.</p>;
  const paused = control.value.pauses.pages.includes(page);
  return (
    <>
      <div class="head">
        <div>
          <h1>{pageName(row)}</h1>
          <p class="dim mono cut">{row.url}</p>
        </div>
        <button
          type="button"
          aria-pressed={paused}
          onClick={() => void act("console/pause", { what: "page", name: page, paused: !paused })}
        >
          {paused ? "Let go on" : "Pause this page"}
        </button>
      </div>
      <div class="tabs" role="tablist" aria-label="Of this page">
        {TABS.map((name) => (
          <button key={name} type="button" role="tab" aria-selected={tab === name} onClick={() => setTab(name)}>
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" aria-label={tab}>
        {tab === "Outline" ? <Outline page={page} hands={row.hands} /> : null}
        {tab === "State" ? <State page={page} revision={row.revision} /> : null}
        {tab === "Tools" ? <Tools page={page} count={row.tools} /> : null}
        {tab === "Logs" ? <Logs page={page} /> : null}
        {tab === "Network" ? <Network page={page} /> : null}
        {tab === "Code" ? <Code page={page} /> : null}
      </div>
    </>
  );
}
