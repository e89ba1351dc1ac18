// Acting verbs on plain pages: their effects, their waits, their refusals, and the changes they report.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Stage, type Visit } from "../stage/stage.js";
import { asking, refOf, refused, type Ask } from "../stage/verbs.js";

let stage: Stage;

before(async () => {
  stage = await Stage.open();
  stage.site.page("/there.html", { title: "There" });
  stage.site.serve("/refused", (_, response) => response.writeHead(500).end("no"));
});
after(() => stage.close());

let count = 0;

async function visit(
  body: string,
  headers: Record<string, string> = {},
): Promise<{ readonly page: Visit; readonly ask: Ask }> {
  const path = `/act-${String(++count)}.html`;
  stage.site.page(path, { title: "Act", body, headers });
  const page = await stage.visit(path);
  return { page, ask: asking(stage, page) };
}

const RECORD = `<script>window.seen = [];
  for (const type of "pointerover pointerenter mouseover pointermove pointerdown mousedown focus pointerup mouseup click keydown keypress beforeinput input keyup change".split(" "))
    document.addEventListener(type, (event) => { if (event.target.id === "t") seen.push(type) }, true);</script>`;

test("a click is every event of a pointer, at the middle, and answers with what changed", async () => {
  const { ask } = await visit(
    `<button id="t" onclick="this.nextElementSibling.textContent = 'Saved at ' + (event.clientX > 0); at = event.detail">Save</button><p></p>${RECORD}`,
  );
  assert.equal(await ask("click", "text=Save"), "e1 [Save]\n+ Saved at true");
  assert.equal(
    await ask("seen.join()"),
    "pointerover,pointerenter,mouseover,pointermove,pointerdown,mousedown,focus,pointerup,mouseup,click",
  );
  assert.equal(await ask("at + document.activeElement.id"), "1t");
});

test("an action tells the errors and failed requests that it caused, and where the page is", async () => {
  const { ask } = await visit(
    `<button onclick="history.pushState(0, '', '#there'); fetch('/refused', { method: 'POST' }); setTimeout(() => { throw new Error('late') })">Go</button>`,
  );
  const lines = (await ask("click", "text=Go")).split("\n");
  assert.match(lines.find((line) => line.startsWith("now at")) ?? "", /#there$/);
  assert.ok(lines.includes("error: POST /refused: 500"), lines.join("\n"));
  assert.ok(
    lines.some((line) => line.startsWith("error: Uncaught Error: late")),
    lines.join("\n"),
  );
});

test("a click that navigates answers with the page it went to, and so does a submitted form", async () => {
  const { page, ask } = await visit(
    '<a href="/there.html">Leave</a><form action="/there.html"><input name="q"></form>',
  );
  assert.equal(await ask("click", "text=Leave"), `There ${stage.site.url("/there.html")}`);
  await page.page.goBack();
  await stage.joined(page.page);
  await ask("fill", "[name=q]", "x");
  assert.equal(await ask("press", "Enter"), `There ${stage.site.url("/there.html?q=x")}`);
});

test("the browser's own questions do not stop the page: they are dismissed and told", async () => {
  const { ask } = await visit(
    `<button onclick="alert('Hi'); document.body.append(String(confirm('Sure?')))">Ask</button>`,
  );
  const report = await ask("click", "text=Ask");
  assert.ok(report.includes("alert: Hi\nconfirm: Sure? (dismissed; accept: true accepts)"), report);
  assert.match(report, /^\+ .*\bfalse$/m, "confirm() answered false, and the page shows it");
  assert.match(await ask('eye.click("text=Ask", { accept: true })'), /\(accepted\)/);
});

test("what fades in is in the answer, and what moves for ever holds nothing up", async () => {
  const { ask } =
    await visit(`<style>@keyframes in { from { opacity: 0 } } @keyframes turn { to { rotate: 360deg } } #menu { animation: in .2s } hr { animation: turn 1s infinite }</style><hr>
    <button onclick="this.insertAdjacentHTML('afterend', '<div id=menu><button>Entry</button></div>')">Open</button>`);
  assert.ok((await ask("click", "text=Open")).includes("[Entry]"));
});

test("a target is waited for: until it is there, visible, enabled and still", async () => {
  const { ask } = await visit(`<div id="box"></div><script>
    setTimeout(() => { box.innerHTML = '<button disabled style="position:absolute;left:0">Late</button>' }, 100);
    setTimeout(() => { const b = box.firstChild; b.disabled = false; let x = 0; const step = () => { b.style.left = (x += 10) + "px"; if (x < 200) requestAnimationFrame(step); else b.onclick = () => window.clicked = x }; step() }, 200);
  </script>`);
  await ask("click", "text=Late");
  assert.equal(await ask("clicked"), "200");
});

test("what never comes is an error with the nearest, after its time", async () => {
  const { page } = await visit("<button>Save draft</button><button>Publish</button>");
  const { stderr, code } = await refused(stage, page, "--timeout", "0.3", "click", "text=Save all");
  assert.match(
    stderr,
    /^error: page: text=Save all: nothing there, within 0.3 s\nhint: nearest: `e\d+ \[Save draft\]`, `e\d+ \[Publish\]`/,
  );
  assert.equal(code, 124);
  assert.match((await refused(stage, page, "--timeout", "0.2", "click", "#none")).stderr, /#none: nothing there/);
});

test("what is covered is not clicked, and the error names what covers it", async () => {
  const { page, ask } = await visit(
    '<button onclick="window.hit = 1">Under</button><div style="position:fixed;inset:0;background:#0008" role="dialog" aria-label="Cookies"><button>Accept</button></div>',
  );
  assert.match(
    (await refused(stage, page, "--timeout", "0.3", "click", "text=Under")).stderr,
    /it is covered by e\d+ \[Accept\]/,
  );
  assert.equal(await ask("window.hit ?? 0"), "0");
  assert.match(
    (await refused(stage, (await visit("<button disabled>Off</button>")).page, "--timeout", "0.2", "click", "text=Off"))
      .stderr,
    /it is disabled/,
  );
});

test("a target in doubt is an error that lists its candidates; exact beats partial, visible beats hidden", async () => {
  const { page, ask } = await visit(
    '<button onclick="n=1">Delete</button><button onclick="n=2">Delete</button><button onclick="n=3">Delete all</button><button hidden>Copy</button><button onclick="n=4">Copy</button>',
  );
  const { stderr } = await refused(stage, page, "click", "text=Delete");
  assert.match(
    stderr,
    /^error: page: text=Delete is 2 elements\nhint: name one of them: `(e\d+) \[Delete\]`, `(e\d+) \[Delete\]`/,
  );
  const [, , second = ""] = /`(e\d+) \[Delete\]`, `(e\d+)/.exec(stderr) ?? [];
  await ask("click", second);
  assert.equal(await ask("n"), "2");
  await ask("click", "text=delete all");
  assert.equal(await ask("n"), "3");
  await ask("click", "text=Copy");
  assert.equal(await ask("n"), "4");
});

test("the wrong verb is refused with the right one", async () => {
  const { page } = await visit(
    '<button>B</button><select aria-label="S"><option>1</select><input aria-label="F"><p>P</p><input type="checkbox" aria-label="C"><input type="file" aria-label="U"><input aria-label="R" readonly>',
  );
  for (const [args, why] of [
    [["fill", "text=B", "x"], /fill is not for this\nhint: use `click`/],
    [["check", "text=F"], /check is not for this\nhint: use `fill`/],
    [["click", "text=S"], /click is not for this\nhint: use `select`/],
    [["click", "text=U"], /click is not for this\nhint: use `upload`/],
    [["type", "text=C", "x"], /type is not for this\nhint: use `check`, `uncheck`/],
    [["select", "text=F", "1"], /select is not for this\nhint: use `fill`/],
    [["check", "text=P"], /it takes nothing but a click/],
    [["fill", "text=R", "x"], /it is read-only/],
    [["select", "text=S", "9"], /no option "9"\nhint: its options: `1`/],
    [["press", "Foo"], /no key Foo/],
  ] as const) {
    assert.match((await refused(stage, page, ...args)).stderr, why);
  }
});

test("fill sets a value whole, with the events of a change", async () => {
  const { page, ask } = await visit(
    `<input id="t" aria-label="Name" value="old"><input type="date" aria-label="Day"><input type="number" aria-label="Age"><div contenteditable aria-label="Note" role="textbox">x</div>${RECORD}`,
  );
  assert.equal(await ask("fill", "text=Name", "Ada L"), "~ e1 Name: Ada L (focus)");
  assert.equal(await ask("seen.join()"), "focus,beforeinput,input,change");
  await ask("fill", "text=Day", "2026-11-15");
  assert.equal(await ask("document.querySelector('[type=date]').value"), "2026-11-15");
  assert.match(
    (await refused(stage, page, "fill", "text=Day", "tomorrow")).stderr,
    /this date field does not take "tomorrow"\nhint: write it as `YYYY-MM-DD`/,
  );
  assert.match((await refused(stage, page, "fill", "text=Age", "old")).stderr, /hint: write it as `a number`/);
  await ask("fill", "text=Note", "a note");
  assert.equal(await ask("document.querySelector('[contenteditable]').innerText"), "a note");
});

test("a whole form is one call", async () => {
  const { ask } = await visit(
    `<form onsubmit="event.preventDefault(); out.textContent = [...new FormData(this).entries()].join(' ')"><label>Name <input name="name"></label><label>City <select name="city"><option>Kiel<option>Bonn</select></label><label><input type="checkbox" name="ok"> Agree</label><button>Send</button></form><p id="out"></p>`,
  );
  const report = await ask("fill", "text=Name=Ada", "text=City=Bonn", "text=Agree=true", "--click", "text=Send");
  assert.ok(report.includes("+ name,Ada city,Bonn ok,on"), report);
});

test("type presses key by key at the end, and press does what the browser would", async () => {
  const { ask } = await visit(
    `<input id="t" aria-label="A" value="1" maxlength="4"><textarea aria-label="B"></textarea><button onclick="window.pressed = true">C</button>${RECORD}`,
  );
  await ask("type", "text=A", "23");
  assert.equal(await ask("document.querySelector('#t').value + seen.filter((x) => x === 'keydown').length"), "1232");
  assert.equal(await ask("seen.slice(-5).join()"), "keydown,keypress,beforeinput,input,keyup");
  await ask("type", "text=A", "4567");
  assert.equal(await ask("document.querySelector('#t').value"), "1234");
  await ask("press", "Control+a", "text=A");
  await ask("press", "Backspace");
  assert.equal(await ask("document.querySelector('#t').value"), "");
  await ask("press", "Tab");
  assert.equal(await ask("document.activeElement.ariaLabel"), "B");
  await ask("type", "text=B", "x\ny");
  assert.equal(await ask("document.querySelector('textarea').value"), "x\ny");
  await ask("press", "Tab Space");
  assert.equal(await ask("pressed"), "true");
  await ask("press", "Shift+Tab");
  assert.equal(await ask("document.activeElement.ariaLabel"), "B");
});

test("arrows choose and step, Escape closes a dialog", async () => {
  const { ask } = await visit(
    `<label><input type="radio" name="r" checked> One</label><label><input type="radio" name="r"> Two</label><input type="range" aria-label="V" value="50"><select aria-label="S"><option>a<option>b</select><dialog aria-label="D"><button>In</button></dialog><button onclick="document.querySelector('dialog').showModal()">Open</button>`,
  );
  assert.ok((await ask("press", "ArrowDown", "text=One")).includes("(x) Two"));
  assert.ok((await ask("press", "ArrowRight", "text=V")).includes("51"));
  assert.ok((await ask("press", "ArrowDown", "text=S")).includes("S: b"));
  const opened = await ask("click", "text=Open");
  assert.ok(opened.includes("+ dialog D:"), opened);
  assert.ok((await ask("press", "Escape")).includes("- dialog D:"));
});

test("check and uncheck are about the state, whatever draws it", async () => {
  const { page, ask } =
    await visit(`<style>.sw input{position:absolute;opacity:0}.sw span{display:inline-block;width:40px;height:20px;background:#ccc}</style>
    <label class="sw"><input type="checkbox"><span></span> Fancy</label><div role="switch" aria-checked="false" tabindex="0" onclick="this.ariaChecked = this.ariaChecked !== 'true'">Own</div><label><input type="radio" name="x"> Radio</label>`);
  assert.ok((await ask("check", "text=Fancy")).includes("[x] Fancy"));
  await ask("check", "text=Fancy");
  assert.equal(await ask("document.querySelector('input').checked"), "true");
  assert.ok((await ask("uncheck", "text=Fancy")).includes("[ ] Fancy"));
  assert.ok((await ask("check", "text=Own")).includes("[x] Own"));
  assert.ok((await ask("check", "text=Radio")).includes("(x) Radio"));
  assert.match((await refused(stage, page, "uncheck", "text=Radio")).stderr, /cannot be unchecked/);
});

test("select takes what is read or the value, and several where the list allows it", async () => {
  const { page, ask } = await visit(
    '<select id="one" aria-label="One" onchange="window.changes = (window.changes || 0) + 1"><option value="r">Red<option value="g">Green</select><select multiple id="many" aria-label="Many"><option>S<option>M<option>L</select>',
  );
  assert.ok((await ask("select", "text=One", "green")).includes("One: Green (or Red)"));
  await ask("select", "#one", "r");
  assert.equal(await ask("document.querySelector('#one').value + changes"), "r2");
  assert.ok((await ask("select", "#many", "S", "L")).includes("Many: S, L"));
  assert.match((await refused(stage, page, "select", "#one", "r", "g")).stderr, /takes one choice/);
});

test("hover is told to the page", async () => {
  const { ask } = await visit(
    `<div id="m" onmouseenter="this.firstElementChild.hidden = false" tabindex="0">Menu<ul hidden><li><a href="/x">Entry</a></li></ul></div>`,
  );
  assert.ok((await ask("hover", "#m")).includes("Entry"));
});

test("scroll moves the page or a box, and says where it is", async () => {
  const { ask } = await visit(
    '<div id="list" style="height:100px;overflow:auto"><p style="height:1000px">x</p></div><div style="height:2000px"></div><button>End</button>',
  );
  assert.equal(await ask("scroll", "#list", "--by", "300"), "at 300 of 932 px");
  assert.match(await ask("scroll", "bottom"), /the end$/);
  assert.match(await ask("scroll", "top"), /^at 0 of/);
  await ask("scroll", "text=End");
  assert.equal(await ask("scrollY > 500"), "true");
});

test("drag moves by pointer, with capture, to a place or an element", async () => {
  const { ask } =
    await visit(`<div id="w" style="position:absolute;left:50px;top:50px;width:80px;height:40px;background:#ccc" tabindex="0">Window</div><div id="goal" style="position:absolute;left:300px;top:250px;width:40px;height:40px">Goal</div><script>
    const w = document.querySelector("#w"); let from;
    w.onpointerdown = (e) => { w.setPointerCapture(e.pointerId); from = [e.clientX - w.offsetLeft, e.clientY - w.offsetTop] };
    w.onpointermove = (e) => { if (from) { w.style.left = e.clientX - from[0] + "px"; w.style.top = e.clientY - from[1] + "px" } };
    w.onpointerup = () => { from = undefined };</script>`);
  await ask("drag", "#w", "200,120");
  assert.equal(
    await ask("document.querySelector('#w').style.left + document.querySelector('#w').style.top"),
    "160px100px",
  );
  await ask("drag", "#w", "#goal");
  assert.equal(await ask("document.querySelector('#w').style.left"), "280px");
});

test("drag and drop of HTML carries its data", async () => {
  const { ask } =
    await visit(`<div id="card" draggable="true" style="width:80px">Card</div><div id="column" style="height:80px;margin-top:40px;background:#eee">Column</div><script>
    card.ondragstart = (e) => e.dataTransfer.setData("text/plain", "card 7");
    column.ondragover = (e) => e.preventDefault();
    column.ondrop = (e) => { e.preventDefault(); column.textContent = "has " + e.dataTransfer.getData("text/plain") };
    card.ondragend = () => window.ended = true;</script>`);
  assert.ok((await ask("drag", "#card", "#column")).includes("has card 7"));
  assert.equal(await ask("ended"), "true");
});

test("upload gives files to an input, also one behind a label", async () => {
  const { page, ask } = await visit(
    `<label>Photo <input type="file" hidden onchange="this.files[0].text().then((text) => out.textContent = this.files[0].name + ': ' + text)"></label><p id="out"></p>`,
  );
  const file = join(stage.home.folder, "note.txt");
  await writeFile(file, "from the agent");
  await ask("upload", "input", file);
  await ask("wait", "text=note.txt: from the agent");
  assert.match((await refused(stage, page, "upload", "#out", file)).stderr, /takes no files/);
});

test("under a policy without eval everything works", async () => {
  const policy = `script-src ${stage.home.url} 'nonce-x'; require-trusted-types-for 'script'; trusted-types other`;
  const { ask } = await visit(
    '<button>Go</button><label>Name <input></label><p></p><script nonce="x">document.querySelector("button").onclick = () => { document.querySelector("p").textContent = "Gone" }</script>',
    { "content-security-policy": policy },
  );
  assert.equal(await ask("look"), "e1 [Go] | e2 Name: _");
  assert.ok((await ask("click", "e1")).includes("+ Gone"));
  assert.ok((await ask("fill", "e2", "Ada")).includes("~ e2 Name: Ada"));
  assert.equal(await ask("wait", "text=Gone"), "e3 Gone");
  assert.equal(await ask("logs"), "");
});

test("a page that replaces its DOM while it is acted on is acted on as it is then", async () => {
  const { ask } = await visit(`<div id="app"></div><script>
    let clicks = 0, typed = ""; const app = document.querySelector("#app");
    const draw = () => { app.innerHTML = '<button>Count ' + clicks + '</button><input aria-label="Word" value="' + typed + '">'; app.firstChild.onclick = () => { clicks++; draw() }; app.lastChild.oninput = (e) => { typed = e.target.value; draw() } };
    draw(); setInterval(draw, 15);</script>`);
  assert.ok((await ask("click", "text=Count")).includes("[Count 1]"));
  assert.ok((await ask("fill", "text=Word", "hello")).includes("Word: hello"));
  assert.equal(await ask("clicks + typed"), "1hello");
});

test("refs of a look are what the verbs take, with or without @", async () => {
  const { ask } = await visit('<button onclick="n = 1">One</button>');
  const ref = refOf(await ask("look"), "One");
  await ask("click", `@${ref}`);
  assert.equal(await ask("n"), "1");
});
