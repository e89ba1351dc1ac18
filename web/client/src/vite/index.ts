// The entry "eye-client/vite": pages of the dev server join the hub through the dev server's own origin, so that no
// policy, permission or certificate is in the way. It applies to `vite dev` only, not to builds and previews.

import { readFile } from "node:fs/promises";
import type { Connect, Plugin, ProxyOptions } from "vite";
import { HubProbe } from "./hub.js";
import { settings, type EyeOptions } from "./options.js";

export type { EyeOptions } from "./options.js";

const HOT = "virtual:eye/hot";
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
const OFFERS = /\.tool\s*\(/;
/** The package's root, relative to this file. */
const CLIENT = new URL("../", import.meta.url);

export default function eye(options: EyeOptions = {}): Plugin {
  const { hub: url, path, start } = settings(options, process.env.EYE_PORT);
  const hub = new HubProbe(url, console);
  let direct = false;
  return {
    name: "eye",
    apply: (_, { command, isPreview }) => command === "serve" && isPreview !== true,
    // After JSX and types are transformed.
    enforce: "post",
    config: () => ({ server: { proxy: { [`^${escaped(path)}/(?:ws|why)(?:\\?|$)`]: proxy(hub, path) } } }),
    configResolved({ logger, server }) {
      hub.voice = logger;
      // In middleware mode the socket belongs to another server, which this plugin cannot proxy.
      direct = server.middlewareMode !== false;
    },
    configureServer({ middlewares, httpServer }) {
      middlewares.use(client(path));
      httpServer?.once("listening", () => void (start ? hub.start() : Promise.resolve()).then(() => hub.there()));
    },
    transformIndexHtml: () => [
      {
        tag: "script",
        attrs: { src: `${path}/eye.js`, ...(direct ? { "data-hub": url.href } : {}) },
        injectTo: "head-prepend",
      },
    ],
    resolveId: (id) => (id === HOT ? `\0${HOT}` : undefined),
    load: (id) => (id === `\0${HOT}` ? readFile(new URL("vite/hot.js", CLIENT), "utf8") : undefined),
    transform(code, id, options) {
      if (options?.ssr === true || id.includes("/node_modules/") || id.startsWith("\0") || !OFFERS.test(code))
        return undefined;
      const name = JSON.stringify(id.replace(/\?t=\d+$/, ""));
      // On the first line, so that line numbers do not change.
      const before = `import { own as __eyeOwn } from "${HOT}"; const __eyeMine = __eyeOwn(${name}); `;
      return {
        code: `${before}${code}\n__eyeMine.done();\nif (import.meta.hot) import.meta.hot.prune(() => __eyeMine.gone());\n`,
        map: null,
      };
    },
  };
}

/** Vite's own proxy, with handling for an absent hub: Vite would log a stack every time a page tries. */
function proxy(hub: HubProbe, path: string): ProxyOptions {
  /** Page URLs that were refused since the hub was last there. */
  const warned = new Set<string>();
  return {
    target: hub.url.origin,
    ws: true,
    // The hub expects its own host name. The page's origin is in the Origin header, which is not changed.
    changeOrigin: true,
    // A certificate that `eye tls` made for this machine is trusted by the browser, but not known to Node.
    secure: !LOOPBACK.test(hub.url.hostname),
    rewrite: (from) => hub.url.pathname.replace(/\/$/, "") + from.slice(path.length),
    bypass: async ({ url = "", socket }, response) => {
      if (await hub.there()) {
        warned.clear();
        return undefined;
      }
      if (response !== undefined) {
        response
          .writeHead(503, { "content-type": "application/json" })
          .end(JSON.stringify({ allowed: false, ...hub.advice }));
        return path;
      }
      // The first request is refused, so that the page finds out the reason and reports it. Later ones wait here, since
      // browsers log a line for every refusal.
      if (!warned.has(url)) {
        warned.add(url);
        return false;
      }
      socket.on("error", () => undefined);
      return (await hub.awaited(socket)) ? undefined : false;
    },
  };
}

/** Serves this package's page client and its parts, so that `eye` exists with or without a hub. */
function client(path: string): Connect.NextHandleFunction {
  return (request, response, next) => {
    const [, part, name] = new RegExp(`^${escaped(path)}/(eye/)?([a-z]+\\.js)(?:\\?|$)`).exec(request.url ?? "") ?? [];
    if (name === undefined || (part === undefined) !== (name === "eye.js")) {
      next();
      return;
    }
    readFile(new URL(name, CLIENT)).then(
      (script) =>
        response
          .writeHead(200, { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" })
          .end(script),
      () => response.writeHead(404).end(),
    );
  };
}

function escaped(path: string): string {
  return path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
