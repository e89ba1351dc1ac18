// The eight tools in the original's order, then those that manage area agents.

import { AGENT } from "./agent.js";
import { AGENT_ASK, AGENT_CONTROL, AGENT_LIST } from "./agents.js";
import { CARTRIDGE } from "./cartridge.js";
import { EVOLUTION } from "./evolution.js";
import { HILBERT } from "./hilbert.js";
import { LLM } from "./llm.js";
import { NAVIGATE } from "./navigate.js";
import { PROGRAM } from "./program.js";
import { STATE } from "./state.js";
import type { GeometryTool } from "./tool.js";

export const TOOLS: readonly GeometryTool[] = [
  NAVIGATE,
  STATE,
  PROGRAM,
  CARTRIDGE,
  HILBERT,
  EVOLUTION,
  LLM,
  AGENT,
  AGENT_LIST,
  AGENT_ASK,
  AGENT_CONTROL,
];
