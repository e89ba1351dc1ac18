// Where windows may be, without any window.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted, moved, placed, resized, tiled, WINDOW_MIN, type Edge, type Rect } from "../desktop/src/geometry.js";

const AREA: Rect = { x: 0, y: 0, width: 1280, height: 720 };
const WINDOW: Rect = { x: 100, y: 100, width: 400, height: 300 };

function isInside({ x, y, width, height }: Rect, area = AREA): boolean {
  return x >= area.x && y >= area.y && x + width <= area.x + area.width && y + height <= area.y + area.height;
}

test("a window that is moved too far stops at the edge, with its size", () => {
  assert.deepEqual(moved(WINDOW, -500, 20, AREA), { ...WINDOW, x: 0, y: 120 });
  assert.deepEqual(moved(WINDOW, 5000, 5000, AREA), { ...WINDOW, x: 880, y: 420 });
});

test("a window is never larger than the area, nor smaller than is of use", () => {
  assert.deepEqual(fitted({ x: -50, y: -50, width: 5000, height: 5000 }, AREA), AREA);
  assert.deepEqual(fitted({ x: 0, y: 0, width: 1, height: 1 }, AREA), { x: 0, y: 0, ...WINDOW_MIN });
  const phone = { x: 0, y: 0, width: 200, height: 100 };
  assert.deepEqual(fitted(WINDOW, phone), phone, "an area that is too small wins");
});

test("a resize moves the named sides only, whatever limit it meets", () => {
  const opposite: Record<Edge, (rect: Rect) => readonly number[]> = {
    n: ({ x, y, width, height }) => [x, y + height, width],
    s: ({ x, y, width }) => [x, y, width],
    e: ({ x, y, height }) => [x, y, height],
    w: ({ x, y, width, height }) => [x + width, y, height],
    ne: ({ x, y, height }) => [x, y + height],
    nw: ({ x, y, width, height }) => [x + width, y + height],
    se: ({ x, y }) => [x, y],
    sw: ({ x, y, width }) => [x + width, y],
  };
  for (const edge of Object.keys(opposite) as Edge[]) {
    for (const by of [-5000, -37, 0, 41, 5000]) {
      const after = resized(WINDOW, edge, by, by, AREA);
      assert.deepEqual(opposite[edge](after), opposite[edge](WINDOW), `${edge} by ${String(by)}`);
      assert.ok(
        isInside(after) && after.width >= WINDOW_MIN.width && after.height >= WINDOW_MIN.height,
        `${edge} by ${String(by)}: ${JSON.stringify(after)}`,
      );
    }
  }
  assert.deepEqual(resized(WINDOW, "se", 10, 20, AREA), { ...WINDOW, width: 410, height: 320 });
});

test("windows open inside the area, no two of a few in the same place", () => {
  for (const area of [AREA, { x: 0, y: 0, width: 390, height: 700 }]) {
    for (let count = 0; count < 40; count++)
      assert.ok(isInside(placed({ width: 620, height: 440 }, area, count), area), String(count));
  }
  const places = new Set(
    Array.from({ length: 8 }, (_, count) => JSON.stringify(placed({ width: 400, height: 300 }, AREA, count))),
  );
  assert.equal(places.size, 8);
});

test("tiles fill the area and never lie over each other", () => {
  for (let count = 1; count <= 12; count++) {
    const tiles = tiled(count, AREA, 12);
    assert.equal(tiles.length, count);
    for (const [at, tile] of tiles.entries()) {
      assert.ok(isInside(tile), `${String(count)}: ${JSON.stringify(tile)}`);
      for (const other of tiles.slice(at + 1)) {
        const apart =
          tile.x + tile.width <= other.x ||
          other.x + other.width <= tile.x ||
          tile.y + tile.height <= other.y ||
          other.y + other.height <= tile.y;
        assert.ok(apart, `${String(count)}: ${JSON.stringify([tile, other])}`);
      }
    }
  }
  assert.deepEqual(tiled(0, AREA, 12), []);
});
