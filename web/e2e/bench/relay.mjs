// The smallest program between an agent and a browser: sends each line of a Unix socket, an expression, as one
// `Runtime.evaluate`, and returns its value as a line. `node relay.mjs CHROMIUM URL SOCKET`; it prints a line when it
// listens, and ends when its stdin does.

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
