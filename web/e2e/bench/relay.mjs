// The least that can stand between an agent and a browser: for each line of a Unix socket, which is an expression, one
// `Runtime.evaluate`, and its value as a line. `node relay.mjs CHROMIUM URL SOCKET`; it says when it listens, and ends
// with its input.

import { createServer } from "node:net";
import { evaluation, Raw } from "./raw.mjs";

const [chromium, url, path] = process.argv.slice(2);
const raw = await Raw.open(chromium, url);
const server = createServer((socket) => {
  let text = "";
  socket.on("data", async (data) => {
    text += data;
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines) {
      const { result } = await raw.ask("Runtime.evaluate", evaluation(line), raw.session);
      socket.write(`${JSON.stringify(result.value)}\n`);
    }
  });
});
server.listen(path, () => console.log("listening"));
process.stdin.resume().once("end", async () => {
  await raw.close();
  process.exit();
});
