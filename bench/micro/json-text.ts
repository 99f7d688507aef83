/**
 * One record as JSON text, five ways: an object and stringify, a template from columns, `json_object` in the SELECT, a
 * STORED generated column, and a plain text column written with the row. Prints µs per operation; medians of interleaved
 * rounds. Run: node bench/micro/json-text.ts
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

const ROWS = 20_000;
const ROUNDS = 7;
const COLUMNS = `courier, site, size, locker, trackingNumber, recipientEmail, weightKg, labels, pickupCode, extensions,
  collectBy, createdAt, customs, state`;
const DEFINITION = `seq integer primary key, id text not null unique, courier text not null, site text not null, size text not null,
  locker text not null, trackingNumber text not null unique, recipientEmail text not null, weightKg real not null,
  labels text, pickupCode text not null, extensions integer not null default 0, collectBy text, createdAt text not null,
  customs text, state text not null default 'announced', rev integer not null default 1`;
// What a courier sees: everything but the code; absent fields are left out.
const CONCATENATION = `'{"id":"' || id || '","courier":' || json_quote(courier) || ',"site":"' || site || '","size":"' || size ||
  '","locker":"' || locker || '","trackingNumber":' || json_quote(trackingNumber) || ',"recipientEmail":' ||
  json_quote(recipientEmail) || ',"weightKg":' || weightKg || iif(labels is null, '', ',"labels":' || labels) ||
  ',"extensions":' || extensions || iif(collectBy is null, '', ',"collectBy":"' || collectBy || '"') || ',"createdAt":"' ||
  createdAt || iif(customs is null, '"', '","customs":' || customs) || ',"state":"' || state || '"}'`;
const JSON_OBJECT = `json_object('id', id, 'courier', courier, 'site', site, 'size', size, 'locker', locker, 'trackingNumber',
  trackingNumber, 'recipientEmail', recipientEmail, 'weightKg', weightKg, 'labels', json(labels), 'extensions', extensions,
  'collectBy', collectBy, 'createdAt', createdAt, 'customs', json(customs), 'state', state)`;

const folder = mkdtempSync(join(tmpdir(), "parcel-micro-"));
try {
  main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function main(): void {
  const plain = open("plain", "");
  const generated = open("generated", `, _json text generated always as (${CONCATENATION}) stored`);
  const written = open("written", ", _json text");
  const where = "from parcel where id = ?";
  const page = "from parcel where courier = ? order by seq desc limit 50";

  const object = plain.prepare(`select id, ${COLUMNS} ${where}`);
  const arrays = plain.prepare(`select id, ${COLUMNS} ${where}`);
  arrays.setReturnArrays(true);
  const objects = plain.prepare(`select id, ${COLUMNS} ${page}`);
  const arraysPage = plain.prepare(`select id, ${COLUMNS} ${page}`);
  arraysPage.setReturnArrays(true);
  const concatenated = texts(plain, `select ${CONCATENATION} ${where}`);
  const jsonObject = texts(plain, `select ${JSON_OBJECT} ${where}`);
  const stored = texts(generated, `select _json ${where}`);
  const column = texts(written, `select _json ${where}`);
  const pages = {
    concatenated: texts(plain, `select ${CONCATENATION} ${page}`),
    jsonObject: texts(plain, `select ${JSON_OBJECT} ${page}`),
    stored: texts(generated, `select _json ${page}`),
    concatenatedGroup: texts(plain, `select group_concat(j, ',') from (select ${CONCATENATION} as j ${page})`),
    storedGroup: texts(generated, `select group_concat(_json, ',') from (select _json ${page})`),
    storedJsonGroup: texts(generated, `select json_group_array(json(_json)) from (select _json ${page})`),
  };

  const id = (i: number): string => `par_${String((i * 7919) % ROWS).padStart(26, "0")}`;
  const user = (i: number): string => `courier-${i % 20}`;
  const first = (statement: StatementSync, key: string): unknown => (statement.get(key) as unknown as unknown[])[0];
  const joined = (statement: StatementSync, key: string): string => {
    const rows = statement.all(key) as unknown as string[][];
    let text = rows[0]?.[0] ?? "";
    for (let i = 1; i < rows.length; i++) text += `,${rows[i]?.[0]}`;
    return text;
  };

  measure("get one", 20_000, {
    "object, JSON.stringify": (i) => JSON.stringify(shape(object.get(id(i)) as Row)),
    "object, template": (i) => template(object.get(id(i)) as Row),
    "array, template": (i) => templateOf(arrays.get(id(i)) as unknown as Cell[]),
    "concatenation in SQL": (i) => first(concatenated, id(i)),
    "json_object in SQL": (i) => first(jsonObject, id(i)),
    "stored generated column": (i) => first(stored, id(i)),
    "text column": (i) => first(column, id(i)),
  });
  measure("list of 50", 1_000, {
    "objects, JSON.stringify": (i) => JSON.stringify((objects.all(user(i)) as Row[]).map(shape)),
    "objects, template": (i) => (objects.all(user(i)) as Row[]).map(template).join(","),
    "arrays, template": (i) => (arraysPage.all(user(i)) as unknown as Cell[][]).map(templateOf).join(","),
    "concatenation in SQL, joined in JS": (i) => joined(pages.concatenated, user(i)),
    "concatenation in SQL, group_concat": (i) => first(pages.concatenatedGroup, user(i)),
    "json_object in SQL, joined in JS": (i) => joined(pages.jsonObject, user(i)),
    "stored column, joined in JS": (i) => joined(pages.stored, user(i)),
    "stored column, group_concat": (i) => first(pages.storedGroup, user(i)),
    "stored column, json_group_array": (i) => first(pages.storedJsonGroup, user(i)),
  });

  // Writes: in groups of 32 in one transaction, so that the cost of the row itself shows.
  let next = ROWS;
  const inserts = [plain, generated, written].map((database) => database.prepare(insertText(database === written)));
  const insert = (database: DatabaseSync, statement: StatementSync, text: boolean) => (): void => {
    database.exec("begin immediate");
    for (let i = 0; i < 32; i++) statement.run(...valuesOf(next++, text));
    database.exec("commit");
  };
  const move = "update parcel set state = ?, collectBy = ?, rev = rev + 1";
  const moves = [
    plain.prepare(`${move} where id = ?`),
    generated.prepare(`${move} where id = ?`),
    written.prepare(`${move}, _json = ? where id = ?`),
  ];
  let turn = 0;
  const moved = templateOf(valuesOf(1, false));
  const update = (database: DatabaseSync, statement: StatementSync, text: boolean) => (): void => {
    database.exec("begin immediate");
    for (let i = 0; i < 32; i++) {
      const state = turn++ % 2 === 0 ? "stored" : "announced";
      const more = text ? [moved] : [];
      statement.run(state, "2026-11-24T07:08:21.291Z", ...more, id(turn));
    }
    database.exec("commit");
  };
  const three = (make: typeof insert, statements: readonly StatementSync[]) => ({
    "columns only": make(plain, statements[0] as StatementSync, false),
    "stored generated column": make(generated, statements[1] as StatementSync, false),
    "text column": make(written, statements[2] as StatementSync, true),
  });
  measure("insert, 32 in a transaction (NORMAL), each", 40, three(insert, inserts), 32);
  measure("update of state, 32 in a transaction (NORMAL), each", 40, three(update, moves), 32);
}

type Cell = string | number | null;
type Row = Record<string, Cell>;

function shape(row: Row): object {
  const { labels, customs, collectBy, pickupCode: _, ...rest } = row;
  return {
    ...rest,
    labels: labels === null ? undefined : JSON.parse(labels as string),
    collectBy: collectBy ?? undefined,
    customs: customs === null ? undefined : JSON.parse(customs as string),
  };
}

function template(row: Row): string {
  return (
    `{"id":"${row["id"]}","courier":${JSON.stringify(row["courier"])},"site":"${row["site"]}","size":"${row["size"]}","locker":"${row["locker"]}",` +
    `"trackingNumber":${JSON.stringify(row["trackingNumber"])},"recipientEmail":${JSON.stringify(row["recipientEmail"])},"weightKg":${row["weightKg"]}` +
    `${row["labels"] === null ? "" : `,"labels":${row["labels"]}`},"extensions":${row["extensions"]}` +
    `${row["collectBy"] === null ? "" : `,"collectBy":"${row["collectBy"]}"`},"createdAt":"${row["createdAt"]}"` +
    `${row["customs"] === null ? "" : `,"customs":${row["customs"]}`},"state":"${row["state"]}"}`
  );
}

function templateOf(row: readonly Cell[]): string {
  return (
    `{"id":"${row[0]}","courier":${JSON.stringify(row[1])},"site":"${row[2]}","size":"${row[3]}","locker":"${row[4]}",` +
    `"trackingNumber":${JSON.stringify(row[5])},"recipientEmail":${JSON.stringify(row[6])},"weightKg":${row[7]}` +
    `${row[8] === null ? "" : `,"labels":${row[8]}`},"extensions":${row[10]}` +
    `${row[11] === null ? "" : `,"collectBy":"${row[11]}"`},"createdAt":"${row[12]}"` +
    `${row[13] === null ? "" : `,"customs":${row[13]}`},"state":"${row[14]}"}`
  );
}

function open(name: string, more: string): DatabaseSync {
  const database = new DatabaseSync(join(folder, `${name}.db`));
  database.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -32000;
    pragma mmap_size = 268435456; create table parcel (${DEFINITION}${more});
    create index parcel_courier on parcel (courier); create index parcel_site on parcel (site);
    create index parcel_state on parcel (state); create index parcel_createdAt on parcel (createdAt);`);
  const text = name === "written";
  const insert = database.prepare(insertText(text));
  database.exec("begin");
  for (let i = 0; i < ROWS; i++) insert.run(...valuesOf(i, text));
  database.exec("commit");
  return database;
}

function insertText(text: boolean): string {
  return `insert into parcel (id, ${COLUMNS}${text ? ", _json" : ""}) values (${Array(text ? 16 : 15)
    .fill("?")
    .join(", ")})`;
}

function valuesOf(i: number, text: boolean): Cell[] {
  const number = String(i).padStart(26, "0");
  const values: Cell[] = [
    ...[`par_${number}`, `courier-${i % 20}`, `site_${number}`, "small", `lok_${number}`, `TRK-${number}`],
    ...[
      `recipient.${i}@mail.example`,
      (5 + (i % 190)) / 10,
      i % 2 === 0 ? '["fragile","this side up"]' : null,
      "123456",
    ],
    ...[0, null, "2026-11-21T07:08:21.197Z", null, "announced"],
  ];
  return text ? [...values, templateOf(values)] : values;
}

function texts(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

function measure(title: string, times: number, ways: Record<string, (i: number) => unknown>, per = 1): void {
  const figures = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
  let sink = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const begun = performance.now();
      for (let i = 0; i < times; i++) if (way(i) === "") sink++;
      if (round > 0) figures.get(name)?.push(((performance.now() - begun) * 1000) / times / per);
    }
  }
  console.log(`\n${title}, µs${sink > 0 ? " (empty answers!)" : ""}`);
  for (const [name, all] of figures) {
    all.sort((a, b) => a - b);
    const [least, middle, most] = [all[0], all[ROUNDS >> 1], all.at(-1)].map((value) => (value as number).toFixed(1));
    console.log(`  ${name.padEnd(38)} ${String(middle).padStart(7)}   (${least}–${most})`);
  }
}
