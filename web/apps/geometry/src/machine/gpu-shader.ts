// The pixel machine as a compute shader. machine.ts defines the opcodes; both pass the same tests.

import { CONSOLE_BYTES_MAX, REGISTERS } from "./machine.js";
import { OPCODES } from "./opcodes.js";

/** The range of STORE. */
export const MEMORY_BYTES = 64 * 1024;

/** Indices in the state, after the registers. */
export const STATE = {
  counter: 32,
  cycles: 33,
  /** 0 running, then halt, return, end, limit, fault. */
  ended: 34,
  faultWord: 35,
  /** 1 opcode, 2 register, 3 console. */
  faultKind: 36,
  faultValue: 37,
  consoleLen: 38,
  consoleDropped: 39,
  words: 40,
  cyclesMax: 41,
  slice: 42,
  drawn: 43,
} as const;
export const STATE_LEN = 44;

const at = (place: keyof typeof STATE): string => `state[${String(STATE[place])}]`;

export const SHADER = `
@group(0) @binding(0) var<storage, read_write> state: array<u32>;
@group(0) @binding(1) var<storage, read_write> memory: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
@group(0) @binding(3) var<storage, read_write> pixels: array<u32>;

fn fail(word: u32, kind: u32, value: u32) {
  ${at("ended")} = 5u;
  ${at("faultWord")} = word;
  ${at("faultKind")} = kind;
  ${at("faultValue")} = value;
}

fn has(word: u32, index: u32) -> bool {
  if (${at("ended")} == 5u) { return false; }
  if (index < ${String(REGISTERS)}u) { return true; }
  fail(word, 2u, index);
  return false;
}

fn store(word: u32, page: u32, low: u32, byte: u32) {
  if (page == 0x20u) {
    if (low != 0u) { fail(word, 3u, low); return; }
    let length = ${at("consoleLen")};
    if (length < ${String(CONSOLE_BYTES_MAX)}u) {
      output[length] = byte;
      ${at("consoleLen")} = length + 1u;
    } else {
      ${at("consoleDropped")} = ${at("consoleDropped")} + 1u;
    }
  } else if (page == 0x30u) {
    ${at("drawn")} = 1u;
    pixels[low] = byte;
  } else {
    let address = (page << 8u) | low;
    let shift = (address & 3u) * 8u;
    memory[address >> 2u] = (memory[address >> 2u] & ~(0xffu << shift)) | (byte << shift);
  }
}

@compute @workgroup_size(1)
fn main() {
  for (var left = ${at("slice")}; left > 0u && ${at("ended")} == 0u; left -= 1u) {
    let word = ${at("counter")};
    if (word >= ${at("words")}) { ${at("ended")} = 3u; break; }
    if (${at("cycles")} >= ${at("cyclesMax")}) { ${at("ended")} = 4u; break; }
    let code = memory[word];
    let opcode = code & 0xffu;
    let dest = (code >> 8u) & 0xffu;
    let first = (code >> 16u) & 0xffu;
    let second = code >> 24u;
    ${at("cycles")} = ${at("cycles")} + 1u;
    ${at("counter")} = word + 1u;
    switch (opcode) {
      case ${String(OPCODES.NOP)}u: {}
      case ${String(OPCODES.MOV)}u: {
        if (has(word, dest)) {
          if (second == 0u) { state[dest] = first; } else if (has(word, first)) { state[dest] = state[first]; }
        }
      }
      case ${String(OPCODES.ADD)}u: {
        if (has(word, dest) && has(word, first) && has(word, second)) { state[dest] = state[first] + state[second]; }
      }
      case ${String(OPCODES.SUB)}u: {
        if (has(word, dest) && has(word, first) && has(word, second)) { state[dest] = state[first] - state[second]; }
      }
      case ${String(OPCODES.STORE)}u: { if (has(word, dest)) { store(word, first, second, state[dest] & 0xffu); } }
      case ${String(OPCODES.JUMP)}u: { ${at("counter")} = first; }
      case ${String(OPCODES.JZ)}u: { if (has(word, dest) && state[dest] == 0u) { ${at("counter")} = first; } }
      case ${String(OPCODES.JNZ)}u: { if (has(word, dest) && state[dest] != 0u) { ${at("counter")} = first; } }
      case ${String(OPCODES.RET)}u: { ${at("ended")} = 2u; }
      case ${String(OPCODES.HALT)}u: { ${at("ended")} = 1u; }
      default: { fail(word, 1u, opcode); }
    }
  }
}
`;
