// Forms that are declared as tools, in a real browser against a scripted hub: supported by the browser, or by the
// client.

import assert from "node:assert/strict";
import { after } from "node:test";
import { begin, call, ended, lacks, offered, offers, Stage, type Kind } from "./webmcp-stage.js";

const stage = new Stage();
after(() => stage.close());

const EYE = '<script src="/eye.js"></script>';
/** Supported by the browser; by the client; by the client, with the polyfill. */
const EYES: readonly (readonly [string, Kind, string])[] = [
  ["", "native", EYE],
  ["", "none", EYE],
  [", polyfilled", "none", '<script src="/eye.js" data-webmcp></script>'],
];

const FIELDS = `
  <label>Guest <input name="guest" required></label>
  <input name="mail" type="email" toolparamdescription="Where to write to">
  <textarea name="notes" aria-description="Anything else"></textarea>
  <input name="seats" type="number" min="1" max="9"><input name="rating" type="range"><input name="odd" type="number" min="1" step="2">
  <input name="vegan" type="checkbox"><input name="day" type="date">
  <select name="room"><option value="a">Alpha</option><option value="b">Beta</option></select>
  <select name="extras" multiple><option>tea</option><option>cake</option></select>
  <label><input type="radio" name="time" value="noon">At noon</label><label><input type="radio" name="time" value="night" required>At night</label>
  <input type="checkbox" name="tags" value="x"><input type="checkbox" name="tags" value="y">
  <input type="hidden" name="token" value="1"><input type="file" name="scan"><input name="off" disabled><input name="fixed" readonly value="f">
  <input name="twice"><input name="twice" type="number"><button name="go" value="1">Book</button>`;

const form = (attributes = "toolautosubmit", fields = FIELDS): string =>
  `<form id="form" toolname="book" tooldescription="Books a table." ${attributes}>${fields}</form>`;
const RESPONDS = `<script>
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    globalThis.invoked = event.agentInvoked;
    if (event.agentInvoked) event.respondWith(Promise.resolve({ got: [...new FormData(form, event.submitter)].map((entry) => entry.join("=")) }));
  });
</script>`;

for (const [more, kind, eye] of EYES) {
  stage.scene(`a form is a tool with a schema made of its fields${more}`, kind, eye + form(), async ({ page }) => {
    const { description, inputSchema } = await offers(page, "book");
    assert.equal(description, "Books a table.");
    const choice = (value: string, title?: string): object => ({
      type: "string",
      const: value,
      ...(title === undefined ? {} : { title }),
    });
    const { day, ...properties } = inputSchema?.properties ?? {};
    assert.deepEqual(properties, {
      guest: { type: "string", description: "Guest" },
      mail: { type: "string", description: "Where to write to" },
      notes: { type: "string", description: "Anything else" },
      seats: { type: "number", minimum: 1, maximum: 9, multipleOf: 1 },
      rating: { type: "number", minimum: 0, maximum: 100, multipleOf: 1 },
      odd: { type: "number", minimum: 1 },
      vegan: { type: "boolean" },
      room: { type: "string", anyOf: [choice("a", "Alpha"), choice("b", "Beta")], enum: ["a", "b"] },
      extras: {
        type: "array",
        items: { type: "string", anyOf: [choice("tea", "tea"), choice("cake", "cake")], enum: ["tea", "cake"] },
        uniqueItems: true,
      },
      time: {
        type: "string",
        anyOf: [choice("noon", "At noon"), choice("night", "At night")],
        enum: ["noon", "night"],
      },
      tags: {
        type: "array",
        items: { type: "string", anyOf: [choice("x"), choice("y")], enum: ["x", "y"] },
        uniqueItems: true,
      },
    });
    assert.deepEqual(
      [(day as { format: string }).format, inputSchema?.required.toSorted()],
      ["date", ["guest", "time"]],
    );
  });

  stage.scene(
    `a form that submits itself is filled, submitted, and answers with what the page responds${more}`,
    kind,
    eye + form() + RESPONDS,
    async ({ page, tab, noise }) => {
      await offers(page, "book");
      await tab.evaluate(
        "globalThis.heard = []; for (const type of ['input', 'change']) form.addEventListener(type, ({ target }) => heard.push(`${type} ${target.name}`))",
      );
      const args = {
        guest: "Ada",
        seats: 3,
        vegan: true,
        day: "2026-12-24",
        room: "b",
        extras: ["cake"],
        time: "night",
        tags: ["y"],
      };
      assert.deepEqual((await call(page, "book", args)).result, {
        got: [
          "guest=Ada",
          "mail=",
          "notes=",
          "seats=3",
          "rating=50",
          "odd=",
          "vegan=on",
          "day=2026-12-24",
          "room=b",
          "extras=cake",
          "time=night",
          "tags=y",
          "token=1",
          "scan=[object File]",
          "fixed=f",
          "twice=",
          "twice=",
          "go=1",
        ],
      });
      assert.equal(await tab.evaluate("invoked"), true);
      const heard = await tab.evaluate<string[]>("heard");
      for (const name of Object.keys(args))
        assert.ok(heard.includes(`input ${name}`) && heard.includes(`change ${name}`), name);
      assert.deepEqual(noise, []);
    },
  );

  stage.scene(
    `a person's own submit is no call${more}`,
    kind,
    eye + form("toolautosubmit", '<input name="x"><button>Go</button>') + RESPONDS,
    async ({ page, tab }) => {
      await offers(page, "book");
      await tab.click("button");
      assert.ok(!(await tab.evaluate("invoked")));
    },
  );

  stage.scene(
    `what cannot be filled in is an error that says why, and nothing is submitted${more}`,
    kind,
    eye + form() + RESPONDS,
    async ({ page, tab }) => {
      await offers(page, "book");
      const message = async (args: object): Promise<string> => (await call(page, "book", args)).error?.message ?? "";
      assert.match(
        await message({ guest: "Ada", nonsense: 1 }),
        /Input contains a parameter "nonsense" but there is no such parameter for the tool/,
      );
      assert.match(
        await message({ guest: "Ada", time: "noon", seats: "many" }),
        /Invalid value "many" for parameter seats/,
      );
      assert.match(await message({ guest: "Ada", time: "noon", room: "z" }), /Invalid value "z" for parameter room/);
      assert.match(
        await message({ guest: "Ada", time: "noon", seats: 3, mail: "nobody" }),
        /Form validation failed: mail: .*@/,
      );
      assert.equal(await tab.evaluate("globalThis.invoked"), undefined);
    },
  );

  stage.scene(
    `a page that prevents the submit and responds nothing is said so${more}`,
    kind,
    `${eye}${form("toolautosubmit", '<input name="x">')}<script>form.onsubmit = (event) => event.preventDefault();</script>`,
    async ({ page }) => {
      await offers(page, "book");
      assert.match(
        (await call(page, "book", { x: "1" })).error?.message ?? "",
        /^(?:\w+: )?The site has a programming error: it called preventDefault\(\) on the 'submit' event, without also calling respondWith\(\)/,
      );
    },
  );

  stage.scene(
    `a form that waits for a person answers once it is submitted${more}`,
    kind,
    eye + form("", '<input name="x"><button id="go">Go</button>') + RESPONDS,
    async ({ page, tab }) => {
      await offers(page, "book");
      const id = begin(page, "book", { x: "typed" });
      await tab.waitForFunction("document.activeElement.id === 'go' && form.x.value === 'typed'");
      assert.equal(await tab.evaluate("globalThis.invoked"), undefined);
      await tab.click("#go");
      assert.deepEqual((await ended(page, id)).result, { got: ["x=typed"] });
    },
  );

  stage.scene(
    `a person who resets the form, and a page that removes it, end the call${more}`,
    kind,
    eye + form("", '<input name="x"><button id="go">Go</button>'),
    async ({ page, tab }) => {
      await offers(page, "book");
      const reset = begin(page, "book", { x: "typed" });
      await tab.waitForFunction("form.x.value === 'typed'");
      await tab.evaluate("form.reset()");
      assert.match((await ended(page, reset)).error?.message ?? "", /Tool execution cancelled by a form reset$/);
      const removed = begin(page, "book", { x: "again" });
      await tab.waitForFunction("form.x.value === 'again'");
      await tab.evaluate("form.remove()");
      assert.match(
        (await ended(page, removed)).error?.message ?? "",
        /Tool execution cancelled, since tool definition was updated$/,
      );
      await lacks(page, "book");
    },
  );

  stage.scene(
    `a form that leaves the page answers before it does${more}`,
    kind,
    eye + form("toolautosubmit action='/done'", '<input name="x">'),
    async ({ hub, page, tab }) => {
      hub.pages.set("/done", "<title>Done</title>");
      await offers(page, "book");
      assert.deepEqual((await call(page, "book", { x: "1" })).result, null);
      await tab.waitForURL("**/done?x=1");
    },
  );

  stage.scene(
    `a pattern that the hub cannot check is the form's own to check${more}`,
    kind,
    eye + form("toolautosubmit", `<input name="code" pattern="(?=.*\\d).{3,}"><input name="word" pattern="[a-z]+">`),
    async ({ page }) => {
      assert.deepEqual((await offers(page, "book")).inputSchema?.properties, {
        code: { type: "string" },
        word: { type: "string", pattern: "[a-z]+" },
      });
      assert.match((await call(page, "book", { code: "abc" })).error?.message ?? "", /Form validation failed: code: /);
    },
  );

  stage.scene(`forms that come, change and go are followed${more}`, kind, eye, async ({ page, tab }) => {
    await tab.evaluate(`document.body.innerHTML = ${JSON.stringify(form("", '<input name="x">'))}`);
    await offers(page, "book");
    await tab.evaluate("form.insertAdjacentHTML('beforeend', '<input name=y required>')");
    await offers(page, "book", ({ inputSchema }) => inputSchema?.required.join() === "y");
    await tab.evaluate("form.setAttribute('tooldescription', 'Books anything.')");
    await offers(page, "book", ({ description }) => description === "Books anything.");
    await tab.evaluate("form.setAttribute('toolname', 'reserve')");
    await offers(page, "reserve");
    await lacks(page, "book");
    await tab.evaluate("form.remove()");
    await lacks(page, "reserve");
    assert.equal(offered(page).size, 0);
  });
}

stage.scene(
  "what is no form of a tool is none, and the first of a name is it",
  "none",
  `${EYE}
  <form toolname="a b" tooldescription="d"></form><form toolname="undescribed"></form><form tooldescription="unnamed"></form>
  <form toolname="f" tooldescription="first"></form><form toolname="f" tooldescription="second"></form>`,
  async ({ page }) => {
    await offers(page, "f");
    assert.deepEqual(
      [...offered(page)].map(([name, { description }]) => [name, description]),
      [["f", "first"]],
    );
  },
);

stage.scene(
  "passwords are a person's to fill in",
  "none",
  `${EYE}${form("toolautosubmit", '<input name="user"><input name="pass" type="password" required>')}`,
  async ({ page }) => {
    assert.deepEqual(Object.keys((await offers(page, "book")).inputSchema?.properties ?? {}), ["user"]);
    assert.match((await call(page, "book", { user: "u" })).error?.message ?? "", /^Form validation failed: pass: /);
    assert.match((await call(page, "book", { user: "u", pass: "p" })).error?.message ?? "", /no such parameter/);
  },
);

stage.scene(
  "a field of React's, which watches its own, hears of the value",
  "none",
  `${EYE}${form("toolautosubmit", '<input name="x">')}<script>
  const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  let last = "";
  Object.defineProperty(form.x, "value", { configurable: true, get: own.get, set(value) { last = value; own.set.call(this, value); } });
  form.x.addEventListener("input", () => { if (form.x.value !== last) { last = form.x.value; globalThis.noticed = last; } });
</script>${RESPONDS}`,
  async ({ page, tab }) => {
    await offers(page, "book");
    await call(page, "book", { x: "seen" });
    assert.equal(await tab.evaluate("noticed"), "seen");
  },
);
