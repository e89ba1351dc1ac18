// The file store: folders, what it refuses, and what a browser keeps of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FILE_CHARS_MAX, FileError, FileStore, type Keep } from "../desktop/src/files/store.js";

class Kept implements Keep {
  readonly items = new Map<string, string>();
  full = false;
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    if (this.full) throw new Error("QuotaExceededError");
    this.items.set(key, value);
  }
}

const SEED = { "a.txt": "one", "dir/b.txt": "two", "dir/deep/c.txt": "three" };
const store = (keep?: Keep): FileStore => new FileStore(SEED, keep, () => 7);
const refuses = (kind: FileError["kind"], run: () => void): void =>
  assert.throws(run, (error) => error instanceof FileError && error.kind === kind);

test("a folder lists what is directly in it, folders first", () => {
  assert.deepEqual(store().list(), [
    { name: "dir", path: "dir", type: "directory", size: 8, modified: 7 },
    { name: "a.txt", path: "a.txt", type: "file", size: 3, modified: 7 },
  ]);
  assert.deepEqual(
    store()
      .list("/dir/")
      .map(({ path, type }) => [path, type]),
    [
      ["dir/deep", "directory"],
      ["dir/b.txt", "file"],
    ],
  );
  assert.deepEqual(store().list("nowhere"), []);
});

test("one file has one name, however it is written", () => {
  for (const path of ["dir/b.txt", "/dir/b.txt", "./dir//b.txt", "~/dir/b.txt"])
    assert.equal(store().get(path), "two", path);
});

test("what is missing, leads elsewhere, is a folder, has no name or is too long is refused", () => {
  refuses("missing", () => store().get("gone"));
  refuses("path", () => store().get("../a.txt"));
  refuses("path", () => store().save("dir", "x"));
  refuses("path", () => store().save("/", "x"));
  refuses("path", () => store().save("x".repeat(257), "x"));
  refuses("size", () => store().save("big", "x".repeat(FILE_CHARS_MAX + 1)));
  store().save("big", "x".repeat(FILE_CHARS_MAX));
});

test("what is saved outlives the page; the seed does not come back", () => {
  const keep = new Kept();
  store(keep).save("a.txt", "changed");
  assert.equal(store(keep).get("a.txt"), "changed");
});

test("a full storage says so, and the file stays as it was", () => {
  const keep = new Kept();
  const files = store(keep);
  keep.full = true;
  refuses("full", () => files.save("a.txt", "changed"));
  assert.equal(files.get("a.txt"), "one");
});

test("foreign entries of the storage are not taken for files", () => {
  for (const junk of ["{", "7", '[["a.txt", 5], "x"]']) {
    const keep = new Kept();
    keep.setItem("desktop.files", junk);
    assert.doesNotThrow(() => store(keep).list(), junk);
  }
});

test("a watcher learns of each change until it stops watching", () => {
  const files = store();
  let told = 0;
  const end = files.onChange(() => told++);
  files.save("a.txt", "x");
  end();
  files.save("a.txt", "y");
  assert.equal(told, 1);
});
