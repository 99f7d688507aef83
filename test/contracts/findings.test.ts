/**
 * Where an operation breaks callers who rely on its `wire`: each row is an operation, its contract, and the findings, at the lines
 * of the contract. A row without findings is what must not be reported.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { concluded } from "../../src/contracts/check.ts";
import { contractFindings } from "../../src/contracts/findings.ts";
import * as library from "../../src/index.ts";
import { check, conclude, examine } from "../../src/language/check.ts";

interface Row {
  /** The operation without its contract: `at: POST /pets`. */
  readonly endpoint?: readonly string[];
  /** The lines of `wire`. */
  readonly wire: readonly string[];
  /** Further lines of part 4. */
  readonly part?: readonly string[];
  /** `line of wire: message`, without what the finding says to do. */
  readonly found?: readonly string[];
}

const create = ["at: POST /pets"];
const read = ['at: "GET /pets/{id}"'];
const list = ["at: GET /pets"];
const change = ['at: "PATCH /pets/{id}"'];

const body = (properties: string, more = ""): string =>
  `body: { schema: { type: object, ${more} properties: { ${properties} } } }`;
const name = "name: { type: string, minLength: 1, maxLength: 80 }";
const valid = `body: { schema: { type: object, required: [name], properties: { ${name} } } }`;
const answer = (status: number, schema: string): string => `answers: { ${status}: { schema: ${schema} } }`;
const pet = (properties: string, more = ""): string => `{ type: object, ${more} properties: { ${properties} } }`;

const rows: Readonly<Record<string, Row>> = {
  // ── Requests ──
  "a body as it is": { endpoint: create, wire: [body(name, "required: [name],")] },
  "a member of the body that is not taken": {
    endpoint: create,
    wire: [body(`${name}, colour: { type: string }`, "required: [name],")],
    found: ["1: `addPet` body/colour is removed: may break callers who send it"],
  },
  "a member of the body that is required": {
    endpoint: create,
    wire: [body("tag: { type: string, minLength: 1, maxLength: 20 }")],
    found: ["1: `addPet` body/name is new, and required: breaks callers who omit it"],
  },
  "an optional member that is required": {
    endpoint: create,
    wire: [body(name)],
    found: ["1: `addPet` body/name is required: breaks callers who omit it"],
  },
  "a shorter text": {
    endpoint: create,
    wire: [body("name: { type: string, minLength: 1, maxLength: 200 }", "required: [name],")],
    found: ["1: `addPet` body/name has the length 1..80, and had 1..200: breaks callers outside of it"],
  },
  "a text and a list without a maximum, and other members": {
    endpoint: create,
    wire: [
      "body: { schema: { type: object, required: [name], additionalProperties: true, properties: {",
      "  name: { type: string, minLength: 1, maxLength: 80 }, about: { type: string }, photos: { type: array, items: { type: string } } } } }",
    ],
  },
  "a reference as any text": {
    endpoint: create,
    wire: [body("name: { type: string, minLength: 1, maxLength: 80 }, owner: { type: string }", "required: [name],")],
  },
  "a reference as a number": {
    endpoint: create,
    wire: [body("name: { type: string, minLength: 1, maxLength: 80 }, owner: { type: integer }", "required: [name],")],
    found: ["1: `addPet` body/owner is `string`, and was `integer`: breaks callers who send another type"],
  },
  "fewer values": {
    endpoint: create,
    wire: [
      body(
        "name: { type: string, minLength: 1, maxLength: 80 }, kind: { enum: [cat, dog, fish] }",
        "required: [name],",
      ),
    ],
    found: ["1: `addPet` body/kind no longer has the value `fish`: breaks callers who send another value"],
  },
  "a media type of the body": {
    endpoint: create,
    wire: [
      "body: { schema: { type: object, required: [name], properties: { name: { type: string, minLength: 1, maxLength: 80 } } }, media: [application/json, application/xml] }",
    ],
    found: ["1: `addPet` body can no longer be sent as `application/xml`: breaks callers who send it"],
  },
  "a media type that the service accepts": {
    endpoint: [...create, "requests: { media: [application/json, application/x-www-form-urlencoded] }"],
    wire: [
      "body: { schema: { type: object, required: [name], properties: { name: { type: string, minLength: 1, maxLength: 80 } } }, media: [application/json, application/x-www-form-urlencoded] }",
    ],
  },
  "a body that may be omitted": {
    endpoint: create,
    wire: [valid.replace("body", "body?")],
    found: ["1: `addPet` body is required: breaks callers who send none"],
  },
  "a body that is not taken": {
    endpoint: read,
    wire: ["body?: { schema: { type: object } }"],
    found: ["1: `getPet` body is removed: breaks callers who send one"],
  },
  "parameters that are taken": {
    endpoint: [...list, "filters: { kind: kind == value }"],
    wire: [
      "query: { limit?: integer(1..100), cursor?: { schema: { type: string } }, kind?: { schema: { enum: [cat, dog] } } }",
    ],
  },
  "a parameter that is not taken, after one that is": {
    endpoint: list,
    wire: ["query:", "  limit?: integer(1..100)", "  sortBy?: { schema: { type: string } }"],
    found: ["3: `listPets` query/sortBy is removed: may break callers who send it"],
  },
  "a key of another form": {
    endpoint: read,
    wire: ["path: { id: { schema: { type: string, minLength: 3, pattern: '^x' } } }"],
  },
  "optional header fields and cookies": {
    endpoint: read,
    wire: ["header: { X-Trace?: uuid }", "cookie: { seen?: { schema: { type: string } } }"],
  },
  "a header field that callers have to send": {
    endpoint: read,
    wire: ["header: { X-Tenant: { schema: { type: string } } }"],
    found: ["1: `getPet` header/X-Tenant is removed: may break callers who send it"],
  },
  "a precondition that is required": {
    endpoint: [...change, "edits: If-Match required"],
    wire: ["body: { schema: { type: object } }"],
    found: ["0: `changePet` header/If-Match is new and required: breaks callers, who do not send it"],
  },
  "a precondition that is optional": { endpoint: change, wire: ["body: { schema: { type: object } }"] },

  // ── Responses ──
  "a response as it is": {
    endpoint: read,
    wire: [
      answer(200, pet("id: { type: string }, name: { type: string }, tag: { type: string }", "required: [id, name],")),
    ],
  },
  "a member that the response lacks": {
    endpoint: read,
    wire: ["answers:", `  200: { schema: ${pet("name: { type: string }, colour: { type: string }")} }`],
    found: ["2: `getPet` 200 body/colour is removed: breaks readers of it"],
  },
  "a member that the response may lack": {
    endpoint: read,
    wire: [answer(200, pet("tag: { type: string }", "required: [tag],"))],
    found: ["1: `getPet` 200 body/tag may be absent: breaks readers who need it"],
  },
  "a member of another type": {
    endpoint: read,
    wire: [answer(200, pet("id: { type: integer, x-format: int64 }"))],
    found: ["1: `getPet` 200 body/id is `string`, and was `integer`: breaks readers of the old type"],
  },
  "further members, and a number by its format": {
    endpoint: read,
    wire: [answer(200, pet("weight: { type: number, x-format: double }, age: { type: integer, x-format: int32 }"))],
  },
  "the range of a format in place of it": {
    endpoint: ["at: POST /pets", "takes: { name: string(1..80), rank: integer(-2147483648..2147483647) }"],
    wire: [
      "body: { schema: { type: object, required: [name, rank], properties: { name: { type: string, minLength: 1, maxLength: 80 }, rank: { type: integer, x-format: int32 } } } }",
    ],
  },
  "a page before the first one": {
    endpoint: [...list, "lists: page"],
    wire: ["query: { page?: { schema: { type: integer, default: 1 } } }"],
  },
  "a number that may be larger": {
    endpoint: read,
    wire: [answer(200, pet("count: { type: integer, x-format: int32 }"))],
    found: [
      "1: `getPet` 200 body/count has the format `int64`, and had `int32`: may break readers who rely on the old form",
    ],
  },
  "more values": {
    endpoint: read,
    wire: [answer(200, pet("kind: { enum: [cat] }"))],
    found: ["1: `getPet` 200 body/kind has the new value `dog`: may break readers who know only the old values"],
  },
  "another status": {
    endpoint: create,
    wire: [valid, "answers: { 200: { schema: { type: object } } }"],
    found: ["2: `addPet` does not respond with 200, but 201"],
  },
  "the status that is declared": {
    endpoint: [...create, "status: 200"],
    wire: [valid, "answers: { 200: { schema: { type: object } } }"],
  },
  "one of two statuses": {
    endpoint: create,
    wire: [valid, "answers: { 201: { schema: { type: object } }, 202: none }"],
    found: ["2: `addPet` does not respond with 202"],
  },
  "a page in place of an array": {
    endpoint: list,
    wire: [answer(200, "{ type: array }")],
    found: ["1: `listPets` 200 body is `object`, and was `array`: breaks readers of the old type"],
  },
  "a bare array": {
    endpoint: [...list, "lists: cursor, bare array"],
    wire: [answer(200, "{ type: array, items: { type: object } }")],
  },
  "statuses of errors, of which the service has others": {
    endpoint: read,
    wire: ["answers: { 200: json, 418: none, 404: none }"],
  },
  "a class of errors without a body": { endpoint: read, wire: ["answers: { 2XX: json, 4XX: none }"] },
  "the body of errors": {
    endpoint: read,
    wire: [
      "answers:",
      "  200: json",
      ...[400, 404].map(
        (status) => `  ${status}: { schema: { $ref: '#/schemas/Error' }, media: application/problem+json }`,
      ),
    ],
    found: ["schemas: `Error` message is removed: breaks readers of it (`getPet`)"],
  },
  "the media type of all errors": {
    endpoint: read,
    wire: ["answers:", "  200: json", "  400: { schema: {} }", "  404: { schema: {} }", "  default: { schema: {} }"],
    found: [
      "3: `getPet` 400, 404 and default body can no longer be returned as `application/json`: breaks readers of it",
    ],
  },
  "a header field of a response": {
    endpoint: read,
    wire: ["answers:", "  200: { type: json, headers: { X-Total: integer, etag?: { schema: { type: string } } } }"],
    found: ["2: `getPet` 200 header/x-total is removed: breaks readers of it"],
  },
  "a body of a deletion": {
    endpoint: ['at: "DELETE /pets/{id}"'],
    wire: ["answers: { 204: none, 404: none }"],
  },
};

const names: Readonly<Record<string, string>> = {
  POST: "addPet",
  GET: "getPet",
  PATCH: "changePet",
  DELETE: "removePet",
};
const operations: Readonly<Record<string, string>> = {
  addPet: "at: POST /pets",
  getPet: 'at: "GET /pets/{id}"',
  listPets: "at: GET /pets",
  changePet: 'at: "PATCH /pets/{id}"',
  removePet: 'at: "DELETE /pets/{id}"',
};

function documentOf({ endpoint = [], wire, part = [] }: Row): string {
  const [at = ""] = endpoint;
  const own = at === "at: GET /pets" ? "listPets" : names[/[A-Z]+/.exec(at)?.[0] ?? ""];
  const lines = Object.entries(operations).map(([name, address]) =>
    name === own
      ? [
          `    ${name}:`,
          ...endpoint.map((line) => `      ${line}`),
          "      wire:",
          ...wire.map((line) => `        ${line}`),
        ].join("\n")
      : `    ${name}: { ${address} }`,
  );
  return `purpose: { service: pets, operations: { ${Object.keys(operations)
    .map((name) => `${name}: Does it`)
    .join(", ")} } }
resources:
  Owner: { id: id(own), name: string(1..80) }
  Pet:
    id: id(pet)
    name: string(1..80)
    tag?: string(1..20)
    about?: text
    photos: string[] = []
    owner?: Owner
    kind: cat | dog = cat
    weight: number = 1
    age: integer(0..99) = 1
    count: integer = 1
  schemas:
    Error: { type: object, required: [status, message], properties: { status: { type: integer }, message: { type: string } } }
states: none
endpoints:
${part.map((line) => `  ${line}\n`).join("")}  endpoints:
${lines.join("\n")}
authentication: { allow: { "${Object.keys(operations).join(", ")}": anyone } }
events: none
errors: none
limits: none
versioning: none
`;
}

for (const [name, row] of Object.entries(rows)) {
  test(`${name}: ${row.found === undefined ? "no finding" : row.found.join("; ")}`, () => {
    const text = documentOf(row);
    const result = check("pets.yaml", text);
    const findings = contractFindings(result);
    assert.ok(findings, JSON.stringify(result.diagnostics.filter(({ severity }) => severity === "error")));
    const first = text.split("\n").indexOf("      wire:") + 1;
    const schemas = text.split("\n").findIndex((line) => line.startsWith("    Error:")) + 1;
    assert.deepEqual(
      findings.map(
        ({ message, span: { start } }) => `${start.line === schemas ? "schemas" : start.line - first}: ${message}`,
      ),
      row.found ?? [],
    );
    for (const { code, help, severity } of findings) {
      assert.deepEqual([code, severity], ["endpoints/contract-not-kept", "warning"]);
      assert.match(help ?? "", /.+; or correct `wire` if no caller relies on it$/);
    }
  });
}

const broken: Row = {
  endpoint: create,
  wire: [valid, "answers:", "  200: json # ok contract-not-kept: nobody reads it"],
};
const kept: Row = {
  endpoint: create,
  wire: [valid, "answers:", "  201: json # ok contract-not-kept: nobody reads it"],
};

test("a comment suppresses a finding, and is reported if there is none to suppress", () => {
  const codesOf = (row: Row, isCompared: boolean): readonly string[] => {
    const examined = examine("pets.yaml", documentOf(row));
    const { diagnostics } = isCompared ? concluded(examined) : conclude(examined);
    return diagnostics.map(({ code }) => code).filter((code) => /contract-not-kept|unused/.test(code));
  };
  assert.deepEqual(codesOf(broken, true), []);
  assert.deepEqual(codesOf(kept, true), ["document/unused-suppression"]);
  // A check without a plan cannot know.
  assert.deepEqual(codesOf(kept, false), []);
});

test("the library checks what the command checks", () => {
  const codes = library.check(
    "pets.yaml",
    documentOf({ endpoint: create, wire: [valid, "answers: { 200: json }"] }),
  ).diagnostics;
  assert.ok(codes.some(({ code }) => code === "endpoints/contract-not-kept"));
});

test("a document with errors has no derived contract", () => {
  assert.equal(contractFindings(check("pets.yaml", documentOf(broken).replace("string(1..80)", "sting"))), undefined);
});
