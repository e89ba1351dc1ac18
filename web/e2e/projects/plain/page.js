// A counter that agents may look at, click and call, with any client that the page gets, now or later.

let count = 0;
const shown = document.querySelector("output");
const add = (by) => {
  count += by;
  shown.textContent = String(count);
  return count;
};
document.querySelector("button").addEventListener("click", () => add(1));

const offer = () => {
  const { eye } = globalThis;
  const inputSchema = { type: "object", properties: { by: { type: "number" } } };
  void eye.tool({ name: "add", description: "Adds to the counter and gives its total.", inputSchema, execute: ({ by }) => add(by) });
  void eye.state(() => ({ count }));
  void eye.subscribe(`add${new URLSearchParams(location.search).get("cell") ?? ""}`, (by) => void add(Number(by)));
};
if (globalThis.eye) offer();
else addEventListener("eye:client", offer);
