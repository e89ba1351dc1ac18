// Distinguishes a reloaded module from a second tool of the same name, by the calling script.

/** The script that called our caller: the first URL in the stack that is not our own. */
export function siteOf(stack = ""): string {
  const [own, ...rest] = stack.match(/[\w-]+:\/\/[^\s)]+(?=:\d+:\d+)/g) ?? [];
  return rest.find((one) => one !== own) ?? "";
}

/** Dev servers reload a module under another query or as an update; webpack's URLs stay the same. */
export function isReload(before: string, now: string): boolean {
  return before === now ? now.startsWith("webpack") : plain(before) === plain(now);
}

function plain(site: string): string {
  return site.replace(/[?#].*|\.\w+\.hot-update/g, "");
}
