/** An import never grants more: each security requirement admits its callers, and nobody if the language cannot express it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { decide } from "../../src/language/authentication/decide.ts";
import { createClient } from "../serve/client.ts";
import { run } from "../serve/running.ts";
import { carried } from "./round-trip.ts";

const schemes = {
  user: { type: "apiKey", in: "header", name: "X-User" },
  admin: { type: "apiKey", in: "header", name: "X-Admin" },
  "odd name": { type: "apiKey", in: "header", name: "X-Odd" },
  unused: { type: "http", scheme: "basic" },
  tls: { type: "mutualTLS" },
  token: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "https://i.example/t", scopes: { "pets:read": "", "pets:write": "" } } } },
  other: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "https://j.example/t", scopes: { "pets:read": "" } } } },
}; // biome-ignore format: a table

/** Each requirement, and the sets of roles (or none: anonymous) that pass. */
const rows: readonly [security: Json | undefined, passes: readonly string[]][] = [
  [undefined, ["nobody", "user", "admin", "odd", "token", "read", "read+write", "other"]],
  [[], ["nobody", "user", "admin", "odd", "token", "read", "read+write", "other"]],
  [[{}], ["nobody", "user", "admin", "odd", "token", "read", "read+write", "other"]],
  [
    [{ admin: [] }, {}],
    ["nobody", "user", "admin", "odd", "token", "read", "read+write", "other"],
  ],
  [[{ user: [] }], ["user"]],
  [[{ user: null }], ["user"]],
  [[{ admin: [] }], ["admin"]],
  [[{ "odd name": [] }], ["odd"]],
  [
    [{ user: [] }, { admin: [] }],
    ["user", "admin"],
  ],
  [[{ user: [], admin: [] }], []],
  [[{ user: [], admin: [] }, { admin: [] }], ["admin"]],
  [[{ user: ["staff"] }], []],
  [[{ ghost: [] }], []],
  [[{ tls: [] }], []],
  [[{ ghost: [] }, { user: [] }], ["user"]],
  [["user"], []],
  ["user", []],
  [{ user: [] }, []],
  [null, []],
  [[null], []],
  [[{ user: "all" }], []],
  [[{ token: [] }], ["token", "read", "read+write"]],
  [[{ token: ["pets:read"] }], ["read", "read+write"]],
  [[{ token: ["pets:read", "pets:write"] }], ["read+write"]],
  [
    [{ token: ["pets:write"] }, { user: [] }],
    ["read+write", "user"],
  ],
  [[{ other: ["pets:read"] }], ["other"]],
  [
    [{ token: ["pets:read"] }, { other: ["pets:read"] }],
    ["read", "read+write", "other"],
  ],
];

/** What the roles of each kind of caller are in the imported document. */
const callers: Readonly<Record<string, readonly string[] | undefined>> = {
  nobody: undefined,
  user: ["user"],
  admin: ["admin"],
  odd: ["odd-name"],
  token: ["token"],
  read: ["token", "token-pets-read"],
  "read+write": ["token", "token-pets-read", "token-pets-write"],
  other: ["other", "other-pets-read"],
};

const response = { responses: { "204": { description: "done" } } };

function description(general?: Json): JsonObject {
  const paths = rows.map(([security], index): [string, JsonObject] => [
    `/p${index}`,
    {
      delete: {
        operationId: `op${index}`,
        summary: "Do",
        ...(security === undefined ? {} : { security }),
        ...response,
      },
    },
  ]);
  return {
    openapi: "3.1.0",
    info: { title: "Guarded", version: "1" },
    servers: [{ url: "/" }],
    ...(general === undefined ? {} : { security: general }),
    paths: Object.fromEntries(paths) as JsonObject,
    components: { securitySchemes: schemes as unknown as JsonObject },
  };
}

for (const general of [undefined, [{ admin: [] }]] as const) {
  test(`each requirement lets in whom it says${general === undefined ? "" : ", beside one for all"}`, () => {
    const { model, notes } = carried(description(general));
    for (const [index, [security, passes]] of rows.entries()) {
      const expected = security === undefined && general !== undefined ? ["admin"] : passes;
      const grants = model.authentication.allow[`op${index}`] ?? [];
      for (const [name, roles] of Object.entries(callers)) {
        const decision = decide(grants, roles && { roles, scoped: true });
        const isLet =
          decision === "allowed" ||
          (decision !== "denied" &&
            decision.any.some((text) =>
              text
                .split(" && ")
                .every((one) => roles?.includes(/^'(.+)' in caller\.roles$/.exec(one)?.[1] ?? "") === true),
            ));
        assert.equal(
          isLet,
          expected.includes(name),
          `${JSON.stringify(security)}: ${name} by ${JSON.stringify(grants)}`,
        );
      }
      if (expected.length === 0)
        assert(notes.some(({ kind, pointer }) => kind === "lost" && pointer.startsWith(`/paths/~1p${index}/`)));
    }
  });
}

test("a key of one scheme does not what needs another's, over a socket", async () => {
  const functions = Object.fromEntries(rows.map((_, index) => [`op${index}`, () => ({ status: 204 })])) as never;
  await using running = await run(carried(description()).document, { store: "memory", functions });
  using client = createClient(running.port, () => {});
  const keys = {
    nobody: {},
    user: { "X-User": await running.keyOf("user", "ursula") },
    admin: { "X-Admin": await running.keyOf("admin", "ada") },
    odd: { "X-Odd": await running.keyOf("odd-name", "otto") },
  };
  for (const [index, [security, passes]] of rows.entries())
    for (const [name, headers] of Object.entries(keys)) {
      const { status } = await client.send({ method: "DELETE", path: `/p${index}`, headers });
      assert.equal(
        status,
        passes.includes(name) ? 204 : name === "nobody" ? 401 : 403,
        `${JSON.stringify(security)}: ${name}`,
      );
    }
});
