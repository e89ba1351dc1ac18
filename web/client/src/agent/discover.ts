// Ranks tools by words: an exact name first, then by the number of matching words; names count more than descriptions.

import { signature, type ListedTool } from "./signature.js";

const WHOLE_IN_NAME = 4;
const PART_OF_NAME = 2;
const IN_DESCRIPTION = 1;

export function rank<Tool extends ListedTool>(tools: readonly Tool[], query: string): Tool[] {
  const wanted = query.trim();
  if (wanted === "") return [...tools];
  const words = split(wanted);
  return tools
    .map((tool) => ({ tool, score: tool.name === wanted ? Infinity : score(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => (a.score === b.score ? a.tool.name.localeCompare(b.tool.name) : b.score - a.score))
    .map(({ tool }) => tool);
}

export function describe(tools: readonly ListedTool[]): string[] {
  return tools.map(signature);
}

function score(tool: ListedTool, words: readonly string[]): number {
  const names = new Set(split(tool.name));
  const name = tool.name.toLowerCase();
  const description = split(`${typeof tool.title === "string" ? tool.title : ""} ${tool.description ?? ""}`);
  return words.reduce((sum, word) => {
    const inName = names.has(word) ? WHOLE_IN_NAME : name.includes(word) ? PART_OF_NAME : 0;
    return sum + inName + (description.some((one) => one.startsWith(word)) ? IN_DESCRIPTION : 0);
  }, 0);
}

/** Splits text into words: `browser_getText` gives browser, get and text. */
function split(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
