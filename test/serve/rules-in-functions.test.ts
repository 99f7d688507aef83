/**
 * Rules apply to writes of functions (language, section 2): handlers with several writes in one transaction, functions before and
 * after an operation, and functions of events and intervals. Each rule is true of the committed state.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json, JsonObject } from "../../src/base/json.ts";
import type { FunctionContext, ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import type { RecordsOf } from "../../src/runtime/functions/records.ts";
import { ApiError } from "../../src/runtime/errors/api-error.ts";
import type { Store } from "../../src/store/port/store.ts";
import { withMembers } from "../with-members.ts";
import { serve, stores, type Subject } from "./scenario.ts";
import { type SmallDocument, smallDocument } from "./small-document.ts";

/** `create Team {…}`, `update Team t1 {…}`, `delete Team t1` or `shut Team t1`. */
type Write = readonly [does: string, resource: string, id: string, values?: JsonObject];

interface Case {
  readonly name: string;
  readonly document: SmallDocument;
  /** Written before, each by itself. */
  readonly before: readonly Write[];
  /** Written by one function. */
  readonly together: readonly Write[];
  /** The rule that refuses all of it; absent: none does. */
  readonly refused?: string;
}

const clears: SmallDocument = {
  resources: `
Team:
  id: string(1..9)
  n: integer = 0
  kind: a | b = a
  over?: Team, clear
  under?: Team, delete with
  loose: "boolean := over == null, filter"`,
  rules: "  Team: over != null || kind == 'b' else alone",
  endpoints: { addTeam: "POST /teams", dropTeam: "DELETE /teams/{id}" },
  errors: ["alone"],
};

const starred: SmallDocument = {
  resources: `
Team: { id: string(1..9), n: integer = 0 }
Star: { id: id(sta), team: "Team, delete with", kind: string(1..9) }`,
  rules: "  Team: Star.filter(s, s.team == id).size() <= n else full",
  states: `
Team: { states: [open, done], start: open, final: none, moves: { open -> done: by endTeam } }
Star: none`,
  endpoints: {
    addTeam: "POST /teams",
    listTeams: "GET /teams",
    editTeam: "PATCH /teams/{id}",
    dropTeam: "DELETE /teams/{id}",
    clearTeams: "{ at: DELETE /teams, where: n == 1 }",
    endTeam: "POST /teams/{id}/end",
    listStars: "GET /stars",
    star: `{ at: "POST /teams/{id}/star", link: { in: Star, with: { team: id, kind: "'s'" } } }`,
    unstar: `{ at: "DELETE /teams/{id}/star", unlink: { in: Star, with: { team: id, kind: "'s'" } } }`,
  },
  errors: ["full"],
};

const computed: SmallDocument = { ...clears, rules: "  Team: loose == false || kind == 'b' else alone" };

const cases: readonly Case[] = [
  ...[clears, computed].flatMap((document, index): readonly Case[] => {
    const by = index === 0 ? "" : ", which a computed field reads";
    const root: Write = ["create", "Team", "x", { kind: "b" }];
    return [
      {
        name: `what is created and then loses its reference${by}`,
        document,
        before: [root],
        together: [
          ["create", "Team", "t", { over: "x" }],
          ["delete", "Team", "x"],
        ],
        refused: "alone",
      },
      {
        name: `what is changed so that it needs its reference, and then loses it${by}`,
        document,
        before: [root, ["create", "Team", "t", { kind: "b" }]],
        together: [
          ["update", "Team", "t", { over: "x", kind: "a" }],
          ["delete", "Team", "x"],
        ],
        refused: "alone",
      },
      {
        name: `what loses its reference and is given another one${by}`,
        document,
        before: [root, ["create", "Team", "y", { kind: "b" }], ["create", "Team", "t", { over: "x" }]],
        together: [
          ["delete", "Team", "x"],
          ["update", "Team", "t", { over: "y" }],
        ],
      },
      {
        name: `what loses its reference and is deleted itself${by}`,
        document,
        before: [root],
        together: [
          ["create", "Team", "t", { over: "x" }],
          ["delete", "Team", "x"],
          ["delete", "Team", "t"],
        ],
      },
      {
        name: `what is created and loses its reference with what goes with another record${by}`,
        document,
        before: [root, ["create", "Team", "y", { kind: "b", under: "x" }]],
        together: [
          ["create", "Team", "t", { over: "y" }],
          ["delete", "Team", "x"],
        ],
        refused: "alone",
      },
      {
        name: `what is created, loses its reference and needs none${by}`,
        document,
        before: [root],
        together: [
          ["create", "Team", "t", { over: "x", kind: "b" }],
          ["delete", "Team", "x"],
        ],
      },
    ];
  }),
];

/** A handler that does the writes listed in `plan`; the plan names the ids of new records. */
async function perform({ input, records }: Pick<FunctionContext, "input" | "records">): Promise<void> {
  for (const [does, resource, id, values = {}] of JSON.parse(input["plan"] as string) as readonly Write[]) {
    const of = records.system[resource] as RecordsOf;
    if (does === "create") await of.create({ id, ...values });
    else if (does === "update") await of.update(id, values);
    else if (does === "delete") await of.delete(id);
    else await of.move[does]?.(id);
  }
}

function withBatch(document: SmallDocument): string {
  return smallDocument({
    ...document,
    endpoints: {
      ...document.endpoints,
      batch: '{ at: POST /batches, does: handler, takes: { plan: "string(1..9000)" } }',
    },
  });
}

for (const store of stores) {
  void describe(`several writes of one function (${store})`, () => {
    for (const { before, document, name, refused, together } of cases) {
      void test(name, async () => {
        await using subject = await serve(withBatch(document), { store, functions: { batch: perform } });
        const send = async (plan: readonly Write[]): Promise<Json | undefined> => {
          const body = { plan: JSON.stringify(plan) };
          const reply = await subject.client.send({ method: "POST", path: "/batches", body });
          return reply.status === 204 ? undefined : (reply.json as JsonObject)["code"];
        };
        for (const write of before) assert.equal(await send([write]), undefined, JSON.stringify(write));
        assert.equal(await send(together), refused);
        assert.deepEqual(subject.running.failures, []);
      });
    }
  });
}

async function send({ client }: Subject, line: string, body?: JsonObject, key?: string): Promise<string> {
  const [method = "", path = ""] = line.split(" ");
  const headers: Record<string, string> = key === undefined ? {} : { "Idempotency-Key": key };
  const reply = await client.send({ method, path, headers, ...(body && { body }) });
  return reply.status < 300
    ? String(reply.status)
    : String((reply.json as { readonly code?: string } | undefined)?.code);
}

async function countOf({ client }: Subject, path: string): Promise<number> {
  return ((await client.send({ method: "GET", path })).json as { readonly items: readonly Json[] }).items.length;
}

const events = "## Events\n```yaml\nout: { team.done: Team -> done }\n```";

/** A function of an event or an interval: it creates a star of the team `a`. */
async function addStar({ records }: Pick<FunctionContext, "records">): Promise<void> {
  await records.system["Star"]?.create({ team: "a", kind: "f" });
}

for (const store of stores) {
  void describe(`rules, whoever writes (${store})`, () => {
    void test("what is linked and unlinked, and a deletion of many", async () => {
      const document = { ...starred, rules: "  Team: Star.filter(s, s.team == id).size() <= n && (n < 2 || Star.exists(s, s.team == id)) else full" }; // biome-ignore format: short
      await using subject = await serve(smallDocument(document), { store });
      const steps: readonly (readonly [string, JsonObject | undefined, string])[] = [
        ["POST /teams", { id: "a" }, "201"],
        ["POST /teams/a/star", undefined, "full"],
        ["PATCH /teams/a", { n: 1 }, "200"],
        ["POST /teams/a/star", undefined, "200"],
        ["POST /teams/a/star", undefined, "200"],
        ["PATCH /teams/a", { n: 0 }, "full"],
        ["PATCH /teams/a", { n: 2 }, "200"],
        ["DELETE /teams/a/star", undefined, "full"],
        ["DELETE /teams", undefined, "204"],
        ["PATCH /teams/a", { n: 1 }, "200"],
        ["DELETE /teams/a/star", undefined, "200"],
        ["PATCH /teams/a", { n: 2 }, "full"],
        ["DELETE /teams", undefined, "204"],
        ["PATCH /teams/a", {}, "not-found"],
      ];
      for (const [line, body, outcome] of steps) assert.equal(await send(subject, line, body), outcome, line);
      assert.deepEqual(subject.running.failures, []);
    });

    void test("a deletion of many that a rule refuses deletes none", async () => {
      const document = { ...starred, rules: "  Star: Team.filter(t, t.n == 1).size() >= 1 else full" };
      await using subject = await serve(smallDocument(document), { store });
      for (const [id, n] of [["a", 1], ["b", 1], ["c", 9]] as const) assert.equal(await send(subject, "POST /teams", { id, n }), "201"); // biome-ignore format: short
      assert.equal(await send(subject, "POST /teams/c/star"), "200");
      assert.equal(await send(subject, "DELETE /teams"), "full");
      assert.equal(await countOf(subject, "/teams"), 3);
      assert.deepEqual(subject.running.failures, []);
    });

    for (const group of ["before", "after"] as const) {
      void test(`what a function writes ${group} an operation: where it breaks a rule nothing of either stays`, async () => {
        const functions: ServiceFunctions = { [group]: { endTeam: addStar } };
        await using subject = await serve(smallDocument(starred), { store, functions });
        const steps: readonly (readonly [string, JsonObject | undefined, string])[] = [
          ["POST /teams", { id: "a" }, "201"],
          ["POST /teams/a/end", undefined, "full"],
          ["PATCH /teams/a", { n: 1 }, "200"],
          ["POST /teams/a/end", undefined, "200"],
          ["POST /teams/a/end", undefined, "state-conflict"],
        ];
        for (const [line, body, outcome] of steps) assert.equal(await send(subject, line, body), outcome, line);
        assert.equal(await countOf(subject, "/stars"), 1);
        assert.deepEqual(subject.running.failures, []);
      });
    }

    for (const [when, functions] of [
      ["when an event has happened", { on: { "team.done": addStar } }],
      ["in each interval", { every: { "1h": { star: addStar } } }],
    ] as const) {
      void test(`what a function writes ${when}, in a transaction that a store does again, is the same (R7.4)`, async () => {
        const text = smallDocument({ ...starred, rules: "  Team: Star.size() <= 9 else full" }).replace("## Events\nnone", events); // biome-ignore format: short
        await using subject = await serve(text, { store, functions, around: doneTwice });
        const { running } = subject;
        await running.tick();
        assert.equal(await send(subject, "POST /teams", { id: "a" }), "201");
        assert.equal(await send(subject, "POST /teams/a/end"), "200");
        running.pass(3_600_000);
        assert.equal(await running.tick(), 1);
        assert.deepEqual(running.failures, []);
        assert.equal(await countOf(subject, "/stars"), 1);
      });

      void test(`what a function writes ${when}: it is run again until it breaks no rule`, async () => {
        const text = smallDocument(starred).replace("## Events\nnone", events);
        await using subject = await serve(text, { store, functions });
        const { running } = subject;
        await running.tick();
        assert.equal(await send(subject, "POST /teams", { id: "a" }), "201");
        assert.equal(await send(subject, "POST /teams/a/end"), "200");
        running.pass(3_600_000);
        assert.equal(await running.tick(), 0);
        assert.deepEqual((running.failures as unknown[]).splice(0).map((one) => (one instanceof ApiError ? one.code : one)), ["full"]); // biome-ignore format: short
        assert.equal(await countOf(subject, "/stars"), 0);
        assert.equal(await send(subject, "PATCH /teams/a", { n: 1 }), "200");
        running.pass(1100);
        assert.equal(await running.tick(), 1);
        assert.equal(await running.tick(), 0);
        assert.equal(await countOf(subject, "/stars"), 1);
        assert.deepEqual(running.failures, []);
      });
    }

    void test("a process that ends after a rule has undone a write, before its answer is kept: a repetition is done anew", async () => {
      const lost: Lost = { store: false };
      const document = smallDocument({ ...starred, rules: "  Team: Team.size() <= 1 else full" });
      const text = document.replace("endpoints:", "repeats: Idempotency-Key on every POST, kept 24h\nendpoints:");
      await using subject = await serve(text, { store, around: (inner) => endingAfterRefusal(inner, lost) });
      assert.equal(await send(subject, "POST /teams", { id: "a" }, "first"), "201");
      lost.store = true;
      assert.equal(await send(subject, "POST /teams", { id: "b" }, "second"), "internal");
      lost.store = false;
      assert.deepEqual((subject.running.failures as unknown[]).splice(0).map(String), ["Error: the process has ended"]);
      assert.equal(await countOf(subject, "/teams"), 1, "nothing of it is there");
      assert.equal(await send(subject, "POST /teams", { id: "b" }, "second"), "full", "it is refused anew");
      assert.equal(await send(subject, "DELETE /teams/a"), "204");
      assert.equal(await send(subject, "POST /teams", { id: "b" }, "second"), "full", "that is its answer from now on");
      lost.store = true;
      assert.equal(await send(subject, "POST /teams", { id: "c" }, "third"), "201");
      assert.equal(await send(subject, "POST /teams", { id: "d" }, "fourth"), "internal");
      lost.store = false;
      assert.equal((subject.running.failures as unknown[]).splice(0).length, 1);
      assert.equal(await send(subject, "DELETE /teams/c"), "204");
      assert.equal(await send(subject, "POST /teams", { id: "d" }, "fourth"), "201", "there is room by now");
      assert.equal(await send(subject, "POST /teams", { id: "d" }, "fourth"), "201");
      assert.equal(await countOf(subject, "/teams"), 1, "it is done once");
    });
  });
}

interface Lost {
  /** Whether the store is gone for the transaction after a refused one. */
  store: boolean;
}

class Again extends Error {}

/** The work of each transaction is done, undone, and done again. */
function doneTwice(store: Store): Store {
  return withTransaction(store, async (transaction, work, ...more) => {
    const first = transaction(
      async (tx) => {
        await work(tx);
        throw new Again();
      },
      ...more,
    );
    await first.catch((thrown: unknown) => {
      if (!(thrown instanceof Again)) throw thrown;
    });
    return await transaction(work, ...more);
  });
}

type Run = Store["transaction"];

function withTransaction(store: Store, instead: (run: Run, ...asked: Parameters<Run>) => Promise<unknown>): Store {
  const transaction = (...asked: Parameters<Run>) => instead(store.transaction.bind(store), ...asked);
  return withMembers(store, { transaction: transaction as Run });
}

/** As for a process that ends between two transactions: the first is undone, the second never begins. */
function endingAfterRefusal(store: Store, lost: Lost): Store {
  let isRefused = false;
  return withTransaction(store, async (transaction, ...asked) => {
    if (lost.store && isRefused) {
      isRefused = false;
      throw new Error("the process has ended");
    }
    try {
      const result = await transaction(...asked);
      isRefused = false;
      return result;
    } catch (thrown) {
      isRefused = thrown instanceof ApiError;
      throw thrown;
    }
  });
}
