/** Generates any valid part 5, and any caller. */
import fc from "fast-check";
import type { SignatureScheme, SignatureSchemeName } from "../../src/base/signature-schemes.ts";
import { sameGrant } from "../../src/language/authentication/grants.ts";
import type { Authentication, Credential, Grant, SentIn } from "../../src/language/authentication/model.ts";
import { durations, expressions, kebabNames, names, records, resourceNames, sentences, waits } from "./words.ts";

/** Few, so that callers and grants often meet. */
const roles = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("courier", "operator", "admin") },
  {
    weight: 1,
    arbitrary: kebabNames.filter((name) => !["none", "if", "anyone", "public", "everyone", "nobody"].includes(name)),
  },
);

const roleLists = fc.uniqueArray(roles, { maxLength: 4 });

const grants: fc.Arbitrary<Grant> = fc
  .record({
    who: fc.oneof(
      fc.record({ kind: fc.constant("role" as const), role: roles }),
      fc.record({ kind: fc.constant("signed-in" as const) }),
      fc.constant({ kind: "signed-in", anyScope: true } as const),
      fc.record({ kind: fc.constant("anyone" as const) }),
    ),
    condition: fc.option(expressions, { nil: undefined, freq: 2 }),
  })
  .map(({ who, condition }) => (condition === undefined ? { who } : { who, if: condition }));

export const grantLists: fc.Arbitrary<readonly Grant[]> = fc.uniqueArray(grants, {
  maxLength: 4,
  comparator: sameGrant,
});

/** The roles of a caller; undefined: not signed in. */
export const callerRoles: fc.Arbitrary<readonly string[] | undefined> = fc.option(roleLists, { nil: undefined });

const places: fc.Arbitrary<SentIn> = fc.oneof(
  fc.constantFrom("Bearer", "Basic", "Token", "Key").map((scheme) => ({ header: "Authorization", scheme })),
  fc.constantFrom("X-Api-Key", "Door-Signature", "authorization").map((header) => ({ header })),
  fc.constantFrom("session", "token").map((cookie) => ({ cookie })),
  fc.constant({ cookie: "session", set: "by login" } as const),
  fc.constantFrom("api_key", "key").map((query) => ({ query })),
);

/** The schemes of providers, and any others. */
export const signatures: fc.Arbitrary<SignatureSchemeName | SignatureScheme> = fc.oneof(
  fc.constantFrom<SignatureSchemeName[]>("standard-webhooks", "stripe", "github", "slack"),
  fc.record(
    {
      over: fc.constantFrom("{body}", "v0:{body}", "{body};"),
      headers: fc.constantFrom(
        { "X-Signature": "{hex}" },
        { "X-Hmac": "sha256={base64}", "X-Topic": "{topic}", "X-Id": "{id}" },
      ),
      separator: fc.constantFrom("comma" as const, "blank" as const),
      key: fc.constantFrom("text" as const, "base64" as const),
    },
    { requiredKeys: ["over", "headers"] },
  ),
);
const sent: fc.Arbitrary<readonly SentIn[]> = fc.array(places, { minLength: 1, maxLength: 3 });

const lengths = fc.oneof(durations, fc.constant("until revoked"));
const ends = fc.oneof(durations, fc.constantFrom("at once", "none"));
const variables = fc.constantFrom("DOOR_SECRET", "KEY", "_x1");
const addresses = fc.constantFrom("https://issuer.example", "https://issuer.example/.well-known/jwks.json?a=1,2");

const common = { sent, obtained: sentences, renewed: sentences, lasts: lengths, revoked: ends };
const needsNothing: { requiredKeys: ["kind"] } = { requiredKeys: ["kind"] };
const scopes = fc.uniqueArray(names, { maxLength: 3 });

const tokens = {
  ...common,
  secret: variables,
  issuer: addresses,
  audience: sentences,
  jwks: addresses,
  user: names,
  roles: fc.oneof(roleLists, fc.record({ claim: names })),
  scopes,
};

const servers = {
  at: fc.constantFrom("/oauth/token", "/token"),
  login: names,
  prefix: fc.constantFrom("pl_", "sk-live-"),
};

const logins = {
  ...common,
  of: resourceNames,
  name: names,
  field: names,
  roles: fc.oneof(roleLists, fc.record({ field: names })),
};

export const credentials: fc.Arbitrary<Credential> = fc.oneof(
  fc.record(
    {
      kind: fc.constant("api-key" as const),
      ...common,
      prefix: fc.constantFrom("pl_", "sk-live-"),
      roles: roleLists,
      scopes,
    },
    needsNothing,
  ),
  fc.record(
    {
      kind: fc.constant("password" as const),
      ...logins,
      renewed: fc.oneof(sentences, durations),
      changed: fc.constantFrom("currentPassword", "old_secret"),
      prefix: fc.constantFrom("ses_", "s-live-"),
    },
    { requiredKeys: ["kind", "of", "name", "field"] },
  ),
  fc.record({ kind: fc.constant("jwt" as const), ...tokens }, { requiredKeys: ["kind", "secret"] }),
  fc.record({ kind: fc.constant("oauth2" as const), ...tokens, ...servers }, needsNothing),
  fc.record(
    { kind: fc.constant("oauth2" as const), ...common, ...servers, scopeRoles: records(names, roleLists, 3) },
    needsNothing,
  ),
  fc.record({ kind: fc.constant("basic" as const), ...logins }, needsNothing),
  fc.record(
    {
      kind: fc.constant("hmac-sha256" as const),
      ...common,
      secret: variables,
      formerSecrets: fc.array(variables, { minLength: 1, maxLength: 2 }),
      roles: roleLists,
      scheme: signatures,
      tolerance: waits,
    },
    { requiredKeys: ["kind", "secret"] },
  ),
);

const fieldNames = fc.tuple(resourceNames, names).map(([resource, field]) => `${resource}.${field}`);

export const authentications: fc.Arbitrary<Authentication> = fc.record(
  {
    credentials: records(names, credentials),
    roles: roleLists,
    own: records(resourceNames, expressions),
    allow: records(names, grantLists),
    show: records(fieldNames, grantLists),
    unseen: fc.constantFrom(403 as const, 404 as const),
  },
  { requiredKeys: ["credentials", "own", "allow", "show"] },
);
