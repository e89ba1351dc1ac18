// Many agents on one page, all with the same request ids: no agent receives another's answers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Agent } from "../stage/agent.js";
import { opened } from "../stage/knock.js";
import { Stage } from "../stage/stage.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/", {
    title: "Shared",
    body: "<script>const later = (value, ms) => new Promise((done) => setTimeout(done, ms, value))</script>",
  });
  await stage.visit("/");
});

after(() => stage.close());

function agents(count: number): Promise<Agent[]> {
  return Promise.all(Array.from({ length: count }, () => Agent.connect(stage.home.socket)));
}

test("two agents with the same ids get their own answers only, whatever order they come in", async () => {
  const [one, two] = await agents(2);
  assert.ok(one !== undefined && two !== undefined);
  one.send('a:later("one a", 60)', 'b:"one b"', 'c:throw new Error("one c")');
  two.send('a:"two a"', 'b:later("two b", 30)', 'c:later("two c", 10)');
  const answered = [one, two].flatMap((agent) =>
    ["a", "b", "c"].map((id) => agent.frame((frame) => frame.startsWith(id))),
  );
  await Promise.all(answered);
  assert.deepEqual([...one.frames].sort(), ["a:one a", "b:one b", "c!:one c"]);
  assert.deepEqual([...two.frames].sort(), ["a:two a", "b:two b", "c:two c"]);
  one.close();
  two.close();
});

test("50 agents with 50 calls each, all of the same ids", async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `i${String(index)}`);
  const all = await agents(50);
  const answered = all.map(async (agent, name) => {
    agent.send(...ids.map((id) => `${id}:"${String(name)} ${id}"`));
    await Promise.all(ids.map((id) => agent.frame((frame) => frame.startsWith(`${id}:`))));
    assert.deepEqual([...agent.frames].sort(), ids.map((id) => `${id}:${String(name)} ${id}`).sort());
  });
  await Promise.all(answered);
  for (const agent of all) agent.close();
});

test("1,000 agents at once on one page each get their own answer", async () => {
  const all = await agents(1000);
  const answers = await Promise.all(all.map((agent, name) => agent.ask("a", `${String(name)} * 2`)));
  assert.deepEqual(
    answers,
    all.map((_, name) => `a:${String(name * 2)}`),
  );
  for (const agent of all) agent.close();
});

test("fire and forget is never answered, and runs", async () => {
  const [agent] = await agents(1);
  assert.ok(agent !== undefined);
  agent.send("window.fired = 1", ":window.fired:window.fired++", ":window.fired++");
  assert.equal(await agent.ask("a", "window.fired"), "a:2");
  assert.deepEqual(agent.frames, ["a:2"]);
  agent.close();
});

test("an agent that leaves takes its calls with it, and the page is told to abort them", async () => {
  const [leaver, watcher] = await agents(2);
  assert.ok(leaver !== undefined && watcher !== undefined);
  leaver.send(
    'a:const { signal } = eye; window.waiting = true; new Promise(() => signal.addEventListener("abort", () => { window.aborted = true }))',
  );
  const seen = (name: string) => `(async () => { while (!window.${name}) await later(0, 5); return window.${name} })()`;
  // Two connections have no order between them: the watcher's request may reach the hub first.
  assert.equal(await watcher.ask("a", seen("waiting")), "a:true");
  leaver.close();
  assert.equal(await watcher.ask("b", seen("aborted")), "b:true");
  watcher.close();
});

test("answers with newlines arrive whole, and compact JSON is answered in kind", async () => {
  const [agent] = await agents(1);
  assert.ok(agent !== undefined);
  assert.equal(await agent.ask("a", '"one\\ntwo"'), "a:one\ntwo");
  agent.send('{i:1,c:"1+1"}', '["x","[1]"]', '{"i":"s","c":"throw new Error(\\"thrown\\")"}');
  await agent.frame((frame) => frame.startsWith('{"i":"s"'));
  assert.deepEqual(agent.frames.slice(1), ['{"i":1,"r":2}', '["x",[1]]', '{"i":"s","e":"thrown"}']);
  agent.close();
});

test("an agent over WebSocket asks with the token", async () => {
  const line = await opened(stage.home.port, "/ws?clientType=agent", {
    authorization: `Bearer ${await stage.home.token()}`,
  });
  line.socket.send("a:document.title");
  assert.equal(await line.next(), "a:Shared");
  line.socket.close();
});
