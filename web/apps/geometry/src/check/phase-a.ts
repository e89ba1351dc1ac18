// Phase A: the four core tools, and the bridge itself.

import { encode } from "fast-png";
import { sha256 } from "../cartridge/content.js";
import { Away, equal, expect, failure, refuses, success, type Group } from "./check.js";

const NAMES = [
  "navigate_map",
  "get_os_state",
  "execute_pixel_program",
  "load_rts_cartridge",
  "query_hilbert_address",
  "trigger_evolution",
  "send_llm_prompt",
  "spawn_area_agent",
  "list_area_agents",
  "get_area_agent",
  "control_area_agent",
];

/** A small cartridge that contains a transparent pixel. */
export function smallCartridge(): { readonly url: string; readonly rgba: Uint8Array } {
  const rgba = Uint8Array.from({ length: 16 * 16 * 4 }, (_, at) =>
    at % 4 === 3 ? (at === 3 ? 0 : 255) : (at * 7) % 256,
  );
  const png = encode({ width: 16, height: 16, data: rgba, channels: 4, depth: 8 });
  return { url: URL.createObjectURL(new Blob([png as BlobPart], { type: "image/png" })), rgba };
}

export const PHASE_A: readonly Group[] = [
  {
    title: "The bridge",
    checks: [
      {
        title: "all tools are registered",
        async run({ real }) {
          const { tools, registered, appConnected } = real.bridge.getStatus();
          equal(tools, NAMES, "the list");
          expect(registered, "they are not registered: no hub is there");
          return `${String(tools.length)} tools, ${appConnected ? "connected to the hub" : "no hub"}`;
        },
      },
      {
        title: "all eight are callable through WebMCP",
        async run({ real }) {
          const { modelContext } = real;
          if (modelContext === undefined)
            throw new Away("this browser has no document.modelContext; Chromium has it with --enable-features=WebMCP");
          const tools = await real.listed(modelContext, NAMES);
          equal(
            tools
              .map(({ name }) => name)
              // The browser also lists the tools of the page's other frame, which contains the app with its mocks.
              .filter((name, at, all) => NAMES.includes(name) && all.indexOf(name) === at)
              .sort(),
            [...NAMES].sort(),
            "the list",
          );
          const hilbert = tools.find(({ name }) => name === "query_hilbert_address");
          expect(hilbert !== undefined, "query_hilbert_address is missing");
          const answer = hilbert === undefined ? null : await modelContext.executeTool(hilbert, { hilbert_index: 2 });
          equal(
            (JSON.parse(answer ?? "null") as { coordinates?: unknown } | null)?.coordinates,
            { x: 1, y: 1 },
            "the place of index 2",
          );
          return `document.modelContext lists ${String(tools.length)} tools and ran one`;
        },
      },
      {
        title: "the bridge counts calls",
        async run({ real }) {
          const before = real.bridge.getStatus().callBreakdown.get_os_state ?? 0;
          await real.call("get_os_state");
          equal(real.bridge.getStatus().callBreakdown.get_os_state, before + 1, "the count");
          return `${String(real.bridge.getStatus().totalCalls)} calls so far`;
        },
      },
    ],
  },
  {
    title: "navigate_map",
    checks: [
      {
        title: "goes to grid coordinates",
        async run({ real }) {
          const reply = success(await real.call("navigate_map", { x: 3, y: 4, zoom: 2 }));
          equal(reply.camera, { x: 300, y: 400, zoom: 2 }, "the camera");
          equal(real.app.camera, { x: 300, y: 400, zoom: 2 }, "where the app is");
          return "3, 4 is 300, 400 px";
        },
      },
      {
        title: "goes to every named region",
        async run({ real }) {
          for (const [region, camera] of [
            ["antigravity_prime", { x: 819_200, y: 819_200, zoom: 0.5 }],
            ["neural_nursery", { x: 102_400, y: 102_400, zoom: 1 }],
            ["system_console", { x: 200, y: 200, zoom: 2 }],
            ["origin", { x: 0, y: 0, zoom: 1 }],
          ] as const) {
            const reply = success(await real.call("navigate_map", { region, x: 1, y: 1 }));
            equal([reply.region, reply.camera], [region, camera], region);
          }
          return "origin, antigravity_prime, neural_nursery, system_console";
        },
      },
      {
        title: "refuses what is not on the map",
        run: ({ real }) =>
          refuses(real, "navigate_map", [
            [{ zoom: 99 }, /between 0.05 and 10/],
            [{ region: "nowhere" }, /region must be one of/],
            [{ x: "far" }, /finite number/],
          ]),
      },
    ],
  },
  {
    title: "get_os_state",
    checks: [
      {
        title: "tells all of it",
        async run({ real }) {
          const state = await real.call("get_os_state");
          for (const section of [
            "os",
            "paradigm",
            "timestamp",
            "webmcp",
            "camera",
            "windows",
            "subsystems",
            "performance",
            "evolution",
          ])
            expect(section in state, `${section} is missing`);
          equal(Object.keys(state.subsystems as object).length, 13, "the number of subsystems");
          return `${String(state.os)}: ${String(state.paradigm)}`;
        },
      },
      {
        title: "tells only what is wanted",
        async run({ real }) {
          const state = await real.call("get_os_state", { include: ["camera"] });
          expect("camera" in state && !("windows" in state), "it told something else");
          return "camera alone";
        },
      },
    ],
  },
  {
    title: "execute_pixel_program",
    checks: [
      {
        title: "runs a program",
        async run({ real }) {
          const reply = success(
            await real.call("execute_pixel_program", {
              program: "01014800 0d012000 01016900 0d012000 01002a00 ff000000",
            }),
          );
          equal([reply.output, reply.result, reply.target], ["Hi", 42, "cpu"], "the result");
          return `said "Hi", R0 is 42, ${String(reply.instructions)} instructions`;
        },
      },
      {
        title: "a taken jump lands on its target",
        async run({ real }) {
          const reply = success(
            await real.call("execute_pixel_program", { program: "0e000200 01000100 01010900 ff000000" }),
          );
          equal(reply.registers, { R1: 9 }, "the registers");
          return "word 2 is next after JUMP 2";
        },
      },
      {
        title: "an unknown opcode is an error with its address",
        run: async ({ real }) =>
          failure(
            await real.call("execute_pixel_program", { program: "00000000 63000000" }),
            "execute_pixel_program",
            "EXECUTION_FAILED",
            /unknown opcode 99 at word 1/,
          ),
      },
      {
        title: "an endless loop ends at its limit",
        run: async ({ real }) =>
          failure(
            await real.call("execute_pixel_program", { program: "0e000000", cycle_limit: 5000 }),
            "execute_pixel_program",
            "EXECUTION_FAILED",
            /cycle limit of 5000/,
          ),
      },
      {
        title: "refuses to run nothing",
        run: ({ real }) => refuses(real, "execute_pixel_program", [[{}, /No program or brick_url provided/]]),
      },
    ],
  },
  {
    title: "load_rts_cartridge",
    checks: [
      {
        title: "lays a picture on the map, exactly",
        async run({ real }) {
          const { url, rgba } = smallCartridge();
          const reply = success(await real.call("load_rts_cartridge", { url, position: { x: 50, y: 50 } }));
          equal(
            [reply.dimensions, reply.pixelCount, reply.byteCount, reply.scale, reply.position],
            ["16x16", 256, 1024, 25, { x: 5000, y: 5000 }],
            "what it says",
          );
          equal(reply.sha256, await sha256(rgba as BufferSource), "the fingerprint");
          equal(real.app.camera, { x: 5200, y: 5200, zoom: 1.5 }, "where the app went");
          return `16x16, ${String(reply.uniqueColors)} colours, sha256 ${String(reply.sha256).slice(0, 12)}…`;
        },
      },
      {
        title: "a missing file is an error with its status",
        run: async ({ real }) =>
          failure(
            await real.call("load_rts_cartridge", { url: "/apps/geometry/no-such.rts.png" }),
            "load_rts_cartridge",
            "EXECUTION_FAILED",
            /Failed to fetch .*: 404/,
          ),
      },
      {
        title: "what is no PNG is refused",
        run: async ({ real }) =>
          failure(
            await real.call("load_rts_cartridge", { url: "/apps/geometry/" }),
            "load_rts_cartridge",
            "EXECUTION_FAILED",
            /Failed to load RTS cartridge: it is no PNG/,
          ),
      },
    ],
  },
];
