// The frame of the console: navigation, keys, notices, and the current view.

import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { Calls } from "./calls";
import { Control } from "./control";
import { Now } from "./now";
import { Palette, paletteOpen } from "./palette";
import { Plots } from "./plots";
import { Room } from "./room";
import { connect, control, hub, notice, status, waiting } from "./store";
import { go, route, VIEWS } from "./route";
import { waits } from "./words";
import "./style.css";

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

const entered = signal(false);

function keys(event: KeyboardEvent): void {
  if ((event.metaKey || event.ctrlKey) && event.key === "k") {
    event.preventDefault();
    paletteOpen.value = !paletteOpen.value;
    return;
  }
  if (event.composedPath().some(typing) || event.metaKey || event.ctrlKey || event.altKey) return;
  const view = VIEWS[Number(event.key) - 1];
  if (view !== undefined) go(view.id);
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector<HTMLInputElement>("[data-filter]")?.focus();
  }
}

function Locked() {
  return (
    <main class="locked">
      <h1>eye console</h1>
      <p>This tab has no key. A link opens the console once, and only for you:</p>
      <pre>$ eye console</pre>
    </main>
  );
}

function View() {
  const { view, page } = route.value;
  if (view === "calls") return <Calls />;
  if (view === "plots") return <Plots />;
  if (view === "control") return <Control />;
  if (view === "page" && page !== undefined) return <Room key={page} page={page} />;
  return <Now />;
}

function App() {
  useEffect(() => {
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, []);
  if (status.value === "locked") return <Locked />;
  const { view } = route.value;
  const decisions = control.value.held.length + waiting.value.length;
  return (
    <>
      <header class="bar">
        <span class="brand">eye</span>
        <nav aria-label="Views">
          {VIEWS.map(({ id, name }) => (
            <a key={id} href={`#/${id}`} aria-current={view === id ? "page" : undefined}>
              {name}
              {id === "control" && decisions > 0 ? <span class="badge">{decisions}</span> : null}
            </a>
          ))}
        </nav>
        <button type="button" class="quiet" onClick={() => (paletteOpen.value = true)}>
          Commands <kbd>Ctrl K</kbd>
        </button>
        <span class={`live ${status.value}`} role="status">
          {status.value === "live" ? `live · ${hub.value?.version ?? ""}` : status.value}
        </span>
      </header>
      {control.value.pauses.all ? (
        <p class="banner" role="alert">
          All agents are paused. {control.value.waiting > 0 ? `${waits(control.value.waiting)}.` : null}
        </p>
      ) : null}
      <main>{hub.value === undefined ? <p class="dim">Connecting…</p> : <View />}</main>
      {notice.value === "" ? null : (
        <p class="notice" role="status">
          {notice.value}{" "}
          <button type="button" class="quiet" onClick={() => (notice.value = "")}>
            Dismiss
          </button>
        </p>
      )}
      <Palette />
    </>
  );
}

const root = document.getElementById("app");
if (root !== null && !entered.value) {
  entered.value = true;
  void connect();
  render(<App />, root);
}
