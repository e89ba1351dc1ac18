// Decodes a PNG to exact RGBA. A canvas is not exact: it multiplies colours by their alpha, and a pixel that is an
// instruction may have alpha 0.

import { convertIndexedToRgb, decode, type DecodedPng } from "fast-png";
import { isPng } from "./png-text.js";
import type { Picture } from "../map/pixel-map.js";

export const SIDE_MAX = 4096;
const SIZE_AT = 16;

/** Throws an error that says what is wrong with the file. */
export function decodePng(bytes: Uint8Array): Picture {
  if (!isPng(bytes) || bytes.length < SIZE_AT + 8) throw new Error("it is no PNG");
  // Checked before unpacking: the header alone says how much memory that would take.
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [width, height] = [view.getUint32(SIZE_AT), view.getUint32(SIZE_AT + 4)];
  if (width === 0 || height === 0 || width > SIDE_MAX || height > SIDE_MAX)
    throw new Error(
      `its size is ${String(width)}x${String(height)}; at most ${String(SIDE_MAX)}x${String(SIDE_MAX)} is taken`,
    );
  const png = decode(bytes, { checkCrc: true });
  return { width: png.width, height: png.height, rgba: rgbaOf(png) };
}

function rgbaOf(png: DecodedPng): Uint8ClampedArray {
  const { data, channels } = png.palette === undefined ? { data: png.data, channels: png.channels } : indexed(png);
  const shift = png.depth === 16 ? 8 : 0;
  if (png.palette === undefined && png.depth < 8)
    throw new Error(`it has ${String(png.depth)} bits a sample; 8 and 16 are taken`);
  const rgba = new Uint8ClampedArray(png.width * png.height * 4);
  const at = (index: number): number => (data[index] ?? 0) >> shift;
  for (let pixel = 0, from = 0, to = 0; pixel < png.width * png.height; pixel++, from += channels, to += 4) {
    const isGrey = channels <= 2;
    rgba[to] = at(from);
    rgba[to + 1] = at(isGrey ? from : from + 1);
    rgba[to + 2] = at(isGrey ? from : from + 2);
    rgba[to + 3] = channels % 2 === 0 ? at(from + channels - 1) : 255;
  }
  return rgba;
}

function indexed(png: DecodedPng): { readonly data: Uint8Array; readonly channels: number } {
  const data = Uint8Array.from(convertIndexedToRgb(png));
  return { data, channels: data.length / (png.width * png.height) };
}
