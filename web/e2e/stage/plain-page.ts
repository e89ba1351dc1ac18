// A page without a browser: a WebSocket that answers every call with 1.

import { WebSocket } from "ws";
import type { Home } from "../../harness/home.js";

export async function plainPage(home: Home, alias: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://localhost:${String(home.port)}/ws?clientType=browser`, ["eye"], {
    origin: home.url,
  });
  const info = { title: alias, alias, url: `${home.url}/${alias}`, visible: true, eval: true };
  const params = { clientType: "browser", version: "1.0.0", typed: true, batch: true, page: info };
  await new Promise((done) => socket.once("open", done));
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: "hello", method: "hello", params }));
  const welcomed = new Promise((done) => socket.once("message", done));
  socket.on("message", (data) => {
    const elements = JSON.parse(String(data)) as unknown[];
    const answers = elements.flatMap((element) => {
      const id = typeof element === "string" ? /^(\w+):/u.exec(element)?.[1] : undefined;
      return id === undefined ? [] : [`${id}=1`];
    });
    if (answers.length > 0) socket.send(JSON.stringify(answers));
  });
  await welcomed;
  return socket;
}
