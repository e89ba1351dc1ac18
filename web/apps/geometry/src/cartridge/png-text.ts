// Reads the text in a PNG's iTXt chunks, by keyword. Ignores everything else in the file.

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const CHUNK_HEAD_BYTES = 8;
const CHECKSUM_BYTES = 4;
const TEXT_BYTES_MAX = 1024 * 1024;

/** The text under that keyword, or `undefined`. Throws if a chunk does not fit the file or its text is too long. */
export async function textOf(png: Uint8Array, keyword: string): Promise<string | undefined> {
  for (const { type, data } of chunks(png)) {
    if (type !== "iTXt") continue;
    const read = split(data);
    if (read?.keyword !== keyword) continue;
    const bytes = read.compressed ? await inflated(read.text) : read.text;
    if (bytes.length > TEXT_BYTES_MAX) throw new Error(`its text "${keyword}" is longer than 1 MiB`);
    return new TextDecoder().decode(bytes);
  }
  return undefined;
}

export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, at) => bytes[at] === byte);
}

function* chunks(png: Uint8Array): Generator<{ readonly type: string; readonly data: Uint8Array }> {
  if (!isPng(png)) throw new Error("it is no PNG");
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  for (let at = SIGNATURE.length; at + CHUNK_HEAD_BYTES + CHECKSUM_BYTES <= png.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...png.subarray(at + 4, at + CHUNK_HEAD_BYTES));
    const from = at + CHUNK_HEAD_BYTES;
    if (from + length + CHECKSUM_BYTES > png.length) throw new Error(`its chunk ${type} is cut off`);
    yield { type, data: png.subarray(from, from + length) };
    at = from + length + CHECKSUM_BYTES;
  }
}

/** Layout: keyword, 0, compressed flag, method, language, 0, translated keyword, 0, text. */
function split(
  data: Uint8Array,
): { readonly keyword: string; readonly compressed: boolean; readonly text: Uint8Array } | undefined {
  const name = data.indexOf(0);
  const language = data.indexOf(0, name + 3);
  const translated = data.indexOf(0, language + 1);
  if (name < 1 || language < 0 || translated < 0) return undefined;
  return {
    keyword: String.fromCharCode(...data.subarray(0, name)),
    compressed: data[name + 1] === 1,
    text: data.subarray(translated + 1),
  };
}

/** Stops at the limit: a few bytes may expand to gigabytes. */
async function inflated(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
    if (length > TEXT_BYTES_MAX) {
      await reader.cancel();
      break;
    }
  }
  const whole = new Uint8Array(length);
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}
