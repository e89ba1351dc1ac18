// Pixel programs on WebGPU, in software if there is no graphics card: the results are the same as on the CPU.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { GeometryTab } from "../stage/geometry.js";
import { Stage } from "../stage/stage.js";

const WEBGPU_FLAGS = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** Arithmetic, console, a loop, self-modifying memory, the framebuffer, and all errors. */
const PROGRAMS: readonly (readonly [string, object])[] = [
  ["01014800 0d012000 01016900 0d012000 01002a00 ff000000", {}],
  ["02000001 ff000000", { args: [4294967295, 2] }],
  ["03000001 12000000", { args: [1, 2] }],
  ["01010a00 01020100 02000002 03010102 10010200 ff000000", {}],
  ["0e000000", { cycle_limit: 250_001 }],
  ["01000700 63000000", {}],
  ["01280100", {}],
  ["02000028", {}],
  ["01014100 0d012001", {}],
  ["0100ff00 0d003004 ff000000", {}],
  ["01000900", { args: [3] }],
];

let stage: Stage;
let tab: GeometryTab;

before(async () => {
  stage = await Stage.open(...WEBGPU_FLAGS);
  tab = await GeometryTab.open(stage, "gpu");
});

after(() => stage.close());

test("a program does on WebGPU what it does on the CPU, and says where it ran", async () => {
  for (const [program, more] of PROGRAMS) {
    const on = async (mode: string): Promise<Readonly<Record<string, unknown>>> => {
      const {
        timestamp: _,
        trace: __,
        ...reply
      } = await tab.invoke("execute_pixel_program", {
        program,
        ...more,
        mode,
        trace: false,
      });
      return reply;
    };
    const [cpu, gpu] = [await on("cpu"), await on("gpu")];
    const asGpu = {
      ...cpu,
      target: "gpu",
      ...(typeof cpu.error === "string" && { error: cpu.error.replace("CPU", "GPU") }),
    };
    assert.deepEqual(gpu, asGpu, program);
  }
});
