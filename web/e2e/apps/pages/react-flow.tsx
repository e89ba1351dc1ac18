// A pipeline in React Flow: nodes are moved, connected by their handles, chosen and deleted.

import { addEdge, Background, Controls, ReactFlow, useEdgesState, useNodesState } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { type ReactNode, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { report } from "./store";

const NODES = ["Fetch", "Clean", "Train", "Old"].map((label, at) => ({
  id: label.toLowerCase(),
  position: { x: 60 + (at % 2) * 320, y: 40 + Math.floor(at / 2) * 200 },
  data: { label },
}));

function Pipeline(): ReactNode {
  const [nodes, , onNodesChange] = useNodesState(NODES);
  const [edges, setEdges, onEdgesChange] = useEdgesState<{ id: string; source: string; target: string }>([]);
  useEffect(() => {
    const places = Object.fromEntries(nodes.map(({ id, position }) => [id, [position.x, position.y].map(Math.round)]));
    report("react-flow", { places, edges: edges.map(({ source, target }) => `${source}-${target}`) });
  }, [nodes, edges]);
  return (
    <>
      <h1>Pipeline</h1>
      <div style={{ height: 520 }}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onConnect={(connection) => setEdges((now) => addEdge(connection, now))}
          deleteKeyCode="Delete"
        >
          <Background />
          <Controls />
        </ReactFlow>
      </div>
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Pipeline />);
