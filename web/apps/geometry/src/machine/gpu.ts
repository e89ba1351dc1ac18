// The same machine on a graphics card: one WebGPU thread executes a program, a slice of cycles at a time. Keeps no
// trace.

import { CONSOLE_BYTES_MAX, FRAMEBUFFER, REGISTERS, type Ended, type Fault, type Settings } from "./machine.js";
import { WORD_BYTES, type Program } from "./program.js";
import { SHADER, STATE_LEN, STATE, MEMORY_BYTES } from "./gpu-shader.js";

/** WebGPU's constants; browsers without WebGPU do not define their names. */
const USAGE = { mapRead: 1, copyFrom: 4, copyTo: 8, storage: 128 } as const;
const MAP_MODE_READ = 1;
/** Short enough that no driver takes it for a hang. */
const SLICE_CYCLES = 100_000;
const ENDINGS: readonly (Ended | undefined)[] = [undefined, "halt", "return", "end", "limit", "fault"];
/** The size of the framebuffer's page. */
const FRAMEBUFFER_BYTES = 256;

export interface GpuRun {
  readonly registers: Uint32Array;
  readonly console: string;
  readonly consoleDropped: number;
  readonly cycles: number;
  readonly ended: Ended | undefined;
  readonly fault: Fault | undefined;
  readonly framebuffer: Uint8ClampedArray | undefined;
}

/** There is no graphics card to run on; the message says why. */
export class NoGpu extends Error {}

/** Runs a program to its end, or until the signal aborts. */
export async function runOnGpu({ bytes, entry }: Program, settings: Settings, signal: AbortSignal): Promise<GpuRun> {
  const device = await deviceOf();
  try {
    const size = Math.ceil(Math.max(MEMORY_BYTES, bytes.length) / WORD_BYTES) * WORD_BYTES;
    const memory = new Uint8Array(size);
    memory.set(bytes);
    const state = new Uint32Array(STATE_LEN);
    state.set(settings.args.slice(0, REGISTERS).map((value) => value >>> 0));
    state[STATE.counter] = entry;
    state[STATE.words] = bytes.length / WORD_BYTES;
    state[STATE.cyclesMax] = settings.cyclesMax;
    state[STATE.slice] = SLICE_CYCLES;
    const storage = USAGE.storage | USAGE.copyTo | USAGE.copyFrom;
    const buffers = [state.byteLength, size, CONSOLE_BYTES_MAX * WORD_BYTES, FRAMEBUFFER_BYTES * WORD_BYTES].map(
      (bytesLong) => device.createBuffer({ size: bytesLong, usage: storage }),
    );
    const [states, memories, output, pixels] = buffers as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    device.queue.writeBuffer(states, 0, state);
    device.queue.writeBuffer(memories, 0, memory);
    const pipeline = await device.createComputePipelineAsync({
      layout: "auto",
      compute: { module: device.createShaderModule({ code: SHADER }), entryPoint: "main" },
    });
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    let now = state;
    while (now[STATE.ended] === 0 && !signal.aborted) {
      const commands = device.createCommandEncoder();
      const pass = commands.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(1);
      pass.end();
      device.queue.submit([commands.finish()]);
      now = await read(device, states, STATE_LEN);
    }
    const said = Math.min(now[STATE.consoleLen] ?? 0, CONSOLE_BYTES_MAX);
    const text = said === 0 ? new Uint32Array() : await read(device, output, said);
    const drawn = now[STATE.drawn] === 1 ? await read(device, pixels, FRAMEBUFFER_BYTES) : undefined;
    return {
      registers: now.slice(0, REGISTERS),
      console: new TextDecoder().decode(Uint8Array.from(text)),
      consoleDropped: now[STATE.consoleDropped] ?? 0,
      cycles: now[STATE.cycles] ?? 0,
      ended: ENDINGS[now[STATE.ended] ?? 0],
      fault: faultOf(now),
      framebuffer: drawn && framebufferOf(drawn),
    };
  } finally {
    device.destroy();
  }
}

async function deviceOf(): Promise<GPUDevice> {
  const { gpu } = (globalThis.navigator ?? {}) as { readonly gpu?: GPU };
  if (gpu === undefined) throw new NoGpu("this browser has no WebGPU (navigator.gpu)");
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new NoGpu("WebGPU finds no graphics adapter here");
  return adapter.requestDevice();
}

async function read(device: GPUDevice, from: GPUBuffer, words: number): Promise<Uint32Array<ArrayBuffer>> {
  const size = words * WORD_BYTES;
  const target = device.createBuffer({ size, usage: USAGE.mapRead | USAGE.copyTo });
  const commands = device.createCommandEncoder();
  commands.copyBufferToBuffer(from, 0, target, 0, size);
  device.queue.submit([commands.finish()]);
  await target.mapAsync(MAP_MODE_READ);
  const values = new Uint32Array(target.getMappedRange().slice(0));
  target.destroy();
  return values;
}

/** The fault in the same words as machine.ts. */
function faultOf(state: Uint32Array): Fault | undefined {
  const [word = 0, kind = 0, value = 0] = [state[STATE.faultWord], state[STATE.faultKind], state[STATE.faultValue]];
  const message = [
    undefined,
    `unknown opcode ${String(value)}`,
    `there is no register R${String(value)}, only R0 to R${String(REGISTERS - 1)}`,
    `the console's byte ${String(value)} cannot be written; its output is at 0x2000`,
  ][kind];
  return message === undefined ? undefined : { word, message };
}

function framebufferOf(bytes: Uint32Array): Uint8ClampedArray {
  const framebuffer = new Uint8ClampedArray(FRAMEBUFFER.width * FRAMEBUFFER.height * WORD_BYTES);
  framebuffer.set(bytes);
  return framebuffer;
}
