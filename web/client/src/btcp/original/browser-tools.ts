// The browser tools of btcp-client, implemented with a browser agent: names, schemas and results.

import { BTCPExecutionError, type BTCPToolDefinition, createImageContent } from "./messages.js";

type Options = Record<string, unknown>;

/** An object that drives the browser; the interface of btcp-browser-agent. */
export interface BrowserAgent {
  snapshot(options?: Options): Promise<unknown>;
  click(selector: string, options?: Options): Promise<unknown>;
  fill(selector: string, value: string): Promise<unknown>;
  type(selector: string, text: string, options?: Options): Promise<unknown>;
  hover(selector: string): Promise<unknown>;
  press(key: string, selector?: string): Promise<unknown>;
  scroll(options: Options): Promise<unknown>;
  waitFor(selector: string, options?: Options): Promise<unknown>;
  getText(selector: string): Promise<string>;
  getAttribute(selector: string, attribute: string): Promise<string | null>;
  isVisible(selector: string): Promise<boolean>;
  getUrl(): Promise<string>;
  getTitle(): Promise<string>;
  screenshot(options?: Options): Promise<string>;
  evaluate(script: string): Promise<unknown>;
  execute(command: { action: string } & Options): Promise<unknown>;
}

export interface BrowserTool {
  readonly definition: BTCPToolDefinition;
  run(agent: BrowserAgent, args: Options): unknown;
}

function tool(
  name: string,
  description: string,
  capability: string,
  required: readonly string[],
  optional: readonly string[],
  run: BrowserTool["run"],
): BrowserTool {
  const properties = Object.fromEntries([...required, ...optional].map((key) => [key, {}]));
  for (const key of required) properties[key] = { type: "string" };
  const definition = {
    name,
    description,
    inputSchema: { type: "object", properties, required: [...required] },
    capabilities: [capability],
  };
  const checked: BrowserTool["run"] = (agent, args) => {
    const missing = required.find((key) => args[key] === undefined || args[key] === "");
    if (missing !== undefined && !(missing === "value" && args.value === ""))
      throw new BTCPExecutionError(`${missing} is required`);
    return run(agent, args);
  };
  return { definition, run: checked };
}

const READ = "dom:read";
const INTERACT = "dom:interact";
const text = (value: unknown): string => String(value);

export const BROWSER_TOOLS: readonly BrowserTool[] = [
  tool("browser_snapshot", "Read the page as a snapshot", READ, [], ["selector"], (agent, args) =>
    agent.snapshot(args),
  ),
  tool(
    "browser_click",
    "Click an element",
    INTERACT,
    ["selector"],
    ["button", "clickCount"],
    async (agent, { selector, ...more }) => {
      await agent.click(text(selector), more);
      return `Clicked: ${text(selector)}`;
    },
  ),
  tool("browser_fill", "Fill a field", INTERACT, ["selector", "value"], [], async (agent, { selector, value }) => {
    await agent.fill(text(selector), text(value));
    return `Filled ${text(selector)} with value`;
  }),
  tool(
    "browser_type",
    "Type text into an element",
    INTERACT,
    ["selector", "text"],
    ["delay"],
    async (agent, { selector, text: typed, ...more }) => {
      await agent.type(text(selector), text(typed), more);
      return `Typed text into ${text(selector)}`;
    },
  ),
  tool("browser_hover", "Hover over an element", INTERACT, ["selector"], [], async (agent, { selector }) => {
    await agent.hover(text(selector));
    return `Hovered over: ${text(selector)}`;
  }),
  tool("browser_press", "Press a key", INTERACT, ["key"], ["selector"], async (agent, { key, selector }) => {
    await agent.press(text(key), typeof selector === "string" ? selector : undefined);
    return `Pressed key: ${text(key)}`;
  }),
  tool(
    "browser_scroll",
    "Scroll the page or an element",
    INTERACT,
    [],
    ["direction", "amount", "selector"],
    async (agent, args) => {
      await agent.scroll(args);
      return "Scrolled page";
    },
  ),
  tool(
    "browser_wait",
    "Wait for an element",
    READ,
    ["selector"],
    ["timeout", "state"],
    async (agent, { selector, ...more }) => {
      await agent.waitFor(text(selector), more);
      return `Element found: ${text(selector)}`;
    },
  ),
  tool("browser_get_text", "Read the text of an element", READ, ["selector"], [], (agent, { selector }) =>
    agent.getText(text(selector)),
  ),
  tool(
    "browser_get_attribute",
    "Read an attribute of an element",
    READ,
    ["selector", "attribute"],
    [],
    async (agent, { selector, attribute }) => text(await agent.getAttribute(text(selector), text(attribute))),
  ),
  tool("browser_is_visible", "Tell whether an element is visible", READ, ["selector"], [], async (agent, args) =>
    text(await agent.isVisible(text(args.selector))),
  ),
  tool("browser_get_url", "Tell the page's URL", READ, [], [], (agent) => agent.getUrl()),
  tool("browser_get_title", "Tell the page's title", READ, [], [], (agent) => agent.getTitle()),
  tool("browser_screenshot", "Take a picture of the page", READ, [], ["fullPage"], async (agent, args) => [
    createImageContent(await agent.screenshot(args)),
  ]),
  tool("browser_execute", "Run a command of the browser agent", "browser:execute", ["action"], [], (agent, args) =>
    agent.execute({ ...args, action: text(args.action) }),
  ),
];
