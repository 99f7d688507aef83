/**
 * Operations that a handler performs by its `wire` in one document, and Nonet in the other: the differences are what clients
 * notice of the two contracts, and nothing else about the operation.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { handoverDifferences } from "../../src/contracts/handovers.ts";
import { compare } from "../../src/diff/compare.ts";
import { check } from "../../src/language/check.ts";

const names = ["addPet", "getPet", "listPets", "removePet"] as const;
type Name = (typeof names)[number];

/** Part 4 of each operation, performed by Nonet. */
const served: Readonly<Record<Name, string>> = {
  addPet: "{ at: POST /pets }",
  getPet: '{ at: "GET /pets/{id}" }',
  listPets: "{ at: GET /pets }",
  removePet: '{ at: "DELETE /pets/{id}" }',
};
const schema = '{ schema: { $ref: "#/schemas/Animal" } }';
const request =
  "{ schema: { type: object, required: [name], properties: { name: { type: string, minLength: 1, maxLength: 80 }, tag: { type: string, maxLength: 20 } } } }";

/** What a handler performs. Clients of all but one of them notice nothing of a handover to Nonet. */
const handled: Readonly<Record<Name, string>> = {
  addPet: `{ at: POST /pets, does: handler, wire: { body: ${request}, answers: { 201: ${schema}, 405: none } } }`,
  getPet: `{ at: "GET /pets/{petId}", does: handler, wire: { path: { petId: string }, answers: { 200: ${schema} } } }`,
  listPets: `{ at: GET /pets, does: handler, wire: { query: { sort?: string }, answers: { 200: { schema: { type: object } } } } }`,
  removePet: '{ at: "DELETE /pets/{petId}", does: none, wire: { answers: { 204: none } } }',
};

const resource = "Pet: { id: id(pet), name: string(1..80), tag?: string(..20) }";
const wholeAnimal =
  "{ type: object, required: [name], properties: { id: { type: string }, name: { type: string }, tag: { type: string } } }";

interface Parts {
  readonly endpoints: Readonly<Record<string, string>>;
  readonly resources?: string;
  readonly part?: string;
  readonly animal?: string;
  readonly versioning?: string;
}

function documentOf({
  endpoints,
  resources = resource,
  part = "",
  animal = wholeAnimal,
  versioning = "none",
}: Parts): ReturnType<typeof check> {
  return check(
    "pets.yaml",
    `purpose: { service: pets, operations: { ${names.map((name) => `${name}: Does it`).join(", ")} } }
resources:
  ${resources}
  schemas: { Animal: ${animal} }
states: none
endpoints:
  ${part}
  endpoints:
${Object.entries(endpoints)
  .map(([name, text]) => `    ${name}: ${text}`)
  .join("\n")}
authentication: { allow: { "${names.join(", ")}": anyone } }
events: none
errors: none
limits: none
versioning: ${versioning}
`,
  );
}

/** Returns `effect message` of each difference. */
function differences(old: ReturnType<typeof check>, now: ReturnType<typeof check>): readonly string[] {
  const compared = compare(old.model, now.model, "2026-11-22", handoverDifferences(old, now));
  return compared.differences.map(({ difference: { effect, message } }) => `${effect} ${message}`);
}

const performed = (name: Name, by = "Nonet", before = "a handler"): string =>
  `neutral \`${name}\` is performed by ${by}, and was by ${before}`;
const withParts = (changed: Partial<Record<Name, string>>): Parts => ({ endpoints: { ...served, ...changed } });

const toNonet: Readonly<Record<string, readonly [old: Parts, now: Parts, found: readonly string[]]>> = {
  "a create, of which nobody notices anything": [
    withParts({ addPet: handled.addPet }),
    withParts({}),
    [performed("addPet")],
  ],
  "a read, whose key has another name": [
    withParts({ getPet: handled.getPet }),
    withParts({}),
    [performed("getPet"), "neutral The path parameters of `getPet` have other names"],
  ],
  "a list that loses a parameter and gets others": [
    withParts({ listPets: handled.listPets }),
    withParts({}),
    [
      "breaking `listPets` query/sort is removed: may break callers who send it",
      "additive `listPets` query/limit is new",
      "additive `listPets` query/cursor is new",
    ],
  ],
  "an operation that answered 501": [
    withParts({ removePet: handled.removePet }),
    withParts({}),
    [performed("removePet"), "neutral The path parameters of `removePet` have other names"],
  ],
  "another status, and a member that is missing, in a named schema": [
    withParts({ addPet: handled.addPet.replace("201", "200"), getPet: handled.getPet }),
    { ...withParts({}), resources: "Pet: { id: id(pet), name?: string(1..80), tag?: string(..20) }" },
    [
      "breaking `addPet` does not respond with 200, but 201",
      "breaking `Animal` name may be absent: breaks readers who need it (`addPet` and `getPet`)",
      "breaking `Pet.name` may be absent from responses",
      "additive `addPet` body/name may be absent",
      "neutral The path parameters of `getPet` have other names",
    ],
  ],
  "with `wire` beside it, as before": [
    withParts({ addPet: handled.addPet }),
    withParts({ addPet: handled.addPet.replace("does: handler, ", "") }),
    [performed("addPet")],
  ],
  "another path": [
    withParts({ addPet: handled.addPet }),
    withParts({ addPet: "{ at: POST /animals, of: Pet }" }),
    ["breaking `addPet` is POST /animals, and was POST /pets", performed("addPet")],
  ],
  "all of them, with lists of another kind, which none had before": [
    { endpoints: handled },
    { endpoints: { ...served, listPets: served.listPets }, part: "lists: offset, 50 per page" },
    [
      "breaking `listPets` query/sort is removed: may break callers who send it",
      "additive `listPets` query/limit is new",
      "additive `listPets` query/offset is new",
      ...(["addPet", "getPet", "removePet"] as const).map((name) => performed(name)),
      "neutral The path parameters of `getPet` have other names",
      "neutral The path parameters of `removePet` have other names",
    ],
  ],
};

for (const [name, [old, now, found]] of Object.entries(toNonet)) {
  test(`to Nonet: ${name}`, () => {
    assert.deepEqual([...differences(documentOf(old), documentOf(now))].toSorted(), [...found].toSorted());
  });
}

test("to a handler: what Nonet did besides is gone", () => {
  const found = differences(
    documentOf(withParts({})),
    documentOf(withParts({ addPet: handled.addPet, removePet: handled.removePet })),
  );
  assert.deepEqual([...found].toSorted(), [
    "additive `addPet` 405 is a new status",
    "breaking `Animal` id has the pattern any, and had `^pet_[0-9a-z]{26}$`: may break readers who rely on the old form (`addPet`)",
    "breaking `Animal` id may be absent: breaks readers who need it (`addPet`)",
    "breaking `Animal` name has the length any, and had 1..80: may break readers who rely on the old range (`addPet`)",
    "breaking `Animal` tag has the length any, and had 0..20: may break readers who rely on the old range (`addPet`)",
    "breaking `addPet` 201 header/etag is removed: breaks readers of it",
    "breaking `addPet` 201 header/location is removed: breaks readers of it",
    "breaking `addPet` header/Idempotency-Key is removed: may break callers who send it",
    "breaking `removePet` header/Idempotency-Key is removed: may break callers who send it",
    "breaking `removePet` header/If-Match is removed: may break callers who send it",
    "neutral The path parameters of `removePet` have other names",
  ]);
});

test("a contract that callers know is no use of a schema, whose change is a difference of the handler's operation alone", () => {
  const parts = withParts({
    addPet: handled.addPet,
    getPet: handled.getPet.replace("does: handler, ", "").replaceAll("petId", "id"),
  });
  const now = { ...parts, animal: wholeAnimal.replace(", tag: { type: string }", "") };
  assert.deepEqual(differences(documentOf(parts), documentOf(now)), [
    "breaking `Animal` tag is removed: breaks readers of it (`addPet`)",
  ]);
});

test("a document with errors has no derived contract: its operations are compared by what they declare", () => {
  const old = documentOf(withParts({ addPet: handled.addPet }));
  const now = documentOf({ ...withParts({}), resources: "Pet: { id: id(pet), name: sting }" });
  assert.ok(now.summary.errors > 0);
  assert.ok(differences(old, now).includes("breaking The action of `addPet` is `create`, and was `handler`"));
});
