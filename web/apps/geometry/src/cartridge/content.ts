// The content of a cartridge's picture: its bytes along the Hilbert curve, its fingerprint, its colours. Pure.

import { d2xy } from "../hilbert.js";
import type { Picture } from "../map/pixel-map.js";

/**
 * The bytes of the pixels in the order of the curve. A picture that is not a square of a power of two is placed in the
 * smallest such grid that contains it.
 */
export function hilbertBytes({ width, height, rgba }: Picture, bytesMax = Infinity): Uint8Array {
  const size = gridOf({ width, height });
  const bytes = new Uint8Array(Math.min(rgba.length, bytesMax));
  for (let index = 0, at = 0; index < size * size && at < bytes.length; index++) {
    const { x, y } = d2xy(size, index);
    if (x >= width || y >= height) continue;
    const from = (y * width + x) * 4;
    bytes.set(rgba.subarray(from, from + Math.min(4, bytes.length - at)), at);
    at += 4;
  }
  return bytes;
}

export function gridOf({ width, height }: { readonly width: number; readonly height: number }): number {
  return 2 ** Math.ceil(Math.log2(Math.max(width, height)));
}

/** The number of different colours, without alpha. */
export function uniqueColours({ rgba }: Picture): number {
  const seen = new Uint8Array(2 ** 21);
  let count = 0;
  for (let at = 0; at < rgba.length; at += 4) {
    const colour = ((rgba[at] ?? 0) << 16) | ((rgba[at + 1] ?? 0) << 8) | (rgba[at + 2] ?? 0);
    const bit = 1 << (colour & 7);
    const byte = seen[colour >> 3] ?? 0;
    if ((byte & bit) !== 0) continue;
    seen[colour >> 3] = byte | bit;
    count++;
  }
  return count;
}

export async function sha256(bytes: BufferSource): Promise<string> {
  // Only secure contexts have `crypto.subtle`; http://localhost is one.
  if (!("subtle" in crypto))
    throw new Error(
      "this page is no secure context, so it cannot compute SHA-256; open it from localhost or over https",
    );
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Shannon entropy of the 8-bit luminance (Rec. 709), in bits, 0 to 8; the same everywhere in eye. */
export function entropy({ rgba }: Picture): number {
  const histogram = new Uint32Array(256);
  for (let at = 0; at < rgba.length; at += 4) {
    // Weights in 65536ths, as in the hub, so that both results are equal.
    const bin = (13_933 * (rgba[at] ?? 0) + 46_871 * (rgba[at + 1] ?? 0) + 4_732 * (rgba[at + 2] ?? 0) + 32_768) >> 16;
    histogram[bin] = (histogram[bin] ?? 0) + 1;
  }
  const total = rgba.length / 4;
  return histogram.reduce((sum, count) => (count === 0 ? sum : sum - (count / total) * Math.log2(count / total)), 0);
}
