/**
 * `node main.mjs PORT DATABASE`: ZenStack's handler for remote calls behind its Fastify adapter, with access policies. Its
 * own dialect for SQLite stands on better-sqlite3, which needs a native build: here Node's SQLite answers in its place.
 */
import { ZenStackClient } from "@zenstackhq/orm";
import { PostgresDialect } from "@zenstackhq/orm/dialects/postgres";
import { SqliteDialect } from "@zenstackhq/orm/dialects/sqlite";
import { PolicyPlugin } from "@zenstackhq/plugin-policy";
import { RPCApiHandler } from "@zenstackhq/server/api";
import { ZenStackFastifyPlugin } from "@zenstackhq/server/fastify";
import fastify from "fastify";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { callerOf } from "./caller.mjs";

const [port, address] = process.argv.slice(2);
const onPostgres = address.startsWith("postgres:");
const { schema } = await import(onPostgres ? "./postgresql/schema.ts" : "./sqlite/schema.ts");
const isNew = onPostgres ? await hasNoTable() : !existsSync(address);

const bare = new ZenStackClient(schema, { dialect: onPostgres ? postgres() : sqlite() });
if (isNew) await bare.$pushSchema();
const client = bare.$use(new PolicyPlugin());

const app = fastify({ logger: false });
app.get("/readyz", () => ({}));
app.register(ZenStackFastifyPlugin, {
  prefix: "/api",
  apiHandler: new RPCApiHandler({ schema }),
  getClient: ({ headers }) => {
    const id = callerOf(headers.authorization);
    return client.$setAuth(id === undefined ? undefined : { id });
  },
});
await app.listen({ host: "127.0.0.1", port: Number(port) });
process.on("SIGTERM", () => process.exit(0));

function postgres() {
  return new PostgresDialect({ pool: new pg.Pool({ connectionString: address, max: 10 }) });
}

/** What Kysely asks of better-sqlite3, by `node:sqlite`; its statements are kept, as an expert would. */
function sqlite() {
  const database = new DatabaseSync(address);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  const kept = new Map();
  const prepare = (sql) => {
    const statement = database.prepare(sql);
    return {
      reader: statement.columns().length > 0,
      all: (values) => statement.all(...values),
      run: (values) => statement.run(...values),
      iterate: (values) => statement.iterate(...values),
    };
  };
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare: (sql) => {
        const one = kept.get(sql) ?? prepare(sql);
        kept.set(sql, one);
        return one;
      },
    },
  });
}

async function hasNoTable() {
  const connection = new pg.Client(address);
  await connection.connect();
  const { rows } = await connection.query(`SELECT to_regclass('"Parcel"') AS found`);
  await connection.end();
  return rows[0].found === null;
}
