// The map without a screen: its pixels, its layers, its camera, and what cartridges carry.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { encode } from "fast-png";
import { Agents } from "../geometry/src/agents.js";
import { geometryOSApp } from "../geometry/src/app.js";
import { Cartridges, CARTRIDGES_MAX } from "../geometry/src/cartridge/cartridges.js";
import { entropy, hilbertBytes, sha256, uniqueColours } from "../geometry/src/cartridge/content.js";
import { decodePng } from "../geometry/src/cartridge/decode.js";
import { textOf } from "../geometry/src/cartridge/png-text.js";
import { d2xy } from "../geometry/src/hilbert.js";
import { crc32 } from "../geometry/src/machine/crc32.js";
import { placeAt, pointOf, visibleBounds, zoomedAt } from "../geometry/src/map/camera.js";
import { groundAt } from "../geometry/src/map/ground.js";
import { Meter } from "../geometry/src/map/meter.js";
import { PixelMap, type Layer, type Picture } from "../geometry/src/map/pixel-map.js";
import { ancestorOf, levelFor, rectOf } from "../geometry/src/map/tiles.js";
import { Viewport } from "../geometry/src/map/viewport.js";
import { settingsOf } from "../geometry/src/settings.js";

function plain(width: number, height: number, ...rgba: readonly number[]): Picture {
  return { width, height, rgba: new Uint8ClampedArray(Array.from({ length: width * height }, () => rgba).flat()) };
}

function layer(picture: Picture, x: number, y: number, scale = 1): Layer {
  return { picture, scale, x, y, width: picture.width * scale, height: picture.height * scale };
}

/** A PNG with a chunk more, behind its header. */
function withChunk(png: Uint8Array, type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([png.subarray(0, 33), length, body, checksum, png.subarray(33)]);
}

function internationalText(keyword: string, text: Uint8Array, compressed: boolean): Uint8Array {
  return Buffer.concat([
    Buffer.from(keyword),
    Buffer.from([0, compressed ? 1 : 0, 0]),
    Buffer.from("en\0Quelltext\0"),
    text,
  ]);
}

test("every pixel of the ground is always the same, alone or among others, far away and left of the origin too", () => {
  const map = new PixelMap();
  for (const [x, y] of [
    [0, 0],
    [-300, -77],
    [819_200, 819_200],
    [-2_000_000_000, 1_999_999_999],
    [2 ** 26, 5],
  ] as const) {
    const all = new Uint32Array(map.read(x, y, 1, 20, 20).buffer);
    for (const [column, row] of [
      [0, 0],
      [7, 3],
      [19, 19],
    ] as const)
      assert.equal(all[row * 20 + column], groundAt(x + column, y + row), `${String(x)}, ${String(y)}`);
    const coarse = new Uint32Array(map.read(x, y, 4, 5, 5).buffer);
    assert.equal(coarse[2 * 5 + 3], groundAt(x + 12, y + 8));
  }
});

test("the ground is opaque and has many colours", () => {
  const pixels = new Uint32Array(new PixelMap().read(0, 0, 8, 256, 256).buffer);
  assert.ok(pixels.every((pixel) => pixel >>> 24 === 255));
  assert.ok(new Set(pixels).size >= 10, String(new Set(pixels).size));
});

test("what lies on top is what is read, and what lies under it comes back when it is taken", () => {
  const map = new PixelMap();
  const [low, high] = [layer(plain(10, 10, 255, 0, 0, 255), 0, 0), layer(plain(4, 4, 0, 0, 255, 255), 3, 3)];
  const below = map.at(3, 3);
  map.put(low);
  map.put(high);
  assert.deepEqual(map.at(3, 3), { r: 0, g: 0, b: 255, a: 255 });
  assert.deepEqual(map.at(2, 3), { r: 255, g: 0, b: 0, a: 255 });
  assert.deepEqual(map.at(7, 7), { r: 255, g: 0, b: 0, a: 255 });
  map.take(high);
  assert.deepEqual(map.at(3, 3), { r: 255, g: 0, b: 0, a: 255 });
  map.take(low);
  assert.deepEqual(map.at(3, 3), below);
});

test("a picture that is half clear is mixed with what is under it", () => {
  const map = new PixelMap();
  map.put(layer(plain(1, 1, 0, 0, 0, 255), 0, 0));
  map.put(layer(plain(1, 1, 200, 100, 50, 128), 0, 0));
  assert.deepEqual(map.at(0, 0), { r: 100, g: 50, b: 25, a: 255 });
  map.put(layer(plain(1, 1, 9, 9, 9, 0), 0, 0));
  assert.deepEqual(map.at(0, 0), { r: 100, g: 50, b: 25, a: 255 });
});

test("a layer has exactly its own pixels at every scale and at every step", () => {
  const picture: Picture = { width: 2, height: 1, rgba: new Uint8ClampedArray([255, 0, 0, 255, 0, 255, 0, 255]) };
  const map = new PixelMap();
  map.put({ picture, scale: 2.5, x: -2, y: 10, width: 5, height: 3 });
  const reds = Array.from({ length: 9 }, (_, at) => map.at(at - 4, 11)).map(({ r, g, b }) =>
    r === 255 && g === 0 ? "red" : g === 255 && b === 0 ? "green" : "ground",
  );
  assert.deepEqual(reds, ["ground", "ground", "red", "red", "green", "green", "green", "ground", "ground"]);
  const sampled = map.read(-8, 11, 3, 6, 1);
  assert.deepEqual([sampled[2 * 4], sampled[3 * 4 + 1]], [255, 255], "at -2 and 1");
  assert.equal(new Uint32Array(sampled.buffer)[1], groundAt(-5, 11));
});

test("zooming keeps what is under the finger there", () => {
  const [camera, view, finger] = [
    { x: 40, y: -30, zoom: 1.3 },
    { width: 800, height: 600 },
    { x: 123, y: 456 },
  ];
  const place = placeAt(camera, view, finger);
  for (const factor of [2, 0.5, 100, 0.0001]) {
    const after = zoomedAt(camera, view, finger, factor);
    const point = pointOf(after, view, place);
    assert.ok(Math.abs(point.x - finger.x) < 1e-6 && Math.abs(point.y - finger.y) < 1e-6);
    assert.ok(after.zoom >= 0.05 && after.zoom <= 10);
  }
  assert.deepEqual(visibleBounds({ x: 0, y: 0, zoom: 2 }, view), { left: -200, top: -150, right: 200, bottom: 150 });
});

test("a level has a pixel for each of the screen's, and a tile lies in the coarser ones", () => {
  assert.deepEqual([10, 1, 0.9, 0.5, 0.3, 0.25, 0.05].map(levelFor), [0, 0, 0, 1, 1, 2, 4]);
  const tile = { level: 2, column: -3, row: 5 };
  const inner = rectOf(tile);
  for (const levels of [0, 1, 3]) {
    const outer = rectOf(ancestorOf(tile, levels));
    assert.ok(
      outer.x <= inner.x &&
        outer.x + outer.width >= inner.x + inner.width &&
        outer.y <= inner.y &&
        outer.y + outer.height >= inner.y + inner.height,
    );
  }
});

test("figures are of the last motion, and a map at rest says so", () => {
  const meter = new Meter();
  assert.deepEqual(meter.figures(0), { fps: 0, deltaTime: 0, frameTime: 0, idle: true });
  for (const at of [0, 1000, 1020, 1040]) meter.note(at, 4);
  assert.deepEqual(meter.figures(1050), { fps: 50, deltaTime: 20, frameTime: 4, idle: false });
  assert.equal(meter.figures(2000).idle, true);
});

test("a region comes back as base64, with a step where it is large", () => {
  const map = new PixelMap();
  const app = geometryOSApp(
    map,
    new Viewport({ x: 0, y: 0, zoom: 1 }, () => ({ width: 10, height: 10 })),
    new Cartridges(map),
    () => [],
    false,
  );
  const { rgba, ...small } = app.readRegion(0.5, -3, 20, 10);
  assert.deepEqual(small, { x: 0, y: -3, width: 21, height: 10, step: 1, columns: 21, rows: 10 });
  assert.deepEqual(Buffer.from(rgba, "base64"), Buffer.from(map.read(0, -3, 1, 21, 10)));
  const large = app.readRegion(0, 0, 5000, 100);
  assert.deepEqual([large.step, large.columns, large.rows], [10, 500, 10]);
  assert.equal(Buffer.from(large.rgba, "base64").length, 500 * 10 * 4);
  for (const [width, height] of [
    [0, 5],
    [5, -1],
    [NaN, 1],
    [1e12, 1],
  ] as const)
    assert.throws(() => app.readRegion(0, 0, width, height), RangeError);
  assert.equal(app.shaderAt(0, 0, 10, 10), null);
});

test("the topmost cartridge with a source is the shader of a region", () => {
  const map = new PixelMap();
  const cartridges = new Cartridges(map);
  const put = (name: string, x: number, source: string | undefined) =>
    cartridges.put({
      url: `/${name}`,
      name,
      layer: layer(plain(4, 4, 1, 1, 1, 255), x, 0),
      sha256: "",
      uniqueColors: 1,
      source,
    });
  put("low", 0, "low");
  const high = put("high", 2, "high");
  put("picture", 2, undefined);
  assert.equal(cartridges.sourceAt({ x: 3, y: 3, width: 1, height: 1 }), "high");
  assert.equal(cartridges.sourceAt({ x: 0, y: 0, width: 2, height: 2 }), "low");
  assert.equal(cartridges.sourceAt({ x: 6, y: 0, width: 2, height: 2 }), undefined, "beside it");
  cartridges.remove(high.id);
  assert.equal(cartridges.sourceAt({ x: 3, y: 3, width: 1, height: 1 }), "low");
});

test("cartridges are bounded: the oldest makes room, and one at the same place is replaced", () => {
  const map = new PixelMap();
  const cartridges = new Cartridges(map);
  const put = (at: number) =>
    cartridges.put({
      url: "/c",
      name: "c",
      layer: layer(plain(1, 1, 1, 1, 1, 255), at, 0),
      sha256: "",
      uniqueColors: 1,
      source: undefined,
    });
  for (let at = 0; at < CARTRIDGES_MAX + 3; at++) put(at);
  put(10);
  assert.equal(cartridges.all.length, CARTRIDGES_MAX);
  assert.equal(map.layers.length, CARTRIDGES_MAX);
  assert.equal(cartridges.all[0]?.layer.x, 3);
});

test("a PNG is read exactly, also where a pixel is clear: it may be an instruction", () => {
  const data = Uint8Array.from([13, 1, 32, 0, 255, 0, 0, 0, 1, 2, 3, 128, 9, 8, 7, 255]);
  assert.deepEqual([...decodePng(encode({ width: 2, height: 2, data, channels: 4, depth: 8 })).rgba], [...data]);
  const rgb = encode({ width: 1, height: 2, data: Uint8Array.from([1, 2, 3, 4, 5, 6]), channels: 3, depth: 8 });
  assert.deepEqual([...decodePng(rgb).rgba], [1, 2, 3, 255, 4, 5, 6, 255]);
  const grey = encode({ width: 2, height: 1, data: Uint8Array.from([7, 100, 9, 200]), channels: 2, depth: 8 });
  assert.deepEqual([...decodePng(grey).rgba], [7, 7, 7, 100, 9, 9, 9, 200]);
});

test("what is no PNG, is cut off, damaged or too large is refused with the reason", () => {
  const png = encode({ width: 4, height: 4, data: new Uint8Array(64), channels: 4, depth: 8 });
  assert.throws(() => decodePng(new TextEncoder().encode("<html>not a picture at all</html>")), /it is no PNG/);
  assert.throws(() => decodePng(new Uint8Array()), /it is no PNG/);
  assert.throws(() => decodePng(png.subarray(0, 45)));
  const damaged = Uint8Array.from(png);
  damaged[23] = 9;
  assert.throws(() => decodePng(damaged), /CRC/i);
  const large = Uint8Array.from(png);
  new DataView(large.buffer).setUint32(16, 5000);
  assert.throws(() => decodePng(large), /its size is 5000x4; at most 4096x4096/);
});

test("the source is read from the file's own text, packed or not", async () => {
  const png = encode({ width: 1, height: 1, data: new Uint8Array(4), channels: 4, depth: 8 });
  const source = "@fragment fn main() {} // grün";
  const bytes = Buffer.from(source);
  assert.equal(await textOf(withChunk(png, "iTXt", internationalText("wgsl", bytes, false)), "wgsl"), source);
  assert.equal(
    await textOf(withChunk(png, "iTXt", internationalText("wgsl", deflateSync(bytes), true)), "wgsl"),
    source,
  );
  assert.equal(await textOf(withChunk(png, "iTXt", internationalText("eye", bytes, false)), "wgsl"), undefined);
  assert.equal(await textOf(png, "wgsl"), undefined);
});

test("a text that would unpack to gigabytes is not unpacked", async () => {
  const png = encode({ width: 1, height: 1, data: new Uint8Array(4), channels: 4, depth: 8 });
  const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024));
  await assert.rejects(
    textOf(withChunk(png, "iTXt", internationalText("wgsl", bomb, true)), "wgsl"),
    /longer than 1 MiB/,
  );
});

test("a cartridge's bytes are its pixels along the curve", () => {
  const rgba = new Uint8ClampedArray(4 * 4 * 4);
  for (let index = 0; index < 16; index++) {
    const { x, y } = d2xy(4, index);
    rgba.set([index * 4, index * 4 + 1, index * 4 + 2, index * 4 + 3], (y * 4 + x) * 4);
  }
  assert.deepEqual(
    [...hilbertBytes({ width: 4, height: 4, rgba })],
    Array.from({ length: 64 }, (_, at) => at),
  );
  assert.deepEqual([...hilbertBytes({ width: 4, height: 4, rgba }, 6)], [0, 1, 2, 3, 4, 5]);
  assert.equal(hilbertBytes(plain(3, 5, 1, 2, 3, 4)).length, 3 * 5 * 4, "what is no square has all of its bytes too");
});

test("colours are counted, alpha aside; entropy is that of the luminance; the fingerprint is of the bytes", async () => {
  const picture: Picture = {
    width: 4,
    height: 1,
    rgba: new Uint8ClampedArray([0, 0, 0, 255, 0, 0, 0, 9, 255, 255, 255, 255, 255, 255, 255, 255]),
  };
  assert.equal(uniqueColours(picture), 2);
  assert.equal(entropy(picture), 1);
  assert.equal(entropy(plain(5, 5, 1, 2, 3, 4)), 0);
  assert.equal(
    await sha256(new TextEncoder().encode("abc")),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

test("an agent that tells of itself before its spawn is answered is heard all the same, and a stranger's is not", () => {
  const agents = new Agents();
  agents.heard(
    {
      type: "agent_event",
      agentId: "a",
      agentType: "analyzer",
      session: "s",
      event: "report",
      status: "running",
      report: { kind: "measures", entropy: 3, histogram: [1, 2], output: "x".repeat(5000) },
    },
    1,
  );
  agents.heard({ agentId: "stranger", event: "heartbeat" }, 2);
  assert.equal(agents.all.length, 0);
  agents.spawned({
    agentId: "a",
    agentType: "analyzer",
    status: "running",
    region: { x: 0, y: 0, width: 1, height: 1 },
    heartbeatInterval: 5,
  });
  agents.heard({ agentId: "a", event: "heartbeat", status: "running" }, 3);
  const [agent] = agents.all;
  assert.deepEqual(
    [agents.all.length, agent?.report, agent?.heartbeats, agent?.heardAt],
    [1, { kind: "measures", entropy: 3, output: `${"x".repeat(200)}…` }, 1, 3],
  );
  agents.heard({ agentId: "a", event: "ended" }, 4);
  assert.equal(agents.all[0]?.status, "finished");
});

test("backends are the page's own unless its address names others on this machine", () => {
  const at = (query: string) => settingsOf(`http://localhost:8765/apps/geometry/${query}`);
  assert.deepEqual(at(""), { mock: false, backends: "http://localhost:8765", elsewhere: false });
  assert.deepEqual(at("?mock_backends=true").mock, true);
  assert.deepEqual(at("?backends=http://127.0.0.1:9999/x"), {
    mock: false,
    backends: "http://127.0.0.1:9999",
    elsewhere: true,
  });
  for (const stranger of [
    "http://example.org",
    "http://127.0.0.1.example.org",
    "http://localhost@example.org",
    "javascript:alert(1)",
    "ws://localhost:1",
    "nonsense",
  ]) {
    assert.equal(at(`?backends=${encodeURIComponent(stranger)}`).backends, "http://localhost:8765", stranger);
  }
});
