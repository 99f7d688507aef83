/**
 * Rules, where functions of the service's owner write: several records in one transaction, before and after an operation, when an
 * event has happened and in each interval (language, section 2). Each rule is true of what the transaction leaves.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json, JsonObject } from "../../src/base/json.ts";
import type { FunctionContext } from "../../src/serve/functions/functions.ts";
import type { RecordsOf } from "../../src/serve/functions/records.ts";
import { serve, stores } from "./scenario.ts";
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

/** Does what `plan` says; the id of what is made is given. */
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
