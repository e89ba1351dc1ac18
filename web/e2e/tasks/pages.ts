// The pages of the tasks, with their small servers. Each page exists twice: with eye.js, and for a peer without it
// under `/plain`.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Document, Handler, Site } from "../stage/site.js";

const STEP_MS = 100;
const IMPORT_STEPS = 30;
const DEGREES = { from: 20, to: 140, step: 3 };

export interface SignUp {
  readonly name: string;
  readonly email: string;
  readonly plan: string;
  readonly terms: boolean;
}

/** The servers behind the pages. */
export interface Backend {
  /** Received sign-ups. */
  readonly signUps: SignUp[];
  /** Sets boiler 4 to its lowest temperature; from then on it warms up step by step. */
  heat(): void;
}

const STYLE =
  "<style>body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#222;background:#fafafa}header{background:#1d2433;color:#fff;padding:12px 24px;display:flex;gap:18px}header a{color:#dfe7ff}main{padding:20px 24px;max-width:640px}label{display:block;margin:10px 0}button{padding:6px 14px}output{display:block;margin:14px 0;font-weight:600}</style>";
const HEADER = '<header><a href="#home">Harbour</a><a href="#help">Help</a><a href="#account">Account</a></header>';

const SIGN_UP = `<h1>Create your account</h1>
<form>
<label>Full name <input name="name" required></label>
<label>Email <input name="email" type="email" required></label>
<label>Password <input name="password" type="password" required minlength="10"></label>
<label>Plan <select name="plan"><option>Free</option><option>Team</option><option>Business</option></select></label>
<label><input name="terms" type="checkbox" required> I accept the terms</label>
<button>Create account</button>
</form><output role="status"></output>
<script>
document.querySelector("form").onsubmit = async (event) => {
  event.preventDefault();
  const form = event.target;
  const { name, email, plan, terms } = form;
  const body = JSON.stringify({ name: name.value, email: email.value, plan: plan.value, terms: terms.checked });
  const response = await fetch("/api/sign-up", { method: "POST", body });
  const { number } = await response.json();
  form.remove();
  document.querySelector("output").textContent = "Welcome, " + name.value + ". Your account is " + number + ".";
};
</script>`;

// The server refuses, and the page fails because it does not expect that.
const REPORTS = `<h1>Reports</h1>
<p>Figures of the last quarter, by region.</p>
<button id="print" type="button">Print</button> <button id="export" type="button">Export</button>
<output role="status"></output>
<script>
document.querySelector("#export").onclick = async () => {
  const answer = await fetch("/api/export?quarter=3", { method: "POST" }).then((response) => response.json());
  try {
    document.querySelector("output").textContent = answer.rows.length + " rows exported";
  } catch (error) {
    console.error("export failed:", error.message);
  }
};
</script>`;

const IMPORT = `<h1>Import contacts</h1>
<p>contacts.csv, 2,318 lines</p>
<button type="button">Start import</button>
<progress max="${String(IMPORT_STEPS)}" value="0" aria-label="Import"></progress>
<output role="status">Not started</output>
<script>
document.querySelector("button").onclick = async ({ target }) => {
  target.disabled = true;
  const lines = (await fetch("/api/import", { method: "POST" })).body.pipeThrough(new TextDecoderStream()).getReader();
  for (let line = await lines.read(); !line.done; line = await lines.read()) {
    for (const step of line.value.trim().split("\\n").map((text) => JSON.parse(text))) {
      document.querySelector("progress").value = step.done;
      document.querySelector("output").textContent = step.result ?? "Importing " + step.done + " of ${String(IMPORT_STEPS)}";
    }
  }
};
</script>`;

const BOILER = `<h1>Boiler 4</h1>
<p>Temperature: <b id="t">${String(DEGREES.from)}</b> °C</p>
<p>Pressure: <b>1.2</b> bar</p>
<button type="button">Shut down</button>
<script>new EventSource("/api/temperature").onmessage = ({ data }) => { document.querySelector("#t").textContent = data; };</script>`;

const PAGES: Readonly<Record<string, Document>> = {
  "/sign-up": { title: "Sign up", body: SIGN_UP },
  "/reports": { title: "Reports", body: REPORTS },
  "/import": { title: "Import", body: IMPORT },
  "/boiler": { title: "Boiler 4", body: BOILER },
};

/** The answers to the tasks: only the servers and readers of the pages know them. */
export const REFUSAL = "quota exceeded";
export const IMPORTED = "2,311 contacts imported, 7 skipped";
export const FIRST_ABOVE_80_DEGREES = 83;

export function serve(site: Site): Backend {
  const signUps: SignUp[] = [];
  for (const [path, { title = path, body = "" }] of Object.entries(PAGES)) {
    const page = { title, head: STYLE, body: `${HEADER}<main>${body}</main>` };
    site.page(path, page);
    site.page(`/plain${path}`, { ...page, tag: false });
  }
  site.serve("/api/sign-up", (request, response) => {
    void text(request).then((body) => {
      signUps.push(JSON.parse(body) as SignUp);
      response.end(JSON.stringify({ number: `H-${String(1000 + signUps.length)}` }));
    });
  });
  site.serve("/api/export", (_, response) => {
    response.writeHead(507, { "content-type": "application/json" }).end(JSON.stringify({ error: REFUSAL }));
  });
  site.serve("/api/import", importing);
  const boiler = new Boiler();
  site.serve("/api/temperature", (_, response) => boiler.watch(response));
  return { signUps, heat: () => boiler.heat() };
}

class Boiler {
  readonly #watching = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  watch(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    this.#watching.add(response);
    response.on("close", () => {
      this.#watching.delete(response);
      // It cools down for the next task, whose page would show the heat of this one.
      if (this.#watching.size === 0) clearInterval(this.#timer);
    });
  }

  heat(): void {
    clearInterval(this.#timer);
    let degrees = DEGREES.from;
    this.#timer = setInterval(() => {
      degrees += DEGREES.step;
      for (const response of this.#watching) response.write(`data: ${String(degrees)}\n\n`);
      if (degrees >= DEGREES.to) clearInterval(this.#timer);
    }, STEP_MS);
    this.#timer.unref();
  }
}

/** The import: one line per step, and the result with the last one. */
const importing: Handler = (_, response) => {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  let done = 0;
  const timer = setInterval(() => {
    done += 1;
    response.write(`${JSON.stringify(done === IMPORT_STEPS ? { done, result: IMPORTED } : { done })}\n`);
    if (done === IMPORT_STEPS) response.end();
  }, STEP_MS);
  response.on("close", () => clearInterval(timer));
};

async function text(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
