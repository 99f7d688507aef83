/** Tests that the store retries passing errors internally and reports others (R7.4). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../../test/postgres/server.ts";
import { until } from "../../../test/until.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import {
  type ConnectionOptions,
  type Connections,
  openConnections,
  usualOptions,
  type PgSession,
} from "./connection.ts";

let server: PostgresServer;

before(async () => {
  server = await startPostgres();
  await withConnections({}, async (connections) => {
    await connections.rows("CREATE TABLE rows (id integer PRIMARY KEY, n integer NOT NULL)");
    await connections.rows("INSERT INTO rows SELECT id, 0 FROM generate_series(1, 40) AS ids(id)");
    await connections.rows(`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'`);
    await connections.rows("CREATE TABLE fatal (id integer)");
    await connections.rows(`CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON fatal
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION cut()`);
  });
});

after(() => server[Symbol.asyncDispose]());

async function withConnections(
  { connections: most = 12, ...options }: Partial<ConnectionOptions> & { readonly connections?: number },
  body: (connections: Connections) => Promise<void>,
): Promise<void> {
  const connections = openConnections(parseDatabaseUrl(`${server.address}?connections=${most}`), {
    ...usualOptions,
    ...options,
  });
  try {
    await body(connections);
  } finally {
    await connections.close();
  }
}

/** Opens the first connection. On a busy machine that takes longer than the short waits of these tests. */
async function connected(connections: Connections): Promise<void> {
  const open = (): Promise<boolean> =>
    connections
      .transaction(async (work) => work.rows("SELECT 1"))
      .then(
        () => true,
        () => false,
      );
  await until(open, "no connection can be opened");
}

async function add(work: PgSession, id: number, seen: number): Promise<void> {
  await work.rows("UPDATE rows SET n = $2 + 1 WHERE id = $1", [id, seen]);
}

async function look(work: PgSession, id: number): Promise<number> {
  return (await work.rows<[number]>("SELECT n FROM rows WHERE id = $1 FOR NO KEY UPDATE", [id]))[0]?.[0] ?? Number.NaN;
}

const sumOf = async (connections: Connections, ...ids: readonly number[]): Promise<number> =>
  (await connections.rows<[number]>("SELECT sum(n)::integer FROM rows WHERE id = ANY($1)", [ids]))[0]?.[0] ?? 0;

test("of fifty that read a row and write what they have made of it, none undoes another", async () => {
  await withConnections({ waitMilliseconds: 30_000 }, async (connections) => {
    const all = Array.from({ length: 50 }, () =>
      connections.transaction(async (work) => add(work, 1, await look(work, 1))),
    );
    await Promise.all(all);
    assert.equal(await sumOf(connections, 1), 50);
  });
});

test("who waits for each other in a circle is told apart", async () => {
  await withConnections({ waitMilliseconds: 30_000 }, async (connections) => {
    const pairs = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ([2, 3] as const) : ([3, 2] as const)));
    await Promise.all(
      pairs.map((pair) =>
        connections.transaction(async (work) => {
          for (const id of pair) await work.rows("UPDATE rows SET n = n + 1 WHERE id = $1", [id]);
        }),
      ),
    );
    assert.equal(await sumOf(connections, 2, 3), 40);
  });
});

test("a failure that nobody waits for is one of the transaction, and so done again", async () => {
  await withConnections({}, async (connections) => {
    let runs = 0;
    await connections.transaction(async (work) => {
      runs += 1;
      work.send("UPDATE rows SET n = n + 1 WHERE id = 4");
      if (runs < 3) work.send("DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END $$");
    });
    assert.deepEqual([runs, await sumOf(connections, 4)], [3, 1]);
    await assert.rejects(
      connections.transaction(async (work) => work.send("SELECT 1 / 0")),
      { code: "22012" },
    );
  });
});

test("what is always in the way is said to be, when the time is over", async () => {
  await withConnections({ waitMilliseconds: 200 }, async (connections) => {
    await connected(connections);
    const failing = connections.transaction(async (work) => {
      await work.rows("UPDATE rows SET n = n + 1 WHERE id = 5");
      await work.rows("DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40P01'; END $$");
    });
    await assert.rejects(failing, { name: "StoreError", kind: "busy" });
    assert.equal(await sumOf(connections, 5), 0);
  });
});

test("a connection that is cut off before COMMIT costs a repetition", async () => {
  await withConnections({}, async (connections) => {
    let runs = 0;
    await connections.transaction(async (work) => {
      runs += 1;
      await work.rows("UPDATE rows SET n = n + 1 WHERE id = 6");
      if (runs > 1) return;
      const [own] = await work.rows<[number]>("SELECT pg_backend_pid()");
      await connections.rows("SELECT pg_terminate_backend($1)", [own?.[0] ?? 0]);
      await work.rows("SELECT 1");
    });
    assert.deepEqual([runs, await sumOf(connections, 6)], [2, 1]);
  });
});

test("one that is cut off during COMMIT leaves it unknown, and nothing is done twice", async () => {
  await withConnections({}, async (connections) => {
    let runs = 0;
    const unknown = connections.transaction(async (work) => {
      runs += 1;
      await work.rows("INSERT INTO fatal VALUES (1)");
    });
    await assert.rejects(unknown, { name: "StoreError", kind: "unreachable", message: /not known/ });
    assert.equal(runs, 1);
  });
});

test("connections and those who wait for them are bounded", async () => {
  await withConnections({ connections: 2, mostWaiting: 1, waitMilliseconds: 200 }, async (connections) => {
    await connected(connections);
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const holding = connections.transaction(async (work) => {
      await work.rows("SELECT 1");
      hold();
      await released;
    });
    await held;
    try {
      const waiting = connections.transaction(async (work) => work.rows("SELECT 1"));
      await assert.rejects(
        connections.transaction(async (work) => work.rows("SELECT 1")),
        { kind: "busy", message: /too many wait/ },
      );
      await assert.rejects(waiting, { kind: "busy", message: /no connection was free/ });
      assert.equal((await connections.rows("SELECT 1")).length, 1, "reads have their own");
    } finally {
      release();
      await holding;
    }
  });
});
