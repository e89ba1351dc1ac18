// Swagger UI: an operation is opened, filled in and sent; the pet is on the server afterwards.

import assert from "node:assert/strict";
import { peerRef, ref } from "../lib/agent.mjs";

const pets = [];
const object = { type: "object", properties: { name: { type: "string" }, age: { type: "integer" } } };
const body = { required: true, content: { "application/json": { schema: object, example: { name: "Rex", age: 3 } } } };
const answers = { 200: { description: "done" } };
const description = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1.0" },
  paths: {
    "/pets/list": {
      get: { summary: "All pets", responses: answers },
      post: { summary: "A new pet", requestBody: body, responses: answers },
    },
  },
};

export default {
  page: "swagger.html",
  ready: ".opblock",
  wish: "Add the pet Tom, who is 2, with the API's own page.",
  routes: {
    "/pets/": async (request, response) => {
      let text = "";
      for await (const bytes of request) text += bytes;
      if (request.method === "POST") pets.push(JSON.parse(text));
      const answer = request.url.endsWith("openapi.json") ? description : pets;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    },
  },
  serve: ({ site }) => ({
    url: `${site}/swagger.html`,
    reset: () => pets.splice(0),
    state: () => pets,
    close: () => undefined,
  }),
  async eye(agent) {
    const seen = await agent.run("look");
    const form = await agent.run(`click ${ref(seen, /post/i)}`);
    const trying = await agent.run(`click ${ref(form, "Try it out")}`);
    await agent.run(`fill ${ref(trying, /: \{ "name"/)} '{"name":"Tom","age":2}'`, `click ${ref(trying, "Execute")}`);
  },
  async peer(agent) {
    const seen = await agent.run("snapshot -i");
    const form = await agent.run(`click ${peerRef(seen, /post/i)}`, "wait 500", "snapshot -i");
    const trying = await agent.run(`click ${peerRef(form, "Try it out")}`, "wait 500", "snapshot -i");
    await agent.run(`fill textarea '{"name":"Tom","age":2}'`, `click ${peerRef(trying, "Execute")}`, "snapshot -i");
  },
  check(state) {
    assert.deepEqual(state, [{ name: "Tom", age: 2 }]);
  },
};
