/**
 * Attacks on generated documents: every operation with every kind of credential on every record, and every field in every place
 * that could reveal it. `vault.ts` derives the expected result of each from the document's lines (R5.1, R5.8, R5.9); the test
 * searches every response for data that its caller may not know. Any 5xx fails.
 *
 * `NONET_MATRIX` is a number of documents, or `seed:number`, for a longer search than continuous integration has time for.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import fc from "fast-check";
import { createClient, type Client, type Reply, type Sent } from "../serve/client.ts";
import { everyAnswer } from "../serve/every-answer.ts";
import { follow } from "../serve/follower.ts";
import { createReceiver, type Receiver } from "../serve/receiver.ts";
import { run, type Running } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";
import { type Asking, callersOf, secrets } from "./callers.ts";
import { type Log, logged } from "./store-log.ts";
import {
  type Caller, type Facts, type FieldName, fields, isAlwaysShown, isMeant, isShown, type OperationName, operations, passes,
  textOf, type Vault, vaults, verdict,
} from "./vault.ts"; // biome-ignore format: a list
import { runs } from "../nightly.ts";

const [seed = 7, count = runs(1, 2)] = (process.env["NONET_MATRIX"] ?? "").split(":").flatMap((part, index, all) => {
  const number = Number(part);
  return part === "" ? [] : all.length === 1 ? [7, number] : index === 0 ? [number] : [number];
});

/** A record that is attacked, and words that stand nowhere but in one field of it. */
interface Thing extends Facts {
  readonly id: string;
  readonly peer?: string;
  readonly words: Readonly<Record<FieldName | "pin" | "hint", string>>;
}

interface World {
  readonly vault: Vault;
  readonly running: Running;
  readonly client: Client;
  readonly callers: readonly Asking[];
  readonly things: readonly Thing[];
  /** Ids of things that there are not: never, not any more, and of something else. */
  readonly missing: readonly string[];
  readonly log: Log;
  /** Of the good callers those that differ in who they are or in their roles, and not only in how they say so. */
  readonly different: readonly Asking[];
  /** How many requests were judged. */
  cases: number;
}

for (const [index, vault] of fc.sample(vaults, { numRuns: count, seed }).entries()) {
  // Each store has the first document; the others take their time once.
  for (const store of index === 0 ? stores : stores.slice(0, 1)) {
    describe(`document ${index} of seed ${seed} (${store})`, () => {
      test("R5.1 R5.8 R5.9 nobody does or learns what the document does not allow", async (t) => {
        const log: Log = { calls: [] };
        await using running = await run(textOf(vault), {
          store,
          environment: secrets,
          around: (inner) => logged(inner, log),
        });
        try {
          const world = await open(vault, running, log);
          await attackOperations(world);
          await attackFields(world);
          await attackVersions(world);
          await attackReferences(world);
          await attackEvents(world);
          t.diagnostic(`${world.cases} requests by ${world.callers.length} callers`);
        } catch (thrown) {
          t.diagnostic(textOf(vault));
          throw thrown;
        }
        assert.deepEqual(running.failures, []);
      });
    });
  }
}

// ── The world ──────────────────────────────────────────────────────────────────────────────────────────────────────

let made = 0;

/** Text and digits that do not come about by chance, and that no request but the one that makes the record sends. */
function wordsFor(): Thing["words"] {
  made += 1;
  const word = (name: string): string => `hush${name}${made}x`;
  return {
    note: word("note"),
    code: word("code"),
    rank: String(771_000_000_000_000 + made),
    tags: word("tags"),
    place: word("place"),
    labels: word("labels"),
    extra: word("extra"),
    cost: String(883_000_000_000 + made),
    pin: word("pin"),
    hint: word("hint"),
  };
}

function bodyOf(words: Thing["words"], open: boolean, peer?: string): Readonly<Record<string, unknown>> {
  return {
    open,
    title: "a title",
    note: words.note,
    code: words.code,
    rank: Number(words.rank),
    tags: [words.tags],
    place: { street: words.place },
    labels: { a: words.labels },
    extra: { deep: [words.extra] },
    cost: { amount: `${words.cost}.00`, currency: "EUR" },
    hint: words.hint,
    ...(peer === undefined ? {} : { peer }),
  };
}

async function open(vault: Vault, running: Running, log: Log): Promise<World> {
  const holds = everyAnswer(running.plan);
  const client = createClient(running.port, (sent, reply) => {
    assert(reply.status < 500, `${JSON.stringify(sent)}: ${reply.text}`);
    holds(sent, reply);
  });
  const callers = await callersOf(vault, { running, client });
  const things: Thing[] = [];
  const good = callers.filter(({ refused }) => refused === undefined);
  const different = [...Map.groupBy(good, ({ id, roles }) => `${id} ${roles.join()}`).values()].flatMap((same) =>
    same.slice(0, 1),
  );
  const world = { vault, running, client, callers, different, things, missing: [] as string[], log, cases: 0 };
  const owners = ["ona", "bell", callers.find(({ name }) => name.startsWith("a session"))?.id ?? ""];
  for (const owner of owners) {
    for (const isOpen of [true, false]) things.push(await makeThing(world, owner, isOpen, things.at(-1)?.id));
  }
  const gone = await makeThing(world, "ona", true);
  await running.store.transaction(async (tx) => {
    const row = await tx.get("Thing", "id", gone.id);
    assert(row !== undefined);
    return tx.delete("Thing", row);
  });
  const [last] = things.slice(-1);
  assert(last !== undefined);
  world.missing.push(gone.id, `${last.id.slice(0, -4)}0000`, last.id.replace("thi_", "prt_"));
  return world;
}

/** By whoever of that id has a good credential: making is for all who are signed in. */
async function makeThing(
  world: Pick<World, "callers" | "client">,
  owner: string,
  isOpen: boolean,
  peer?: string,
): Promise<Thing> {
  const caller = world.callers.find(({ id, refused }) => id === owner && refused === undefined);
  assert(caller !== undefined, owner);
  const words = wordsFor();
  // Whoever makes a record may refer only to what it sees, so the reference is left out where that is refused.
  for (const reference of peer === undefined ? [undefined] : [peer, undefined]) {
    const sent = caller.sign({
      method: "POST",
      path: "/things",
      body: JSON.stringify(bodyOf(words, isOpen, reference)),
      headers: json,
    });
    const reply = await world.client.send(sent);
    if (reply.status === 422 && reference !== undefined) continue;
    assert.equal(reply.status, 201, reply.text);
    const { id } = reply.json as { id: string };
    return { id, owner, open: isOpen, words, ...(reference === undefined ? {} : { peer: reference }) };
  }
  throw new Error("unreachable");
}

const json = { "Content-Type": "application/json" };

function ask(world: World, caller: Asking, sent: Sent): Promise<Reply> {
  world.cases += 1;
  const text =
    sent.body === undefined ? {} : { body: JSON.stringify(sent.body), headers: { ...json, ...sent.headers } };
  const sending = world.client.send(caller.sign({ ...sent, ...text }));
  // Failures of one address are limited; that is another test's.
  if (caller.refused === 401) world.running.pass(61_000);
  return sending;
}

/** Fails for words of a record in an answer to somebody whom it is not given to, or who does not see that field of it. */
function search(world: World, caller: Caller, label: string, text: string, given: (thing: Thing) => boolean): void {
  for (const thing of world.things) {
    const isGiven = given(thing);
    for (const [name, word] of Object.entries(thing.words)) {
      if (!text.includes(word)) continue;
      const told =
        fields.includes(name as FieldName) && isGiven && isShown(world.vault, name as FieldName, caller, thing);
      assert(told, `${label} tells ${name} of ${thing.owner}'s ${thing.open ? "open" : "shut"} thing: ${text}`);
    }
    if (!isGiven && !label.includes(thing.id) && !world.things.some(({ peer }) => peer === thing.id))
      assert(!text.includes(thing.id), `${label} tells of ${thing.id}: ${text}`);
  }
}

const whole = (reply: Reply): string => `${JSON.stringify(reply.headers)} ${reply.text}`;
const nothing = (): boolean => false;

/** An answer without what differs between any two: who, when and which. */
function bare({ status, headers, text }: Reply, id: string): string {
  const { date, "request-id": request = "", ...rest } = headers;
  assert(date !== undefined);
  return JSON.stringify([status, rest, text]).replaceAll(request, "req").replaceAll(id, "id");
}

// ── Operations ─────────────────────────────────────────────────────────────────────────────────────────────────────

function attackOf(operation: OperationName, { id, words, open: isOpen, peer }: Thing): Sent {
  const at = `/things/${id}`;
  switch (operation) {
    case "getThing":
      return { method: "GET", path: at };
    case "listThings":
      return { method: "GET", path: "/things?limit=200" };
    case "outThing":
      return { method: "GET", path: `${at}/out` };
    case "outThings":
      return { method: "GET", path: "/things/out?limit=200" };
    case "changeThing":
      return { method: "PATCH", path: at, body: { title: "a title" } };
    case "replaceThing":
      return { method: "PUT", path: at, body: bodyOf(words, isOpen, peer) };
    case "removeThing":
      return { method: "DELETE", path: at };
    case "publishThing":
      return { method: "POST", path: `${at}/publish` };
    case "pastThing":
      return { method: "GET", path: `${at}/history` };
    case "addPart":
      return { method: "POST", path: `${at}/parts`, body: { body: "a part" } };
    case "listParts":
      return { method: "GET", path: `${at}/parts` };
  }
}

const writes: ReadonlySet<OperationName> = new Set([
  "changeThing",
  "replaceThing",
  "removeThing",
  "publishThing",
  "addPart",
]);

async function attackOperations(world: World): Promise<void> {
  for (const operation of operations) {
    const before = await snapshot(world, world.things);
    for (const caller of world.callers) {
      // Where the credential is no good nothing else matters: one record will do.
      const things = caller.refused === undefined ? world.things : world.things.slice(0, 1);
      for (const thing of things) await attackThing(world, operation, caller, thing);
      await attackMissing(world, operation, caller);
    }
    if (!writes.has(operation))
      assert.deepEqual(await snapshot(world, world.things), before, `${operation} left something behind`);
  }
}

/** What there is of these things, and how much has happened. */
async function snapshot({ running }: World, things: readonly Thing[]): Promise<readonly unknown[]> {
  const rows = await running.store.transaction((tx) =>
    Promise.all(things.map(async (thing) => tx.get("Thing", "id", thing.id))),
  );
  return [...rows, await running.store.journal.last()];
}

async function attackThing(world: World, operation: OperationName, caller: Asking, thing: Thing): Promise<void> {
  const { vault } = world;
  const expected = caller.refused ?? verdict(vault, operation, caller, thing);
  // What may be removed is removed from somebody who can spare it.
  if (operation === "removeThing" && expected === "allowed") {
    const spare = await makeThing(world, thing.owner, thing.open);
    const reply = await ask(world, caller, attackOf(operation, spare));
    assert.equal(reply.status, 204, `${operation} by ${caller.name}: ${reply.text}`);
    return;
  }
  const before = expected === "allowed" ? undefined : await snapshot(world, [thing]);
  const sent = attackOf(operation, thing);
  const reply = await ask(world, caller, sent);
  const label = `${sent.method} ${sent.path} of ${thing.owner}, ${thing.open ? "open" : "shut"}, by ${caller.name} (${String(caller.id)}): ${reply.status}`;
  if (expected !== "allowed") {
    assert.equal(reply.status, expected, `${label} ${reply.text}`);
    assert.deepEqual(await snapshot(world, [thing]), before, `${label} left something behind`);
    search(world, caller, label, whole(reply), nothing);
    return;
  }
  const fine = reply.status < 300 || (operation === "publishThing" && reply.status === 409);
  assert(fine, `${label} ${reply.text}`);
  if (operation === "listThings" || operation === "outThings") judgeList(world, operation, caller, label, reply);
  else judgeOne(world, operation, caller, label, reply, thing);
}

function judgeOne(
  world: World,
  operation: OperationName,
  caller: Asking,
  label: string,
  reply: Reply,
  thing: Thing,
): void {
  const nested = operation === "outThing";
  search(world, caller, label, whole(reply), (one) => one.id === thing.id || (nested && areRelated(one, thing)));
  if (reply.status === 409 || operation.endsWith("Part") || operation.endsWith("Parts") || operation === "pastThing")
    return;
  judgeMembers(world, caller, label, reply.json as object, thing, nested);
}

/** Members are there exactly where they are shown. */
function judgeMembers(
  { vault }: World,
  caller: Asking,
  label: string,
  record: object,
  thing: Thing,
  isOut: boolean,
): void {
  for (const name of fields)
    assert.equal(
      Object.hasOwn(record, name),
      isShown(vault, name, caller, thing),
      `${label}: ${name} in ${JSON.stringify(record)}`,
    );
  if (!isOut) return;
  const is = (name: string, shown: boolean) => assert.equal(Object.hasOwn(record, name), shown, `${label}: ${name}`);
  is("loud", isShown(vault, "note", caller, thing));
  is("known", isShown(vault, "rank", caller, thing));
  is("ranked", isAlwaysShown(vault, "rank", caller));
}

const areRelated = (one: Thing, other: Thing): boolean => one.peer === other.id || other.peer === one.id;

function judgeList(world: World, operation: OperationName, caller: Asking, label: string, reply: Reply): void {
  const { vault, things } = world;
  type Items = readonly { readonly id: string }[];
  const body = reply.json as Items | { readonly items: Items };
  const items = "items" in body ? body.items : body;
  const listed = things.filter((thing) => vault.allow[operation].some((one) => passes(one, caller, thing)));
  const known = new Set(things.map(({ id }) => id));
  assert.deepEqual(
    items
      .map(({ id }) => id)
      .filter((id) => known.has(id))
      .toSorted(),
    listed.map(({ id }) => id).toSorted(),
    label,
  );
  const isOut = operation === "outThings";
  search(world, caller, label, whole(reply), (one) =>
    listed.some((thing) => thing.id === one.id || (isOut && areRelated(one, thing))),
  );
  for (const item of items) {
    const thing = things.find(({ id }) => id === item.id);
    if (thing !== undefined) judgeMembers(world, caller, label, item, thing, isOut);
  }
}

/** R5.8: what is hidden from a caller is in every answer what is not there, with the same work done for it. */
async function attackMissing(world: World, operation: OperationName, caller: Asking): Promise<void> {
  const [some] = world.things;
  if (
    some === undefined ||
    operation === "listThings" ||
    operation === "outThings" ||
    !world.different.includes(caller)
  )
    return;
  const expected = verdict(world.vault, operation, caller, undefined);
  const hidden = world.things.find((thing) => {
    const one = verdict(world.vault, operation, caller, thing);
    return one === world.vault.unseen && one === expected && !isSeenFor(world, caller, thing);
  });
  const ids = [...world.missing, ...(hidden === undefined ? [] : [hidden.id])];
  for (const spoil of spoils(operation)) {
    const answers: string[] = [];
    const works: string[] = [];
    for (const id of ids) {
      const sent = spoil(attackOf(operation, { ...some, id }));
      world.log.calls = [];
      const reply = await ask(world, caller, sent);
      works.push(world.log.calls.join());
      answers.push(bare(reply, id));
      assert.equal(
        reply.status,
        expected,
        `${sent.method} ${sent.path}, that there is not, by ${caller.name}: ${reply.text}`,
      );
    }
    // An id of another resource cannot be one of this one, and is not looked for.
    works.splice(2, 1);
    for (const [index, answer] of answers.entries())
      assert.equal(answer, answers[0], `${operation} by ${caller.name} of ${ids[index]}`);
    for (const work of works) assert.equal(work, works[0], `${operation} by ${caller.name} costs what there is to see`);
  }
}

function isSeenFor({ vault }: World, caller: Caller, thing: Thing): boolean {
  return (
    verdict(vault, "getThing", caller, thing) === "allowed" || verdict(vault, "outThing", caller, thing) === "allowed"
  );
}

/** The request as it should be, and with other things wrong that are looked at later. */
function spoils(operation: OperationName): readonly ((sent: Sent) => Sent)[] {
  const as = (more: Partial<Sent>) => (sent: Sent) => ({
    ...sent,
    ...more,
    headers: { ...sent.headers, ...more.headers },
  });
  if (!writes.has(operation)) return [as({}), as({ method: "HEAD" }), as({ headers: { "If-None-Match": "*" } })];
  const body = operation === "removeThing" || operation === "publishThing" ? {} : { body: { wrong: 1 } };
  return [as({}), as(body), as({ headers: { "If-Match": '"x"' } })];
}

// ── Fields ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function attackFields(world: World): Promise<void> {
  const { vault, things } = world;
  const [thing, other] = things;
  if (thing === undefined || other === undefined) return;
  for (const caller of world.different) {
    if (verdict(vault, "listThings", caller, undefined) !== "allowed") continue;
    for (const [name, spelled, headers] of names()) {
      const marked = name in vault.marks ? vault.marks[name as keyof Vault["marks"]] : [];
      const always = isAlwaysShown(vault, name, caller);
      const filters = marked.includes("filter") && always;
      const wrong = name === "rank" ? "771999999999999" : "nowhere";
      // What no mark makes a filter is none for anybody; one guess shows it.
      const guesses: readonly string[] =
        name in vault.marks ? [thing.words[name], other.words[name], wrong] : [thing.words[name]];
      const path = (query: string): Sent => ({ method: "GET", path: `/things?limit=200&${query}`, headers });
      const told: string[] = [];
      const queries = [spelled, `${spelled}[in]`, ...(name === "rank" ? ["rank[gte]", "rank[lt]"] : [])];
      for (const query of queries) {
        for (const guess of guesses) {
          const reply = await ask(world, caller, path(`${query}=${guess}`));
          const label = `?${query}=${guess} by ${caller.name}`;
          assert.equal(reply.status, filters ? 200 : 400, `${label}: ${reply.text}`);
          if (filters)
            search(world, caller, label, whole(reply), (one) =>
              vault.allow.listThings.some((grant) => passes(grant, caller, one)),
            );
          else told.push(bare(reply, guess));
        }
      }
      // Bracketed names are other names; by the guess there is no difference.
      for (let at = 0; at < told.length; at += guesses.length)
        for (const one of told.slice(at, at + guesses.length))
          assert.equal(one, told[at], `a guess at ${name} by ${caller.name}`);
      for (const query of [`sort=-${spelled}`, `sort=title,${spelled}`]) {
        const reply = await ask(world, caller, path(query));
        assert.equal(
          reply.status,
          marked.includes("sort") && always ? 200 : 400,
          `?${query} by ${caller.name}: ${reply.text}`,
        );
      }
    }
    await attackSearch(world, caller);
  }
  for (const caller of world.different) await attackWrites(world, caller);
}

/** Each field by its name, and `note` by the name that it had. */
function names(): readonly (readonly [FieldName, string, Readonly<Record<string, string>>])[] {
  return [...fields.map((name) => [name, name, {}] as const), ["note", "memo", older]];
}

const older = { "Vault-Version": "2026-03-01" };

async function attackSearch(world: World, caller: Asking): Promise<void> {
  const { vault, things } = world;
  for (const thing of things) {
    const reply = await ask(world, caller, { method: "GET", path: `/things?limit=200&search=${thing.words.note}` });
    const label = `a search by ${caller.name}`;
    assert(reply.status === 200 || reply.status === 400, label);
    const found = reply.text.includes(thing.id);
    const seen =
      vault.allow.listThings.some((one) => passes(one, caller, thing)) && isShown(vault, "note", caller, thing);
    assert(!found || (seen && vault.marks.note.includes("search")), `${label} finds ${reply.text}`);
  }
}

/** What is refused names a field that is hidden no otherwise than one that is not, and never what is in it. */
async function attackWrites(world: World, caller: Asking): Promise<void> {
  const { vault, things } = world;
  for (const thing of things) {
    const expected = verdict(vault, "changeThing", caller, thing);
    const other = things.find(({ id }) => id !== thing.id);
    assert(other !== undefined);
    const bodies: readonly (readonly [object, number])[] = [
      [{ note: 5, code: [], rank: "x", tags: 5, place: 5, labels: 5, extra: 5, cost: 5 }, 422],
      [{ code: other.words.code }, 409],
      [{ pin: `${"p".repeat(60)}${other.words.pin}`, hint: { a: 1 } }, 422],
      [{ owner: caller.id ?? "x" }, caller.id === thing.owner ? 200 : 422],
      [{ id: other.id, state: "live", _rev: 0, __proto__: { owner: "x" }, nobody: 1 }, 422],
      [{ peer: other.id.replace("thi_", "prt_") }, 422],
    ];
    for (const [body, status] of bodies) {
      const reply = await ask(world, caller, { method: "PATCH", path: `/things/${thing.id}`, body });
      const label = `PATCH ${JSON.stringify(body)} of ${thing.owner}'s by ${caller.name}`;
      assert.equal(reply.status, expected === "allowed" ? status : expected, `${label}: ${reply.text}`);
      const mine = (one: Thing): boolean => one.id === thing.id && reply.status === 200;
      search(world, caller, `${label} ${other.id}`, whole(reply).replaceAll(other.words.code, "as sent"), mine);
    }
    if (expected !== "allowed") break;
    // It is hashed, which takes long on purpose.
    if (caller === world.different.find(({ id }) => id === caller.id)) {
      const reply = await ask(world, caller, {
        method: "PATCH",
        path: `/things/${thing.id}`,
        body: { pin: thing.words.pin },
      });
      assert.equal(reply.status, 200, reply.text);
      search(world, caller, "a secret that is changed", whole(reply), ({ id }) => id === thing.id);
    }
  }
}

// ── Older versions ─────────────────────────────────────────────────────────────────────────────────────────────────

/** R9.3: an older caller is told in its own words what it may know, and no more. */
async function attackVersions(world: World): Promise<void> {
  const { vault, things } = world;
  for (const caller of world.different) {
    for (const operation of ["getThing", "outThing", "listThings", "outThings"] as const) {
      for (const thing of operation.endsWith("s") ? things.slice(0, 1) : things) {
        const expected = verdict(vault, operation, caller, thing);
        const reply = await ask(world, caller, { ...attackOf(operation, thing), headers: older });
        const label = `${operation} of ${thing.id} in an older version by ${caller.name}`;
        assert.equal(reply.status, expected === "allowed" ? 200 : expected, `${label}: ${reply.text}`);
        const lists = operation.endsWith("s");
        const given = (one: Thing): boolean =>
          expected === "allowed" &&
          (lists ? vault.allow[operation].some((grant) => passes(grant, caller, one)) : one.id === thing.id);
        const nested = (one: Thing): boolean =>
          operation.startsWith("out") && things.some((outer) => given(outer) && areRelated(one, outer));
        search(world, caller, label, whole(reply), (one) => given(one) || nested(one));
        if (expected !== "allowed" || lists) continue;
        const record = reply.json as Readonly<Record<string, unknown>>;
        assert.equal(Object.hasOwn(record, "memo"), isShown(vault, "note", caller, thing), `${label}: ${reply.text}`);
        assert(!Object.hasOwn(record, "note"), label);
      }
    }
  }
}

// ── References ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** R2.10: who refers to what is hidden is told what is told of what is not there. */
async function attackReferences(world: World): Promise<void> {
  const [missing = ""] = world.missing;
  for (const caller of world.different) {
    if (caller.id === undefined) continue;
    const words = wordsFor();
    const refer = (peer: string): Promise<Reply> =>
      ask(world, caller, { method: "POST", path: "/things", body: bodyOf(words, true, peer) });
    const absent = await refer(missing);
    assert.equal(absent.status, 422, absent.text);
    for (const thing of world.things) {
      const isSeen = [...operations.slice(0, 4)].some((name) =>
        world.vault.allow[name].some((one) => passes(one, caller, thing)),
      );
      if (isSeen) continue;
      const reply = await refer(thing.id);
      assert.equal(bare(reply, thing.id), bare(absent, missing), `${caller.name} refers to ${thing.owner}'s`);
    }
  }
}

// ── Events ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly id: string };
}

/** R6.13: pages, streams and webhooks tell each receiver the same, which is what it may know. */
async function attackEvents(world: World): Promise<void> {
  const { vault } = world;
  await using receiver = await createReceiver();
  const hooks = new Map<Asking, string>();
  const told = new Map<Asking, number>();
  for (const caller of world.callers) {
    const reply = await ask(world, caller, {
      method: "GET",
      path: "/events?limit=100",
      headers: { Accept: "application/json" },
    });
    const meant = vault.follow.some((one) => isMeant(one, caller));
    const expected = caller.refused ?? (meant ? 200 : caller.id === undefined ? 401 : 403);
    assert.equal(reply.status, expected, `events by ${caller.name}: ${reply.text}`);
    const hook = { url: `${receiver.url}/${world.callers.indexOf(caller)}` };
    const subscribed = await ask(world, caller, { method: "POST", path: "/webhooks", body: hook });
    assert.equal(
      subscribed.status,
      meant && caller.refused === undefined ? 201 : expected,
      `webhooks by ${caller.name}: ${subscribed.text}`,
    );
    if (expected !== 200) {
      search(world, caller, "events", whole(reply), nothing);
      continue;
    }
    judgeEvents(world, caller, "pages of events", (reply.json as { items: readonly Event[] }).items, reply.text);
    told.set(caller, await countEvents(world, caller));
    hooks.set(caller, (subscribed.json as { id: string }).id);
  }
  for (const caller of hooks.keys()) await attackHooks(world, caller, hooks);
  await changeSome(world);
  for (const caller of hooks.keys()) await attackStream(world, caller, receiver, told.get(caller) ?? 0);
}

function judgeEvents(world: World, caller: Asking, label: string, events: readonly Event[], text: string): void {
  const { vault, things } = world;
  const may = (thing: Thing): boolean => vault.follow.some((one) => passes(one, caller, thing));
  search(world, caller, `${label} by ${caller.name}`, text, may);
  for (const { data } of events) {
    const thing = things.find(({ id }) => id === data.id);
    if (thing === undefined) continue;
    assert(may(thing), `${label}: ${caller.name} is told of ${thing.owner}'s`);
    for (const name of fields)
      assert.equal(
        Object.hasOwn(data, name),
        isShown(vault, name, caller, thing),
        `${label}: ${name} to ${caller.name}`,
      );
  }
}

async function pageOf(
  world: World,
  caller: Asking,
): Promise<{ readonly items: readonly Event[]; readonly text: string }> {
  const items: Event[] = [];
  let text = "";
  for (let cursor = ""; ; ) {
    const path = `/events?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const reply = await ask(world, caller, { method: "GET", path, headers: { Accept: "application/json" } });
    assert.equal(reply.status, 200, reply.text);
    const page = reply.json as { readonly items: readonly Event[]; readonly next: string | null };
    items.push(...page.items);
    text += reply.text;
    if (page.next === null) return { items, text };
    cursor = page.next;
  }
}

async function countEvents(world: World, caller: Asking): Promise<number> {
  return (await pageOf(world, caller)).items.length;
}

/** An endpoint is its maker's alone. */
async function attackHooks(world: World, caller: Asking, hooks: ReadonlyMap<Asking, string>): Promise<void> {
  for (const [owner, hook] of hooks) {
    const mine = owner.id === caller.id;
    for (const sent of [
      { method: "GET", path: `/webhooks/${hook}` },
      { method: "GET", path: `/webhooks/${hook}/deliveries` },
    ]) {
      const reply = await ask(world, caller, sent);
      assert.equal(
        reply.status,
        mine ? 200 : world.vault.unseen,
        `${sent.path} of ${owner.name} by ${caller.name}: ${reply.text}`,
      );
    }
  }
}

/** Something happens to every thing to which somebody may do it. */
async function changeSome(world: World): Promise<void> {
  for (const thing of world.things) {
    const caller = world.callers.find(
      (one) => one.refused === undefined && verdict(world.vault, "changeThing", one, thing) === "allowed",
    );
    if (caller === undefined) continue;
    const reply = await ask(world, caller, {
      method: "PATCH",
      path: `/things/${thing.id}`,
      body: { title: `another ${thing.words.pin.length}` },
    });
    assert.equal(reply.status, 200, reply.text);
  }
}

async function attackStream(world: World, caller: Asking, receiver: Receiver, before: number): Promise<void> {
  const { items, text } = await pageOf(world, caller);
  judgeEvents(world, caller, "pages of events", items, text);
  const since = items.slice(before);
  const path = `/hook/${world.callers.indexOf(caller)}`;
  const sent = () => receiver.received.filter((one) => one.path === path);
  for (let tries = 0; sent().length < since.length && tries < 400; tries += 1) await pass(25);
  const bodies = sent().map(({ body }) => JSON.parse(body) as Event);
  judgeEvents(world, caller, "webhooks", bodies, JSON.stringify(bodies));
  assert.deepEqual(
    bodies.map(({ data }) => data.id).toSorted(),
    since.map(({ data }) => data.id).toSorted(),
    `webhooks of ${caller.name}`,
  );
  const [first] = items;
  if (first === undefined) return;
  const { headers = {} } = caller.sign({ method: "GET", path: "/events" });
  using stream = await follow(world.running.port, {
    ...(headers as Record<string, string>),
    "Last-Event-ID": first.id,
  });
  await stream.until(({ events }) => events.length >= items.length - 1);
  const streamed = stream.events.map(({ data = "" }) => JSON.parse(data) as Event);
  judgeEvents(world, caller, "a stream", streamed, stream.text);
  assert.deepEqual(
    streamed.map(({ id }) => id),
    items.slice(1).map(({ id }) => id),
    `a stream of ${caller.name}`,
  );
}
