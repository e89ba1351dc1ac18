// Offers the scene to agents: its state, and every tool of the table.

import type { Eye } from "./eye.js";
import { isScene } from "./model.js";
import type { Studio } from "./studio.js";
import type { Around, SceneTool } from "./tools/define.js";
import { Refusal } from "./tools/parameter.js";
import { TOOLS } from "./tools/table.js";

/** Calls back with each tool that an agent calls. */
export function offer(eye: Eye, studio: Studio, called: (tool: SceneTool) => void): void {
  const around: Around = {
    now: () => new Date(),
    url: () => location.origin + location.pathname,
    session: () => eye.session,
  };
  void eye.state(() => studio.scene, {
    restore(scene) {
      if (!isScene(scene)) throw new Error("this is not a scene");
      studio.scene = scene;
    },
  });
  for (const tool of TOOLS) {
    const { run, ...told } = tool;
    void eye.tool({
      ...told,
      execute(args) {
        called(tool);
        return answer(() => {
          const { scene, text, value } = run(studio.scene, args, around);
          if (scene !== undefined) studio.scene = scene;
          return { content: [{ type: "text", text }], ...(value !== undefined && { structuredContent: value }) };
        });
      },
    });
  }
}

/** A refusal is an answer to the caller, not a fault of the page. */
function answer(run: () => object): object {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}
