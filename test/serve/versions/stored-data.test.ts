/**
 * The law of versions (R9.7) for stored data: a caller of one version creates records, later versions of the document open the
 * same file, and the caller reads, lists, edits and retries as if the document had not changed. A copy of the file served with
 * the old document is the reference; callers of the newest version also edit the same records in between.
 */
import assert from "node:assert/strict";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { changes, documentOf, evolve, type Field, type Shape } from "./evolving.ts";
import { type Ask, createFrozen } from "./frozen.ts";

function thing(shape: Shape, pick: number): object {
  const values = shape.fields.flatMap(({ name, values: all }) =>
    all.length === 0 ? [] : [[name, all[pick % all.length]]],
  );
  return {
    ...Object.fromEntries(values),
    place: Object.fromEntries(shape.inner.map((name, index) => [name, `p${index}`])),
  };
}

const sorted = ({ fields }: Shape, back = 1): string => fields.filter(({ filter }) => filter).at(-back)?.name ?? "";
const text = ({ fields }: Shape): string => fields.find(({ values }) => values[0] === "a")?.name ?? "";
const finish = ({ movePath }: Shape, id: string): string => movePath.replace("{id}", id);

/** What is done before the document changes; the last answers are held on to. */
function before(shape: Shape): readonly Omit<Ask, "version">[] {
  const add = (pick: number): Omit<Ask, "version"> => ({ method: "POST", path: "/things", body: thing(shape, pick) });
  return [
    { ...add(0), key: "one" },
    add(1),
    add(2),
    add(3),
    add(4),
    { method: "PATCH", path: "/things/@1", body: { [text(shape)]: "c" } },
    { method: shape.moveMethod, path: finish(shape, "@2"), body: { [shape.taken]: "yes" } },
    { method: "GET", path: "/things/@0", tag: "tag0" },
    { method: "GET", path: "/things/@1", tag: "tag1" },
    { method: "GET", path: "/things", cursor: "plain" },
    { method: "GET", path: `/things?sort=${sorted(shape)}`, cursor: "up" },
    { method: "GET", path: `/things?sort=-${sorted(shape, 2)}`, cursor: "down" },
  ];
}

function at(version: number, asks: readonly Omit<Ask, "version">[]): readonly Ask[] {
  return asks.map((ask) => ({ ...ask, version: String(version) }));
}

/** `unsorted`: not in the order of closed lists, of which the newest version may have other values in the same records. */
function reads(shape: Shape, unsorted = false): readonly Omit<Ask, "version">[] {
  const filters = shape.fields.filter(({ filter }) => filter);
  return [
    ...["@0", "@1", "@2", "@3", "@4"].map((id) => ({ method: "GET", path: `/things/${id}` })),
    { method: "GET", path: "/things" },
    { method: "GET", path: "/things?cursor=@plain" },
    { method: "GET", path: "/things?limit=10" },
    { method: "GET", path: "/things?state=open&limit=10" },
    ...filters.flatMap(({ name, type, values }) => [
      ...values.map((value) => ({ method: "GET", path: `/things?limit=10&${name}=${String(value)}` })),
      ...(unsorted && type.includes("|")
        ? []
        : [
            { method: "GET", path: `/things?limit=10&sort=${name}` },
            { method: "GET", path: `/things?limit=1&sort=-${name}` },
          ]),
    ]),
  ];
}

/** What is done after it has changed, by who had been there before. */
function after(shape: Shape): readonly Omit<Ask, "version">[] {
  return [
    ...reads(shape),
    { method: "GET", path: `/things?sort=${sorted(shape)}&cursor=@up` },
    { method: "GET", path: `/things?sort=-${sorted(shape, 2)}&cursor=@down` },
    { method: "POST", path: "/things", body: thing(shape, 0), key: "one" },
    { method: "POST", path: "/things", body: thing(shape, 1), key: "one" },
    { method: "PATCH", path: "/things/@0", body: { [text(shape)]: "d" }, ifMatch: "@tag0" },
    { method: "PATCH", path: "/things/@0", body: { [text(shape)]: "e" }, ifMatch: "@tag0" },
    { method: "PATCH", path: "/things/@0", body: { place: { [shape.inner[0] ?? ""]: "q" } } },
    { method: shape.moveMethod, path: finish(shape, "@2"), body: { [shape.taken]: "yes" } },
    { method: "POST", path: "/things", body: thing(shape, 1) },
    { method: "GET", path: "/things/@0" },
  ];
}

/**
 * Edits that mean the same, in the words of two versions. What only the newer one can say the older one sees as what its
 * entry says: a value that was added as the first, a field that was added not at all.
 */
function edits(older: Shape, newest: Shape): readonly (readonly Omit<Ask, "version">[])[] {
  const size = (shape: Shape): Field | undefined => shape.fields.find(({ type }) => type.includes("|"));
  const count = (shape: Shape): Field | undefined => shape.fields.find(({ type }) => type.startsWith("integer(0..1"));
  // Names tell nothing, since fields are renamed: those that were added last stand before those of before.
  const addedTo = ({ fields }: Shape): readonly Field[] => fields.filter(({ name }) => name.startsWith("added"));
  const added = addedTo(newest).slice(0, addedTo(newest).length - addedTo(older).length);
  const isWider = size(newest)?.values.length !== size(older)?.values.length;
  return [older, newest].map((shape) => {
    const isNewest = shape === newest;
    const body = {
      [text(shape)]: "f",
      [size(shape)?.name ?? ""]: size(shape)?.values.at(isWider && !isNewest ? 0 : -1),
      [count(shape)?.name ?? ""]: count(shape)?.values.at(1),
      ...(isNewest ? Object.fromEntries(added.map(({ name }) => [name, 5])) : {}),
    };
    return [
      { method: "PATCH", path: "/things/@1", body },
      { method: "PATCH", path: "/things/@4", body: { place: { [shape.inner[0] ?? ""]: "r" } } },
      { method: shape.moveMethod, path: finish(shape, "@3"), body: { [shape.taken]: "yes" } },
    ];
  });
}

void test("R9.7 what was made at a version is had by it after any later one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "nonet-lived-"));
  let round = 0;
  try {
    await fc.assert(
      fc.asyncProperty(changes, fc.nat(5), async (steps, since) => {
        const evolved = evolve(steps);
        const last = evolved.shapes.length;
        const version = Math.max(1, last - 1 - (since % 4));
        const shape = evolved.shapes[version - 1] as Shape;
        const newest = evolved.shapes[last - 1] as Shape;
        const [stayed, lived] = ["stayed", "lived"].map((name) => join(folder, `${name}-${++round}.db`));
        assert(stayed !== undefined && lived !== undefined);
        const held = new Map<string, string>();
        {
          await using then = await createFrozen(documentOf(evolved, version), "sqlite", { file: lived });
          const told = await then.play(at(version, before(shape)), held);
          for (const one of told) assert.match(one, /^20/);
        }
        await copyFile(lived, stayed);
        await using then = await createFrozen(documentOf(evolved, version), "sqlite", { file: stayed, days: 1 });
        await using now = await createFrozen(documentOf(evolved, last), "sqlite", { file: lived, days: 1 });
        const chain = `${evolved.entries.flat().join("; ")}\nversion ${version} of ${last}`;
        const [heldThen, heldNow] = [new Map(held), new Map(held)];
        const compare = async (asks: readonly Ask[], others: readonly Ask[]) => {
          const [expected, given] = [await then.play(asks, heldThen), await now.play(others, heldNow)];
          return asks.map((ask, index) => [ask, expected[index] ?? "", given[index] ?? ""] as const);
        };
        const same = async (asks: readonly Ask[]): Promise<void> => {
          for (const [ask, expected, given] of await compare(asks, asks)) {
            assert.equal(normal(given), normal(expected), `${chain}: ${JSON.stringify(ask)}`);
          }
        };
        await same(at(version, after(shape)));
        const [here = [], there = []] = edits(shape, newest);
        const done = await compare(at(version, here), at(last, there));
        for (const [ask, ...told] of done) {
          for (const one of told) assert.equal(one.slice(0, 3), "200", `${chain}: ${JSON.stringify(ask)}\n${one}`);
        }
        await same(at(version, reads(shape, true)));
      }),
      { numRuns: 12 },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Cursors say nothing to callers: one may hold the value that a record is sorted by, as it is kept. */
function normal(told: string): string {
  if (!/"next":"/.test(told)) return told;
  return told.replaceAll(/(cursor=|"next":")[\w-]+/g, "$1…").replace(/etag: .*/, "etag: …");
}
