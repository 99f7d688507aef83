/** What stands in for Node's modules and for packages in a page does what these do. */
import assert from "node:assert/strict";
import * as node from "node:crypto";
import { test } from "node:test";
import { crc32 as nodeCrc32 } from "node:zlib";
import fc from "fast-check";
import * as page from "../../playground/node/crypto.ts";
import { isZone as isZoneOfPage } from "../../playground/node/timezone-names.ts";
import uri from "../../playground/node/uri.ts";
import { promisify as pagePromisify } from "../../playground/node/util.ts";
import { crc32 } from "../../playground/node/zlib.ts";
import { isZone } from "../../src/base/timezone-names.ts";
import { runs } from "../nightly.ts";

const bytes = fc.uint8Array({ maxLength: 200 });
const hash = fc.constantFrom("sha1", "sha256", "sha512");
const encoding = fc.constantFrom("hex", "base64", "base64url");
const numRuns = runs(100, 5000);

function asTexts({ a, b, key, kind, written }: Sample, crypto: typeof node | typeof page): readonly unknown[] {
  const { createHash, createHmac, hash: atOnce } = crypto as typeof node;
  return [
    createHash(kind).update(a).update(b).digest(written),
    createHmac(kind, key).update(a).update(b.toString()).digest(written),
    atOnce(kind, b, written),
    Buffer.from(createHash(kind).update(b).digest()).toString("hex"),
  ];
}

interface Sample {
  readonly a: Uint8Array;
  readonly b: Uint8Array;
  readonly key: Uint8Array;
  readonly kind: "sha1" | "sha256" | "sha512";
  readonly written: "hex" | "base64" | "base64url";
}

test("hashes and MACs", () => {
  fc.assert(
    fc.property(fc.record({ a: bytes, b: bytes, key: bytes, kind: hash, written: encoding }), (sample) => {
      assert.deepEqual(asTexts(sample as Sample, page), asTexts(sample as Sample, node));
    }),
    { numRuns },
  );
});

test("the ciphers of cursors and ids, in both directions", () => {
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const block = fc.uint8Array({ minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(key, block, bytes, block, (long, start, text, one) => {
      const sealed = node.createCipheriv("aes-256-ctr", long, start).update(text);
      assert.deepEqual(page.createCipheriv("aes-256-ctr", long, start).update(text), sealed);
      assert.deepEqual(page.createDecipheriv("aes-256-ctr", long, start).update(sealed), Buffer.from(text));
      const short = long.subarray(16);
      const id = node.createCipheriv("aes-128-ecb", short, null).setAutoPadding(false).update(one);
      assert.deepEqual(page.createCipheriv("aes-128-ecb", short, null).setAutoPadding().update(one), id);
      assert.deepEqual(page.createDecipheriv("aes-128-ecb", short, null).setAutoPadding().update(id), Buffer.from(one));
    }),
    { numRuns },
  );
});

test("password hashes, comparisons, checksums and random bytes", async () => {
  const settings = {
    message: "secret",
    nonce: Buffer.alloc(16, 7),
    parallelism: 1,
    tagLength: 32,
    memory: 64,
    passes: 2,
  };
  const hash = async (over: object): Promise<Buffer> =>
    (await pagePromisify(page.argon2)("argon2id", { ...settings, ...over })) ?? Buffer.alloc(0);
  assert.deepEqual(await hash({}), await hash({}));
  assert.equal((await hash({})).length, settings.tagLength);
  assert.notDeepEqual(await hash({}), await hash({ message: "another" }));
  assert.notDeepEqual(await hash({}), await hash({ nonce: new Uint8Array(16) }));
  fc.assert(
    fc.property(bytes, bytes, fc.string({ unit: "binary" }), (one, other, text) => {
      assert.equal(page.timingSafeEqual(one, other), Buffer.compare(one, other) === 0);
      assert.equal(page.timingSafeEqual(one, Uint8Array.from(one)), true);
      assert.equal(crc32(text), nodeCrc32(Buffer.from(text)));
    }),
    { numRuns },
  );
  assert.equal(new Set(page.randomFillSync(new Uint8Array(100_000))).size, 256);
  assert.equal(page.randomBytes(20).length, 20);
});

test("names of time zones", () => {
  const names = [...Intl.supportedValuesOf("timeZone"), "UTC", "utc", "europe/oslo", "US/Eastern", "Asia/Calcutta"];
  for (const name of [...names, "Mars/Olympus", "+01:00", "-01:00", "", "Europe", "Europe/Oslo "])
    assert.equal(isZoneOfPage(name), isZone(name), name);
});

test("addresses between schemas", () => {
  const rows: readonly (readonly [base: string, reference: string, whole: string])[] = [
    ["", "#/$defs/a", "#/$defs/a"],
    ["https://a.example/b/c#d", "#e", "https://a.example/b/c#e"],
    ["https://a.example/b/c", "meta/core", "https://a.example/b/meta/core"],
    ["", "https://a.example/x", "https://a.example/x"],
    ["", "name", "name"],
  ];
  for (const [base, reference, whole] of rows) assert.equal(uri.resolve(base, reference), whole);
  for (const [, , whole] of rows) assert.equal(uri.serialize(uri.parse(whole)), whole);
});
