// Does five whole tasks with `eye`, in the person's tab and in a browser that eye starts, and with agent-browser if it
// is installed; counts calls and o200k tokens. `node bench/tasks.mjs [--show]`; EYE_BIN names eye, AGENT_BROWSER or
// PATH agent-browser. A failed task ends it with an error.

import { load } from "../../harness/load.mjs";
import { percent, table } from "./table.mjs";

const { Course, ICON, TASKS } = await load("e2e/tasks/course.js", "e2e/tasks/tasks.js");
const show = process.argv.includes("--show");
const course = await Course.open();
try {
  const peer = await course.hasPeer();
  if (!peer) console.log("note: no agent-browser here, so its columns are left out; name it in AGENT_BROWSER");
  const count = (shell) => {
    const { calls, written, read } = shell.counts();
    if (show) console.log(`\n${shell.transcript()}`);
    return [calls, written, read, written + read];
  };
  const measured = [];
  for (const task of [...TASKS, ICON]) {
    const eye = count(await course.withEye(task));
    const hands = count(await course.withHands(task));
    measured.push({ name: task.name, eye, hands, other: peer ? count(await course.withPeer(task)) : [] });
  }
  const sum = (lists) => lists.reduce((total, list) => total.map((number, at) => number + list[at]));
  const five = measured.slice(0, TASKS.length);
  measured.splice(TASKS.length, 0, {
    name: "all five",
    eye: sum(five.map(({ eye }) => eye)),
    hands: sum(five.map(({ hands }) => hands)),
    other: sum(five.map(({ other }) => other)),
  });
  const rows = measured.map(({ name, eye, hands, other }) => [
    name,
    ...eye,
    hands[0],
    hands[3],
    ...other,
    ...(peer ? [percent(eye[3], other[3])] : []),
  ]);
  const columns = (who) => [`${who}: calls`, "tokens written", "tokens read", "tokens"];
  table(
    "Five whole tasks (o200k tokens)",
    [
      "task",
      ...columns("eye"),
      "eye, with hands: calls",
      "tokens",
      ...(peer ? [...columns("agent-browser"), "eye / peer"] : []),
    ],
    rows,
  );
  console.log(
    "\nThe last line is the session that the proposal began with, where it took 13 calls and about 1,600 tokens.",
  );
  const guides = ["eye skill", ...(peer ? ["agent-browser skills get core"] : [])];
  for (const command of guides) {
    const shell = await course.shell();
    await shell.run(command);
    console.log(`Not counted above, once per agent: the guide, \`${command}\`, ${shell.counts().read} tokens.`);
  }
} finally {
  await course.close();
}
