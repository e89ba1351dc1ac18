// `execute_pixel_program`: runs a program on the pixel machine, in slices, so that the page stays responsive and the
// caller can cancel.

import { acrossOrigins, fetched } from "../backends/fetched.js";
import { HTTP_MS_MAX } from "../backends/limits.js";
import { failed, invalid, messageOf } from "../failure.js";
import { BRICK_BYTES_MAX, readBrick } from "../machine/brick.js";
import { NoGpu, runOnGpu, type GpuRun } from "../machine/gpu.js";
import { Machine, REGISTERS, type Ended, type Settings } from "../machine/machine.js";
import { entered, programOf, type Program } from "../machine/program.js";
import { turn } from "../turn.js";
import {
  flag,
  isNumber,
  MARGIN_MS,
  optionalText,
  wholeNumber,
  type Args,
  type GeometryTool,
  type System,
} from "./tool.js";

const CYCLES_DEFAULT = 1_000_000;
const CYCLES_MAX = 100_000_000;
const SLICE_CYCLES = 250_000;
const MODES: readonly unknown[] = ["cpu", "gpu", "auto"];

export const PROGRAM: GeometryTool = {
  name: "execute_pixel_program",
  title: "Execute Pixel Program",
  description:
    "Runs a pixel program: each word is one RGBA pixel and one instruction. Give its words as hex text, or the URL of a .brick. R0 is its result.",
  inputSchema: {
    type: "object",
    properties: {
      mode: {
        type: "string",
        enum: ["cpu", "gpu", "auto"],
        default: "auto",
        description: "gpu runs on WebGPU, without a trace, where the browser has it; auto is cpu",
      },
      program: {
        type: "string",
        description: "Hex text, 8 digits a word (opcode, dest, src1, src2); any other text is taken as UTF-8 bytes",
      },
      brick_url: { type: "string", description: "A .brick file" },
      entrypoint: { type: "string", default: "main", description: "main, or the address of a word" },
      args: { type: "array", items: { type: "number" }, maxItems: REGISTERS, description: "Put into R0, R1, …" },
      trace: { type: "boolean", default: true, description: "The first and last 32 instructions, a line each" },
      cycle_limit: { type: "integer", minimum: 1, maximum: CYCLES_MAX, default: CYCLES_DEFAULT },
    },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false },
  timeout: HTTP_MS_MAX + MARGIN_MS,
  async run(args, system, doing) {
    const mode = args.mode ?? "auto";
    if (!MODES.includes(mode)) throw invalid("mode must be one of: cpu, gpu, auto");
    const entrypoint = optionalText(args, "entrypoint") ?? "main";
    const settings = {
      args: registersOf(args.args),
      cyclesMax: wholeNumber(args, "cycle_limit", CYCLES_DEFAULT, 1, CYCLES_MAX),
      trace: flag(args, "trace", true),
    };
    const program = entered(await loaded(args, doing.signal), entrypoint);
    // A program is one thread of small steps, so auto chooses the CPU.
    if (mode === "gpu") return onGpu(program, settings, system, doing.signal);
    const machine = new Machine(program, settings);
    while (!machine.run(SLICE_CYCLES)) {
      await turn();
      if (doing.signal.aborted) throw failed("CPU execution failed: cancelled by the caller", told(machine));
    }
    if (machine.framebuffer !== undefined) system.showFramebuffer(machine.framebuffer);
    if (machine.console !== "") system.say(machine.console);
    const wrong = wrongWith(machine, settings.cyclesMax);
    if (wrong !== undefined) throw failed(`CPU execution failed: ${wrong}`, told(machine));
    return { success: true, ...told(machine) };
  },
};

async function onGpu(program: Program, settings: Settings, system: System, signal: AbortSignal): Promise<object> {
  const run = await runOnGpu(program, settings, signal).catch((error: unknown) => {
    if (error instanceof NoGpu)
      throw failed(`GPU execution failed: ${error.message}; use mode "cpu"`, { target: "none" });
    throw failed(`GPU execution failed: ${messageOf(error)}`, { target: "gpu" });
  });
  if (run.framebuffer !== undefined) system.showFramebuffer(run.framebuffer);
  if (run.console !== "") system.say(run.console);
  const wrong = run.ended === undefined ? "cancelled by the caller" : wrongWith(run, settings.cyclesMax);
  if (wrong !== undefined) throw failed(`GPU execution failed: ${wrong}`, told(run, "gpu"));
  return { success: true, ...told(run, "gpu") };
}

function told(machine: GpuRun & { readonly trace?: Machine["trace"] }, target = "cpu"): object {
  const { registers, console: output, consoleDropped, cycles, trace, ended } = machine;
  return {
    target,
    output,
    ...(consoleDropped > 0 && { outputDropped: consoleDropped }),
    result: registers[0] ?? 0,
    registers: Object.fromEntries(
      [...registers].flatMap((value, register) => (value === 0 ? [] : [[`R${String(register)}`, value]])),
    ),
    ended: ended ?? "running",
    instructions: cycles,
    trace: trace?.lines ?? null,
  };
}

function wrongWith({ ended, fault }: GpuRun, cyclesMax: number): string | undefined {
  const reasons: Readonly<Record<Ended, string | undefined>> = {
    halt: undefined,
    return: undefined,
    end: undefined,
    limit: `the cycle limit of ${String(cyclesMax)} was reached`,
    fault: fault === undefined ? "the machine stopped" : `${fault.message} at word ${String(fault.word)}`,
  };
  return ended === undefined ? undefined : reasons[ended];
}

async function loaded(args: Args, signal: AbortSignal): Promise<Program> {
  const [program, url] = [optionalText(args, "program"), optionalText(args, "brick_url")];
  if (program !== undefined && url !== undefined) throw invalid("give either program or brick_url, not both");
  if (program !== undefined) return programOf(program);
  if (url === undefined) throw invalid("No program or brick_url provided");
  const answer = await fetched(url, {}, signal, {
    unreachable: (why) => failed(`Failed to fetch ${url}: ${why}${acrossOrigins(url)}`),
    late: `Failed to fetch ${url}: no answer within 30s`,
    bytesMax: BRICK_BYTES_MAX,
  });
  if (!answer.ok) throw failed(`Failed to fetch ${url}: ${String(answer.status)} ${answer.statusText}`);
  return readBrick(answer.bytes);
}

/** Numbers of 32 bits, signed or unsigned; fractions are cut off. */
function registersOf(args: unknown): readonly number[] {
  if (args === undefined) return [];
  const isGood =
    Array.isArray(args) &&
    args.length <= REGISTERS &&
    args.every((value) => isNumber(value) && value > -(2 ** 31) - 1 && value < 2 ** 32);
  if (!isGood) throw invalid(`args must be a list of at most ${String(REGISTERS)} numbers of 32 bits`);
  return (args as number[]).map(Math.trunc);
}
