// The machine for pixel programs: 32 registers, words as pixels, a console and a framebuffer. Pure: no page, no clock.
// A run can be done in slices, so that the caller can do something else in between.

import { OPCODES } from "./opcodes.js";
import { WORD_BYTES, type Program } from "./program.js";
import { Trace } from "./trace.js";

export const REGISTERS = 32;
export const CONSOLE_BYTES_MAX = 64 * 1024;
export const FRAMEBUFFER = { width: 640, height: 480 } as const;
/** STORE addresses 64 KiB: the program, the memory after it, and the two device pages below. */
const MEMORY_BYTES = 64 * 1024;
/**
 * In STORE's sixteen address bits, one page of 256 bytes represents each device: 0x20.. is 0x20000000 and on, 0x30.. is
 * 0x30000000 and on.
 */
const CONSOLE_PAGE = 0x20;
const FRAMEBUFFER_PAGE = 0x30;

/** How a run ended: by HALT, by RET, after its last word, at its limit, or by a fault. */
export type Ended = "halt" | "return" | "end" | "limit" | "fault";

export interface Fault {
  /** The address of the word, in words. */
  readonly word: number;
  readonly message: string;
}

export interface Settings {
  /** The initial values of R0, R1, … */
  readonly args: readonly number[];
  readonly cyclesMax: number;
  readonly trace: boolean;
}

export class Machine {
  readonly registers = new Uint32Array(REGISTERS);
  readonly trace: Trace | undefined;
  cycles = 0;
  ended: Ended | undefined;
  fault: Fault | undefined;
  /** Created by the first write to it. */
  framebuffer: Uint8ClampedArray | undefined;
  consoleDropped = 0;
  readonly #memory: Uint8Array;
  readonly #words: number;
  readonly #cyclesMax: number;
  readonly #console: number[] = [];
  #counter: number;

  constructor({ bytes, entry }: Program, { args, cyclesMax, trace }: Settings) {
    this.#memory = new Uint8Array(Math.max(MEMORY_BYTES, bytes.length));
    this.#memory.set(bytes);
    this.#words = bytes.length / WORD_BYTES;
    this.#cyclesMax = cyclesMax;
    this.#counter = entry;
    this.registers.set(args.slice(0, REGISTERS));
    this.trace = trace ? new Trace() : undefined;
  }

  /** The console's output as text. */
  get console(): string {
    return new TextDecoder().decode(Uint8Array.from(this.#console));
  }

  /** Continues for at most this many cycles; `true` when the run is over. */
  run(cycles: number): boolean {
    for (const end = this.cycles + cycles; this.ended === undefined && this.cycles < end; ) this.#step();
    return this.ended !== undefined;
  }

  #step(): void {
    const word = this.#counter;
    if (word >= this.#words) {
      this.ended = "end";
      return;
    }
    if (this.cycles >= this.#cyclesMax) {
      this.ended = "limit";
      return;
    }
    const at = word * WORD_BYTES;
    const [opcode = 0, dest = 0, first = 0, second = 0] = [
      this.#memory[at],
      this.#memory[at + 1],
      this.#memory[at + 2],
      this.#memory[at + 3],
    ];
    this.cycles++;
    this.#counter = word + 1;
    this.#execute(word, opcode, dest, first, second);
    this.trace?.note(word, opcode, dest, first, second, this.registers[dest] ?? 0);
  }

  #execute(word: number, opcode: number, dest: number, first: number, second: number): void {
    switch (opcode) {
      case OPCODES.NOP:
        break;
      case OPCODES.MOV:
        if (this.#has(word, dest, second === 0 ? 0 : first)) this.#set(dest, second === 0 ? first : this.#get(first));
        break;
      case OPCODES.ADD:
        if (this.#has(word, dest, first, second)) this.#set(dest, this.#get(first) + this.#get(second));
        break;
      case OPCODES.SUB:
        if (this.#has(word, dest, first, second)) this.#set(dest, this.#get(first) - this.#get(second));
        break;
      case OPCODES.STORE:
        if (this.#has(word, dest)) this.#store(word, first, second, this.#get(dest) & 0xff);
        break;
      case OPCODES.JUMP:
        this.#counter = first;
        break;
      case OPCODES.JZ:
        if (this.#has(word, dest) && this.#get(dest) === 0) this.#counter = first;
        break;
      case OPCODES.JNZ:
        if (this.#has(word, dest) && this.#get(dest) !== 0) this.#counter = first;
        break;
      case OPCODES.RET:
        // There are no calls, so the only place to return to is the program's caller.
        this.ended = "return";
        break;
      case OPCODES.HALT:
        this.ended = "halt";
        break;
      default:
        this.#fail(word, `unknown opcode ${String(opcode)}`);
    }
  }

  #store(word: number, page: number, low: number, byte: number): void {
    if (page === CONSOLE_PAGE) {
      if (low !== 0) this.#fail(word, `the console's byte ${String(low)} cannot be written; its output is at 0x2000`);
      else if (this.#console.length < CONSOLE_BYTES_MAX) this.#console.push(byte);
      else this.consoleDropped++;
    } else if (page === FRAMEBUFFER_PAGE) {
      this.framebuffer ??= new Uint8ClampedArray(FRAMEBUFFER.width * FRAMEBUFFER.height * WORD_BYTES);
      this.framebuffer[low] = byte;
    } else {
      this.#memory[(page << 8) | low] = byte;
    }
  }

  #has(word: number, ...registers: readonly number[]): boolean {
    const none = registers.find((register) => register >= REGISTERS);
    if (none !== undefined)
      this.#fail(word, `there is no register R${String(none)}, only R0 to R${String(REGISTERS - 1)}`);
    return none === undefined;
  }

  #get(register: number): number {
    return this.registers[register] ?? 0;
  }

  /** A Uint32Array keeps the low 32 bits, as the machine requires. */
  #set(register: number, value: number): void {
    this.registers[register] = value;
  }

  #fail(word: number, message: string): void {
    this.ended = "fault";
    this.fault = { word, message };
  }
}
