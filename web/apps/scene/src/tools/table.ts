// All tools of the scene.

import { batchOf } from "./batch.js";
import { CAMERA_TOOLS } from "./camera.js";
import { CONNECTION_TOOLS } from "./connection.js";
import type { SceneTool } from "./define.js";
import { GETTERS } from "./getters.js";
import { FILL, KEY, lightTools } from "./lights.js";
import { SCULPTURE_TOOLS } from "./sculpture.js";

const SINGLE: readonly SceneTool[] = [
  ...SCULPTURE_TOOLS,
  ...lightTools(KEY),
  ...lightTools(FILL),
  ...CAMERA_TOOLS,
  ...GETTERS,
  ...CONNECTION_TOOLS,
];

export const TOOLS: readonly SceneTool[] = [...SINGLE, batchOf(SINGLE)];
