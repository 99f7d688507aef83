/**
 * Row-level security as the second line of defence on PostgreSQL: services whose statements lost their conditions, as by a bug of
 * ours, and statements of the reading role itself. No statement returns a row that no read operation returns to the caller (R5.1,
 * R5.8).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { rowSecurityText } from "../../src/server/open-store.ts";
import { rowSecurityOf } from "../../src/plan/authentication/row-security.ts";
import { parseDatabaseUrl } from "../../src/store/postgres/database-url.ts";
import { openConnections } from "../../src/store/postgres/connection.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { decide } from "../../src/language/authentication/decide.ts";
import { prepareList } from "../../src/store/postgres/list.ts";
import { relationsOf } from "../../src/store/postgres/relations.ts";
import type { RowSecurityState } from "../../src/store/postgres/row-security/policies.ts";
import { policiesOf, settingNames } from "../../src/store/postgres/row-security/policies.ts";
import { asRole } from "../../src/store/postgres/row-security/read-role.ts";
import type { ListQuery, Store } from "../../src/store/port/store.ts";
import { documentOf } from "../enforced/document.ts";
import { type PostgresServer, startPostgres } from "../postgres/server.ts";
import { secrets } from "../security/callers.ts";
import { type Facts, isMeant, passes, textOf, vaults } from "../security/vault.ts";
import { createClient, type Reply } from "./client.ts";
import { planOf, run, type RunOptions, type Running } from "./running.ts";

const given = process.env["NONET_TEST_POSTGRES"];
const own: PostgresServer | undefined = given === undefined ? await startPostgres() : undefined;
const server = given ?? own?.address ?? "";
after(async () => {
  await own?.[Symbol.asyncDispose]();
});

let schemas = 0;
const newAddress = (): string => `${server}?schema=secured_${process.pid}_${(schemas += 1)}&connections=4`;

/** Every condition of every read and list is lost: whose records they are, which ones a list is of, below which parent. */
const broken = (store: Store): Store => ({
  ...store,
  read: ({ where: _, ...query }) => store.read(query),
  list: ({ where: _, ...query }) => store.list(query),
});

async function serve(text: string, address: string, options: RunOptions = {}): Promise<Running> {
  return run(text, { store: "postgres", address, ...options });
}

interface Asked {
  get(path: string, key?: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  post(path: string, key: string, body?: unknown): Promise<{ readonly id: string; readonly [name: string]: unknown }>;
}

let posts = 0;

function asking(running: Running): Asked & Disposable {
  const client = createClient(running.port, (_, reply) => assert(reply.status < 500, reply.text));
  const auth = (key: string | undefined) => (key === undefined ? {} : { Authorization: `Bearer ${key}` });
  return {
    get: (path, key, headers = {}) => client.send({ method: "GET", path, headers: { ...auth(key), ...headers } }),
    post: async (path, key, body) => {
      const headers = { ...auth(key), "Idempotency-Key": `secured-${(posts += 1)}` };
      const reply = await client.send({ method: "POST", path, headers, body });
      assert(reply.status < 300, `${path}: ${reply.text}`);
      return reply.json as { id: string };
    },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

const idsOf = ({ json }: Reply): readonly string[] => {
  const items = Array.isArray(json) ? json : ((json as { items?: unknown }).items ?? []);
  return (items as readonly { readonly id: string }[]).map(({ id }) => id).toSorted();
};

async function sqlOn<T>(address: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`SET search_path = ${parseDatabaseUrl(address).schema}`);
    return await work(client);
  } finally {
    await client.end();
  }
}

const lockers = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");
const environment = { DOOR_SECRET: "a secret of doors" };

describe("the flagship, whose statements have lost their conditions", () => {
  const address = newAddress();
  let whole: Running;
  let running: Running;
  let asked: Asked & Disposable;
  let keys: Readonly<Record<"ann" | "bob" | "olga" | "none", string>>;
  let parcels: Readonly<Record<"ann" | "bob", { readonly id: string; readonly trackingNumber: string }>>;

  before(async () => {
    whole = await serve(lockers, address, { environment });
    running = await serve(lockers, address, { environment, around: broken });
    asked = asking(running);
    keys = {
      ann: await whole.key("ann", "courier"),
      bob: await whole.key("bob", "courier"),
      olga: await whole.key("olga", "operator"),
      none: await whole.key("nora"),
    };
    using first = asking(whole);
    const street = { street: "Gate 1", postcode: "0150", country: "NO" };
    const site = await first.post("/sites", keys.olga, { name: "Central", address: street });
    const made = async (key: string, trackingNumber: string) => {
      await first.post("/lockers", keys.olga, { site: site.id, door: posts, size: "small" });
      const parcel = { site: site.id, size: "small", trackingNumber, recipientEmail: "kim@example.com", weightKg: 1 };
      return { ...(await first.post("/parcels", key, parcel)), trackingNumber };
    };
    parcels = { ann: await made(keys.ann, "ANN-0001"), bob: await made(keys.bob, "BOB-0001") };
  });
  after(async () => {
    asked[Symbol.dispose]();
    await running[Symbol.asyncDispose]();
    await whole[Symbol.asyncDispose]();
  });

  test("a read gives nobody another's record", async () => {
    for (const [caller, record, status] of [
      ["ann", "ann", 200],
      ["ann", "bob", 404],
      ["bob", "bob", 200],
      ["bob", "ann", 404],
      ["olga", "ann", 200],
      ["olga", "bob", 200],
    ] as const) {
      const { status: found } = await asked.get(`/parcels/${parcels[record].id}`, keys[caller]);
      assert.equal(found, status, `${caller} reads the parcel of ${record}`);
    }
  });

  test("a list, with whatever filters, order, limit and version, gives nobody another's", async () => {
    const both = [parcels.ann.id, parcels.bob.id].toSorted();
    for (const query of [
      "",
      "?limit=1",
      "?sort=createdAt",
      "?sort=-createdAt",
      "?courier=bob",
      "?trackingNumber=BOB-0001",
    ]) {
      for (const version of ["2026-09-01", "2026-03-01"]) {
        const path = `/parcels${version === "2026-03-01" ? query.replace("trackingNumber", "reference") : query}`;
        const headers = { "Lockers-Version": version };
        const all: string[] = [];
        for (let next: string | null = path; next !== null; ) {
          const reply: Reply = await asked.get(next, keys.ann, headers);
          assert.equal(reply.status, 200, reply.text);
          all.push(...idsOf(reply));
          const cursor = (reply.json as { next: string | null }).next;
          next = cursor === null ? null : `${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}`;
        }
        assert.deepEqual(all, query.includes("bob") || query.includes("BOB") ? [] : [parcels.ann.id], path);
      }
    }
    assert.deepEqual(idsOf(await asked.get("/parcels", keys.olga)), both, "an operator sees all");
  });

  test("what everybody who is signed in sees, they see", async () => {
    assert.equal(idsOf(await asked.get("/lockers", keys.none)).length, 2);
    assert.equal((await asked.get("/lockers")).status, 401);
  });
});

/** Notes of teams: whose they are is what records of another resource say, one list is everybody's, and views nest. */
const teams = documentOf({
  resources: {
    Team: { id: "id(tea)", name: "string(1..40), sort" },
    Member: { id: "id(mem)", team: "Team", who: "string(1..40)" },
    Note: {
      id: "id(not)", team: "Team, create-only", slug: "string(1..4000), unique", text: "string(1..4000), sort, search",
      "pin?": "string(4..40), secret", shared: "boolean, filter",
    }, // biome-ignore format: a table
    views: {
      Full: { of: "Note", fields: ["id", "text"], "about?": "Named := team" },
      Named: { of: "Team", fields: ["name"] },
      Board: { of: "Team", fields: ["id"], notes: "Brief[] := Note.filter(n, n.team == id)" },
      Brief: { of: "Note", fields: ["id", "text"] },
    },
  },
  endpoints: {
    endpoints: {
      addTeam: "POST /teams", addMember: "POST /members", addNote: "POST /notes", getTeam: "GET /teams/{id}",
      getBoard: { at: "GET /teams/{id}/board", of: "Team", does: "read", gives: "Board" }, listNotes: "GET /teams/{id}/notes",
      getNote: { at: "GET /notes/{id}", gives: "Full" }, getSlug: { at: "GET /slugs/{slug}", of: "Note" }, allNotes: "GET /notes",
      sharedNotes: { at: "GET /shared", of: "Note", where: "shared" },
    }, // biome-ignore format: a table
  },
  authentication: {
    own: {
      Note: "Member.exists(m, m.team == team && m.who == caller.id)",
      Team: "Member.exists(m, m.team == id && m.who == caller.id)",
    },
    allow: {
      ...Object.fromEntries(["addTeam", "addMember", "addNote"].map((name) => [name, "admin"])),
      ...Object.fromEntries(
        ["getBoard", "listNotes", "getNote", "getSlug", "allNotes"].map((name) => [name, "signed-in if own"]),
      ),
      // Whoever makes members of a team has to be able to name it.
      getTeam: "admin | signed-in if own",
      sharedNotes: "anyone",
    },
  },
});

describe("teams, whose statements have lost their conditions", () => {
  const address = newAddress();
  let whole: Running;
  let running: Running;
  let asked: Asked & Disposable;
  let intact: Asked & Disposable;
  const keys: Record<string, string> = {};
  const ids: Record<string, string> = {};

  before(async () => {
    whole = await serve(teams, address);
    running = await serve(teams, address, { around: broken });
    [intact, asked] = [asking(whole), asking(running)];
    for (const user of ["ann", "bob", "eve"]) keys[user] = await whole.key(user);
    const admin = await whole.key("root", "admin");
    for (const [team, who] of [
      ["red", "ann"],
      ["blue", "bob"],
    ] as const) {
      ids[team] = (await intact.post("/teams", admin, { name: team })).id;
      await intact.post("/members", admin, { team: ids[team], who });
      for (const shared of [false, true]) {
        const name = shared ? `${team} shared` : team;
        const note = { team: ids[team], slug: name, text: `of ${name}`, pin: "9182", shared };
        ids[`note of ${name}`] = (await intact.post("/notes", admin, note)).id;
      }
    }
  });
  after(async () => {
    for (const one of [asked, intact]) one[Symbol.dispose]();
    for (const one of [running, whole]) await one[Symbol.asyncDispose]();
  });

  const notes = (...names: string[]) => names.map((name) => ids[`note of ${name}`] ?? "").toSorted();
  const mine = () => notes("red", "red shared", "blue shared");

  test("a list gives what any operation gives the caller: its team's, and those that everybody is shown", async () => {
    for (const path of ["/notes", "/shared", `/teams/${ids["red"]}/notes`]) {
      for (const query of ["?limit=50", "?limit=50&sort=text", "?limit=50&sort=-text", "?limit=50&search=of"]) {
        assert.deepEqual(idsOf(await asked.get(path + query, keys["ann"])), mine(), path + query);
      }
    }
    assert.deepEqual(idsOf(await asked.get("/notes?shared=false", keys["ann"])), [ids["note of red"]]);
    const shared = notes("red shared", "blue shared");
    assert.deepEqual(idsOf(await asked.get("/notes?limit=50", keys["eve"])), shared);
    assert.deepEqual(idsOf(await asked.get("/shared?limit=50")), shared);
  });

  test("a list is read on page by page, by what sorts and may be too long for an index", async () => {
    for (const sort of ["text", "-text", ""]) {
      const path = `/notes?limit=1${sort === "" ? "" : `&sort=${sort}`}`;
      const all: string[] = [];
      for (let next: string | null = path; next !== null; ) {
        const reply: Reply = await asked.get(next, keys["ann"]);
        all.push(...idsOf(reply));
        const cursor = (reply.json as { next: string | null }).next;
        next = cursor === null ? null : `${path}&cursor=${cursor}`;
      }
      assert.deepEqual(all.toSorted(), mine(), sort);
    }
  });

  test("another's parent, record and slug are not there", async () => {
    for (const [path, status] of [
      [`/teams/${ids["blue"]}`, 404],
      [`/teams/${ids["blue"]}/board`, 404],
      [`/teams/${ids["blue"]}/notes`, 404],
      [`/notes/${ids["note of blue"]}`, 404],
      ["/slugs/blue", 404],
      [`/teams/${ids["red"]}`, 200],
      [`/notes/${ids["note of red"]}`, 200],
      ["/slugs/red", 200],
    ] as const) {
      assert.equal((await asked.get(path, keys["ann"])).status, status, path);
    }
  });

  test("what a view nests is seen by whoever sees the record around it", async () => {
    const board = await asked.get(`/teams/${ids["red"]}/board`, keys["ann"]);
    assert.equal((board.json as { notes: readonly unknown[] }).notes.length, 2);
    const note = await intact.get(`/notes/${ids["note of red"]}`, keys["ann"]);
    assert.deepEqual((note.json as { about: unknown }).about, { name: "red" });
  });

  describe("the reading role", () => {
    const asReader = async <T>(
      settings: Readonly<Record<string, string>>,
      work: (sql: pg.Client) => Promise<T>,
    ): Promise<T> =>
      sqlOn(address, async (client) => {
        await client.query(`SET ROLE "${readerOf(address)}"`);
        for (const [name, value] of Object.entries(settings))
          await client.query("SELECT set_config($1, $2, false)", [name, value]);
        return work(client);
      });
    const count = async (client: pg.Client, table: string): Promise<number> =>
      Number((await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`)).rows[0]?.count);

    test("sees nothing without a caller, with one of another document, and through views of what is reached", async () => {
      const reached = await sqlOn(address, async (client) => {
        const found = await client.query<{ viewname: string }>(
          "SELECT viewname FROM pg_views WHERE schemaname = current_schema()",
        );
        return found.rows.map(({ viewname }) => `"${viewname}"`);
      });
      assert.equal(reached.length, 3);
      for (const settings of [{}, { "nonet.policy": "another" }, { "nonet.policy": "" }]) {
        await asReader({ ...settings, "nonet.roles": " admin ", "nonet.v0": "=ann" }, async (client) => {
          for (const table of ["teams", "notes"])
            assert.equal(await count(client, table), 0, `${table} ${JSON.stringify(settings)}`);
          if (settings["nonet.policy"] === "another") return;
          for (const view of reached) assert.equal(await count(client, view), 0, view);
        });
      }
    });

    test("writes nothing, and reads no secret, no key, no session and nothing else of the service's own", async () => {
      const own = await sqlOn(address, async (client) => {
        const found = await client.query<{ tablename: string }>(
          "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename LIKE 'nonet\\_%'",
        );
        return found.rows.map(({ tablename }) => tablename);
      });
      assert(own.length > 10, own.join());
      for (const statement of [
        ...own.map((table) => `SELECT 1 FROM ${table}`),
        "SELECT pin FROM notes",
        "SELECT * FROM notes",
        "SELECT 1 FROM members",
        "DELETE FROM notes",
        "UPDATE notes SET shared = true",
        "UPDATE notes SET shared = true WHERE false",
        "INSERT INTO teams (_rev, id, name) VALUES (1, 'tea_x', 'x')",
        "CREATE TABLE mine (id int)",
        "ALTER TABLE notes DISABLE ROW LEVEL SECURITY",
        "SELECT * FROM notes FOR UPDATE",
      ]) {
        await asReader({}, (client) =>
          assert.rejects(client.query(statement), (thrown: { code?: string }) => thrown.code === "42501", statement),
        );
      }
    });
  });
});

function readerOf(address: string): string {
  return `nonet_reads_postgres_${parseDatabaseUrl(address).schema}`;
}

describe("a connection", () => {
  const address = `${newAddress().replace(/&connections=.*/, "")}&connections=2`;

  test("keeps neither role nor caller, whatever became of the statement", async () => {
    const { schema } = parseDatabaseUrl(address);
    await sqlOn(address, (client) =>
      client.query(
        `CREATE SCHEMA ${schema}; CREATE ROLE "reads ${schema}"; GRANT USAGE ON SCHEMA ${schema} TO "reads ${schema}"`,
      ),
    );
    const connections = openConnections(parseDatabaseUrl(address));
    const now =
      "SELECT current_user::text, current_setting('nonet.policy', true), current_setting('nonet.v0', true), pg_backend_pid()";
    const role = `reads ${schema}`;
    const ann = asRole(role, ["a policy", " admin ", "=ann"]);
    const bob = asRole(role, ["a policy", " admin ", "=bob"]);
    try {
      const [[, , , pid] = []] = await connections.execute(now);
      for (const [statement, fails] of [
        [now, false],
        ["SELECT 1 / 0", true],
        ["SELECT 1 FROM nowhere", true],
        [now, false],
      ] as const) {
        const asked = connections.execute(statement, [], ann);
        if (fails) await assert.rejects(asked, statement);
        else assert.deepEqual(await asked, [[role, "a policy", "=ann", pid]]);
        for (const next of [connections.execute(now), connections.rows(now)])
          assert.deepEqual(await next, [["postgres", "", "", pid]], statement);
        // Nor where the next one is sent before this one is answered, or says less.
        const all = await Promise.all([
          connections.execute(now, [], ann),
          connections.execute(now, [], bob),
          connections.execute(now, [], asRole(role, ["another"])),
          connections.execute(now),
          connections.execute(now, [], ann),
        ]);
        assert.deepEqual(all, [
          [[role, "a policy", "=ann", pid]],
          [[role, "a policy", "=bob", pid]],
          [[role, "another", "", pid]],
          [["postgres", "", "", pid]],
          [[role, "a policy", "=ann", pid]],
        ]);
      }
    } finally {
      await connections.close();
    }
  });

  test("gives each of many at once its own", async () => {
    const running = await serve(teams, newAddress());
    try {
      using asked = asking(running);
      const admin = await running.key("root", "admin");
      const all = await Promise.all(
        Array.from({ length: 6 }, async (_, index) => {
          const team = await asked.post("/teams", admin, { name: `team ${index}` });
          await asked.post("/members", admin, { team: team.id, who: `user${index}` });
          return { team: team.id, key: await running.key(`user${index}`) };
        }),
      );
      const found = await Promise.all(
        Array.from({ length: 72 }, async (_, index) => {
          const [reader, owner] = [all[index % 6], all[Math.floor(index / 6) % 6]];
          const { status } = await asked.get(`/teams/${owner?.team}`, reader?.key);
          return status === (reader === owner ? 200 : 404);
        }),
      );
      assert(found.every((one) => one));
      assert.deepEqual(running.failures, []);
    } finally {
      await running[Symbol.asyncDispose]();
    }
  });
});

describe("generated documents, with each wall alone", () => {
  const reading = ["getThing", "listThings", "outThing", "outThings", "pastThing"] as const;
  const lists = { listThings: "/things?limit=200", outThings: "/things/out?limit=200" } as const;

  for (const [index, vault] of fc.sample(vaults, { numRuns: 3, seed: 11 }).entries()) {
    test(`document ${index}: conditions of statements give what policies do, but for what operations differ in`, async () => {
      const address = newAddress();
      const text = textOf(vault);
      await using whole = await serve(text, address, { environment: secrets });
      await using first = await serve(text, `${address}&row_security=off`, { environment: secrets });
      await using second = await serve(text, address, { environment: secrets, around: broken });
      using both = asking(whole);
      using conditions = asking(first);
      using policies = asking(second);
      const things: (Facts & { readonly id: string })[] = [];
      for (const owner of ["ona", "ben"]) {
        const key = await whole.keyOf("key", owner);
        for (const open of [true, false])
          things.push({ ...(await both.post("/things", key, thingOf(open))), owner, open });
      }
      const callers = ["ona", "cal"].flatMap((id) =>
        [[], ["clerk"], ["boss"], ["clerk", "boss"]].map((roles) => ({ id, roles })),
      );
      let judged = 0;
      for (const caller of [{ id: undefined, roles: [] }, ...callers]) {
        const key = caller.id === undefined ? undefined : await whole.keyOf("key", caller.id, ...caller.roles);
        const given = (operation: (typeof reading)[number]) =>
          things
            .filter((thing) => vault.allow[operation].some((grant) => passes(grant, caller, thing)))
            .map(({ id }) => id);
        const any = new Set(reading.flatMap(given));
        for (const [operation, path] of Object.entries(lists) as [keyof typeof lists, string][]) {
          const who = `${caller.id} ${caller.roles.join()} ${operation}`;
          if (!vault.allow[operation].some((grant) => isMeant(grant, caller))) {
            assert((await policies.get(path, key)).status >= 401, who);
            continue;
          }
          const wanted = given(operation).toSorted();
          assert.deepEqual(idsOf(await both.get(path, key)), wanted, `${who}: both`);
          assert.deepEqual(idsOf(await conditions.get(path, key)), wanted, `${who}: conditions alone`);
          assert.deepEqual(idsOf(await policies.get(path, key)), [...any].toSorted(), `${who}: policies alone`);
          judged += 1;
        }
        const mayRead = vault.allow.getThing.some((grant) => isMeant(grant, caller));
        for (const { id } of things) {
          const { status } = await policies.get(`/things/${id}`, key);
          assert.equal(status === 200, mayRead && any.has(id), `${caller.id} ${caller.roles.join()} reads: ${status}`);
        }
      }
      assert(judged > 0);
      for (const running of [whole, first, second]) assert.deepEqual(running.failures, []);
    });
  }

  let made = 0;

  function thingOf(open: boolean): object {
    made += 1;
    return {
      open, title: "a title", note: "a note", code: `code ${made}`, rank: made, tags: ["tag"], place: { street: "a street" },
      labels: { a: "label" }, extra: {}, cost: { amount: "1.00", currency: "EUR" },
    }; // biome-ignore format: a table
  }
});

test("no list is read from end to end for its policy, whoever asks and in whichever order", async () => {
  const address = newAddress();
  await using running = await serve(lockers, address, { environment });
  const { plan } = running;
  const relations = relationsOf(plan.tables);
  const policies = policiesOf(rowSecurityOf(plan), plan.tables, readerOf(address));
  const newest = { column: "createdAt", descending: true };
  const lists: readonly Pick<ListQuery, "sort" | "filters" | "from">[] = [
    { sort: [], filters: [], from: "start" },
    { sort: [newest], filters: [], from: "start" },
    { sort: [newest], filters: [], from: "after" },
    { sort: [], filters: [{ column: "trackingNumber", operator: "eq" }], from: "start" },
    { sort: [], filters: [{ column: "createdAt", operator: "gt" }], from: "start" },
  ];
  await sqlOn(address, async (client) => {
    await client.query(`ALTER TABLE parcels DISABLE TRIGGER ALL;
      INSERT INTO parcels (_rev, _entered, id, courier, site, size, locker, "trackingNumber", "recipientEmail", "weightKg", "pickupCode", extensions, "createdAt", state)
      SELECT 1, 0, 'par_' || i, 'courier' || i % 100, 'sit_1', 'small', 'lok_1', 'T' || i, 'a@example.com', 1, '000000', 0, now() - i * interval '1 s', 'announced'
      FROM generate_series(1, 5000) AS i; ANALYZE parcels`);
    for (const roles of [["operator"], ["courier"]]) {
      const decision = decide(plan.operations.find(({ name }) => name === "listParcels")?.allow ?? [], {
        roles,
        scoped: false,
      });
      const where = typeof decision === "string" ? {} : { where: decision };
      const variables = { caller: { id: "courier7", roles } };
      for (const list of lists) {
        const view = { resource: "Parcel", members: [] };
        const finds = (column: string): string | undefined => policies.finds("Parcel", column);
        const read = prepareList({ resource: "Parcel", view, ...list, ...where }, relations, {
          reached: policies.reached,
          finds,
        });
        const explained = async (statement: string, values: readonly unknown[] = []): Promise<readonly []> => {
          await client.query(`BEGIN; SET LOCAL ROLE "${readerOf(address)}"`);
          const said = policies.settings("Parcel")(variables);
          for (const [index, name] of settingNames(said.length).entries())
            await client.query("SELECT set_config($1, $2, true)", [name, said[index]]);
          const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${statement}`, [...values]);
          await client.query("COMMIT");
          const way = rows.map((row) => row["QUERY PLAN"]).join("\n");
          assert.doesNotMatch(way, /Seq Scan/, `${roles.join()} ${JSON.stringify(list)}\n${way}`);
          assert.match(way, /CASE WHEN \(InitPlan/, "the policy is asked");
          return [];
        };
        const instant = "2026-11-01T00:00:00.000Z";
        const values = list.filters.map(({ column }) => (column === "createdAt" ? instant : "T7"));
        const after = list.from === "after" ? { after: [instant, 2500] } : {};
        await read({ rows: explained }, { limit: 50, filters: values, ...after }, variables);
      }
    }
  });
});

describe("documents that follow one another", () => {
  const withDeclared = (condition: string, service = "things"): string =>
    documentOf({
      purpose: { service },
      resources: { Thing: { id: "id(thi)", name: "string(1..40)", owner: "user = caller, read-only" } },
      authentication: {
        own: { Thing: condition },
        allow: { getThing: "signed-in if own", listThings: "signed-in if own", addThing: "signed-in" },
      },
    });
  const open = withDeclared("owner == caller.id").replaceAll("signed-in if own", "anyone");
  const policiesOn = (address: string): Promise<readonly string[]> =>
    sqlOn(address, async (client) => {
      const found = await client.query<{ policyname: string }>(
        "SELECT policyname FROM pg_policies WHERE schemaname = current_schema()",
      );
      return found.rows.map(({ policyname }) => policyname).toSorted();
    });
  const isEnabled = (address: string): Promise<boolean> =>
    sqlOn(address, async (client) => {
      const found = await client.query<{ on: boolean }>(
        `SELECT relrowsecurity AS on FROM pg_class WHERE oid = 'things'::regclass`,
      );
      return found.rows[0]?.on === true;
    });

  test("permissions change while both serve: each is held to its own, and what nobody serves any more goes", async () => {
    const address = newAddress();
    await using before = await serve(withDeclared("owner == caller.id"), address);
    const [ann, bob] = [await before.key("ann"), await before.key("bob")];
    using asksBefore = asking(before);
    const thing = await asksBefore.post("/things", ann, { name: "of ann" });
    const first = await policiesOn(address);
    // Nobody, anybody, and the other way round.
    for (const text of [withDeclared("name == 'of nobody'"), open, withDeclared("owner != caller.id")]) {
      await using after = await serve(text, address);
      using asksAfter = asking(after);
      const wanted = text === open ? [200, 200] : text.includes("!=") ? [404, 200] : [404, 404];
      for (let turn = 0; turn < 2; turn += 1) {
        assert.deepEqual(
          [
            (await asksAfter.get(`/things/${thing.id}`, ann)).status,
            (await asksAfter.get(`/things/${thing.id}`, bob)).status,
          ],
          wanted,
        );
        assert.equal((await asksBefore.get(`/things/${thing.id}`, ann)).status, 200);
        assert.equal((await asksBefore.get(`/things/${thing.id}`, bob)).status, 404);
      }
      assert.equal((await policiesOn(address)).length, 3, "one of each document, and one for everybody else");
    }
    await before[Symbol.asyncDispose]();
    await using last = await serve(open, address);
    assert.equal(
      (await policiesOn(address)).filter((name) => first.includes(name)).length,
      1,
      "that for everybody else stays",
    );
    assert.equal((await policiesOn(address)).length, 2);
    assert.equal(await isEnabled(address), false, "where anyone sees everything there is nothing to hold");
    using asks = asking(last);
    assert.equal((await asks.get(`/things/${thing.id}`)).status, 200);
  });

  test("policies, views and rights are there again after tables were made anew, restored, or laid open by hand", async () => {
    const address = newAddress();
    let thing = "";
    {
      await using running = await serve(withDeclared("owner == caller.id"), address);
      using asks = asking(running);
      thing = (await asks.post("/things", await running.key("ann"), { name: "7" })).id;
    }
    const named = withDeclared("owner == caller.id").replace("string(1..40)", "string(1..10)");
    const undone = `DROP OWNED BY "${readerOf(address)}"; ALTER TABLE things DISABLE ROW LEVEL SECURITY`;
    for (const undo of ["SELECT 1", undone, `${undone}; DROP ROLE "${readerOf(address)}"`]) {
      await sqlOn(address, (client) => client.query(undo));
      await using running = await serve(named, address, { around: broken });
      using asks = asking(running);
      assert(await isEnabled(address), undo);
      assert.equal((await asks.get(`/things/${thing}`, await running.key("ann"))).status, 200, undo);
      assert.equal((await asks.get(`/things/${thing}`, await running.key("bob"))).status, 404, undo);
    }
  });

  test("a document whose policies wait for somebody who works with the table keeps nobody else waiting", async () => {
    const address = newAddress();
    await using before = await serve(withDeclared("owner == caller.id"), address);
    const ann = await before.key("ann");
    using asks = asking(before);
    const thing = await asks.post("/things", ann, { name: "of ann" });
    await sqlOn(address, async (client) => {
      await client.query("BEGIN; UPDATE things SET name = name");
      const starting = serve(withDeclared("owner == caller.id && name != 'of ann'"), address);
      for (let turn = 0; turn < 20; turn += 1) assert.equal((await asks.get(`/things/${thing.id}`, ann)).status, 200);
      await client.query("COMMIT");
      await using after = await starting;
      using asksAfter = asking(after);
      assert.equal((await asksAfter.get(`/things/${thing.id}`, ann)).status, 404);
    });
  });

  test("whoever else may read the tables goes on doing so", async () => {
    const address = newAddress();
    await using running = await serve(withDeclared("owner == caller.id"), address);
    using asks = asking(running);
    await asks.post("/things", await running.key("ann"), { name: "of ann" });
    const { schema } = parseDatabaseUrl(address);
    const seen = await sqlOn(address, async (client) => {
      await client.query(
        `CREATE ROLE "analyst ${schema}"; GRANT USAGE ON SCHEMA ${schema} TO "analyst ${schema}"; GRANT SELECT ON things TO "analyst ${schema}"; SET ROLE "analyst ${schema}"`,
      );
      return (await client.query("SELECT name FROM things")).rows;
    });
    assert.deepEqual(seen, [{ name: "of ann" }]);
  });
});

describe("a login that may make no roles", () => {
  const text = documentOf({
    resources: { Thing: { id: "id(thi)", name: "string(1..40)", owner: "user = caller, read-only" } },
    authentication: {
      own: { Thing: "owner == caller.id" },
      allow: { getThing: "signed-in if own", listThings: "signed-in if own" },
    },
  });
  const plan = planOf(text);
  const open = async (address: string): Promise<readonly string[]> => {
    const warnings: string[] = [];
    const rowSecurity = (found: RowSecurityState): void =>
      void (found.kind === "absent" && warnings.push(rowSecurityText(found)));
    const store = await openPostgresStore({
      address,
      tables: plan.tables,
      security: rowSecurityOf(plan),
      rowSecurity,
      clock: Date.now,
    });
    await store.close();
    return warnings;
  };

  test("serves without the second wall and says so, unless that is required or a role is named", async () => {
    const address = newAddress();
    const { schema } = parseDatabaseUrl(address);
    const login = `login_${schema}`;
    await sqlOn(address, (client) =>
      client.query(`CREATE ROLE ${login} LOGIN; CREATE SCHEMA ${schema} AUTHORIZATION ${login}`),
    );
    const mine = address.replace("postgres@", `${login}@`);
    assert.deepEqual(await open(mine), [
      `permissions are in the statements alone: there is no role ${readerOf(address)}, and ${login} may not make one (CREATE ROLE "${readerOf(address)}" NOLOGIN; GRANT "${readerOf(address)}" TO "${login}")`,
    ]);
    assert.deepEqual(await open(`${mine}&row_security=off`), []);
    await assert.rejects(open(`${mine}&row_security=required`), /row_security is required, and there is no role/);
    await assert.rejects(open(`${mine}&row_security=perhaps`), /row_security is required or off/);
    await sqlOn(address, (client) =>
      client.query(
        `CREATE ROLE by_dba_${schema}; CREATE ROLE almighty_${schema} BYPASSRLS; GRANT almighty_${schema} TO ${login}`,
      ),
    );
    assert.match((await open(`${mine}&reader=by_dba_${schema}`))[0] ?? "", /may not act as the role by_dba.*GRANT/);
    assert.match((await open(`${mine}&reader=almighty_${schema}`))[0] ?? "", /passes policies by/);
    await sqlOn(address, (client) => client.query(`GRANT by_dba_${schema} TO ${login}`));
    assert.deepEqual(await open(`${mine}&reader=by_dba_${schema}&row_security=required`), []);
    const makes = `CREATE ROLE makes_${schema} LOGIN CREATEROLE`;
    const second = newAddress();
    await sqlOn(second, (client) =>
      client.query(`${makes}; CREATE SCHEMA ${parseDatabaseUrl(second).schema} AUTHORIZATION makes_${schema}`),
    );
    assert.deepEqual(await open(`${second.replace("postgres@", `makes_${schema}@`)}&row_security=required`), []);
  });
});
