/** The service's own keys are stored encrypted, and stay the same when `NONET_SECRET_KEY` is rotated. */
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { UsageError } from "../../src/server/errors.ts";
import { keyFile, secretKeysOf, serviceKey } from "../../src/server/secret-keys.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { temporaryFolder } from "./process.ts";

const open = (file: string) => openSqliteStore({ file, tables: [], clock: () => 0, synchronous: "NORMAL" });

const usageError =
  (message: RegExp) =>
  (thrown: unknown): boolean =>
    thrown instanceof UsageError && message.test(thrown.message);

/** The key of cursors as a service with this environment has it, and what its file holds of it. */
async function keyWith(file: string, value: string): Promise<{ readonly key: string; readonly stored: string }> {
  const store = await open(file);
  try {
    const key = await serviceKey(store, secretKeysOf({ NONET_SECRET_KEY: value }), "cursor");
    return { key, stored: await store.secret("cursor", () => "") };
  } finally {
    await store.close();
  }
}

test("I14 a key is not in the data as it is, and is the same after each rotation", async (t) => {
  const file = join(temporaryFolder(t), "data.db");
  const { key, stored } = await keyWith(file, "first");
  assert(!stored.includes(key));
  const steps = [
    "first",
    "second first",
    "second first",
    "second",
    "third  second\nfirst",
    "third",
    "none third",
    "none",
    "fourth",
  ];
  for (const value of steps) {
    const found = await keyWith(file, value);
    assert.equal(found.key, key, value);
    assert.equal(found.stored === key, value.startsWith("none"), value);
  }
  for (const value of ["first", "third first", "none"])
    await assert.rejects(keyWith(file, value), usageError(/sealed with another NONET_SECRET_KEY/));
  assert.equal((await keyWith(file, "fourth")).key, key, "what was refused has changed nothing");
});

test("I14 a sealed key is of its name alone", async (t) => {
  const store = await open(join(temporaryFolder(t), "data.db"));
  const keys = secretKeysOf({ NONET_SECRET_KEY: "first" });
  const cursor = await serviceKey(store, keys, "cursor");
  assert.notEqual(await serviceKey(store, keys, "webhooks"), cursor);
  const stored = await store.secret("cursor", () => "");
  await store.replaceSecret("webhooks", await store.secret("webhooks", () => ""), stored);
  await assert.rejects(serviceKey(store, keys, "webhooks"), usageError(/sealed with another/));
  await store.close();
});

test("I14 where none is set, this user's own key is made once, for this user alone", (t) => {
  const folder = temporaryFolder(t);
  const environment = { XDG_CONFIG_HOME: join(folder, "settings"), NONET_SECRET_KEY: "" };
  const file = keyFile(environment);
  assert.equal(file, join(folder, "settings", "nonet", "secret.key"));
  const [key, ...before] = secretKeysOf(environment);
  assert.deepEqual(before, []);
  assert.match(key, /^[\w-]{43}$/);
  assert.deepEqual(secretKeysOf(environment), [key]);
  assert.equal(readFileSync(file, "utf8"), `${key}\n`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(file)).mode & 0o777, 0o700);
  assert.equal(keyFile({ HOME: "/srv/sam" }), "/srv/sam/.config/nonet/secret.key");
});

test("I14 a key that cannot be made is said, with what to set", (t) => {
  const file = join(temporaryFolder(t), "file");
  writeFileSync(file, "");
  assert.throws(() => secretKeysOf({ XDG_CONFIG_HOME: file }), usageError(/set it to 32 random bytes/));
});
