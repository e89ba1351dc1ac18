// The integration workflow: a shader evolves; its cartridge is loaded, shown and read by address; an agent examines it;
// a model gets a prompt.

import { equal, expect, success, type Group } from "./check.js";
import { SHADER } from "./phase-b.js";
import type { Subject } from "./subject.js";

const AT = { x: 20, y: 20 } as const;

async function workflow(subject: Subject): Promise<string> {
  const evolved = success(
    await subject.call("trigger_evolution", {
      seed_shader: SHADER,
      generations: 2,
      population_size: 6,
      fitness_metric: "entropy",
      seed: 7,
    }),
  );
  const loaded = success(
    await subject.call("load_rts_cartridge", {
      url: String(evolved.cartridgeUrl),
      position: AT,
      autoNavigate: false,
    }),
  );
  success(await subject.call("navigate_map", { x: AT.x + 2, y: AT.y + 2, zoom: 1.5 }));
  equal(subject.app.camera, { x: 2200, y: 2200, zoom: 1.5 }, "where the app is");
  const origin = { x: 2000, y: 2000 };
  const pixel = success(await subject.call("query_hilbert_address", { hilbert_index: 5000, origin, context_range: 1 }));
  expect(typeof pixel.rgba === "object", "no pixel was read");
  const spawned = success(
    await subject.call("spawn_area_agent", {
      agent_type: "analyzer",
      region: { ...origin, width: 400, height: 400, unit: "pixels" },
    }),
  );
  const answer = success(
    await subject.call("send_llm_prompt", {
      prompt: `A cartridge has ${String(loaded.uniqueColors)} colours and an entropy of ${String(loaded.entropy)} bits. Describe it in one sentence.`,
      max_tokens: 64,
    }),
  );
  return `${String(evolved.cartridgeId)} → ${String(loaded.dimensions)} → ${JSON.stringify(pixel.rgba)} → ${String(spawned.agentId)} → "${String(answer.response).slice(0, 60)}"`;
}

export const WORKFLOW: Group = {
  title: "The whole workflow",
  checks: [
    {
      title: "evolve, load, go there, read, analyse, describe, with the real backends",
      run: ({ real }) => workflow(real),
    },
    { title: "the same with mocks", run: ({ mock }) => workflow(mock) },
  ],
};
