// Codes as people type them, and which commands serve an agent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readCode } from "../src/link.js";
import { isForAgent } from "../src/sign.js";

test("a code is read however it is typed, with its port or without", () => {
  const code = "ABCDEFGH1234";
  assert.deepEqual(readCode("8765-ABCD-EFGH-1234"), { code, port: 8765 });
  assert.deepEqual(readCode("  9000 abcd efgh 1234\n"), { code, port: 9000 });
  assert.deepEqual(readCode("abcd-efgh-1234"), { code, port: 8765 });
  assert.deepEqual(readCode("abcdefgh1234"), { code, port: 8765 });
  for (const text of ["", "abcd", "8765-", "99999-ABCD-EFGH-1234", "ABCD-EFGH-12345", "ABCD/EFGH/1234"]) {
    assert.equal(readCode(text), undefined, text);
  }
});

test("what the hub does of its own accord is not an agent's", () => {
  const counts = (message: string): boolean =>
    isForAgent("Runtime.evaluate", { expression: `eye_ab1(${JSON.stringify(message)})`, contextId: 1 });
  assert.equal(counts(`[{"jsonrpc":"2.0","id":3,"method":"ping"}]`), false);
  assert.equal(counts(`[{"jsonrpc":"2.0","id":"h","result":{"session":"a"}}]`), false);
  assert.equal(counts("="), false);
  assert.equal(counts(`{"input":3}`), false);
  assert.equal(isForAgent("Page.enable", {}), false);
  assert.equal(counts(`["7:document.title"]`), true);
  assert.equal(counts(`[{"jsonrpc":"2.0","id":3,"method":"ping"},"7:1"]`), true);
  assert.equal(counts(`[{"jsonrpc":"2.0","id":8,"method":"page/look","params":{}}]`), true);
  assert.equal(counts(`["7:${"x".repeat(5_000)}"]`), true);
  assert.equal(isForAgent("Runtime.evaluate", { expression: "document.cookie" }), true);
  assert.equal(isForAgent("Page.captureScreenshot", {}), true);
  assert.equal(isForAgent("Input.insertText", { text: "a" }), true);
});
