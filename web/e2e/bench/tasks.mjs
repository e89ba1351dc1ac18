// Does five whole tasks for real, with `eye` and, where it is there, with agent-browser, and counts calls and o200k tokens.
// `node bench/tasks.mjs [--show]`; eye is EYE_BIN, agent-browser AGENT_BROWSER or on PATH. A task that fails ends it with an error.

import { load } from "./load.mjs";
import { percent, table } from "./table.mjs";

const { Course, TASKS } = await load("tasks/course.js", "tasks/tasks.js");
const show = process.argv.includes("--show");
const course = await Course.open();
try {
  const peer = await course.hasPeer();
  if (!peer) console.log("note: no agent-browser here, so its columns are left out; name it in AGENT_BROWSER");
  const rows = [];
  const sum = { eye: [0, 0, 0], peer: [0, 0, 0] };
  const count = (who, shell) => {
    const { calls, written, read } = shell.counts();
    if (show) console.log(`\n${shell.transcript()}`);
    [calls, written, read].forEach((number, at) => (sum[who][at] += number));
    return [calls, written, read, written + read];
  };
  for (const task of TASKS) {
    const eye = count("eye", await course.withEye(task));
    const other = peer ? count("peer", await course.withPeer(task)) : [];
    rows.push([task.name, ...eye, ...other, ...(peer ? [percent(eye[3], other[3])] : [])]);
  }
  const total = ([calls, written, read]) => [calls, written, read, written + read];
  rows.push(["all five", ...total(sum.eye), ...(peer ? [...total(sum.peer), percent(total(sum.eye)[3], total(sum.peer)[3])] : [])]);
  const columns = (who) => [`${who}: calls`, "tokens written", "tokens read", "tokens"];
  table("Five whole tasks (o200k tokens)", ["task", ...columns("eye"), ...(peer ? [...columns("agent-browser"), "eye / peer"] : [])], rows);
  console.log("\nThe guide that an agent reads before is not counted: `eye skill` for eye, `agent-browser skills get core` for the peer.");
} finally {
  await course.close();
}
