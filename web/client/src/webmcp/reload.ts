// Tells a module that was loaded anew from a second tool of the same name: by where the calls come from.

/** Where our own caller was called from: the first address in the stack that is not our own. */
export function siteOf(stack = ""): string {
  const [own, ...rest] = stack.match(/[\w-]+:\/\/[^\s)]+(?=:\d+:\d+)/g) ?? [];
  return rest.find((one) => one !== own) ?? "";
}

/** Dev servers load a module again under another query or as an update; webpack's own addresses stay the same. */
export function isReload(before: string, now: string): boolean {
  return before === now ? now.startsWith("webpack") : plain(before) === plain(now);
}

function plain(site: string): string {
  return site.replace(/[?#].*|\.\w+\.hot-update/g, "");
}
