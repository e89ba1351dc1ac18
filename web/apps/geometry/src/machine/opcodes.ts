// The numbers of the instructions, which are the red channel of a pixel.

export const OPCODES = {
  NOP: 0,
  MOV: 1,
  ADD: 2,
  SUB: 3,
  STORE: 13,
  JUMP: 14,
  JZ: 15,
  JNZ: 16,
  RET: 18,
  HALT: 255,
} as const;
