// The cost of using the extension through eye: eval by an agent on the Unix socket, through hub and extension, against
// a bare relay that only sends `Runtime.evaluate` through the same extension. Two profiles, rounds in turn. Prints
// medians and their ratio. No figure is asserted.
//
//   EYE_BIN=../../target/release/eye node script.mjs extension-figures [ROUNDS] [EVALS]

import { createHmac, randomBytes } from "node:crypto";
import { WebSocketServer, type WebSocket } from "ws";
import { Agent } from "../stage/agent.js";
import { Person } from "../stage/extension.js";
import { Home } from "../../harness/home.js";
import { freePort } from "../../harness/ports.js";
import { Site } from "../stage/site.js";

const [rounds = 20, evals = 200] = process.argv.slice(2, 4).map(Number);
const CODE = "ABCDEFGHJKMN";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

function proof(text: string): string {
  return createHmac("sha256", CODE).update(text).digest("hex");
}

/** Takes the place of a hub: sends a hub's proof, and forwards commands to one tab. */
class Relay {
  readonly #waiting = new Map<number, () => void>();
  #last = 0;
  #socket: WebSocket | undefined;
  #session = "";
  readonly context: Promise<number>;
  called: (() => void) | undefined;

  constructor(readonly server: WebSocketServer) {
    this.context = new Promise((resolve) => {
      server.on("connection", (socket, request) => {
        const nonce = /nonce\.(\w+)/.exec(String(request.headers["sec-websocket-protocol"]))?.[1] ?? "";
        const own = randomBytes(16).toString("hex").toUpperCase();
        const send = (method: string, params: object): void => socket.send(JSON.stringify({ method, params }));
        send("Eye.prove", { nonce: own, proofs: [proof(`hub ${nonce} ${own}`)] });
        socket.on("message", (data: Buffer) => {
          const { id, method, params } = JSON.parse(data.toString()) as Message;
          if (id !== undefined) return this.#waiting.get(id)?.();
          if (method === "Eye.prove") {
            send("Eye.paired", { id: "relay", secret: "relay", name: "relay" });
            this.#socket = socket;
            void this.send("Target.setAutoAttach", {});
          } else if (method === "Target.attachedToTarget") {
            this.#session = String(params?.sessionId);
            void this.send("Runtime.enable", {});
          } else if (method === "Runtime.bindingCalled") this.called?.();
          else if (method === "Runtime.executionContextCreated") {
            const { id: context } = params?.context as { id: number };
            resolve(context);
          }
        });
      });
    });
  }

  send(method: string, params: object): Promise<void> {
    const id = ++this.#last;
    const session = this.#session === "" ? {} : { sessionId: this.#session };
    return new Promise((resolve) => {
      this.#waiting.set(id, () => {
        this.#waiting.delete(id);
        resolve();
      });
      this.#socket?.send(JSON.stringify({ id, method, params, ...session }));
    });
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function measured(times: number[], once: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < evals; n += 1) {
    const begun = performance.now();
    await once(n);
    times.push(performance.now() - begun);
  }
}

const home = await Home.open();
await home.up();
const site = await Site.open(home.url);
site.page("/shop", { title: "Shop", body: "<h1>Shop</h1>", tag: false });
const port = await freePort();
const relay = new Relay(new WebSocketServer({ host: "127.0.0.1", port, handleProtocols: () => "eye.extension" }));
const people = [await Person.open(home), await Person.open(home)] as const;
await people[0].paired();
await people[1].pair(`${String(port)}-${CODE}`);
for (const person of people) await person.grant(await person.visit(site.url("/shop")));
const [page] = await home.pages();
const context = await relay.context;
const agent = await Agent.connect(home.socket);
agent.send(JSON.stringify({ jsonrpc: "2.0", id: "use", method: "session/use", params: { page: page?.id } }));
await agent.frame((frame) => frame.includes('"use"'));

const byEye: number[] = [];
const byRelay: number[] = [];
const byEvent: number[] = [];
await relay.send("Runtime.addBinding", { name: "eye_b" });
const throughEye = (n: number): Promise<unknown> => {
  agent.frames.length = 0;
  return agent.ask(`a${String(n)}`, "1+1");
};
const evaluate = { expression: "1+1", contextId: context, returnByValue: true };
for (let round = 0; round < rounds + 2; round += 1) {
  // The first two rounds warm up.
  if (round === 2) byEye.length = byRelay.length = byEvent.length = 0;
  await measured(byEye, throughEye);
  await measured(byRelay, () => relay.send("Runtime.evaluate", evaluate));
  await measured(byEvent, () => {
    const called = new Promise<void>((resolve) => {
      relay.called = resolve;
    });
    void relay.send("Runtime.evaluate", { expression: "eye_b(String(1+1))", contextId: context });
    return called;
  });
}
const [eye, bare] = [median(byEye), median(byRelay)];
console.log(`eval through hub and extension   ${eye.toFixed(3)} ms`);
console.log(`bare relay through the extension ${bare.toFixed(3)} ms`);
console.log(`the same, answered by an event   ${median(byEvent).toFixed(3)} ms`);
console.log(
  `ratio                            ${(eye / bare).toFixed(2)} (budget 1.2), ${String(byEye.length)} of each`,
);
for (const person of people) await person.close();
relay.server.close();
await site.close();
await home.close();
process.exit(0);
