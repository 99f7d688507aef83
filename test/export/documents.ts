/** Shared by the tests of exports: plans of documents, the flagship and one that differs from it in every way. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { readDocument } from "../../src/document/read.ts";
import { check, type CheckResult } from "../../src/language/check.ts";
import { typeExpressions } from "../../src/language/analysis/expressions.ts";
import { readModel } from "../../src/language/read.ts";
import { buildPlan } from "../../src/plan/build.ts";
import type { Plan } from "../../src/plan/plan.ts";

export const baseUrl = "http://127.0.0.1:8080";

export const flagshipText: string = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");

export function planOf(text: string): Plan {
  const reading = readDocument("service.md", text);
  const { model, places, diagnostics } = readModel(reading.document);
  assert.deepEqual([...reading.diagnostics, ...diagnostics], []);
  return buildPlan(model, places, typeExpressions(model));
}

export const flagship: Plan = planOf(flagshipText);

/** The member of a JSON value at a path, behind references within the value; fails where there is none. */
export function at(value: Json, ...path: readonly (string | number)[]): JsonObject {
  let here: Json | undefined = value;
  for (const key of path) {
    assert.ok(typeof here === "object" && here !== null && key in here, `no ${String(key)} of ${path.join(" / ")}`);
    here = resolved(value, (here as Record<string | number, Json>)[key] as Json);
  }
  return here as JsonObject;
}

/** The component that a reference names, if the value is one; references to schemas and header fields stay. */
function resolved(document: Json, value: Json): Json {
  const reference = typeof value === "object" && value !== null ? (value as JsonObject)["$ref"] : undefined;
  if (typeof reference !== "string" || !/^#\/components\/(?:parameters|responses)\//.test(reference)) return value;
  return at(document, ...reference.slice(2).split("/"));
}

/** The parameters of an operation, behind references. */
export function parametersAt(document: Json, path: string, method: string): readonly JsonObject[] {
  const { parameters = [] } = at(document, "paths", path, method) as { readonly parameters?: readonly Json[] };
  return parameters.map((one) => resolved(document, one) as JsonObject);
}

export function text(value: Json | undefined): string {
  assert.ok(typeof value === "string", "a text");
  return value;
}

/** A body of its own, ids that clients give, nested paths, offsets, tokens, hidden and computed fields, a mount point. */
export const libraryText = `# Reading Rooms

## What the service does
\`\`\`yaml
service: reading-rooms
purpose: Keep track of what is on which shelf.
operations:
  putRoom: Say what a room is
  getRoom: Look at a room
  listShelves: See the shelves of a room
  addShelf: Put up a shelf
  getShelf: Look at a shelf
  replaceShelf: Describe a shelf anew
  removeShelf: Take a shelf down
  lend: Give a shelf away
\`\`\`

## Resources and their fields
\`\`\`yaml
Room:
  id: string(1..30)
  name: { type: string(1..60), note: On the door., example: North Wing }
Shelf:
  id: id(counter)
  room: Room, create-only
  label: string(1..20), unique, filter, sort
  width: integer(1..300), filter
  note: string(0..200) | null
  keeper?: user
  secretPlace?: string(1..20)
  label2: string := label + '!'
rules:
  Shelf: unique room + width else no-space
\`\`\`

## States and transitions
\`\`\`yaml
Room: none
Shelf:
  states: { standing: in its room, lent: elsewhere }
  start: standing
  final: [lent]
  moves:
    standing -> lent: { by: lend, if: width < 100, else: too-wide }
\`\`\`

## Endpoints
\`\`\`yaml
base: "{base_url}/v1"
lists: offset, 20 per page, at most 40
edits: If-Match optional
repeats: none
endpoints:
  putRoom: PUT /rooms/{id}
  getRoom: GET /rooms/{id}
  listShelves: GET /rooms/{room}/shelves
  addShelf: POST /rooms/{room}/shelves
  getShelf: GET /shelves/{id}
  replaceShelf: PUT /shelves/{shelf}
  removeShelf: DELETE /shelves/{id}
  lend: { at: "POST /shelves/{id}/lend", gives: { place: secretPlace, room: room.name } }
\`\`\`

## Authentication
\`\`\`yaml
credentials:
  token: { kind: jwt, sent: Authorization Bearer, issuer: "https://login.example", jwks: "https://login.example/keys" }
  clerk: { kind: api-key, sent: header X-Clerk }
roles: [librarian]
allow:
  putRoom, addShelf, replaceShelf, removeShelf, lend: librarian
  getRoom, listShelves, getShelf: anyone
show: { Shelf.secretPlace: librarian | signed-in if keeper == caller.id }
unseen: 403
\`\`\`

## Events
\`\`\`yaml
none
\`\`\`

## Errors
\`\`\`yaml
body: { errors: { "{field}": ["{message}"] }, kind: "{code}", http: "{status}" }
standard: all
errors:
  too-wide: 409 The shelf does not go through the door
  no-space: 409 The room has such a shelf
\`\`\`

## Limits
\`\`\`yaml
none
\`\`\`

## Versioning
\`\`\`yaml
none
\`\`\`
`;

export const library: Plan = planOf(libraryText);

export interface Checked {
  readonly result: CheckResult;
  readonly plan: Plan;
}

export function checked(text: string): Checked {
  const result = check("service.md", text);
  return { result, plan: buildPlan(result.model, result.places, result.expressions) };
}

export const checkedFlagship: Checked = checked(flagshipText);
export const checkedLibrary: Checked = checked(libraryText);
