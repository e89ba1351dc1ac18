// Controls for a person: held calls, pauses, tokens, origins, and the hub itself.

import { useEffect, useState } from "preact/hooks";
import { Approvals } from "./approvals";
import { act, agents, ask, control, pages, servers } from "./store";
import { agentName, clock, pageName, waits } from "./words";

interface TokenRow {
  readonly name: string;
  readonly may: readonly string[];
  readonly pages: readonly string[];
  readonly expiresAt?: number | null;
}

interface OriginRow {
  readonly origin: string;
  readonly eval: boolean;
  readonly confirm: boolean;
  readonly pages: boolean;
}

function Waiting() {
  const { held } = control.value;
  const byId = new Map(pages.value.map((page) => [page.id, page]));
  const decide = (id: number, allow: boolean): Promise<void> =>
    act("console/confirm", { id, allow }, allow ? "Allowed." : "Refused.");
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">Waiting for you</h2>
      {held.length === 0 ? (
        <p class="dim">Nothing. Tools that cannot be undone wait here, for origins with confirmation.</p>
      ) : null}
      <ul class="plain">
        {held.map((one) => (
          <li key={one.id} class="held">
            <p>
              <strong>{agentName(one.agent)}</strong> wants <code>{one.tool}</code> in{" "}
              {pageName(byId.get(one.page), one.page)} <span class="dim">{clock(new Date(one.at).toISOString())}</span>
            </p>
            <pre tabIndex={0}>{one.arguments}</pre>
            <p class="actions">
              <button type="button" class="main" onClick={() => void decide(one.id, true)}>
                Allow
              </button>
              <button type="button" onClick={() => void decide(one.id, false)}>
                Refuse
              </button>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Pause({ what, name, paused }: { readonly what: string; readonly name: string; readonly paused: boolean }) {
  return (
    <button
      type="button"
      aria-pressed={paused}
      onClick={() => void act("console/pause", { what, name, paused: !paused })}
    >
      {paused ? "Let go on" : "Pause"}
    </button>
  );
}

function Pauses() {
  const { pauses, waiting } = control.value;
  return (
    <section aria-labelledby="pauses">
      <h2 id="pauses">Pause</h2>
      <p class="dim">
        {waiting > 0
          ? `${waits(waiting)} to go on.`
          : "What is paused waits until you let it go on, or until its call's time is over."}
      </p>
      <ul class="lines">
        <li>
          <strong>Everything</strong> <Pause what="all" name="" paused={pauses.all} />
        </li>
        {agents.value.map(({ name }) => (
          <li key={name} title={name}>
            agent {agentName(name)} <Pause what="agent" name={name} paused={pauses.agents.includes(name)} />
          </li>
        ))}
        {pages.value
          .filter(({ state }) => state !== "gone")
          .map((page) => (
            <li key={page.id}>
              page {pageName(page)} <Pause what="page" name={page.id} paused={pauses.pages.includes(page.id)} />
            </li>
          ))}
      </ul>
    </section>
  );
}

function Tokens() {
  const [rows, setRows] = useState<readonly TokenRow[]>([]);
  const load = (): unknown =>
    ask<{ tokens: readonly TokenRow[] }>("console/tokens").then(
      ({ tokens }) => setRows(tokens),
      () => undefined,
    );
  useEffect(() => void load(), []);
  const revoke = async (name: string): Promise<void> => {
    await act("console/revoke", { name }, `The token ${name} is revoked.`);
    load();
  };
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      {rows.length === 0 ? <p class="dim">There are no named tokens.</p> : null}
      <ul class="lines">
        {rows.map(({ name, may, pages }) => (
          <li key={name}>
            <span>
              <strong>{name}</strong> <span class="dim">may {may.join(", ")}</span>{" "}
              <span class="dim">{pages.length === 0 ? "everywhere" : `in ${pages.join(", ")}`}</span>
            </span>
            <button type="button" onClick={() => void revoke(name)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Origins() {
  const [rows, setRows] = useState<readonly OriginRow[]>([]);
  const [denied, setDenied] = useState<readonly string[]>([]);
  const [origin, setOrigin] = useState("");
  const load = (): unknown =>
    ask<{ origins: readonly OriginRow[]; denied: readonly string[] }>("console/origins").then(
      (list) => {
        setRows(list.origins);
        setDenied(list.denied);
      },
      () => undefined,
    );
  useEffect(() => void load(), []);
  const change = async (method: string, params: object): Promise<void> => {
    await act(method, params);
    load();
  };
  return (
    <section aria-labelledby="origins">
      <h2 id="origins">Origins</h2>
      <p class="dim">Pages of this machine may always join. Others are listed here.</p>
      <ul class="lines">
        {rows.map((row) => (
          <li key={row.origin}>
            <span class="mono">{row.origin}</span>
            <span class="actions">
              <label>
                <input
                  type="checkbox"
                  checked={row.eval}
                  onChange={() => void change("console/allow", { origin: row.origin, eval: !row.eval })}
                />{" "}
                code
              </label>
              <label>
                <input
                  type="checkbox"
                  checked={row.confirm}
                  onChange={() => void change("console/allow", { origin: row.origin, confirm: !row.confirm })}
                />{" "}
                confirm
              </label>
              <button type="button" onClick={() => void change("console/remove", { origin: row.origin })}>
                Deny
              </button>
            </span>
          </li>
        ))}
        {denied.map((pattern) => (
          <li key={pattern}>
            <span>
              <span class="mono">{pattern}</span> is denied to agents
            </span>
            <span class="actions">
              <button type="button" onClick={() => void change("console/remove", { origin: pattern })}>
                Allow again
              </button>
            </span>
          </li>
        ))}
      </ul>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          void change("console/allow", { origin }).then(() => setOrigin(""));
        }}
      >
        <input
          aria-label="An origin to allow"
          placeholder="https://shop.example"
          value={origin}
          onInput={({ currentTarget }) => setOrigin(currentTarget.value)}
        />
        <button type="submit">Allow</button>
      </form>
    </section>
  );
}

function Stop() {
  const [sure, setSure] = useState(false);
  return (
    <section aria-labelledby="hub">
      <h2 id="hub">The hub</h2>
      <p class="dim">
        {servers.value.length} servers behind the gateway end with it. Pages come back when it runs again.
      </p>
      <p class="actions">
        {sure ? (
          <>
            <button type="button" class="danger" onClick={() => void act("hub/stop", {}, "The hub stops.")}>
              Stop it now
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep it
            </button>
          </>
        ) : (
          <button type="button" onClick={() => setSure(true)}>
            Stop the hub…
          </button>
        )}
      </p>
    </section>
  );
}

export function Control() {
  return (
    <>
      <h1 class="hidden">Control</h1>
      <Waiting />
      <Approvals />
      <div class="columns">
        <Pauses />
        <Origins />
        <Tokens />
        <Stop />
      </div>
    </>
  );
}
