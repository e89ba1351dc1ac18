// Builds the clients: dist/eye.js for a script tag with its parts beside it, dist/index.js for an import, the plugin and hooks
// for a project's own build, and the copies that the hub carries.

import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { minify } from "terser";

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, "../../crates/eye-hub/assets");
const shared = { absWorkingDir: here, bundle: true, target: "es2022", legalComments: "none", logLevel: "warning" };

// Of this library only the comparison is used; it does not say that the rest may be left out, which would double state.js.
const COMPARISON = "fast-json-patch/module/duplex.mjs";

// Of the computation of names: what it does for browsers that lack what all of ours have, for descriptions, and for roles that no name depends on.
const CUTS = {
  "accessible-name-and-description.mjs": [
    [/  \/\/ polyfill\n  if \(!isLabelableElement[^]*?\n  }\);\n/, "  return null;\n"],
    [/_options\$compute === void 0 \? "name" : _options\$compute/, '"name"'],
    [/_options\$computedStyl === void 0 \? [^,]*/, "true"],
    [/_options\$hidden === void 0 \? false : _options\$hidden/, "false"],
    [/typeof Map === "undefined" \? undefined : new Map\(\)/, "new Map()"],
    [/    if \(computedStyles === undefined\) \{[^]*?    }\n/, ""],
    [/    if \(pseudoElement !== undefined\) \{[^]*?    }\n/, ""],
    [/throw new TypeError\("No knowledge .*/, "return false;"],
  ],
  "getRole.mjs": [
    // No element has one of these roles by itself.
    [/(var prohibitedAttributes = )\{[^]*?\n};/, "$1{};"],
    [
      /  \w+: "(?:article|complementary|definition|group|dialog|term|figure|form|contentinfo|banner|separator|document|listitem|math|main|list|navigation|status|region|table|rowgroup)",?\n/g,
      "",
    ],
    [/\(_element\$localName = [^]*?toLowerCase\(\)/, "element.localName"],
  ],
  "util.mjs": [
    [/node\.getRootNode \? node\.getRootNode\(\) : node\.ownerDocument/, "node.getRootNode()"],
    [/  if \(defaultView === null\) \{[^]*?  }\n/, ""],
  ],
};

const lean = {
  name: "lean",
  setup(build) {
    build.onResolve({ filter: /^fast-json-patch$/ }, ({ kind, resolveDir }) =>
      build.resolve(COMPARISON, { kind, resolveDir }),
    );
    // Every browser that runs this client has these itself.
    build.onResolve({ filter: /polyfills\/(array\.from|SetLike)\.mjs$/ }, ({ path }) => ({
      path,
      namespace: "native",
    }));
    build.onLoad({ filter: /./, namespace: "native" }, ({ path }) => ({
      contents: `export default ${path.includes("from") ? "Array.from" : "Set"}`,
    }));
    build.onLoad({ filter: /dom-accessibility-api.*\.mjs$/ }, ({ path }) => {
      let contents = readFileSync(path, "utf8");
      for (const [what, instead] of CUTS[basename(path)] ?? []) {
        const cut = contents.replace(what, instead);
        if (cut === contents) throw new Error(`nothing to cut in ${path} for ${what}`);
        contents = cut;
      }
      return { contents };
    });
    build.onResolve({ filter: /^\.\/core\.mjs$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    }));
  },
};
shared.plugins = [lean];

// Names of our own that no browser interface and no wire format shares.
const INNER = [
  "aborter awaits bare bracket cancelled compile compiles declared declares edits ends insert",
  "mine navigates navigating newline notifyNow onTaken onWelcome original owns parameters programs realm",
  "kind text depth first names header held compiled drop receive notify flush answer opened closed release look global none",
  "refusal shadowed soon submits takeLast takes tokens told travels trust trustUrl hurry parts last copy blob stop",
];

// Names that the core and its parts share, and that nobody else has: one letter each, the same in every file.
const SHARED =
  "after ask async before blocked called end failure journal joined linesBefore load overheard own put render reply run sorted standIn start take thrown written";
const LETTERS = Object.fromEntries(
  SHARED.split(" ").map((name, at) => [name, String.fromCharCode("A".charCodeAt(0) + at)]),
);
const only = (...names) => new RegExp(`^(?:${names.join(" ").replaceAll(" ", "|")})$`);

mkdirSync(join(here, "dist"), { recursive: true });
mkdirSync(assets, { recursive: true });

/** Bundles what a hub serves: as small as it can be, into dist and into the hub's assets. */
async function asset(name, options) {
  const { outputFiles } = await build({
    ...shared,
    minify: true,
    write: false,
    mangleProps: only(SHARED),
    mangleCache: LETTERS,
    ...options,
  });
  // A second minifier: it sees what the bundler has put together, and saves another 3 percent.
  const { code } = await minify(outputFiles[0].text, {
    compress: {
      passes: 3,
      unsafe_arrows: true,
      unsafe_methods: true,
      unsafe_proto: true,
      keep_fargs: false,
      // What makes the text shorter, but not what is left of it once it is packed.
      lhs_constants: false,
      conditionals: false,
      sequences: false,
      hoist_funs: name !== "parts.js",
    },
    ecma: 2022,
    module: options.format === "esm",
  });
  const script = `${code}\n`;
  writeFileSync(join(here, "dist", name), script);
  writeFileSync(join(assets, name), script);
  console.log(`${name} ${Buffer.byteLength(script)} bytes, ${gzipSync(script, { level: 9 }).length} gzipped`);
}

await asset("eye.js", {
  entryPoints: ["src/script.ts"],
  format: "iife",
  // Fields without a value need no declaration, and would keep their long names in it.
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  mangleProps: only(SHARED, ...INNER),
});
// A part meets the core only by the names of part.ts; of the others only a few are renamed in it.
await asset("parts.js", {
  entryPoints: ["src/parts.ts"],
  format: "esm",
  mangleProps: only(SHARED, "isEmbeddedInLabel isReferenced recursion hit unseen timeoutMs score"),
});
await asset("webmcp.js", {
  entryPoints: ["src/webmcp/part.ts"],
  format: "esm",
  mangleProps: only(SHARED, "gone site over"),
});
await build({ ...shared, entryPoints: ["src/index.ts"], outfile: "dist/index.js", format: "esm" });
// Vite, React and Vue are the project's own; hot.js runs in its pages.
for (const name of ["vite/index", "vite/hot", "react/index", "vue/index"]) {
  await build({
    ...shared,
    entryPoints: [`src/${name}.ts`],
    outfile: `dist/${name}.js`,
    format: "esm",
    packages: "external",
    platform: name === "vite/index" ? "node" : "browser",
  });
}
