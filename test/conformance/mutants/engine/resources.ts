/** Mistakes about records and their fields (part 2). */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../../../src/base/json.ts";
import type { HttpRequest, HttpResponse } from "../../../../src/http/message.ts";
import type { ColumnType, FilePlan, Table } from "../../../../src/plan/resources/types.ts";
import type { Row } from "../../../../src/store/port/store.ts";
import { ask, pass, type Step } from "../../../enforced/proof.ts";
import { type Change, type EngineMutant, mutantsOf } from "./mutant.ts";
import {
  all,
  bodies,
  bodyMember,
  columns,
  inTransactions,
  isFor,
  operations,
  readJson,
  tables,
  texts,
  withFields,
} from "./wrappers.ts";

export const saw: JsonObject = { name: "saw", weight: 5, serial: "A" };
const axe: JsonObject = { name: "axe", weight: 6, serial: "B" };
export const add: Step = ask("ann POST /things", saw, "201");

export const resourceMutants: readonly EngineMutant[] = [
  ...mutantsOf("things", {
    "a text may be one character too long": [
      bodyMember("addThing", "name", (schema) => ({ ...(schema as JsonObject), maxLength: 21 })),
      ask("ann POST /things", { ...saw, name: "a".repeat(20) }, "201"),
      ask("ann POST /things", { ...saw, name: "a".repeat(21) }, "422 #/name too-long"),
    ],
    "the smallest number is rejected": [
      bodyMember("addThing", "weight", (schema) => ({ ...(schema as JsonObject), minimum: 2 })),
      ask("ann POST /things", { ...saw, weight: 1 }, "201"),
    ],
    "a number may be a text": [
      bodyMember("addThing", "weight", () => ({})),
      ask("ann POST /things", { ...saw, weight: "5" }, "422 #/weight wrong-type"),
    ],
    "an address of mail is not checked": [
      bodyMember("addThing", "mail", (schema) => without(schema, "format")),
      ask("ann POST /things", { ...saw, mail: "nobody" }, "422 #/mail wrong-format"),
    ],
    "a pattern is not checked": [
      bodyMember("addThing", "serial", (schema) => without(schema, "pattern")),
      ask("ann POST /things", { ...saw, serial: "a1" }, "422 #/serial wrong-pattern"),
    ],
    "a value that is not in the list is accepted": [
      bodyMember("addThing", "size", () => ({ type: "string" })),
      ask("ann POST /things", { ...saw, size: "huge" }, "422 #/size not-one-of"),
    ],
    "a required member may be absent": [
      operations("addThing", ({ body }) => ({
        ...(body && { body: { ...body, schema: { ...body.schema, required: ["name", "serial"] } } }),
      })),
      ask("ann POST /things", { name: "saw", serial: "A" }, "422 #/weight required"),
    ],
    "the owner is the one that the body names": [
      columns("owner", (column) => ({ ...column, default: { kind: "literal", text: "bob", value: "bob" } })),
      ask("ann POST /things", saw, { has: { owner: "ann" } }),
    ],
    "unknown members are accepted": [
      operations("addThing", ({ body }) => ({
        ...(body && { body: { ...body, schema: without(body.schema, "additionalProperties") as JsonObject } }),
      })),
      ask("ann POST /things", { ...saw, colour: "red" }, "422 #/colour unknown-field"),
    ],
    "a default is missing": [
      defaultOf("size", undefined),
      ask("ann POST /things", saw, { status: "201", has: { size: "small" } }),
    ],
    "a default is another value": [
      defaultOf("size", "large"),
      ask("ann POST /things", saw, { status: "201", has: { size: "small" } }),
    ],
    "a computed field is missing": [
      tables(() => ({ virtual: [] })),
      add,
      ask("ann GET /things/{1}", { has: { label: "saw/small" } }),
    ],
    "a computed field is wrong": [
      texts((text) => text.replaceAll("/small", "-small")),
      add,
      ask("ann GET /things/{1}", { has: { label: "saw/small" } }),
    ],
    "a field for writing is returned": [
      columns("hint", ({ visibleTo: _, ...column }) => ({ ...column, marks: [] })),
      ask("ann POST /things", { ...saw, hint: "under the mat" }, { lacks: ["under the mat"] }),
    ],
    "a field that is set once can be changed": [
      withMember("changeThing", "serial", "text"),
      add,
      ask("ann PATCH /things/{1}\nIf-Match: {1:etag}", { serial: "B" }, "422 #/serial read-only"),
    ],
    "a field of the server can be set": [
      withMember("addThing", "uses", "integer"),
      ask("ann POST /things", { ...saw, uses: 7 }, "422"),
    ],
    "the time of the last change stays": [
      columns("seenAt", (column) => ({ ...column, default: { kind: "now" } })),
      add,
      pass(60_000),
      ask("ann PATCH /things/{1}\nIf-Match: {1:etag}", { note: "a" }, "200"),
      ask("ann GET /things/{1}", (reply, { replies }) => {
        const [made, now] = [replies[0], reply].map((one) => (one?.json as JsonObject | undefined)?.["seenAt"]);
        assert.notEqual(made, now);
      }),
    ],
    "a value that has to be unique is accepted twice": [
      uniques(() => []),
      add,
      ask("ann POST /things", { ...saw, serial: "B" }, "409 already-exists"),
    ],
    "a value is unique for each size alone": [
      uniques(() => [["name", "size"]]),
      add,
      ask("ann POST /things", { ...saw, size: "large" }, "409 already-exists"),
    ],
    "a rule is not evaluated": [
      operations(undefined, () => ({ rules: [] })),
      ask("ann POST /things", { ...saw, weight: 51 }, "422 too-heavy"),
    ],
    "a rule is evaluated at creations alone": [
      operations("changeThing", () => ({ rules: [] })),
      add,
      ask("ann PATCH /things/{1}\nIf-Match: {1:etag}", { weight: 51 }, "422 too-heavy"),
    ],
    "what belongs to a deleted record stays": [
      columns("thing", ({ references: _, ...column }) => column),
      add,
      ask("ann POST /things/{1}/parts", { title: "blade" }, "201"),
      ask("ann DELETE /things/{1}\nIf-Match: *", "204"),
      ask("olga GET /things/{1}/parts/{2}", "404"),
      ask("ann POST /things", saw, "201"),
      ask("ann POST /loans", { thing: "{5}", days: 2 }, "201"),
      ask("ann DELETE /things/{5}\nIf-Match: *", "409 still-referenced"),
    ],
    "what belongs to a record forbids its deletion": [
      columns("thing", ({ references, ...column }) => ({
        ...column,
        ...(references && { references: { ...references, onDelete: "refuse" as const } }),
      })),
      add,
      ask("ann POST /things/{1}/parts", { title: "blade" }, "201"),
      ask("ann DELETE /things/{1}\nIf-Match: *", "204"),
    ],
    "a record is deleted although another one refers to it": [
      columns("thing", ({ references, ...column }) => ({
        ...column,
        ...(references && { references: { ...references, onDelete: "delete" as const } }),
      })),
      add,
      ask("ann POST /loans", { thing: "{1}", days: 2 }, "201"),
      ask("ann DELETE /things/{1}\nIf-Match: *", "409 still-referenced"),
    ],
    "a reference to nothing is accepted": [
      operations("addLoan", ({ body }) => ({
        ...(body && { body: { ...body, fields: body.fields.map(({ form: _, ...field }) => field) } }),
      })),
      ask("ann POST /loans", { thing: "thi_00000000000000000000000000", days: 2 }, "422 #/thing reference-not-found"),
    ],
    "ids have another prefix": [
      tables(({ id, resource }) =>
        resource === "Thing" && id.made === "server" ? { id: { ...id, prefix: "thg" } } : {},
      ),
      ask("ann POST /things", saw, ({ text }) => assert.match(text, /"id":"thi_/)),
    ],
    "a record whose creation failed is there": [
      leftBehind("POST", /^\/things$/, (body) => Number(body["weight"]) > 50 && body["size"] !== "large"),
      ask("ann POST /things", { ...saw, weight: 51 }, "422 too-heavy"),
      ask("ann GET /things", { items: 0 }),
    ],
    "a change that failed is made": [
      leftBehind("PATCH", /^\/things\//, (body) => Number(body["weight"]) > 50),
      add,
      ask("ann PATCH /things/{1}\nIf-Match: {1:etag}", { weight: 51 }, "422 too-heavy"),
      ask("ann GET /things/{1}", { has: { weight: 5 } }),
    ],
    "a change removes the members that it does not name": [
      inTransactions((tx) => ({
        update: (resource, row, changes, ...rest) =>
          tx.update(resource, row, resource === "Thing" ? ({ note: null, ...changes } as Row) : changes, ...rest),
      })),
      ask("ann POST /things", { ...saw, note: "sharp" }, "201"),
      ask("ann PATCH /things/{1}\nIf-Match: {1:etag}", { weight: 6 }, { has: { note: "sharp" } }),
    ],
    "null does not remove a member": [
      bodies("PATCH", (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))),
      ask("ann POST /things", { ...saw, note: "sharp" }, "201"),
      ask("ann PATCH /things/{1}\nIf-Match: {1:etag}", { note: null }, { lacks: ["sharp"] }),
    ],
    "records have a member that the document does not declare": [
      texts((text, { status }) => (status < 300 ? text.replace(/^\{"id"/, '{"internalId":1,"id"') : text)),
      ask("ann POST /things", saw, { lacks: ["internalId"] }),
    ],
    "a member has another type in lists": [
      texts((text, _, { target }) =>
        target.startsWith("/things?") || target === "/things"
          ? text.replaceAll(/"weight":(\d+)/g, '"weight":"$1"')
          : text,
      ),
      add,
      ask("ann GET /things", { items: [{ weight: 5 }] }),
    ],
    "a deleted record can still be read": [
      readAfterDeletion(),
      add,
      ask("ann GET /things/{1}", "200"),
      ask("ann DELETE /things/{1}\nIf-Match: *", "204"),
      ask("ann GET /things/{1}", "404"),
    ],
    "a deletion does nothing": [
      deletesNothing(),
      add,
      ask("ann DELETE /things/{1}\nIf-Match: *", "204"),
      ask("ann GET /things/{1}", "404"),
    ],
    "a record can be read through the parent of another one": [
      operations("getPart", () => ({ parents: [] })),
      add,
      ask("ann POST /things", axe, "201"),
      ask("ann POST /things/{1}/parts", { title: "blade" }, "201"),
      ask("ann GET /things/{1}/parts/{3}", "200"),
      ask("ann GET /things/{2}/parts/{3}", "404"),
    ],
    "a list shows the records of other parents": [
      operations("listParts", () => ({ parents: [] })),
      add,
      ask("ann POST /things", axe, "201"),
      ask("ann POST /things/{1}/parts", { title: "blade" }, "201"),
      ask("ann GET /things/{1}/parts", { items: 1 }),
      ask("ann GET /things/{2}/parts", { items: 0 }),
    ],
  }),
  ...mutantsOf("pictures", {
    "a file may be one byte too large": [
      files((file) => ({ ...file, maxBytes: file.maxBytes + 1 })),
      upload(1024, "image/png", "201"),
      upload(1025, "image/png", "413"),
    ],
    "a file may have any media type": [files((file) => ({ ...file, media: [] })), upload(10, "text/plain", "422")],
  }),
];

// ── The changes ────────────────────────────────────────────────────────────────────────────────────────────────────

function without(schema: Json, ...keywords: readonly string[]): Json {
  return Object.fromEntries(Object.entries(schema as JsonObject).filter(([name]) => !keywords.includes(name)));
}

/** Another value of a member that a body omits; undefined: none. */
function defaultOf(name: string, value: string | undefined): Change {
  return all(
    columns(name, ({ default: _, ...column }) => ({ ...column, nullable: true })),
    operations(undefined, ({ body }) => ({
      ...(body && {
        body: {
          ...body,
          fields: body.fields.map(({ default: before, ...field }) =>
            field.name === name || before === undefined
              ? { ...field, ...(field.name === name && value !== undefined ? { default: value } : {}) }
              : { ...field, default: before },
          ),
        },
      }),
    })),
  );
}

/** Other sets of fields that are unique in things. */
function uniques(change: (sets: Table["uniques"]) => Table["uniques"]): Change {
  return all(
    columns("name", (column) => ({ ...column, marks: column.marks.filter((one) => one !== "unique") })),
    tables(({ resource, uniques: sets }) => ({ uniques: resource === "Thing" ? change(sets) : sets })),
  );
}

/** A body that may have a member more, which sets the field of its name. */
function withMember(operation: string, name: string, type: ColumnType): Change {
  return operations(operation, ({ body }) => {
    if (body === undefined) return {};
    const properties = {
      ...(body.schema["properties"] as JsonObject),
      [name]: { type: type === "text" ? "string" : type },
    };
    const fixed = body.fixed.filter((one) => one !== name);
    return {
      body: { ...body, fixed, fields: [...body.fields, { name, type }], schema: { ...body.schema, properties } },
    };
  });
}

/** The rules are evaluated after the write, which stays all the same. */
function leftBehind(method: string, path: RegExp, breaks: (body: JsonObject) => boolean): Change {
  return all(
    operations(undefined, () => ({ rules: [] })),
    {
      between: (service) => ({
        ...service,
        async response(request) {
          if (!isFor(request, method, path)) return service.response(request);
          const [body, again] = await readJson(request);
          const response = await service.response(again);
          return response.status < 300 && breaks(body) ? service.reject("too-heavy") : response;
        },
      }),
    },
  );
}

function deletesNothing(): Change {
  return {
    between: (service) => ({
      ...service,
      async response(request) {
        if (!isFor(request, "DELETE", /^\/things\//)) return service.response(request);
        const { status } = await service.response(withFields(request, {}, { method: "GET" }));
        return status === 200 ? { status: 204, headers: [] } : service.response(request);
      },
    }),
  };
}

/** What was read once is read again, even if it is no more. */
function readAfterDeletion(): Change {
  return {
    between: (service) => {
      const known = new Map<string, HttpResponse>();
      const keyOf = ({ headers, target }: HttpRequest): string => `${target} ${headers.get("authorization") ?? ""}`;
      return {
        ...service,
        async response(request) {
          const response = await service.response(request);
          if (request.method !== "GET") return response;
          if (response.status === 200) known.set(keyOf(request), response);
          return response.status === 404 ? (known.get(keyOf(request)) ?? response) : response;
        },
      };
    },
  };
}

function files(change: (file: FilePlan) => FilePlan): Change {
  return operations(undefined, ({ body }) => {
    if (body?.files === undefined) return {};
    return {
      body: {
        ...body,
        files: Object.fromEntries(Object.entries(body.files).map(([name, file]) => [name, change(file)])),
      },
    };
  });
}

/** Sends a form with one file. */
function upload(bytes: number, type: string, gets: string): Step {
  return async (scene) => {
    const form = `--b\r\nContent-Disposition: form-data; name="picture"; filename="a"\r\nContent-Type: ${type}\r\n\r\n${"a".repeat(bytes)}\r\n--b--\r\n`;
    const headers = { "Content-Type": "multipart/form-data; boundary=b", "Content-Length": String(form.length) };
    const reply = await scene.send({ method: "POST", path: "/things", headers, body: form });
    assert.equal(String(reply.status), gets, reply.text);
  };
}
