// The files of a desktop that is opened for the first time.

export const SEED: Readonly<Record<string, string>> = {
  "welcome.md": `# Welcome

This is a small desktop for a person and their agents.
Everything here can be used by hand, by keyboard, and from a shell:

  eye state                     windows, apps, user
  eye 'openNotepad("welcome.md")'
  eye 'ALGO.bridge.getState().user'
  eye fire 'openSystemApp("chat")'

The light in the bar below blinks with every call. Press it to see
what agents did, or to pause them.
`,
  x: "x marks the spot: this file is here so that an example can fetch it, and it is longer than the hundred characters that the example asks for.\n",
  "notes/ideas.md": `Ideas

- let two agents share the desktop: one looks, one acts
- a calendar that an agent keeps
- windows that tidy themselves up: eye call arrange_windows layout=tile
`,
  "notes/shopping.txt": "apples\nbread\ncoffee\na new keyboard\n",
  "scripts/hello.js": `const open = windows.filter((w) => !w.minimized);
\`\${getUser()} has \${open.length} window(s) open\`
`,
  "calendar.json": "{}\n",
};
