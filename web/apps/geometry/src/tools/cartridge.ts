// `load_rts_cartridge`: fetches a cartridge, decodes it exactly, and places it on the map.

import { acrossOrigins, fetched } from "../backends/fetched.js";
import { HTTP_MS_MAX } from "../backends/limits.js";
import { entropy, gridOf, hex, hilbertBytes, sha256, uniqueColours } from "../cartridge/content.js";
import { decodePng } from "../cartridge/decode.js";
import { SHOWN_PIXELS } from "../cartridge/cartridges.js";
import { textOf as pngText } from "../cartridge/png-text.js";
import { clip } from "../clip.js";
import { failed, invalid, messageOf } from "../failure.js";
import { GRID_PIXELS, PLACE_MAX, type Point } from "../map/camera.js";
import type { Layer, Picture } from "../map/pixel-map.js";
import { flag, isNumber, isObject, MARGIN_MS, textOf, type GeometryTool } from "./tool.js";

const FILE_BYTES_MAX = 32 * 1024 * 1024;
const HEAD_BYTES = 32;
/** An address may contain the picture itself, which the caller knows. */
const URL_CHARS_MAX = 500;
const ZOOM = 1.5;

export const CARTRIDGE: GeometryTool = {
  name: "load_rts_cartridge",
  title: "Load RTS Cartridge",
  description:
    "Loads an .rts.png cartridge onto the map, in its middle unless a position is given, and goes there. What trigger_evolution saves is at its cartridgeUrl.",
  inputSchema: {
    type: "object",
    properties: {
      url: { type: "string", description: "A PNG; an address of this page's own origin may be relative" },
      position: {
        type: "object",
        properties: { x: { type: "number" }, y: { type: "number" } },
        required: ["x", "y"],
        additionalProperties: false,
        description: "Upper left corner in grid units; 1 is 100 map pixels",
      },
      autoNavigate: { type: "boolean", default: true, description: "Goes there, with zoom 1.5" },
    },
    required: ["url"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false },
  timeout: HTTP_MS_MAX + MARGIN_MS,
  async run(args, system, { signal }) {
    const url = textOf(args, "url");
    const corner = cornerOf(args.position);
    const goes = flag(args, "autoNavigate", true);
    const answer = await fetched(url, {}, signal, {
      unreachable: (why) => failed(`Failed to load RTS cartridge: ${why}${acrossOrigins(url)}`),
      late: `Failed to fetch ${url}: no answer within 30s`,
      bytesMax: FILE_BYTES_MAX,
    });
    if (!answer.ok) throw failed(`Failed to fetch ${url}: ${String(answer.status)} ${answer.statusText}`);
    const { picture, source } = await read(answer.bytes);
    const layer = laid(picture, corner, system.viewport.camera);
    const fingerprint = await sha256(picture.rgba as BufferSource);
    const colours = uniqueColours(picture);
    const { id } = system.cartridges.put({
      url,
      name: nameOf(url),
      layer,
      sha256: fingerprint,
      uniqueColors: colours,
      source,
    });
    if (goes)
      system.viewport.goTo({ x: layer.x + layer.width / 2, y: layer.y + layer.height / 2, zoom: ZOOM }, "gliding");
    const { width, height } = picture;
    return {
      success: true,
      url: clip(url, URL_CHARS_MAX),
      id,
      dimensions: `${String(width)}x${String(height)}`,
      pixelCount: width * height,
      byteCount: picture.rgba.length,
      sha256: fingerprint,
      uniqueColors: colours,
      entropy: Math.round(entropy(picture) * 1e6) / 1e6,
      position: { x: layer.x, y: layer.y },
      gridPosition: { x: layer.x / GRID_PIXELS, y: layer.y / GRID_PIXELS },
      scale: layer.scale,
      size: { width: layer.width, height: layer.height },
      hilbert: { grid_size: gridOf(picture), head: hex(hilbertBytes(picture, HEAD_BYTES)) },
      source: source === undefined ? null : { type: "wgsl", chars: source.length },
    };
  },
};

async function read(bytes: Uint8Array): Promise<{ readonly picture: Picture; readonly source: string | undefined }> {
  try {
    return { picture: decodePng(bytes), source: await pngText(bytes, "wgsl") };
  } catch (error) {
    throw failed(`Failed to load RTS cartridge: ${messageOf(error)}`);
  }
}

/** In whole map pixels, so that no map pixel is covered partly. */
function laid(picture: Picture, corner: Point | undefined, middle: Point): Layer {
  const scale = SHOWN_PIXELS / Math.max(picture.width, picture.height);
  const [width, height] = [
    Math.max(1, Math.round(picture.width * scale)),
    Math.max(1, Math.round(picture.height * scale)),
  ];
  const { x, y } = corner ?? { x: middle.x - width / 2, y: middle.y - height / 2 };
  return { picture, scale, width, height, x: Math.round(x), y: Math.round(y) };
}

function cornerOf(position: unknown): Point | undefined {
  if (position === undefined) return undefined;
  const { x, y } = isObject(position) ? position : {};
  if (!isNumber(x) || !isNumber(y) || Math.max(Math.abs(x), Math.abs(y)) * GRID_PIXELS > PLACE_MAX)
    throw invalid("position must be an object with x and y, numbers in grid units");
  return { x: x * GRID_PIXELS, y: y * GRID_PIXELS };
}

/** The last part of its address, without its extension. */
function nameOf(url: string): string {
  const { protocol, pathname } = new URL(url, location.href);
  return (
    (/^(data|blob):$/.test(protocol) ? "" : (pathname.split("/").at(-1) ?? "").replace(/(\.rts)?\.png$/i, "")) ||
    "cartridge"
  );
}
