// Server changes that wait for a person: entries of a project's config, and tools that differ from the approved ones.
// The hub compares hashes, so that exactly what is shown is approved.

import { act, waiting, type WaitingRow } from "./store";

function Difference({ line }: { readonly line: string }) {
  return <li class={`mono ${line.startsWith("-") ? "minus" : "plus"}`}>{line}</li>;
}

function Tools({ server, seen, folder, tools = [] }: WaitingRow) {
  return (
    <li class="held">
      <p>
        <strong>{server}</strong> has {tools.length === 1 ? "a tool" : `${String(tools.length)} tools`} that you have
        not approved as {tools.length === 1 ? "it is" : "they are"}. <span class="dim mono">{folder}</span>
      </p>
      {tools.map(({ name, changed, difference }) => (
        <details key={name} open={tools.length <= 3}>
          <summary>
            <code>{name}</code> <span class={changed ? "tag warn" : "tag"}>{changed ? "changed" : "new"}</span>
          </summary>
          <ul class="difference">
            {difference.map((line) => (
              <Difference key={line} line={line} />
            ))}
          </ul>
        </details>
      ))}
      <p class="actions">
        <button
          type="button"
          class="main"
          onClick={() => void act("gateway/approve", { server, seen }, `The tools of ${server} are approved.`)}
        >
          Approve what is shown
        </button>
      </p>
    </li>
  );
}

function Entry({ server, seen, folder, command = [], entry, overOwn }: WaitingRow) {
  return (
    <li class="held">
      <p>
        <span class="mono">{folder}</span> wants to run the server <strong>{server}</strong>
        {overOwn === true ? ", in place of parts of your own entry of this name" : ""}
      </p>
      <pre tabIndex={0}>{command.join(" ")}</pre>
      <details>
        <summary>The whole entry</summary>
        <pre tabIndex={0}>{JSON.stringify(entry, null, 2)}</pre>
      </details>
      <p class="actions">
        <button
          type="button"
          class="main"
          onClick={() => void act("gateway/trust", { server, folder, seen }, `${server} is trusted in ${folder}.`)}
        >
          Trust it
        </button>
        <span class="dim">Until then it does not start. A changed entry asks again.</span>
      </p>
    </li>
  );
}

export function Approvals() {
  if (waiting.value.length === 0) return null;
  return (
    <section aria-labelledby="approvals">
      <h2 id="approvals">Servers to approve</h2>
      <ul class="plain">
        {waiting.value.map((row) => {
          const key = `${row.kind} ${row.folder} ${row.server} ${row.seen}`;
          return row.kind === "tools" ? <Tools key={key} {...row} /> : <Entry key={key} {...row} />;
        })}
      </ul>
    </section>
  );
}
