// Acting verbs on difficult pages: elements that are redrawn, clipboards, `:hover`, dialogs, frames, navigations.

import assert from "node:assert/strict";
import { html } from "./hub.js";
import { answered, ask, begin, refused, scene, told } from "./scene.js";

/** Rows with a button each; `how` is what a press does to the first row. */
function rows(how: string): string {
  return html(
    "",
    `<ul id=list style="margin:0;padding:0"></ul><script>
      clicked = []; names = ["Ada", "Eva", "Ida"];
      draw = () => { list.innerHTML = names.map((name) => "<li style='height:30px'>" + name + " <button>Delete</button></li>").join(""); };
      draw();
      list.addEventListener("click", (event) => clicked.push(event.target.closest("li").textContent.trim()));
      list.addEventListener("pointerdown", (event) => { ${how} }, { once: true });
    </script>`,
  );
}

const FIRST = { target: "css=li:first-child button" };
const GONE = /it went away while it was pressed, so nothing was clicked/;

scene(
  "an element that is redrawn while it is pressed is clicked",
  async ({ page, tab }) => {
    assert.doesNotMatch(await told(page, "click", FIRST), GONE);
    assert.deepEqual(await tab.evaluate("clicked"), ["Ada Delete"]);
  },
  rows("setTimeout(draw, 20)"),
);

scene(
  "the neighbour that moves into the place of a pressed row is not clicked",
  async ({ page, tab }) => {
    assert.match(await told(page, "click", FIRST), GONE);
    assert.deepEqual(await tab.evaluate("clicked"), []);
  },
  rows("setTimeout(() => list.firstChild.remove(), 20)"),
);

scene(
  "nor is it when another row comes at the end, so that there are as many as before",
  async ({ page, tab }) => {
    assert.match(await told(page, "click", FIRST), GONE);
    assert.deepEqual(await tab.evaluate("clicked"), []);
  },
  rows("setTimeout(() => { list.firstChild.remove(); list.append(list.lastChild.cloneNode(true)) }, 20)"),
);

scene(
  "nor when the whole list is drawn anew without that row and with another",
  async ({ page, tab }) => {
    assert.match(await told(page, "click", FIRST), GONE);
    assert.deepEqual(await tab.evaluate("clicked"), []);
  },
  rows("setTimeout(() => { names = ['Eva', 'Ida', 'Una']; draw() }, 20)"),
);

scene(
  "a clipboard that only a person may use is said, although the page catches it",
  async ({ page }) => {
    assert.match(await told(page, "click", { target: "text=Copy" }), /needs a person: the clipboard/);
    assert.match(await told(page, "click", { target: "text=Old" }), /needs a person: the clipboard/);
  },
  html(
    "",
    `<button onclick="navigator.clipboard.readText().catch(() => 0)">Copy</button><button onclick="document.execCommand('paste')">Old</button>`,
  ),
);

scene(
  "styles that need a real pointer are said, and only those that show something",
  async ({ page }) => {
    assert.match(
      await told(page, "hover", { target: "#menu" }),
      /needs a person's pointer: #menu:hover \.sub shows or hides something$/,
    );
    assert.match(await told(page, "hover", { target: "#card" }), /#card:hover .* shows or hides something|:hover/);
    assert.doesNotMatch(await told(page, "hover", { target: "#link" }), /pointer/);
    assert.doesNotMatch(await told(page, "hover", { target: "#plain" }), /pointer/);
  },
  html(
    "",
    "<style>a:hover { color: red } .sub { display: none } #menu:hover .sub { display: block } #card { &:hover { i { opacity: 1 } } }</style>" +
      `<div id=menu tabindex=0>Menu<div class=sub>Sub</div></div><div id=card tabindex=0>Card <i style="opacity:0">more</i></div>
     <a id=link href="#x">Link</a><button id=plain>Plain</button>`,
  ),
);

scene(
  "Backspace and typing replace the selection of an editor, and what the page makes of the text stays",
  async ({ page, tab }) => {
    await told(page, "press", { keys: "End Backspace", target: "#t" });
    assert.equal(await tab.evaluate("t.textContent"), "one tw");
    await told(page, "press", { keys: "Shift+ArrowLeft Shift+ArrowLeft" });
    await told(page, "type", { target: "#t", value: "six" });
    assert.equal(await tab.evaluate("t.textContent"), "one six");
    await told(page, "press", { keys: "Shift+ArrowLeft Shift+ArrowLeft Shift+ArrowLeft Backspace" });
    assert.equal(await tab.evaluate("t.textContent.trim()"), "one");
    await told(page, "fill", { target: "#f", value: "abc" });
    await tab.evaluate("f.focus(); f.setSelectionRange(1, 2)");
    await told(page, "type", { target: "#f", value: "X" });
    assert.equal(await tab.evaluate("f.value"), "aXc");
    await told(page, "type", { target: "#rule", value: "- milk" });
    assert.equal(await tab.evaluate("rule.innerHTML"), "<ul><li>milk</li></ul>");
  },
  html(
    "",
    `<div id=t contenteditable>one two</div><input id=f><div id=rule contenteditable></div><script>
      rule.addEventListener("input", () => {
        if (rule.textContent.replace(/\u00a0/g, " ") !== "- ") return;
        rule.innerHTML = "<ul><li><br></li></ul>";
        getSelection().collapse(rule.querySelector("li"), 0);
      });
    </script>`,
  ),
);

scene("the hub is told of a dialog before it stops the page, and when it is over", async ({ page, tab }) => {
  const answers: (() => Promise<void>)[] = [];
  const opened = new Promise<void>((resolve) =>
    tab.on("dialog", (dialog) => {
      answers.push(() => dialog.dismiss());
      resolve();
    }),
  );
  await tab.evaluate("void setTimeout(() => confirm('Sure?'), 10)");
  const dialog = (text: string) => page.frame((one) => typeof one !== "string" && one.params?.dialog === text);
  assert.ok(await dialog("confirm: Sure?"));
  await opened;
  assert.ok(!page.frames.some((one) => typeof one !== "string" && one.params?.dialog === ""));
  for (const answer of answers) await answer();
  assert.ok(await dialog(""));
});

scene(
  "a wait is not ended by a navigation of the page's own, and the hub is told where it goes",
  async ({ hub, page, tab }) => {
    hub.pages.set("/slow", (_, response) => void setTimeout(() => response.end("<title>Slow</title>"), 300));
    const id = begin(page, "wait", { target: "text=Never" });
    await tab.evaluate("void setTimeout(() => { location.href = '/slow' }, 10)");
    const leaving = await page.frame((one) => typeof one !== "string" && one.params?.leaving !== undefined);
    assert.match(JSON.stringify(leaving), /"leaving":"http:[^"]*\/slow"/);
    await tab.waitForURL("**/slow");
    assert.ok(!page.frames.some((one) => typeof one !== "string" && one.method === "call/navigating"));
    assert.ok(!page.frames.some((one) => typeof one === "string" && one.startsWith(id)));
  },
);

for (const params of [{}, { loaded: true }]) {
  const how = JSON.stringify(params);
  scene(`what is seen waits for the first line of a page that is loading ${how}`, async ({ page, tab }) => {
    await tab.evaluate("document.open(); document.write('<title>Loading</title>'); void 0");
    const [look, text] = [begin(page, "look", params), begin(page, "text", {})];
    await tab.evaluate("document.write('<h1>Here</h1>'); void 0");
    assert.equal((await answered(page, look)).value, "# Here\n… still loading");
    assert.equal((await answered(page, text)).value, "Here");
  });
}

scene(
  "goto takes no code, and stays in the document where the page does",
  async ({ page, tab }) => {
    assert.match(await refused(page, "goto", { url: "javascript:document.title = 'x'" }), /http, https and file/);
    assert.match(await refused(page, "goto", { url: "data:text/html,x" }), /http, https and file/);
    assert.match(await refused(page, "back"), /there is no page to go back to|about:blank/);
    assert.equal(await told(page, "goto", { url: "#part" }), "# Here");
    assert.match(await tab.evaluate("location.href"), /#part$/);
  },
  html("", "<h1>Here</h1>"),
);

scene("what a fired call throws, and console.table, reach the logs", async ({ page }) => {
  page.send(":null.x", ":await Promise.reject(new Error('later'))", ":console.table([{ a: 1 }])");
  for (;;) {
    const logs = JSON.stringify((await ask(page, "logs", { all: true })).value);
    if (!/later/.test(logs) || !/a.{2,4}1/.test(logs)) continue;
    assert.match(logs, /fire: TypeError/);
    break;
  }
});

scene(
  "a value that is an element is named without its hidden children",
  async ({ page }) => {
    page.send("71:document.querySelector('button')", "72:document.querySelector('p')");
    const answer = async (id: string) => page.frame((one) => typeof one === "string" && one.startsWith(id));
    assert.equal(await answer("71"), '71~<button "Chat">');
    assert.equal(await answer("72"), '72~<p "all hidden">');
  },
  html("", "<button>Chat <span style='display:none'>0</span></button><p hidden>all <b>hidden</b></p>"),
);
