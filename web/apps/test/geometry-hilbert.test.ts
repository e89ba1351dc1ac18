// The Hilbert curve: every index of every small grid goes there and back, and those beyond 2^31 too.

import assert from "node:assert/strict";
import { test } from "node:test";
import { d2xy, GRID_SIZE_MAX, isGridSize, xy2d } from "../geometry/src/hilbert.js";
import { hilbertPath, POINTS_MAX } from "../geometry/src/map/hilbert-path.js";

const SIZES = Array.from({ length: 12 }, (_, order) => 2 ** order);

/** The same numbers in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test("the first indices are where the original has them", () => {
  for (const size of [4, 16, 64, 256]) {
    const places = [0, 1, 2, 3, 4].map((index) => d2xy(size, index));
    assert.deepEqual(
      places,
      [
        { x: 0, y: 0 },
        { x: 1, y: 0 },
        { x: 1, y: 1 },
        { x: 0, y: 1 },
        { x: 0, y: 2 },
      ],
      String(size),
    );
  }
});

test("every index of every grid up to 2048 goes there and back, next to the one before", () => {
  for (const size of SIZES) {
    let [x, y] = [0, 0];
    for (let index = 0; index < size * size; index++) {
      const place = d2xy(size, index);
      if (xy2d(size, place.x, place.y) !== index)
        assert.fail(`${String(index)} of ${String(size)} comes back as ${String(xy2d(size, place.x, place.y))}`);
      if (Math.abs(place.x - x) + Math.abs(place.y - y) > 1)
        assert.fail(`${String(index)} of ${String(size)} is not next to the one before`);
      if (place.x < 0 || place.y < 0 || place.x >= size || place.y >= size)
        assert.fail(`${String(index)} of ${String(size)} is outside`);
      ({ x, y } = place);
    }
  }
});

test("indices beyond 2^31 go there and back exactly, as far as the grid does", () => {
  const next = numbers(7);
  for (const size of [2 ** 16, 2 ** 17, 2 ** 20, 2 ** 25, GRID_SIZE_MAX]) {
    const last = size * size - 1;
    const indices = [
      2 ** 31 - 1,
      2 ** 31,
      2 ** 31 + 1,
      2 ** 32 - 1,
      last,
      ...Array.from({ length: 5000 }, () => Math.floor(next() * last)),
    ].filter((index) => index <= last);
    for (const index of indices) {
      const { x, y } = d2xy(size, index);
      assert.equal(xy2d(size, x, y), index, `${String(index)} of ${String(size)}`);
      const after = d2xy(size, Math.min(last, index + 1));
      assert.ok(
        Math.abs(after.x - x) + Math.abs(after.y - y) <= 1,
        `${String(index)} of ${String(size)} has its neighbour beside it`,
      );
    }
  }
});

test("places beyond 2^31 squared come from their own index", () => {
  const next = numbers(11);
  for (let time = 0; time < 5000; time++) {
    const [x, y] = [Math.floor(next() * GRID_SIZE_MAX), Math.floor(next() * GRID_SIZE_MAX)];
    assert.deepEqual(d2xy(GRID_SIZE_MAX, xy2d(GRID_SIZE_MAX, x, y)), { x, y });
  }
});

test("a grid is a power of two whose indices are exact", () => {
  for (const size of [1, 2, 64, 2048, GRID_SIZE_MAX]) assert.ok(isGridSize(size), String(size));
  for (const size of [0, -2, 3, 100, 2.5, NaN, Infinity, GRID_SIZE_MAX * 2, 2 ** 32])
    assert.ok(!isGridSize(size), String(size));
});

test("the drawn curve is the curve: whole when all is in view, coarser from afar, cut to what is seen", () => {
  const everything = { left: -10, top: -10, right: 300, bottom: 300 };
  const whole = hilbertPath(64, 10, everything);
  assert.equal(whole.cell, 1);
  assert.deepEqual(
    whole.pieces.map((piece) => piece.length),
    [64 * 64],
  );
  whole.pieces[0]
    ?.slice(0, 5)
    .forEach(({ x, y }, index) => assert.deepEqual({ x: x - 0.5, y: y - 0.5 }, d2xy(64, index)));
  assert.equal(hilbertPath(256, 0.1, everything).cell, 128);
  const part = hilbertPath(2048, 10, { left: 500, top: 500, right: 600, bottom: 600 });
  const points = part.pieces.flat();
  assert.ok(
    points.length > 10_000 &&
      points.length < POINTS_MAX &&
      points.every(({ x, y }) => x > 490 && x < 610 && y > 490 && y < 610),
    String(points.length),
  );
});
