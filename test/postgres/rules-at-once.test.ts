/**
 * R2.13 with concurrent writes that together break a rule, although each is valid alone: one wins. Two processes use one
 * PostgreSQL; each detects the other's write before the commit, and there is no deadlock.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply, Sent } from "../serve/client.ts";
import { createClient } from "../serve/client.ts";
import { run } from "../serve/running.ts";
import { type SmallDocument, smallDocument } from "../serve/small-document.ts";
import { postgresForFile } from "./for-file.ts";

const { admin, server } = await postgresForFile();

interface Both {
  /** By one of the two processes, in turn. */
  readonly send: (method: string, path: string, body?: object) => Promise<Reply>;
  readonly make: (path: string, body?: object) => Promise<string>;
  readonly all: (path: string) => Promise<readonly Record<string, unknown>[]>;
}

async function withBoth(name: string, document: SmallDocument, body: (both: Both) => Promise<void>): Promise<void> {
  await admin.query(`CREATE DATABASE ${name}`);
  const address = `${server.address.replace(/postgres$/, name)}?connections=9`;
  const text = smallDocument(document);
  await using one = await run(text, { store: "postgres", address });
  await using other = await run(text, { store: "postgres", address });
  using first = createClient(one.port, () => {});
  using second = createClient(other.port, () => {});
  let turn = 0;
  const send: Both["send"] = (method, path, given) => {
    turn += 1;
    const sent: Sent = { method, path, ...(given === undefined ? {} : { body: given }) };
    return (turn % 2 === 0 ? first : second).send(sent);
  };
  const make: Both["make"] = async (path, given = {}) => {
    const reply = await send("POST", path, given);
    assert.equal(reply.status, 201, reply.text);
    return (reply.json as { id: string }).id;
  };
  const all: Both["all"] = async (path) =>
    ((await send("GET", `${path}?limit=100`)).json as { items: readonly Record<string, unknown>[] }).items;
  await body({ send, make, all });
  assert.deepEqual([...one.failures, ...other.failures], []);
  const { rows } = await admin.query<{ deadlocks: string }>(
    `SELECT deadlocks FROM pg_stat_database WHERE datname = '${name}'`,
  );
  assert.equal(Number(rows[0]?.deadlocks), 0, "deadlocks");
}

/** How many of the replies have each outcome: a status, or the code of a conflict. */
function outcomes(replies: readonly Reply[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { json, status } of replies) {
    const name = status === 409 ? (json as { code: string }).code : String(status);
    found[name] = (found[name] ?? 0) + 1;
  }
  return found;
}

const fifty = Array.from({ length: 50 }, (_, index) => index);

const team = `
Team: { id: id(team), name: string(1..20) }
Seat: { id: id(seat), team: Team, n: "integer = 1", vip: "boolean = false" }`;

const seatEndpoints = {
  addTeam: "POST /teams",
  addSeat: "POST /seats",
  editSeat: "PATCH /seats/{id}",
  dropSeat: "DELETE /seats/{id}",
  listSeats: "GET /seats",
};

test("50 seats of one team at once: as many as there is room for; other teams have theirs", async () => {
  const rules = "  Seat: Seat.filter(s, s.team == team).size() <= 7 else full";
  const document = { resources: team, rules, endpoints: seatEndpoints, errors: ["full"] };
  await withBoth("seats", document, async ({ all, make, send }) => {
    const [a, b] = [await make("/teams", { name: "a" }), await make("/teams", { name: "b" })];
    const replies = await Promise.all(fifty.map((index) => send("POST", "/seats", { team: index % 10 === 0 ? b : a })));
    assert.deepEqual(outcomes(replies), { 201: 12, full: 38 });
    const seats = await all("/seats");
    // Each of twelve goes to the other team, where there is no room for all of them.
    const moved = await Promise.all(
      seats.map(({ id, team: of }) => send("PATCH", `/seats/${String(id)}`, { team: of === a ? b : a })),
    );
    const after = await all("/seats");
    for (const one of [a, b]) assert(after.filter((seat) => seat["team"] === one).length <= 7);
    assert.equal(after.length, 12);
    assert.deepEqual(Object.keys(outcomes(moved)).toSorted().join().replace(",full", ""), "200");
  });
});

test("50 payments of one account at once: exactly what it has is paid", async () => {
  const document: SmallDocument = {
    resources: `
Account: { id: id(acc), limit: "integer = 0" }
Entry: { id: id(ent), account: Account, amount: integer }`,
    rules: "  Account: Entry.filter(e, e.account == id).map(e, e.amount).sum() >= limit else overdrawn",
    endpoints: {
      addAccount: "POST /accounts",
      editAccount: "PATCH /accounts/{id}",
      addEntry: "POST /entries",
      listEntries: "GET /entries",
      listAccounts: "GET /accounts",
    },
    errors: ["overdrawn"],
  };
  await withBoth("ledger", document, async ({ all, make, send }) => {
    const account = await make("/accounts");
    await make("/entries", { account, amount: 1000 });
    const replies = await Promise.all(fifty.map(() => send("POST", "/entries", { account, amount: -100 })));
    assert.deepEqual(outcomes(replies), { 201: 10, overdrawn: 40 });
    // The limit goes up while it is paid from: never both.
    for (let round = 1; round <= 8; round += 1) {
      const one = await make("/accounts");
      await make("/entries", { account: one, amount: 100 });
      const both = await Promise.all([
        send("POST", "/entries", { account: one, amount: -60 }),
        send("PATCH", `/accounts/${one}`, { limit: 50 }),
      ]);
      assert.equal(both.filter(({ status }) => status === 409).length, 1, both.map(({ text }) => text).join());
    }
    const entries = await all("/entries");
    const [first] = (await all("/accounts")).filter(({ id }) => id === account);
    const sum = entries
      .filter((one) => one["account"] === account)
      .reduce((all_, one) => all_ + Number(one["amount"]), 0);
    assert.deepEqual([sum, first?.["limit"]], [0, 0]);
  });
});

test("a sum of all records, and the last one that something needs", async () => {
  const rules = `  Seat:
    - Seat.map(s, s.n).sum() <= 10 else too-much
    - vip || Seat.exists(s, s.team == team && s.vip) else no-vip`;
  const document = { resources: team, rules, endpoints: seatEndpoints, errors: ["too-much", "no-vip"] };
  await withBoth("sums", document, async ({ all, make, send }) => {
    const a = await make("/teams", { name: "a" });
    const replies = await Promise.all(fifty.map(() => send("POST", "/seats", { team: a, vip: true })));
    assert.deepEqual(outcomes(replies), { 201: 10, "too-much": 40 });
    const seats = await all("/seats");
    await send("PATCH", `/seats/${String(seats[0]?.["id"])}`, { vip: false });
    // Each may stop being one as long as there is another.
    const [one, two, ...others] = seats.slice(1);
    for (const other of others) await send("PATCH", `/seats/${String(other["id"])}`, { vip: false });
    const last = await Promise.all([
      send("PATCH", `/seats/${String(one?.["id"])}`, { vip: false }),
      send("DELETE", `/seats/${String(two?.["id"])}`),
    ]);
    assert.equal(last.filter(({ status }) => status === 409).length, 1, last.map(({ text }) => text).join());
    assert.equal((await all("/seats")).filter(({ vip }) => vip === true).length, 1);
  });
});

test("what a record refers to changes while another comes to refer to it", async () => {
  const document: SmallDocument = {
    resources: `
Shelf: { id: id(shelf), open: "boolean = true" }
Item: { id: id(item), shelf: Shelf }
Line: { id: id(line), item: Item }`,
    rules: "  Line: item.shelf.open else shut",
    endpoints: {
      addShelf: "POST /shelves",
      editShelf: "PATCH /shelves/{id}",
      addItem: "POST /items",
      editItem: "PATCH /items/{id}",
      addLine: "POST /lines",
      listLines: "GET /lines",
    },
    errors: ["shut"],
  };
  await withBoth("shelves", document, async ({ make, send }) => {
    for (let round = 0; round < 12; round += 1) {
      const [shelf, second] = [await make("/shelves"), await make("/shelves")];
      const item = await make("/items", { shelf });
      const byLine = await Promise.all([
        send("PATCH", `/shelves/${shelf}`, { open: false }),
        send("POST", "/lines", { item }),
      ]);
      assert.equal(byLine.filter(({ status }) => status === 409).length, 1, byLine.map(({ text }) => text).join());
      const used = await make("/shelves");
      const kept = await make("/items", { shelf: used });
      await make("/lines", { item: kept });
      const byItem = await Promise.all([
        send("PATCH", `/shelves/${second}`, { open: false }),
        send("PATCH", `/items/${kept}`, { shelf: second }),
      ]);
      assert.equal(byItem.filter(({ status }) => status === 409).length, 1, byItem.map(({ text }) => text).join());
    }
  });
});

test("two lists that a record is tied to by different fields", async () => {
  const document: SmallDocument = {
    resources: `
Team: { id: id(team), name: string(1..9) }
User: { id: id(user), name: string(1..9) }
Seat: { id: id(seat), team: Team }
Badge: { id: id(badge), user: User }
Place: { id: id(place), team: Team, user: User }`,
    rules: "  Place: Seat.filter(s, s.team == team).size() + Badge.filter(b, b.user == user).size() <= 5 else too-many",
    endpoints: {
      addTeam: "POST /teams",
      addUser: "POST /users",
      addSeat: "POST /seats",
      addBadge: "POST /badges",
      addPlace: "POST /places",
      listPlaces: "GET /places",
    },
    errors: ["too-many"],
  };
  await withBoth("places", document, async ({ make, send }) => {
    const [of, user] = [await make("/teams", { name: "t" }), await make("/users", { name: "u" })];
    await make("/places", { team: of, user });
    const replies = await Promise.all(
      fifty.map((index) =>
        index % 2 === 0 ? send("POST", "/seats", { team: of }) : send("POST", "/badges", { user }),
      ),
    );
    assert.deepEqual(outcomes(replies), { 201: 5, "too-many": 45 });
  });
});
