// Free ports for programs that listen on them themselves. A process takes ports in blocks that no other test process
// uses, so a program that is ended and started again finds its port free. `eye-testkit` does the same in `port.rs`.

import { createSocket, type Socket } from "node:dgram";
import { createServer } from "node:net";

/** Below the ports that systems use for outgoing connections, so that none of those takes one in the meantime. */
const FIRST = 12_000;
const BLOCK_LEN = 200;
const BLOCKS = 100;

/** The ports of the newest block that were not returned yet. */
let next = 0;
let end = 0;

/** A free loopback port. It is returned once, and to no other process until this one ends. */
export async function freePort(): Promise<number> {
  for (;;) {
    while (next < end) {
      const port = next++;
      if (await isFree(port)) return port;
    }
    const first = await takeBlock();
    [next, end] = [first, first + BLOCK_LEN];
  }
}

/**
 * Takes a block and returns its first port. A process holds a block as long as it has the block's first port for UDP,
 * which no program of the tests uses.
 */
async function takeBlock(): Promise<number> {
  const start = Math.floor(Math.random() * BLOCKS);
  for (let at = 0; at < BLOCKS; at++) {
    const first = FIRST + ((start + at) % BLOCKS) * BLOCK_LEN;
    if (await holds(createSocket("udp4"), first)) return first;
  }
  throw new Error("other processes have all ports");
}

function holds(socket: Socket, port: number): Promise<boolean> {
  socket.unref();
  return new Promise((resolve) => {
    socket.once("error", () => {
      socket.close();
      resolve(false);
    });
    socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => resolve(true));
  });
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
