// The layer below the clients: addresses, delays, frames and events, in any chunks.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { doorUrl } from "../src/wire/address.js";
import { backoffMs } from "../src/wire/backoff.js";
import { encodeFrame, FrameReader } from "../src/wire/framing.js";
import { parseFrame } from "../src/wire/rpc.js";
import { EventParser, type ServerEvent } from "../src/wire/sse.js";

for (const [address, expected] of [
  ["ws://localhost:8765", "ws://localhost:8765/ws"],
  ["ws://localhost:8765/", "ws://localhost:8765/ws"],
  ["ws://localhost:8765/ws", "ws://localhost:8765/ws"],
  ["ws://localhost:8765//ws/", "ws://localhost:8765/ws"],
  ["http://localhost:8765", "ws://localhost:8765/ws"],
  ["https://host/below/", "wss://host/below/ws"],
  ["wss://host/below/ws?x=1#y", "wss://host/below/ws"],
] as const) {
  test(`${address} leads to ${expected}`, () => assert.equal(doorUrl(address, "ws").href, expected));
}

test("doors of HTTP are reached over HTTP, and what is empty is not in the query", () => {
  assert.equal(
    doorUrl("wss://host/ws", "events", { sessionId: "", clientType: "browser", version: undefined }).href,
    "https://host/events?clientType=browser",
  );
});

test("an address that is none is an error that says how it is written", () => {
  assert.throws(() => doorUrl("localhost", "ws"), { name: "EyeError", code: -32602, hint: /ws:\/\// });
});

test("delays double from the base, up to a limit", () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((attempt) => backoffMs(1000, attempt)),
    [1000, 2000, 4000, 8000, 16000],
  );
  assert.equal(backoffMs(100, 40, 5000), 5000);
});

function pieces<Whole extends { readonly length: number; slice(from: number, to: number): Whole }>(
  whole: Whole,
  cuts: readonly number[],
): Whole[] {
  const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return at.slice(1).map((end, index) => whole.slice(at[index] ?? 0, end));
}

test("frames survive any split of their bytes", () => {
  const frame = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("#", "#3", "a\nb", "a\r", "\r", "é\n\u{1f600}", "{}"),
  );
  fc.assert(
    fc.property(
      fc.array(frame.filter((text) => text !== "" && !/\p{Surrogate}/u.test(text))),
      fc.array(fc.nat()),
      (frames, cuts) => {
        const bytes = new Uint8Array(Buffer.concat(frames.map(encodeFrame)));
        const reader = new FrameReader();
        assert.deepEqual(
          pieces(bytes, cuts).flatMap((piece) => reader.push(piece)),
          frames,
        );
      },
    ),
  );
});

test("a line may end in \\r\\n, an empty one is nothing, and what is no count is an error", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  assert.deepEqual(new FrameReader().push(bytes("a\r\n\n\r\n#0\nb\n")), ["a", "b"]);
  assert.throws(() => new FrameReader().push(bytes("#x\n")), { code: -32000 });
  assert.throws(() => new FrameReader().push(bytes("#99999999\n")), { code: -32000 });
});

const lines = fc.stringMatching(/^[^\r\n\0]*$/);

test("events survive any split of their text and any line ending", () => {
  const event = fc.record({
    event: fc.stringMatching(/^[a-z]{1,8}$/),
    data: fc.array(lines, { minLength: 1, maxLength: 3 }),
  });
  const ending = fc.constantFrom("\n", "\r\n", "\r");
  fc.assert(
    fc.property(fc.array(event), ending, fc.array(fc.nat()), (events, end, cuts) => {
      const text = events
        .map(({ event, data }) =>
          [": a comment", `event: ${event}`, ...data.map((line) => `data: ${line}`), "", ""].join(end),
        )
        .join("");
      const parser = new EventParser();
      // The last `\r` waits, since it may be half of `\r\n`.
      const seen = [...pieces(text, cuts), end === "\r" ? "\n" : ""].flatMap((piece) => parser.push(piece));
      assert.deepEqual(
        seen,
        events.map(({ event, data }): ServerEvent => ({ event, data: data.join("\n") })),
      );
    }),
  );
});

test("an event without a name is a message, one without data is none, and a name does not last", () => {
  const parser = new EventParser();
  assert.deepEqual(parser.push("\ufeffdata:a\n\nevent: x\n\ndata\n\nid: 3\nretry: 5\ndata:  b\n\n"), [
    { event: "message", data: "a" },
    { event: "message", data: "" },
    { event: "message", data: " b" },
  ]);
});

test("no text is more than JSON-RPC messages, and none throws", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseFrame(text)));
  assert.deepEqual(parseFrame('[{"jsonrpc":"2.0","method":"a"},5,{"jsonrpc":"2.0","id":1,"result":null}]'), [
    { jsonrpc: "2.0", method: "a" },
    { jsonrpc: "2.0", id: 1, result: null },
  ]);
  assert.deepEqual(parseFrame('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}'), [
    { jsonrpc: "2.0", id: null, error: { code: -32700, message: "no", data: undefined } },
  ]);
});
