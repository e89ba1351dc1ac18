// The current pages, agents, servers and other hubs.

import { useEffect, useState } from "preact/hooks";
import { agents, hubs, pages, samples, servers, waiting } from "./store";
import { ago, agentName, counted, duration, pageName, size } from "./words";

function useClock(): number {
  const [now, setNow] = useState(Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function Now() {
  const now = useClock();
  const last = samples.value.at(-1) ?? [];
  const there = pages.value.filter(({ state }) => state !== "gone");
  return (
    <>
      <h1 class="hidden">Now</h1>
      <dl class="facts">
        <div>
          <dt>Pages</dt>
          <dd>{there.filter(({ state }) => state === "connected").length}</dd>
        </div>
        <div>
          <dt>Agents</dt>
          <dd>{agents.value.filter(({ connections }) => connections > 0).length}</dd>
        </div>
        <div>
          <dt>Calls per second</dt>
          <dd>{last[1] ?? 0}</dd>
        </div>
        <div>
          <dt>p95</dt>
          <dd>{(last[4] ?? 0) > 0 ? duration(last[4]) : "–"}</dd>
        </div>
        <div>
          <dt>Hub's memory</dt>
          <dd>{size(last[8] ?? 0)}</dd>
        </div>
      </dl>
      <section aria-labelledby="pages">
        <h2 id="pages">Pages</h2>
        {there.length === 0 ? <p class="dim">No page has joined. The start page shows how one does.</p> : null}
        <ul class="cards">
          {there.map((page) => (
            <li key={page.id}>
              <a class="card" href={`#/page/${encodeURIComponent(page.id)}`}>
                <span class="title">{pageName(page)}</span>
                <span class="dim mono cut">{page.url || page.origin}</span>
                <span class="tags">
                  <span class={`tag ${page.state === "connected" ? "good" : "warn"}`}>{page.state}</span>
                  <span class="tag">{page.visible ? "visible" : "hidden"}</span>
                  {page.hub === undefined ? null : <span class="tag">at {page.hub}</span>}
                  {page.hands ? <span class="tag">hands</span> : null}
                  {page.eval ? null : <span class="tag warn">no eval</span>}
                  {page.revision === undefined ? null : <span class="tag">rev {page.revision}</span>}
                  {page.tools > 0 ? <span class="tag">{counted(page.tools, "tool")}</span> : null}
                </span>
                <span class="dim">
                  {page.usedAt === undefined
                    ? "not asked yet"
                    : `asked ${ago(page.usedAt, now)} by ${agentName(page.usedBy)}`}
                </span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="agents">
        <h2 id="agents">Agents</h2>
        {agents.value.length === 0 ? <p class="dim">No agent has asked anything yet.</p> : null}
        {agents.value.length === 0 ? null : (
          <div class="scroll" tabIndex={0} role="region" aria-label="Table of agents">
            <table>
              <thead>
                <tr>
                  <th>Name</th>
                  <th class="wide">By</th>
                  <th class="wide">Connected</th>
                  <th class="num">Calls</th>
                  <th class="num">Errors</th>
                  <th>Last</th>
                </tr>
              </thead>
              <tbody>
                {agents.value.map((agent) => (
                  <tr key={agent.name}>
                    <td title={agent.name}>{agentName(agent.name)}</td>
                    <td class="wide">{agent.token ?? agent.face}</td>
                    <td class="wide">{agent.connections > 0 ? "yes" : "no"}</td>
                    <td class="num">{agent.calls}</td>
                    <td class={agent.errors > 0 ? "num bad" : "num"}>{agent.errors}</td>
                    <td>{ago(agent.lastAt, now)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <Servers />
      <Hubs />
    </>
  );
}

const HEALTHY = ["ready", "known", "configured"];

function Servers() {
  const waits = new Set(waiting.value.map(({ server }) => server));
  return (
    <section aria-labelledby="servers">
      <h2 id="servers">Servers behind the gateway</h2>
      {servers.value.length === 0 ? (
        <p class="dim">
          None are configured. <code>eye servers add</code> adds one.
        </p>
      ) : null}
      <ul class="lines">
        {servers.value.map((server) => (
          <li key={server.name}>
            <span>
              <strong>{server.name}</strong> <span class="dim">{server.description}</span>
              {server.why === undefined ? null : <span class="bad"> {server.why}</span>}
            </span>
            <span class="tags">
              {waits.has(server.name) ? (
                <a class="tag warn" href="#/control">
                  to approve
                </a>
              ) : null}
              {server.wantsLogin === true ? <span class="tag warn">wants a login</span> : null}
              {server.tools === undefined ? null : <span class="tag">{counted(server.tools, "tool")}</span>}
              <span class={HEALTHY.includes(server.state) ? "tag good" : "tag warn"}>{server.state}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The hubs of the cluster; nothing if the hub is not in one. */
function Hubs() {
  if (hubs.value === null) return null;
  const { cluster, own, up, others } = hubs.value;
  const ownPages = pages.value.filter(({ hub }) => hub === undefined).length;
  return (
    <section aria-labelledby="hubs">
      <h2 id="hubs">
        Hubs of the cluster <span class="dim">{cluster}</span>
      </h2>
      {up ? null : <p class="bad">The way to the other hubs is closed. This hub serves its own pages.</p>}
      <ul class="lines">
        <li>
          <span>
            <strong>{own}</strong> <span class="dim">this hub</span>
          </span>
          <span class="tag">{counted(ownPages, "page")}</span>
        </li>
        {others.map((other) => (
          <li key={other.name}>
            <strong>{other.name}</strong> <span class="tag">{counted(other.pages, "page")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
