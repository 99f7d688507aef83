/** The SQLite file: its tables, its settings, and small helpers around prepared statements. */
import { randomBytes, randomFillSync } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";

export type Synchronous = "FULL" | "NORMAL" | "OFF";

// Every declared filter has an index (R8.8); side tables are rowid tables with a unique index, the cheapest to append to.
const TABLES = `
create table if not exists api_key (
  hash text primary key, user text not null, roles text not null, expiresAt integer not null, revokedAt integer
) strict;
create table if not exists secret (name text primary key, value blob not null) strict;
create table if not exists idempotency (
  caller text not null, key text not null, fingerprint text not null, status integer not null, headers text not null,
  body text not null, createdAt integer not null, unique (caller, key)
) strict;
create index if not exists idempotency_createdAt on idempotency (createdAt);
create table if not exists site (
  seq integer primary key, id text not null unique, name text not null, street text not null, postcode text not null,
  country text not null, timezone text not null, rev integer not null default 1
) strict;
create table if not exists locker (
  seq integer primary key, id text not null unique, site text not null references site (id), door integer not null,
  size text not null, state text not null default 'free', rev integer not null default 1, unique (site, door)
) strict;
create index if not exists locker_choice on locker (site, size, state);
create table if not exists parcel (
  seq integer primary key, id text not null unique, courier text not null, site text not null references site (id),
  size text not null, locker text not null references locker (id), trackingNumber text not null unique,
  recipientEmail text not null, weightKg real not null, labels text, pickupCode text not null,
  extensions integer not null default 0, collectBy text, createdAt text not null, customs text,
  state text not null default 'announced', rev integer not null default 1
) strict;
create index if not exists parcel_courier on parcel (courier);
create index if not exists parcel_site on parcel (site);
create index if not exists parcel_state on parcel (state);
create index if not exists parcel_createdAt on parcel (createdAt);
`;

export interface Database {
  readonly connection: DatabaseSync;
  /** A statement for this text, prepared once; gives rows as objects. */
  readonly statement: (sql: string) => StatementSync;
  /** The same, giving rows as arrays. */
  readonly rows: (sql: string) => StatementSync;
  /** Runs `work` in one transaction; whatever it throws undoes all of it. */
  readonly transaction: <T>(work: () => T) => T;
  readonly cursorSecret: Buffer;
}

export function openDatabase(file: string, synchronous: Synchronous): Database {
  const connection = new DatabaseSync(file, { timeout: 5000 });
  connection.exec(`
    pragma journal_mode = wal; pragma synchronous = ${synchronous}; pragma foreign_keys = on;
    pragma temp_store = memory; pragma cache_size = -32000;`);
  connection.exec(TABLES);
  connection.prepare("insert into secret values ('cursor', ?) on conflict do nothing").run(randomBytes(32));

  const statement = prepared(connection, false);
  const begin = connection.prepare("begin immediate");
  const commit = connection.prepare("commit");
  const transaction = <T>(work: () => T): T => {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      if (connection.isTransaction) connection.exec("rollback");
      throw error;
    }
  };
  const secret = statement("select value from secret where name = 'cursor'").get() as { value: Uint8Array };
  return {
    connection,
    statement,
    rows: prepared(connection, true),
    transaction,
    cursorSecret: Buffer.from(secret.value),
  };
}

function prepared(connection: DatabaseSync, arrays: boolean): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      // Filters make many texts possible; the oldest go first so that nobody can fill the memory.
      if (statements.size >= 500) statements.delete(statements.keys().next().value as string);
      statement = connection.prepare(sql);
      statement.setReturnArrays(arrays);
      statements.set(sql, statement);
    }
    return statement;
  };
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const pool = Buffer.alloc(4096);
let used = pool.length;

/** `prefix_` and a UUIDv7-like 128 bits in base 32: 50 bits of milliseconds, 80 bits of chance. */
export function newId(prefix: string): string {
  if (used + 16 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let time = "";
  for (let rest = Date.now(), i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  let chance = "";
  for (let i = 0; i < 16; i++) chance += ALPHABET[(pool[used + i] as number) & 31];
  used += 16;
  return `${prefix}_${time}${chance}`;
}
