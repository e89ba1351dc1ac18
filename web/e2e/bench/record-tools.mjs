// Records the tools of real MCP servers for the retrieval benchmark: installs each server below TARGET/retrieval,
// starts it, and writes its list of tools to TARGET/retrieval/tools.json. No text of a server is committed.
// `node bench/record-tools.mjs TARGET`.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { makePython, run } from "../../harness/install.mjs";

/** How long one server may take to list its tools. */
const LIST_MS = 60_000;

/**
 * Versions are pinned: the queries of crates/eye-mcp/bench were written for these tools. The keys are invented; listing
 * needs none.
 */
const SERVERS = [
  {
    name: "filesystem",
    npm: "@modelcontextprotocol/server-filesystem@2026.8.31",
    bin: "mcp-server-filesystem",
    args: ["."],
  },
  { name: "memory", npm: "@modelcontextprotocol/server-memory@2026.8.31", bin: "mcp-server-memory" },
  { name: "everything", npm: "@modelcontextprotocol/server-everything@2026.8.31", bin: "mcp-server-everything" },
  {
    name: "thinking",
    npm: "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    bin: "mcp-server-sequential-thinking",
  },
  { name: "playwright", npm: "@playwright/mcp@0.0.83", bin: "playwright-mcp" },
  { name: "devtools", npm: "chrome-devtools-mcp@1.11.0", bin: "chrome-devtools-mcp" },
  { name: "context7", npm: "@upstash/context7-mcp@4.1.1", bin: "context7-mcp" },
  {
    name: "notion",
    npm: "@notionhq/notion-mcp-server@2.5.2",
    bin: "notion-mcp-server",
    env: { NOTION_TOKEN: "ntn_x" },
  },
  {
    name: "github",
    npm: "@modelcontextprotocol/server-github@2025.4.8",
    bin: "mcp-server-github",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "x" },
  },
  {
    name: "gitlab",
    npm: "@modelcontextprotocol/server-gitlab@2025.4.25",
    bin: "mcp-server-gitlab",
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: "x" },
  },
  {
    name: "slack",
    npm: "@modelcontextprotocol/server-slack@2025.4.25",
    bin: "mcp-server-slack",
    env: { SLACK_BOT_TOKEN: "x", SLACK_TEAM_ID: "T0" },
  },
  {
    name: "maps",
    npm: "@modelcontextprotocol/server-google-maps@0.6.2",
    bin: "mcp-server-google-maps",
    env: { GOOGLE_MAPS_API_KEY: "x" },
  },
  {
    name: "brave",
    npm: "@modelcontextprotocol/server-brave-search@0.6.2",
    bin: "mcp-server-brave-search",
    env: { BRAVE_API_KEY: "x" },
  },
  {
    name: "postgres",
    npm: "@modelcontextprotocol/server-postgres@0.6.2",
    bin: "mcp-server-postgres",
    args: ["postgresql://localhost/x"],
  },
  { name: "kubernetes", npm: "mcp-server-kubernetes@4.1.7", bin: "mcp-server-kubernetes" },
  { name: "tavily", npm: "tavily-mcp@0.2.22", bin: "tavily-mcp", env: { TAVILY_API_KEY: "tvly-x" } },
  { name: "firecrawl", npm: "firecrawl-mcp@3.22.2", bin: "firecrawl-mcp", env: { FIRECRAWL_API_KEY: "fc-x" } },
  {
    name: "airtable",
    npm: "airtable-mcp-server@1.14.0",
    bin: "airtable-mcp-server",
    env: { AIRTABLE_API_KEY: "pat.x" },
  },
  {
    name: "mongodb",
    npm: "mongodb-mcp-server@3.0.4",
    bin: "mongodb-mcp-server",
    env: { MDB_MCP_TELEMETRY: "disabled" },
  },
  {
    name: "elasticsearch",
    npm: "@elastic/mcp-server-elasticsearch@0.3.1",
    bin: "mcp-server-elasticsearch",
    env: { ES_URL: "http://localhost:9200", ES_API_KEY: "x" },
  },
  {
    name: "figma",
    npm: "figma-developer-mcp@0.13.2",
    bin: "figma-developer-mcp",
    args: ["--stdio"],
    env: { FIGMA_API_KEY: "x" },
  },
  { name: "git", pip: "mcp-server-git==2026.10.19", bin: "mcp-server-git" },
  { name: "fetch", pip: "mcp-server-fetch==2026.10.24", bin: "mcp-server-fetch" },
  { name: "time", pip: "mcp-server-time==2026.10.19", bin: "mcp-server-time" },
  { name: "sqlite", pip: "mcp-server-sqlite==2025.4.25 mcp<2", bin: "mcp-server-sqlite", args: ["--db-path", "x.db"] },
  { name: "excel", pip: "excel-mcp-server==2.2.2", bin: "excel-mcp-server", args: ["stdio"] },
  {
    name: "atlassian",
    pip: "mcp-atlassian==0.23.1",
    bin: "mcp-atlassian",
    env: {
      JIRA_URL: "https://x.atlassian.net",
      JIRA_USERNAME: "x",
      JIRA_API_TOKEN: "x",
      CONFLUENCE_URL: "https://x.atlassian.net/wiki",
      CONFLUENCE_USERNAME: "x",
      CONFLUENCE_API_TOKEN: "x",
    },
  },
  { name: "arxiv", pip: "arxiv-mcp-server==0.8.2", bin: "arxiv-mcp-server" },
];

const folder = resolve(process.argv[2] ?? "../../target", "retrieval");
mkdirSync(folder, { recursive: true });

/** Installs one server into its own folder, so that a failed installation does not affect the others. */
async function install({ name, npm, pip }) {
  const own = join(folder, "servers", name);
  if (existsSync(join(own, "installed"))) return own;
  mkdirSync(own, { recursive: true });
  if (npm === undefined) {
    await makePython(own, pip.split(" "), own);
  } else {
    writeFileSync(join(own, "package.json"), '{"private":true}');
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", npm], own);
  }
  writeFileSync(join(own, "installed"), "");
  return own;
}

/** Starts a server, does the handshake and lists all pages of its tools. */
async function record(server) {
  const { name, npm, bin, args = [], env = {} } = server;
  const own = await install(server);
  const program = join(own, npm === undefined ? "bin" : "node_modules/.bin", bin);
  const scratch = join(own, "run");
  mkdirSync(scratch, { recursive: true });
  const child = spawn(program, args, {
    cwd: scratch,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (bytes) => (errors = (errors + bytes).slice(-2000)));
  child.stdin.on("error", () => {});
  const waiting = new Map();
  let id = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method, params) =>
    new Promise((done, fail) => (waiting.set(++id, { done, fail }), send({ id, method, params })));
  const fail = (why) => waiting.forEach((pending) => pending.fail(new Error(`${name}: ${why}\n${errors}`)));
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code) => fail(`ended with ${code}`));
  const late = setTimeout(() => fail("no answer in time"), LIST_MS);
  createInterface({ input: child.stdout }).on("line", (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    const pending = waiting.get(message.id);
    if (pending === undefined || message.method !== undefined) return;
    waiting.delete(message.id);
    if (message.error === undefined) pending.done(message.result);
    else pending.fail(new Error(`${name}: ${message.error.message}`));
  });
  try {
    const hello = await ask("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    });
    send({ method: "notifications/initialized" });
    const tools = [];
    let cursor;
    do {
      const page = await ask("tools/list", cursor === undefined ? {} : { cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return { server: name, version: hello.serverInfo?.version, tools };
  } finally {
    clearTimeout(late);
    child.kill("SIGKILL");
  }
}

const file = join(folder, "tools.json");
if (!existsSync(file)) {
  const recorded = [];
  for (const server of SERVERS) {
    try {
      const listed = await record(server);
      recorded.push(listed);
      console.error(`${server.name}: ${listed.tools.length} tools`);
    } catch (error) {
      // A server that cannot list here is left out with its queries: the table says how many were judged.
      console.error(String(error.message).split("\n").slice(0, 3).join(" | "));
    }
  }
  writeFileSync(file, JSON.stringify(recorded));
}
console.log(file);
process.exit(0);
