// A counter whose tools come and go with its components.

import { useEyeTool } from "eye-client/react";
import { useState } from "react";
import "./tools.js";

const BY = { type: "object", properties: { by: { type: "integer" } } };

export function App() {
  const [count, setCount] = useState(0);
  const [open, setOpen] = useState(false);
  useEyeTool({
    name: "count",
    description: "Adds to the counter and gives what it was.",
    inputSchema: BY,
    execute({ by = 1 }: { by?: number }) {
      setCount(count + by);
      return count;
    },
  });
  return (
    <main>
      <h1>Counter</h1>
      <output>{count}</output>
      <button onClick={() => setOpen(!open)}>{open ? "Close" : "Open"}</button>
      {open && <Panel name={count > 9 ? "large" : "small"} />}
    </main>
  );
}

function Panel({ name }: { readonly name: string }) {
  useEyeTool({ name: "panel", description: `Says what is in the ${name} panel.`, execute: () => name });
  return <p>A panel</p>;
}
