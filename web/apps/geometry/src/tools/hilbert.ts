// `query_hilbert_address`: the position of an index of the Hilbert curve, and the map's pixel there. The grid begins at
// the map's origin.

import { invalid } from "../failure.js";
import { d2xy, GRID_SIZE_MAX, isGridSize } from "../hilbert.js";
import { PLACE_MAX, type Point } from "../map/camera.js";
import { flag, isNumber, isObject, wholeNumber, type GeometryTool, type System } from "./tool.js";

const CONTEXT_MAX = 10;

export const HILBERT: GeometryTool = {
  name: "query_hilbert_address",
  title: "Query Hilbert Address",
  description:
    "Converts an index of the Hilbert curve to coordinates in map pixels and reads the pixel there, with its neighbours along the curve if wanted.",
  inputSchema: {
    type: "object",
    properties: {
      hilbert_index: { type: "number", description: "1D Hilbert index, a whole number" },
      grid_size: { type: "number", default: 256, description: "Pixels a side, a power of 2" },
      read_pixels: { type: "boolean", default: true },
      context_range: {
        type: "number",
        default: 0,
        minimum: 0,
        maximum: CONTEXT_MAX,
        description: "How many neighbours along the curve, each way",
      },
      origin: {
        type: "object",
        properties: { x: { type: "number" }, y: { type: "number" } },
        required: ["x", "y"],
        additionalProperties: false,
        description: "The map pixel at which the grid begins; the map's origin if left out",
      },
    },
    required: ["hilbert_index"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
  run(args, system) {
    const { hilbert_index: index, grid_size: size = 256 } = args;
    if (!isNumber(size) || !isGridSize(size)) throw invalid(sizeWrong(size));
    if (!isNumber(index)) throw invalid("hilbert_index must be a finite number");
    if (!Number.isInteger(index)) throw invalid("hilbert_index must be a whole number");
    if (index < 0) throw invalid("hilbert_index must be non-negative");
    if (index >= size * size)
      throw invalid(
        `hilbert_index ${String(index)} exceeds grid capacity (${String(size * size)} for ${String(size)}x${String(size)})`,
      );
    const range = wholeNumber(args, "context_range", 0, 0, CONTEXT_MAX);
    const origin = originOf(args.origin, size);
    const reads = flag(args, "read_pixels", true);
    const at = (one: number): object => read(system, size, one, origin, reads);
    const { x, y } = d2xy(size, index);
    system.mark(origin.x + x, origin.y + y);
    return {
      success: true,
      hilbert_index: index,
      grid_size: size,
      ...at(index),
      ...(range > 0 && { context: neighbours(index, range, size).map((one) => ({ hilbert_index: one, ...at(one) })) }),
    };
  },
};

/** Coordinates are those of the grid; if it does not begin at the origin, the map's position is included. */
function read({ map }: System, size: number, index: number, origin: Point, reads: boolean): object {
  const coordinates = d2xy(size, index);
  const place = { x: origin.x + coordinates.x, y: origin.y + coordinates.y };
  return {
    coordinates,
    ...((origin.x !== 0 || origin.y !== 0) && { map: place }),
    ...(reads && { rgba: map.at(place.x, place.y) }),
  };
}

/** The indices before and after it, within the curve. */
function neighbours(index: number, range: number, size: number): readonly number[] {
  return Array.from({ length: 2 * range + 1 }, (_, at) => index - range + at).filter(
    (one) => one !== index && one >= 0 && one < size * size,
  );
}

function sizeWrong(size: unknown): string {
  const wrong = "grid_size must be a positive power of 2 (e.g., 64, 128, 256, 512)";
  return isNumber(size) && size > GRID_SIZE_MAX ? `${wrong}, at most ${String(GRID_SIZE_MAX)}` : wrong;
}

function originOf(origin: unknown, size: number): Point {
  if (origin === undefined) return { x: 0, y: 0 };
  const { x, y } = isObject(origin) ? origin : {};
  const isPlace = (place: unknown): place is number =>
    Number.isInteger(place) && Math.abs(place as number) <= PLACE_MAX - size;
  if (!isPlace(x) || !isPlace(y)) throw invalid("origin must be an object with x and y, whole numbers of map pixels");
  return { x, y };
}
