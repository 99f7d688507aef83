/** Mistakes about credentials, permissions and what callers see (part 5). */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { HttpRequest } from "../../../../src/http/message.ts";
import type { CredentialPlan, GrantPlan } from "../../../../src/plan/authentication/types.ts";
import { mintSecret } from "../../../../src/runtime/auth/api-key.ts";
import type { Key, Store } from "../../../../src/store/port/store.ts";
import { ask, type Expected, pass, type Step } from "../../../enforced/proof.ts";
import { type Change, type EngineMutant, mutantsOf } from "./mutant.ts";
import { add, saw } from "./resources.ts";
import { environment, tokenOf, type TokenOptions, unsignedToken } from "./signing.ts";
import {
  columns,
  inTransactions,
  isFor,
  operations,
  planned,
  readJson,
  requests,
  responses,
  stored,
  texts,
  withFields,
} from "./wrappers.ts";

const anyone: readonly GrantPlan[] = [{ who: { kind: "anyone" } }];
const day = 86_400_000;

const entered: readonly Step[] = [
  ask("POST /users", { email: "ann@example.com", password: "correct horse" }, "201"),
  ask("POST /login", { email: "ann@example.com", password: "correct horse" }, "200"),
];

export const authenticationMutants: readonly EngineMutant[] = [
  ...mutantsOf("things", {
    "a read needs no credential": [
      operations("getThing", () => ({ allow: anyone, visible: anyone })),
      add,
      ask("GET /things/{1}", "401 unauthenticated"),
    ],
    "a write needs no credential": [
      operations("addThing", () => ({ allow: anyone })),
      ask("POST /things", saw, "401 unauthenticated"),
    ],
    "any text is a key": [
      stored((store) => ({
        keys: { ...store.keys, find: async (hash) => (await store.keys.find(hash)) ?? (await store.keys.list())[0] },
      })),
      add,
      async (scene) => {
        const prefix = scene.running.plan.credentials[0]?.prefix ?? "";
        const key = mintSecret(prefix, (bytes) => randomBytes(bytes));
        await ask(`GET /things/{1}\nAuthorization: Bearer ${key}`, "401 unauthenticated")(scene);
      },
    ],
    "a revoked key is good": [
      foundKeys(({ revoked: _, ...key }) => key),
      add,
      async ({ running }) => {
        for (const { id } of await running.store.keys.list()) await running.store.keys.revoke(id, running.now());
      },
      pass(1000),
      ask("ann GET /things/{1}", "401 unauthenticated"),
    ],
    "an expired key is good": [
      foundKeys(({ expires: _, ...key }) => key),
      add,
      pass(31 * day),
      ask("ann GET /things/{1}", "401 unauthenticated"),
    ],
    "a key expires too early": [
      foundKeys((key) => ({ ...key, ...(key.expires && { expires: key.expires - 2 * day }) })),
      add,
      pass(29 * day),
      ask("ann GET /things/{1}", "200"),
    ],
    "every key has all roles": [
      foundKeys((key) => ({ ...key, roles: ["member", "admin"] })),
      ask("zoe POST /things", saw, "403 forbidden"),
    ],
    "a missing credential is a missing permission": [
      responses((response, request, service) =>
        response.status === 401 ? service.reject("forbidden", { httpRequest: request }) : response,
      ),
      ask("POST /things", saw, "401 unauthenticated"),
    ],
    "a missing permission is a missing credential": [
      responses((response, request, service) =>
        response.status === 403 ? service.reject("unauthenticated", { httpRequest: request }) : response,
      ),
      ask("zoe POST /things", saw, "403 forbidden"),
    ],
    "the records of others can be read": [
      operations("getThing", ({ allow }) => ({ allow: allow.map(({ who }) => ({ who })), visible: anyone })),
      add,
      ask("bob GET /things/{1}", "404"),
    ],
    "the records of others can be changed": [
      operations("changeThing", ({ allow }) => ({ allow: allow.map(({ who }) => ({ who })), visible: anyone })),
      add,
      ask("bob PATCH /things/{1}\nIf-Match: *", { note: "mine" }, "404"),
    ],
    "a list shows the records of others": [
      stored((store) => ({ list: ({ where: _, ...query }) => store.list(query) })),
      add,
      ask("bob GET /things", { items: 0 }),
    ],
    "an owner does not see the own records in lists": [
      operations("listThings", ({ allow }) => ({ allow: allow.slice(0, 1) })),
      add,
      ask("ann GET /things", { items: 1 }),
    ],
    "a role has no permission any more": [
      operations("getThing", ({ allow }) => ({ allow: allow.slice(1) })),
      add,
      ask("olga GET /things/{1}", "200"),
    ],
    "hidden records are forbidden": [
      planned(() => ({ unseen: 403 })),
      add,
      ask("bob GET /things/{1}", "404 not-found"),
    ],
    "hidden records differ from absent ones in the text": [
      hiddenText("Not found", "Not yours"),
      add,
      ask("bob GET /things/{1}", "404 not-found"),
      ask("bob GET /things/thi_00000000000000000000000000", (reply, { replies }) => {
        const titles = [reply, replies[1]].map((one) => (one?.json as JsonObject | undefined)?.["title"]);
        assert.equal(titles[0], titles[1]);
      }),
    ],
    "a hidden field is shown": [
      columns("code", ({ visibleTo: _, ...column }) => column),
      ask("ann POST /things", saw, ({ json }) => assert.equal((json as JsonObject)["code"], undefined)),
      ask("olga GET /things/{1}", ({ text }) => assert.match(text, /"code"/)),
    ],
    "a field is hidden from those who may see it": [
      columns("code", (column) => ({ ...column, visibleTo: [] })),
      add,
      ask("olga GET /things/{1}", ({ text }) => assert.match(text, /"code"/)),
    ],
  }),
  ...mutantsOf(
    "tokens",
    {
      "a token that nobody signed is good": [
        signedAgain((header) => header.alg === "none"),
        byToken({}, "201"),
        async (scene) => ask(`POST /things\nAuthorization: Bearer ${await unsignedToken()}`, {}, "401")(scene),
      ],
      "a token with a wrong signature is good": [
        signedAgain(() => true),
        byToken({ secret: "another secret of enough length" }, "401"),
      ],
      "an expired token is good": [
        signedAgain((_, claims) => Number(claims["exp"]) * 1000 < Date.now()),
        byToken({ expires: -600 }, "401"),
      ],
      "a token of another issuer is good": [
        credentials(({ issuer: _, ...one }) => one),
        byToken({ issuer: "https://other.example" }, "401"),
      ],
      "a token for another audience is good": [
        credentials(({ audience: _, ...one }) => one),
        byToken({ audience: "others" }, "401"),
      ],
      "a token may be good for longer than is declared": [
        credentials(({ lastsMilliseconds: _, ...one }) => one),
        byToken({}, "201"),
        byToken({ expires: 7 * 86_400 }, "401"),
      ],
      "the roles of a token are ignored": [
        credentials((one) => ({ ...one, roles: { kind: "fixed", roles: ["member", "admin"] } })),
        byToken({ roles: [] }, "403"),
      ],
    },
    { environment },
  ),
  ...mutantsOf("people", {
    "a wrong password is good": [
      rememberedLogin(),
      ...entered,
      ask("POST /login", { email: "ann@example.com", password: "another horse" }, "401 unauthenticated"),
    ],
    "a session goes on after the logout": [
      inTransactions(() => ({ endSessions: () => {} })),
      ...entered,
      ask("POST /logout\nAuthorization: Bearer {2.token}", "204"),
      ask("POST /things\nAuthorization: Bearer {2.token}", {}, "401 unauthenticated"),
    ],
    "a session goes on after its time": [
      stored((store) => ({
        sessions: {
          ...store.sessions,
          async find(hash) {
            const { expires: _, ...token } = (await store.sessions.find(hash)) ?? {};
            return "hash" in token ? (token as Awaited<ReturnType<typeof store.sessions.find>>) : undefined;
          },
        },
      })),
      ...entered,
      pass(3_700_000),
      ask("POST /things\nAuthorization: Bearer {2.token}", {}, "401 unauthenticated"),
    ],
    "a password is changed without the current one": [
      planned((plan) => ({ operations: plan.operations.map(({ presentSecret: _, ...one }) => one) })),
      ...entered,
      ask(
        "PATCH /users/{1}\nAuthorization: Bearer {2.token}",
        { password: "battery staple", currentPassword: "wrong horse" },
        "401 unauthenticated",
      ),
    ],
    "responses have the hash of the password": [
      columns("password", ({ visibleTo: _, ...column }) => ({ ...column, marks: [] })),
      ask("POST /users", { email: "ann@example.com", password: "correct horse" }, { lacks: ["password"] }),
    ],
    "a login tells whether the address is known": [
      texts((text, { status }, { target }) =>
        status === 401 && target === "/login" ? text.replace("}", ',"known":true}') : text,
      ),
      ...entered,
      ask("POST /login", { email: "ann@example.com", password: "another horse" }, { status: "401", lacks: ["known"] }),
    ],
  }),
];

/** The error of a hidden record has another text than that of an absent one. */
function hiddenText(from: string, to: string): Change {
  let store: Store | undefined;
  const texts = responses(async (response, { target }) => {
    const [, record] = /^\/things\/(\w+)$/.exec(target) ?? [];
    if (response.status !== 404 || record === undefined || typeof response.body !== "string") return response;
    const found = await store?.transaction(async (tx) => await tx.get("Thing", "id", record));
    return found === undefined ? response : { ...response, body: response.body.replace(from, to) };
  });
  return { ...texts, around: (one) => (store = one) };
}

function foundKeys(change: (key: Key) => Key): Change {
  return stored((store) => ({
    keys: {
      ...store.keys,
      async find(hash) {
        const key = await store.keys.find(hash);
        return key && change(key);
      },
    },
  }));
}

function credentials(change: (credential: CredentialPlan) => CredentialPlan): Change {
  return planned((plan) => ({ credentials: plan.credentials.map(change) }));
}

/** Tokens of which this is true are signed again, with another expiry, before they are verified. */
function signedAgain(isGood: (header: { readonly alg?: string }, claims: JsonObject) => boolean): Change {
  return requests(async (request) => {
    const token = request.headers.get("authorization")?.replace("Bearer ", "");
    const [header, claims] = (token ?? "").split(".").map(decoded);
    if (header === undefined || claims === undefined || !isGood(header, claims)) return request;
    const roles = (claims["roles"] ?? []) as readonly string[];
    return withFields(request, { authorization: `Bearer ${await tokenOf({ roles })}` });
  });
}

/** After a login with the right password, each password is replaced by the right one. */
function rememberedLogin(): Change {
  return {
    between: (service) => {
      let good: HttpRequest | undefined;
      return {
        ...service,
        async response(request) {
          if (!isFor(request, "POST", /^\/login$/)) return service.response(request);
          const [, again] = await readJson(request);
          const response = await service.response(again);
          if (response.status === 200) good = again;
          return response.status === 401 && good !== undefined ? service.response(good) : response;
        },
      };
    },
  };
}

function decoded(part: string): JsonObject {
  return part === "" ? {} : (JSON.parse(Buffer.from(part, "base64url").toString() || "{}") as JsonObject);
}

function byToken(options: TokenOptions, gets: Expected): Step {
  return async (scene) => ask(`POST /things\nAuthorization: Bearer ${await tokenOf(options)}`, {}, gets)(scene);
}
