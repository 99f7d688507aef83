/** `nonet migrate`, and other commands with data of another document. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { addressOf, finishedHere, nonet, temporaryFolder } from "./process.ts";
import { type ShelfOptions, shelf } from "./shelf.ts";

const first: ShelfOptions = { fields: ["title: string(1..80)", "pages?: integer(1..9999)"] };

interface BackupTable {
  readonly folder: string;
  readonly ids: readonly string[];
  readonly write: (options: ShelfOptions) => void;
  readonly nonet: (...args: readonly string[]) => Promise<{ readonly code: number | string; readonly output: string }>;
  /** Runs while the service does. */
  readonly serving: <T>(work: () => Promise<T>) => Promise<T>;
}

/** With two books, the first of which has no pages. */
async function shelfWithBooks(t: TestContext): Promise<BackupTable> {
  const folder = temporaryFolder(t);
  const write = (options: ShelfOptions): void => writeFileSync(join(folder, "shelf.md"), shelf(options));
  write(first);
  const serving = async <T>(work: (address: string) => Promise<T>): Promise<T> => {
    const running = nonet(t, ["serve", "shelf.md", "--port", "0"], { folder });
    const result = await work(await addressOf(running));
    running.signal("SIGINT");
    assert.equal(await running.ended, 0);
    return result;
  };
  const ids = await serving(async (address) => [
    await addBook(address, { title: "Momo" }),
    await addBook(address, { title: "Krabat", pages: 256 }),
  ]);
  return { folder, ids, write, nonet: (...args) => finishedHere(args, { folder }), serving };
}

async function addBook(address: string, book: object): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${address}/books`, { method: "POST", headers, body: JSON.stringify(book) });
  assert.equal(response.status, 201);
  return ((await response.json()) as { id: string }).id;
}

const copy = /shelf\.db\.backup-\d{8}T\d{6}Z/;

test("the steps are shown, then done, then there are none", async (t) => {
  const { folder, write, nonet } = await shelfWithBooks(t);
  write({
    fields: ["title: string(1..80)", "sheets: string", "shelf: string = upper"],
    changes: ["rename Book.pages -> sheets", "require Book.sheets, taken as 'some' before"],
  });
  const steps = [
    "  Book.pages is now called Book.sheets (2 records)",
    "  Book.sheets changes from integer to text (1 record)",
    '  Book.sheets is now required, and 1 record gets "some" (1 record)',
    '  Book.shelf is new, and 2 records get "upper" (2 records)',
  ];
  assert.deepEqual(await nonet("migrate", "shelf.md", "--plan"), {
    code: 0,
    output: ["the data in .nonet/shelf.db would be brought to the document:", ...steps, "nothing is lost\n"].join("\n"),
  });
  assert.deepEqual(readdirSync(join(folder, ".nonet")), ["shelf.db"]);
  const { code, output } = await nonet("migrate", "shelf.md");
  assert.equal(code, 0);
  assert.match(
    output,
    /^the data in \.nonet\/shelf\.db has followed the document: Book\.pages is now called Book\.sheets; /,
  );
  assert.match(output, new RegExp(`\\n  as it was before: \\.nonet/${copy.source}\\n$`));
  assert.match(readdirSync(join(folder, ".nonet")).join(" "), new RegExp(`^shelf\\.db ${copy.source}$`));
  for (const args of [[], ["--plan"], ["--allow-loss"]]) {
    const nothing = { code: 0, output: "the data in .nonet/shelf.db is that of the document\n" };
    assert.deepEqual(await nonet("migrate", "shelf.md", ...args), nothing);
  }
});

test("a loss is refused by every command that would cause it, with the records and both remedies, until it is allowed", async (t) => {
  const { folder, ids, write, nonet } = await shelfWithBooks(t);
  write({ fields: ["title: string(1..80)", "sheets?: integer(1..9999)"] });
  const description = `Book.pages is gone from the document, and 1 record would lose it: ${ids[1]}`;
  const remedy = "if it was renamed, say so in part 9: rename Book.pages -> sheets";
  const refusal = [
    "Shelf cannot be served with .nonet/shelf.db: the data that is stored does not fit the document:",
    `  ${description}; ${remedy}`,
    "nothing was changed; change the document, or lose this on purpose, after a backup: nonet migrate DOC --allow-loss\n",
  ].join("\n");
  assert.deepEqual(await nonet("serve", "shelf.md", "--port", "0"), { code: 1, output: refusal });
  assert.deepEqual(await nonet("migrate", "shelf.md"), { code: 1, output: refusal });
  const planned = await nonet("migrate", "shelf.md", "--plan", "--format", "json");
  assert.equal(planned.code, 1);
  const { steps, ...about } = JSON.parse(planned.output) as { steps: Record<string, unknown>[] };
  assert.deepEqual(about, { data: ".nonet/shelf.db", applied: false, loses: true, fits: true });
  assert.deepEqual(steps[1], {
    kind: "drop column",
    resource: "Book",
    fields: ["pages"],
    description: "Book.pages is gone from the document",
    records: 1,
    obstacle: {
      kind: "loss",
      records: 1,
      ids: [ids[1]],
      description: description.split(":")[0],
      remedy,
      effect: "1 record stays without it",
    },
  });
  assert.deepEqual(readdirSync(join(folder, ".nonet")), ["shelf.db"]);
  const { code, output } = await nonet("migrate", "shelf.md", "--allow-loss");
  assert.equal(code, 0);
  assert.ok(
    output.startsWith(`in .nonet/shelf.db will be lost:\n  ${description}\n    then 1 record stays without it\n`),
    output,
  );
  assert.ok(output.includes(`\n  lost: ${description}\n  as it was before: .nonet/shelf.db.backup-`), output);
});

test("what does not fit is refused whatever is allowed", async (t) => {
  const { ids, write, nonet } = await shelfWithBooks(t);
  write({ fields: ["title: string(1..80)", "pages?: integer(1..9999)", "isbn: string"] });
  const { code, output } = await nonet("migrate", "shelf.md", "--allow-loss");
  assert.equal(code, 1);
  assert.ok(
    output.includes(`Book.isbn is new and required, and 2 records have none: ${ids.join(", ")}; make it optional`),
    output,
  );
  assert.match(
    output,
    /\nnothing was changed; change the document, or these records with the document that they were made with\n$/,
  );
});

test("while the data is served it can be asked, and keys made, and nothing is brought along under the service", async (t) => {
  const { write, nonet, serving } = await shelfWithBooks(t);
  await serving(async () => {
    write({ ...first, fields: [...(first.fields ?? []), "isbn?: string"] });
    assert.match((await nonet("migrate", "shelf.md", "--plan")).output, /\n {2}Book\.isbn is new\nnothing is lost\n$/);
    assert.deepEqual(await nonet("migrate", "shelf.md"), {
      code: 2,
      output:
        "nonet migrate: another process is using .nonet/shelf.db, and the data can follow the document only when it has stopped\n",
    });
    assert.match((await nonet("key", "list", "shelf.md")).output, /there are no keys yet/);
  });
  assert.match((await nonet("key", "list", "shelf.md")).output, /there are no keys yet/);
  assert.match((await nonet("migrate", "shelf.md", "--plan")).output, /Book\.isbn is new/, "keys bring nothing along");
});

test("there has to be data, in a file", async (t) => {
  const { nonet } = await shelfWithBooks(t);
  const rows: readonly (readonly [place: string, message: RegExp])[] = [
    ["memory", /data in memory is created with its document and needs no migration/],
    ["none.db", /there is no data in none\.db yet/],
    ["shelf.md", /shelf\.md is not a database/],
  ];
  for (const [place, message] of rows) {
    const { code, output } = await nonet("migrate", "shelf.md", "--data", place);
    assert.equal(code, 2);
    assert.match(output, message);
  }
});
