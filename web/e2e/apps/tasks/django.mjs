// Django's admin: a login, a list, a form with a list of permissions of which several are chosen.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { peerRef, ref } from "../lib/agent.mjs";
import { freePort, runPython, startPython } from "../lib/server.mjs";

const here = join(import.meta.dirname, "../python");
const GROUPS =
  "from django.contrib.auth.models import Group; import json; " +
  "print(json.dumps([[g.name, [p.codename for p in g.permissions.all()]] for g in Group.objects.all()]))";

export default {
  python: true,
  ready: "#id_username",
  wish: "Log in as admin (password “corpus”) and add a group Editors that may add and change users.",
  async serve({ python, folder }) {
    await mkdir(folder, { recursive: true });
    const port = await freePort();
    const env = {
      DJANGO_SETTINGS_MODULE: "django_settings",
      CORPUS_DB: join(folder, "db.sqlite3"),
      DJANGO_SUPERUSER_PASSWORD: "corpus",
      PYTHONPATH: here,
    };
    const manage = (...args) => runPython(python, ["-m", "django", ...args], { cwd: folder, env });
    await manage("migrate", "--verbosity", "0");
    await manage("createsuperuser", "--noinput", "--username", "admin", "--email", "admin@example.org");
    const args = ["-m", "django", "runserver", "--noreload", String(port)];
    const server = await startPython(python, args, { cwd: folder, env, port, path: "/admin/login/" });
    return {
      ...server,
      url: `${server.url}/admin/auth/group/`,
      reset: () =>
        manage(
          "shell",
          "--no-imports",
          "-c",
          "from django.contrib.auth.models import Group; Group.objects.all().delete()",
        ),
      state: async () => JSON.parse(await manage("shell", "--no-imports", "-c", GROUPS)),
    };
  },
  async eye(agent) {
    const login = await agent.run("look");
    const [name, password] = [ref(login, "Username"), ref(login, "Password")];
    const list = await agent.run(`fill ${name}=admin ${password}=corpus --click ${ref(login, "Log in")}`, "look");
    const form = await agent.run(`click ${ref(list, "Add group")}`, "look");
    await agent.run(
      `fill ${ref(form, "Name")} Editors`,
      `select ${ref(form, "Available permissions")} 'Authentication and Authorization | user | Can add user' 'Authentication and Authorization | user | Can change user'`,
    );
    await agent.run(`click ${ref(form, "Choose selected")}`, `click ${ref(form, /^\[?Save\b(?! and)/)}`);
  },
  async peer(agent) {
    const login = await agent.run("snapshot -i");
    const list = await agent.run(
      `fill ${peerRef(login, "Username")} admin`,
      `fill ${peerRef(login, "Password")} corpus`,
      `click ${peerRef(login, "Log in")}`,
      "wait 2500",
      "snapshot -i",
    );
    const form = await agent.run(`click ${peerRef(list, /Add group/i)}`, "wait 2500", "snapshot -i");
    await agent.run(
      `fill ${peerRef(form, "Name")} Editors`,
      "select '#id_permissions_from' 'Authentication and Authorization | user | Can add user' 'Authentication and Authorization | user | Can change user'",
    );
    await agent.run("click '#id_permissions_add'", "find role button click --name Save --exact");
  },
  check(state) {
    assert.deepEqual(state, [["Editors", ["add_user", "change_user"]]]);
  },
};
