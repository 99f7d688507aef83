/** Tests that a folder which cannot be flushed is an error. */
import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import process from "node:process";
import { test } from "node:test";
import { StoreError } from "../port/error.ts";
import { syncFolder } from "./durability.ts";

const skip = process.platform === "win32" && "Windows has nothing to sync in a folder";

test("a folder is synced, or it is said that it was not", { skip }, (t) => {
  assert.doesNotThrow(() => syncFolder(tmpdir()));
  for (const [code, isTold] of [
    ["EIO", true],
    ["ENOSPC", true],
    // File systems without directory sync.
    ["EINVAL", false],
    ["ENOTSUP", false],
  ] as const) {
    const failing = t.mock.method(fs, "fsyncSync", () => {
      throw Object.assign(new Error(`${code}: fsync`), { code });
    });
    syncBuiltinESMExports();
    try {
      if (isTold) assert.throws(() => syncFolder(tmpdir()), StoreError, code);
      else assert.doesNotThrow(() => syncFolder(tmpdir()), code);
    } finally {
      failing.mock.restore();
      syncBuiltinESMExports();
    }
  }
});
