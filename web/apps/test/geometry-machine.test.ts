// The pixel machine: every opcode, and every flaw of the original that it must not have.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../geometry/src/failure.js";
import { HEADER_BYTES, readBrick, writeBrick } from "../geometry/src/machine/brick.js";
import { CONSOLE_BYTES_MAX, Machine } from "../geometry/src/machine/machine.js";
import { OPCODES } from "../geometry/src/machine/opcodes.js";
import { entered, programOf } from "../geometry/src/machine/program.js";

const { NOP, MOV, ADD, SUB, STORE, JUMP, JZ, JNZ, RET, HALT } = OPCODES;

type Word = readonly [number, number?, number?, number?];

interface Wish {
  readonly args?: readonly number[];
  readonly cyclesMax?: number;
  readonly trace?: boolean;
  readonly entry?: number;
  /** Cycles done at a time. */
  readonly slice?: number;
}

function run(
  words: readonly Word[],
  { args = [], cyclesMax = 1000, trace = false, entry = 0, slice = 1000 }: Wish = {},
): Machine {
  const bytes = Uint8Array.from(
    words.flatMap(([opcode, dest = 0, first = 0, second = 0]) => [opcode, dest, first, second]),
  );
  const machine = new Machine({ bytes, entry }, { args, cyclesMax, trace });
  while (!machine.run(slice));
  return machine;
}

function refused(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === "INVALID_INPUT", String(error));
    return error.message;
  }
  return assert.fail("it was taken");
}

test("NOP does nothing, and a program ends behind its last word", () => {
  const machine = run([[NOP], [NOP]]);
  assert.deepEqual([machine.ended, machine.cycles, machine.registers[0]], ["end", 2, 0]);
});

test("MOV takes a number when src2 is 0, and a register otherwise", () => {
  const machine = run([[MOV, 3, 200], [MOV, 4, 3, 1], [HALT]]);
  assert.deepEqual([...machine.registers.slice(3, 5)], [200, 200]);
});

test("ADD and SUB keep 32 bits", () => {
  assert.equal(run([[ADD, 0, 0, 1], [HALT]], { args: [40, 2] }).registers[0], 42);
  assert.equal(run([[ADD, 0, 0, 1], [HALT]], { args: [0xffffffff, 2] }).registers[0], 1);
  assert.equal(run([[SUB, 0, 0, 1], [HALT]], { args: [1, 2] }).registers[0], 0xffffffff);
  assert.equal(run([[SUB, 0, 0, 1], [HALT]], { args: [44, 2] }).registers[0], 42);
});

test("STORE writes the low byte: to the console, to the framebuffer, to memory", () => {
  const said = run([[MOV, 1, 72], [STORE, 1, 0x20, 0], [MOV, 1, 105], [STORE, 1, 0x20, 0], [HALT]]);
  assert.equal(said.console, "Hi");
  const drawn = run([[STORE, 0, 0x30, 5], [HALT]], { args: [0x1ff] });
  assert.deepEqual([drawn.framebuffer?.length, drawn.framebuffer?.[5]], [640 * 480 * 4, 0xff]);
  // The word at 2 becomes HALT (255) before it is reached.
  const changed = run([[STORE, 0, 0, 8], [NOP], [99], [MOV, 7, 1]], { args: [255] });
  assert.deepEqual([changed.ended, changed.registers[7], changed.framebuffer], ["halt", 0, undefined]);
  assert.match(run([[STORE, 0, 0x20, 1]]).fault?.message ?? "", /the console's byte 1 cannot be written/);
});

test("a taken jump lands on its target, whether it is run in one go or step by step", () => {
  const program: readonly Word[] = [[JUMP, 0, 3], [MOV, 1, 1], [HALT], [MOV, 2, 2], [HALT]];
  for (const slice of [1, 2, 1000]) {
    const machine = run(program, { slice });
    assert.deepEqual([machine.registers[1], machine.registers[2], machine.cycles], [0, 2, 3]);
  }
});

test("JZ jumps when its register is zero, JNZ when it is not; otherwise the next word is next", () => {
  const jump = (opcode: number, value: number): number =>
    run([[opcode, 0, 3], [MOV, 1, 7], [HALT], [MOV, 1, 9], [HALT]], { args: [value] }).registers[1] ?? 0;
  assert.deepEqual([jump(JZ, 0), jump(JZ, 5), jump(JNZ, 0), jump(JNZ, 5)], [9, 7, 7, 9]);
});

test("a loop counts: 5 + 4 + 3 + 2 + 1", () => {
  // R0 sum, R1 counter, R2 one.
  const machine = run([[MOV, 1, 5], [MOV, 2, 1], [ADD, 0, 0, 1], [SUB, 1, 1, 2], [JNZ, 1, 2], [HALT]]);
  assert.deepEqual([machine.registers[0], machine.ended, machine.cycles], [15, "halt", 18]);
});

test("RET ends a program, as nothing called it", () => {
  assert.equal(run([[RET], [99]]).ended, "return");
});

test("an unknown opcode is an error with its address, for every number that is none", () => {
  const known: readonly number[] = Object.values(OPCODES);
  for (let opcode = 0; opcode < 256; opcode++) {
    if (known.includes(opcode)) continue;
    const machine = run([[NOP], [opcode]]);
    assert.deepEqual(
      [machine.ended, machine.fault],
      ["fault", { word: 1, message: `unknown opcode ${String(opcode)}` }],
    );
  }
});

test("a register that is not there is an error, not another register", () => {
  for (const word of [
    [MOV, 32, 1],
    [MOV, 0, 40, 1],
    [ADD, 0, 32, 0],
    [SUB, 0, 0, 99],
    [STORE, 77, 0, 0],
    [JZ, 32, 0],
    [JNZ, 255, 0],
  ] as const) {
    assert.match(run([word]).fault?.message ?? "", /there is no register R\d+, only R0 to R31/);
  }
});

test("an endless loop ends at its limit, with what it did so far", () => {
  const machine = run(
    [
      [MOV, 2, 1],
      [ADD, 0, 0, 2],
      [JUMP, 0, 1],
    ],
    { cyclesMax: 1001, slice: 100 },
  );
  assert.deepEqual([machine.ended, machine.cycles, machine.registers[0]], ["limit", 1001, 500]);
});

test("a program may end with its very last cycle", () => {
  assert.equal(run([[NOP], [HALT]], { cyclesMax: 2 }).ended, "halt");
  assert.equal(run([[NOP], [NOP], [HALT]], { cyclesMax: 2 }).ended, "limit");
});

test("a trace holds the first and the last instructions, and says how many are between", () => {
  const short = run([[MOV, 1, 5], [HALT]], { trace: true });
  assert.deepEqual(short.trace?.lines, ["0 MOV 1 5 0 R1=5", "1 HALT 0 0 0 R0=0"]);
  const long = run(
    [
      [MOV, 2, 1],
      [ADD, 0, 0, 2],
      [JUMP, 0, 1],
    ],
    { trace: true, cyclesMax: 1000 },
  );
  const lines = long.trace?.lines ?? [];
  assert.equal(lines.length, 65);
  assert.equal(lines[32], "… 936 more …");
  assert.equal(lines.at(-1), "1 ADD 0 0 2 R0=500");
  assert.equal(run([[HALT]]).trace, undefined);
});

test("the console is bounded, and what it dropped is counted", () => {
  const machine = run(
    [
      [STORE, 0, 0x20, 0],
      [JUMP, 0, 0],
    ],
    { args: [65], cyclesMax: 2 * CONSOLE_BYTES_MAX + 20 },
  );
  assert.deepEqual([machine.console.length, machine.consoleDropped], [CONSOLE_BYTES_MAX, 10]);
});

test("hex text is bytes, with spaces or without, and other text is its own bytes", () => {
  const words = [1, 0, 42, 0, 255, 0, 0, 0];
  for (const text of ["01002a00ff000000", "01 00 2A 00 FF 00 00 00", "0x01002a00\nff000000", "01002a00, ff000000"])
    assert.deepEqual([...programOf(text).bytes], words, text);
  assert.deepEqual([...programOf("wxyz").bytes], [119, 120, 121, 122]);
  assert.match(
    refused(() => programOf("0102030")),
    /two digits a byte/,
  );
  assert.match(
    refused(() => programOf("010203")),
    /words of 4 bytes/,
  );
  assert.match(
    refused(() => programOf("hello")),
    /words of 4 bytes/,
  );
  assert.match(
    refused(() => programOf("")),
    /empty/,
  );
});

test("an entry point is main or the address of a word", () => {
  const program = programOf("00000000 00000000 ff000000");
  assert.equal(entered(program, "main").entry, 0);
  assert.equal(entered(program, "2").entry, 2);
  for (const name of ["3", "start", "-1", "1.5", ""])
    assert.match(
      refused(() => entered(program, name)),
      /entrypoint must be "main" or the address of a word below 3/,
    );
});

test("a brick is read as it was written", () => {
  const program = { ...programOf("00000000 01002a00 ff000000"), entry: 1 };
  const file = writeBrick(program);
  assert.deepEqual([...file.subarray(0, 8)], [0x4b, 0x43, 0x52, 0x42, 2, 0, 0, 0]);
  assert.equal(file.length, HEADER_BYTES + 12);
  const read = readBrick(file);
  assert.deepEqual([[...read.bytes], read.entry], [[...program.bytes], 1]);
});

test("a brick that is not right is refused with what is wrong", () => {
  const changed = (change: (file: DataView) => void): string => {
    const file = writeBrick(programOf("00000000 ff000000"));
    change(new DataView(file.buffer));
    return refused(() => readBrick(file));
  };
  assert.match(
    changed((file) => file.setUint32(0, 1, true)),
    /this is no brick/,
  );
  assert.match(
    changed((file) => file.setUint32(4, 3, true)),
    /of version 3; version 2 is known/,
  );
  assert.match(
    changed((file) => file.setBigUint64(16, 3n, true)),
    /says 3 words and has 2/,
  );
  assert.match(
    changed((file) => file.setBigUint64(16, 2n ** 40n, true)),
    /at most 1048576 words/,
  );
  assert.match(
    changed((file) => file.setBigUint64(24, 8n, true)),
    /entry point, byte 8, is no word/,
  );
  assert.match(
    changed((file) => file.setBigUint64(24, 2n, true)),
    /entry point, byte 2, is no word/,
  );
  assert.match(
    changed((file) => file.setUint8(HEADER_BYTES, 1)),
    /checksum/,
  );
  assert.match(
    refused(() => readBrick(new Uint8Array(100))),
    /header of 132 bytes/,
  );
  const without = writeBrick(programOf("ff000000"));
  new DataView(without.buffer).setUint32(96, 0, true);
  assert.equal(readBrick(without).entry, 0);
});
