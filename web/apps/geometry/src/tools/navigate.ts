// `navigate_map`: moves the camera, by grid units or to a named region.

import { failed, invalid } from "../failure.js";
import { GRID_PIXELS, isRegionName, PLACE_MAX, REGIONS, ZOOM_MAX, ZOOM_MIN, type Camera } from "../map/camera.js";
import { isNumber, type Args, type GeometryTool } from "./tool.js";

const NAMES = Object.keys(REGIONS);
const GRID_MAX = Math.floor(PLACE_MAX / GRID_PIXELS);

export const NAVIGATE: GeometryTool = {
  name: "navigate_map",
  title: "Navigate Map",
  description:
    "Moves the view over the infinite map: to grid coordinates, to a named region, or to another zoom. A region overrides x and y, zoom overrides the region's.",
  inputSchema: {
    type: "object",
    properties: {
      x: { type: "number", description: "Grid units; 1 is 100 map pixels" },
      y: { type: "number", description: "Grid units; 1 is 100 map pixels" },
      zoom: { type: "number", minimum: ZOOM_MIN, maximum: ZOOM_MAX },
      region: { type: "string", enum: NAMES },
    },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false },
  run(args, { viewport }) {
    const { camera, region } = wanted(args, viewport.camera);
    viewport.goTo(camera, "gliding");
    const { bounds } = viewport;
    if (bounds === null) throw failed("Viewport not initialized");
    return { success: true, camera: viewport.camera, visibleBounds: bounds, region };
  },
};

function wanted({ x, y, zoom, region }: Args, now: Camera): { readonly camera: Camera; readonly region: string } {
  if (zoom !== undefined && (!isNumber(zoom) || zoom < ZOOM_MIN || zoom > ZOOM_MAX))
    throw invalid(`zoom must be a number between ${String(ZOOM_MIN)} and ${String(ZOOM_MAX)}`);
  if (region !== undefined) {
    if (!isRegionName(region)) throw invalid(`region must be one of: ${NAMES.join(", ")}`);
    const named = REGIONS[region];
    return { camera: { x: named.x * GRID_PIXELS, y: named.y * GRID_PIXELS, zoom: zoom ?? named.zoom }, region };
  }
  return { camera: { x: pixels("x", x, now.x), y: pixels("y", y, now.y), zoom: zoom ?? now.zoom }, region: "custom" };
}

function pixels(name: string, value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (!isNumber(value)) throw invalid(`${name} must be a finite number`);
  if (Math.abs(value) > GRID_MAX)
    throw invalid(`${name} must be between -${String(GRID_MAX)} and ${String(GRID_MAX)} grid units`);
  return value * GRID_PIXELS;
}
