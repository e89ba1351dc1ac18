// Phase B: the four tools of the seed's design, with and without their backends.

import type { Reply } from "../tools/desk.js";
import { answersOrSaysAway, equal, expect, refuses, success, type Group } from "./check.js";

export const SHADER =
  "@fragment\nfn main(@location(0) uv: vec2f) -> @location(0) vec4f {\n  return vec4f(uv.x, uv.y, sin(uv.x * 12.0) * 0.5 + 0.5, 1.0);\n}\n";
const REGION = { x: 0, y: 0, width: 64, height: 64 };

function isMock(reply: Reply): Reply {
  equal(reply.mock, true, "mock");
  return success(reply);
}

export const PHASE_B: readonly Group[] = [
  {
    title: "query_hilbert_address",
    checks: [
      {
        title: "HilbertLUT is available",
        async run({ real }) {
          expect(
            typeof real.window.HilbertLUT.d2xy === "function" && typeof real.window.HilbertLUT.xy2d === "function",
            "it lacks d2xy or xy2d",
          );
          return "d2xy and xy2d";
        },
      },
      {
        title: "index 0 is the origin",
        async run({ real }) {
          for (const grid_size of [2, 64, 128, 256, 512, 2048])
            equal(
              success(await real.call("query_hilbert_address", { hilbert_index: 0, grid_size })).coordinates,
              { x: 0, y: 0 },
              `index 0 of ${String(grid_size)}`,
            );
          return "in grids from 2 to 2048";
        },
      },
      {
        title: "every index goes there and back",
        async run({ real }) {
          const { d2xy, xy2d } = real.window.HilbertLUT;
          for (const size of [4, 64, 256, 512]) {
            for (let index = 0; index < size * size; index++) {
              const { x, y } = d2xy(size, index);
              if (xy2d(size, x, y) !== index)
                throw new Error(`${String(index)} of ${String(size)} comes back as ${String(xy2d(size, x, y))}`);
            }
          }
          return "all indices of 4, 64, 256 and 512";
        },
      },
      {
        title: "the pixel is what the map has, with its neighbours",
        async run({ real }) {
          const reply = success(await real.call("query_hilbert_address", { hilbert_index: 1000, context_range: 3 }));
          const { x, y } = reply.coordinates as { readonly x: number; readonly y: number };
          const { r, g, b, a } = reply.rgba as Record<"r" | "g" | "b" | "a", number>;
          const shown = Uint8Array.from(atob(real.app.readRegion(x, y, 1, 1).rgba), (byte) => byte.charCodeAt(0));
          equal([r, g, b, a], [...shown], "the pixel");
          expect(a === 255 && r + g + b > 0, "the pixel is empty");
          equal(
            (reply.context as readonly { hilbert_index: number }[]).map(({ hilbert_index }) => hilbert_index),
            [997, 998, 999, 1001, 1002, 1003],
            "the neighbours",
          );
          return `rgba(${String(r)}, ${String(g)}, ${String(b)}, ${String(a)}) at ${String(x)}, ${String(y)}`;
        },
      },
      {
        title: "refuses wrong input",
        run: ({ real }) =>
          refuses(real, "query_hilbert_address", [
            [{}, /hilbert_index must be a finite number/],
            [{ hilbert_index: -1 }, /hilbert_index must be non-negative/],
            [{ hilbert_index: 0.5 }, /hilbert_index must be a whole number/],
            [{ hilbert_index: 65_536 }, /hilbert_index 65536 exceeds grid capacity \(65536 for 256x256\)/],
            [{ hilbert_index: 0, grid_size: 100 }, /grid_size must be a positive power of 2/],
          ]),
      },
    ],
  },
  {
    title: "trigger_evolution",
    checks: [
      {
        title: "WebSocket connection",
        async run({ real }) {
          const reply = await answersOrSaysAway(
            real,
            "trigger_evolution",
            { seed_shader: SHADER, generations: 2, population_size: 6, fitness_metric: "entropy", seed: 1 },
            /^Evolution backend (not running at|connection timeout)/,
          );
          return `fitness ${String(reply.bestFitness)} after ${String(reply.generationsCompleted)} generations, cartridge ${String(reply.cartridgeId)}`;
        },
      },
      {
        title: "refuses wrong input",
        run: ({ real }) =>
          refuses(real, "trigger_evolution", [
            [{}, /seed_shader is required and must be a non-empty string/],
            [{ seed_shader: SHADER, generations: 0 }, /generations must be an integer between 1 and 100/],
            [{ seed_shader: SHADER, generations: 101 }, /generations must be an integer between 1 and 100/],
            [{ seed_shader: SHADER, mutation_rate: 0.6 }, /mutation_rate must be a number between 0.01 and 0.5/],
            [{ seed_shader: SHADER, fitness_metric: "beauty" }, /fitness_metric must be one of/],
          ]),
      },
      {
        title: "the mock answers, and says that it is one",
        async run({ mock }) {
          const reply = isMock(await mock.call("trigger_evolution", { seed_shader: SHADER, generations: 3 }));
          equal(reply.generationsCompleted, 3, "generationsCompleted");
          return String(reply.cartridgeId);
        },
      },
    ],
  },
  {
    title: "send_llm_prompt",
    checks: [
      {
        title: "HTTP endpoint",
        async run({ real }) {
          const reply = await answersOrSaysAway(
            real,
            "send_llm_prompt",
            { prompt: "Say hello.", max_tokens: 16 },
            /\w+ \w+ \w+/,
          );
          return `${String(reply.model)} answered in ${String(reply.latencyMs)} ms`;
        },
      },
      {
        title: "refuses wrong input",
        run: ({ real }) =>
          refuses(real, "send_llm_prompt", [
            [{}, /prompt is required and must be a non-empty string/],
            [{ prompt: "" }, /prompt is required and must be a non-empty string/],
            [{ prompt: "x", temperature: 3 }, /temperature must be a number between 0 and 2/],
          ]),
      },
      {
        title: "the mock answers, and says that it is one",
        async run({ mock }) {
          const reply = isMock(await mock.call("send_llm_prompt", { prompt: "hello" }));
          expect((reply.tokensUsed as { total: number }).total > 0, "it used no tokens");
          return String(reply.response);
        },
      },
    ],
  },
  {
    title: "spawn_area_agent",
    checks: [
      {
        title: "WebSocket connection",
        async run({ real }) {
          const reply = await answersOrSaysAway(
            real,
            "spawn_area_agent",
            { agent_type: "monitor", region: REGION, auto_start: false },
            /^Agent backend (not running at|connection timeout)/,
          );
          equal(reply.status, "spawned", "status");
          expect(
            typeof reply.heartbeatInterval === "number" && reply.heartbeatInterval < 600,
            "heartbeatInterval is not in seconds",
          );
          return `${String(reply.agentId)}, a heartbeat every ${String(reply.heartbeatInterval)} s`;
        },
      },
      {
        title: "refuses wrong input",
        run: ({ real }) =>
          refuses(real, "spawn_area_agent", [
            [{ region: REGION }, /agent_type must be one of: monitor, executor, evolver, analyzer/],
            [{ agent_type: "monitor" }, /region is required and must be an object/],
            [
              { agent_type: "monitor", region: { x: 0, y: 0, width: "1", height: 1 } },
              /numeric x, y, width, and height/,
            ],
            [{ agent_type: "monitor", region: { ...REGION, width: 0 } }, /width and height must be positive/],
          ]),
      },
      {
        title: "the mock answers, and says that it is one",
        async run({ mock }) {
          const reply = isMock(await mock.call("spawn_area_agent", { agent_type: "analyzer", region: REGION }));
          equal(reply.status, "running", "status");
          return String(reply.agentId);
        },
      },
    ],
  },
];
