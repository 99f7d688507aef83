/**
 * Part 5: credentials, roles, ownership and permissions.
 *
 *     credentials   name: kind   or   name: { kind, sent, … }   or `none`
 *       kind        api-key | password | jwt | oauth2 | basic | hmac-sha256
 *       sent        one place or several: `Authorization SCHEME`, `header NAME`, `cookie NAME`, `query NAME` (sent.ts)
 *       obtained, renewed   a sentence; `renewed` of password, and of oauth2 with `login`, also a duration, for
 *                   which there are tokens to renew it with
 *       lasts       a duration or `until revoked`
 *       revoked     a duration, `at once` or `none`
 *       prefix      api-key: what a key starts with
 *       secret      jwt, oauth2, hmac-sha256: `env NAME`, never the secret itself. password, basic: the field that holds it
 *                   hmac-sha256 also: a list, the new secret and former ones
 *       scheme      hmac-sha256: how requests are signed (signature.ts)
 *       tolerance   hmac-sha256: a duration
 *       of, name    password, basic: the resource that can log in, and the field that names one of it
 *       changed     password: `with NAME`, the member with the present secret where callers change their own
 *       issuer, audience, jwks   jwt, oauth2: the `iss` and `aud` that are expected, the address of the key set
 *       user        jwt, oauth2: `claim NAME`, what names the caller
 *       roles       a list, the same for each caller, or (jwt, oauth2) `claim NAME`, or (password, basic) `field NAME`
 *       scopes      jwt, oauth2, api-key: a list   jwt, oauth2 also: { scope: roles }
 *       at          oauth2: `POST /path`, where clients get tokens
 *       login       oauth2: the password credential by which users log in who let a client act for them
 *       openapi     members of the security scheme in the exported description (../grammar/openapi-members.ts)
 *     roles         a list of names, or `none`
 *     own           Resource: expression
 *     allow         operation: grants, or several operations with one line: `a, b: grants` (grants.ts). Two lines for
 *                   one operation add up.
 *     show          Resource.field: grants, likewise
 *     set           Resource.field: grants, likewise: who may set the field
 *     unseen        403 or 404
 */
import type { Entry, MapNode, TextNode } from "../../document/document.ts";
import { durationOf } from "../grammar/amounts.ts";
import { type ChangeReport, comparableOf, neutralIfNew } from "../grammar/changes.ts";
import { named } from "../grammar/collections.ts";
import { converted, form, type Members, part, type Spread } from "../grammar/form.ts";
import { type Complaint, complain, type Grammar, type PartGrammar } from "../grammar/grammar.ts";
import { closed, either, lineSchema, mapOf, oneOf, oneOrMore, orNone, shared } from "../grammar/schema.ts";
import {
  choice,
  clockDuration,
  expression,
  matching,
  names,
  prefixed,
  text,
  words,
  type Words,
} from "../grammar/words.ts";
import { sourceTextOf, spanOf, splitAt } from "../grammar/source-text.ts";
import {
  expectMap,
  isGap,
  isNone,
  knownEntries,
  type Path,
  recordLocation,
  type Reader,
  report,
} from "../grammar/reader.ts";
import { openapiMembers } from "../grammar/openapi-members.ts";
import { inside, mapEntries, mapName, mapNames, type Scope, withMembers } from "../grammar/references.ts";
import { readDuration } from "../grammar/values.ts";
import { signature } from "./signature.ts";
import { grants, printGrants, readGrants, sameGrant } from "./grants.ts";
import { sent } from "./sent.ts";
import {
  type Authentication,
  type Credential,
  type CredentialKind,
  credentialKinds,
  type Grant,
  lifetimes,
  revocations,
} from "./model.ts";

// ── What a credential says ─────────────────────────────────────────────────────────────────────────────────────────

/** Reads a duration or one of some fixed phrases. */
function length(what: string, fixed: readonly string[]): Words<string> {
  return words(
    (reader, path, found) => (fixed.includes(found.text) ? found.text : readDuration(reader, path, found, what)),
    shared("text"),
    { label: what, measure: (text) => (text === "until revoked" ? Number.POSITIVE_INFINITY : durationOf(text)) },
  );
}

/** Reads `env NAME`. Any other text may be the secret itself, so the message does not repeat the text. */
const secret = prefixed(
  "env",
  /^env\s+([A-Za-z_][A-Za-z0-9_]*)$/,
  [
    "secret-in-document",
    () => "A secret comes from the environment, never from the document",
    {
      why: "Everybody who uses the service can read the document.",
      help: "name the variable that holds it: `env DOOR_SECRET`",
    },
  ],
  "The secret",
);

/** Reads the field that holds each record's secret: callers who log in never share a secret. */
function secretField(kind: CredentialKind): Words<string> {
  return matching(
    /^(?!env\s)/,
    [
      "member-of-other-kind",
      () =>
        `A credential of kind ${kind} stores its secret in a record: \`secret\` names a field of the resource in \`of\``,
      { help: `write \`{ kind: ${kind}, of: User, name: email, secret: password }\`` },
    ],
    { label: "The field of the secret" },
  );
}

const reserved = ["signed-in", "any-scope", "anyone", "none"];
const roles = names("The list of roles", (reader, path, role) => {
  const isReserved = reserved.includes(role.text);
  if (!isReserved && /^[A-Za-z][\w-]*$/.test(role.text)) return true;
  complain(reader, path, role, [
    "bad-role",
    (name) => (isReserved ? `\`${name}\` is a reserved word and cannot name a role` : `\`${name}\` cannot name a role`),
    { help: "a role is one word of letters, digits, `-` and `_`" },
  ]);
  return false;
});

/** Reads roles as a list, as `claim NAME` of a token, or as `field NAME` of the caller's own record. */
function roleSource(kind: CredentialKind): Grammar<NonNullable<Credential["roles"]>> {
  const isToken = kind === "jwt" || kind === "oauth2";
  const list = "write the list of roles: `[courier]`";
  const wrong: Readonly<Record<string, Complaint>> = {
    claim: ["bad-claim", () => `A credential of kind ${kind} has no claims`, { help: list }],
    field: [
      "bad-claim",
      () => `The caller of a credential of kind ${kind} is not a record, so it has no fields`,
      { help: isToken ? "write `claim roles`" : list },
    ],
  };
  return {
    schema: shared("names"),
    read: (reader, path, statement) => {
      const line = statement.value.kind === "text" ? sourceTextOf(statement.value) : undefined;
      const [, from, name = ""] = /^(claim|field)\s+(\S+)$/.exec(line?.text ?? "") ?? [];
      if (line === undefined || from === undefined) return roles.read(reader, path, statement);
      if (from === "claim" && isToken) return { claim: name };
      if (from === "field" && isLogin(kind)) return { field: name };
      return complain(reader, path, line, wrong[from] as Complaint);
    },
    mapNames: (value, scope) => {
      if ("claim" in value) return value;
      if (!("field" in value)) return mapNames(value, scope, { references: "role" });
      const field = mapName(value.field, scope, { references: "field" });
      return field === value.field ? value : field === undefined ? undefined : { field };
    },
    print: (value, below) => {
      if ("claim" in value) return `claim ${value.claim}`;
      return "field" in value ? `field ${value.field}` : roles.print(value, below);
    },
  };
}

function isLogin(kind: CredentialKind): boolean {
  return kind === "password" || kind === "basic";
}

/** The scopes as a list, or as a map from each scope to the roles that it gives. */
const scopeList = names("The list of scopes");
const scopeMap = named<readonly string[]>(
  { ...roles, mapNames: (value, scope) => mapNames(value, scope, { references: "role" }) },
  { example: "read: [reader]" },
);
const scopes: Spread<Credential> = {
  gives: ["scopes", "scopeRoles"],
  schema: either(scopeList.schema, mapOf(roles.schema)),
  read: (reader, path, statement) => {
    if (statement.value.kind === "map") return { scopeRoles: scopeMap.read(reader, path, statement) ?? {} };
    return { scopes: scopeList.read(reader, path, statement) ?? [] };
  },
  mapNames: (value, scope) =>
    value.scopeRoles === undefined || scopeMap.mapNames === undefined
      ? value
      : withMembers(value, [["scopeRoles", scopeMap.mapNames(value.scopeRoles, scope)]]),
  print: ({ scopeRoles, scopes: list }, below) =>
    scopeRoles === undefined ? list && scopeList.print(list, below) : scopeMap.print(scopeRoles, () => true),
};

const kindWords = choice(credentialKinds, "The kind of a credential");

/** Reads one secret, or a list: the new secret, then former ones that are valid too. */
const secrets: Spread<Credential> = {
  gives: ["secret", "formerSecrets"],
  schema: oneOrMore(secret.schema),
  read: (reader, path, { value }, label) => {
    const all = (value.kind === "list" ? value.items : [value]).flatMap(
      (item) => secret.read(reader, path, { value: item }, label) ?? [],
    );
    const [first, ...former] = all;
    return first === undefined
      ? undefined
      : { secret: first, ...(former.length === 0 ? {} : { formerSecrets: former }) };
  },
  print: ({ secret: first, formerSecrets = [] }) => {
    if (first === undefined) return undefined;
    return formerSecrets.length === 0 ? secret.print(first) : [first, ...formerSecrets].map((one) => secret.print(one));
  },
};

type Spreads = "foreign" | "scopes" | "scopeRoles" | "formerSecrets";
type CredentialMembers = Members<Credential, Spreads>;

/** All members of a credential, in print order: its kind, how it is sent, whom it identifies, its lifetime. */
function members(kind: CredentialKind): CredentialMembers {
  return {
    kind: { ...kindWords, label: "The kind", needed: true },
    at: {
      ...prefixed(
        "POST",
        /^POST\s+(\/[A-Za-z0-9._~/-]*[A-Za-z0-9._~-])$/,
        [
          "bad-token-address",
          (found) => `\`${found}\` is not a token endpoint`,
          { help: "write `POST` and a path: `POST /oauth/token`" },
        ],
        "The token endpoint",
      ),
      schema: lineSchema("POST\\s+/\\S+", "`POST /oauth/token`"),
    },
    login: { ...text("The credential by which users log in"), references: "credential" },
    of: { ...text("The resource that can log in"), references: "resource" },
    name: { ...text("The field of the login name"), references: "field" },
    sent,
    prefix: matching(
      /^[A-Za-z][A-Za-z0-9_-]*$/,
      [
        "bad-prefix",
        (found) => `\`${found}\` cannot be the prefix of a key`,
        { help: "a prefix is letters, digits, `-` and `_`: `pl_`" },
      ],
      { label: "The prefix" },
    ),
    secret,
    field: { ...secretField(kind), key: "secret", references: "field" },
    // After `field`, whose JSON Schema has the same key.
    "...secret": secrets,
    scheme: signature<never>([]),
    tolerance: clockDuration("The tolerance of a signature's time"),
    changed: {
      ...prefixed(
        "with",
        /^with\s+([A-Za-z_][A-Za-z0-9_]*)$/,
        [
          "bad-changed",
          (found) => `\`${found}\` does not name a member of the body`,
          { help: "write `with currentPassword`" },
        ],
        "The confirmation of a changed secret",
      ),
      schema: lineSchema("with\\s+[A-Za-z_][A-Za-z0-9_]*", "`with currentPassword`"),
    },
    issuer: text("The issuer"),
    audience: text("The audience"),
    jwks: matching(
      /^https?:\/\/[^\s/]+\S*$/,
      [
        "bad-address",
        (found) => `\`${found}\` is not an absolute address`,
        { help: "write it as `https://issuer.example/.well-known/jwks.json`" },
      ],
      { label: "The address of the key set" },
    ),
    user: prefixed(
      "claim",
      /^claim\s+(\S+)$/,
      ["bad-claim", (found) => `\`${found}\` does not name a claim`, { help: "write `claim sub`" }],
      "The claim of the caller",
    ),
    roles: roleSource(kind),
    "...scopes": scopes,
    obtained: text("How a credential is obtained"),
    lasts: length("How long a credential lasts", lifetimes),
    renewed: text("How a credential is renewed"),
    revoked: length("How soon a revocation takes effect", revocations),
    openapi: openapiMembers([]),
  };
}

// ── Which kind says what ───────────────────────────────────────────────────────────────────────────────────────────

type Name = keyof CredentialMembers;

const everyKind: readonly Name[] = ["kind", "sent", "obtained", "renewed", "lasts", "revoked", "roles", "openapi"];
const tokenMembers: readonly Name[] = ["secret", "issuer", "audience", "jwks", "user", "...scopes"];
const loginMembers: readonly Name[] = ["of", "name", "field"];

/** The members of each kind of credential, besides those that every kind has. */
const membersOf: Readonly<Record<CredentialKind, readonly Name[]>> = {
  "api-key": ["prefix", "...scopes"],
  password: ["prefix", ...loginMembers, "changed"],
  jwt: tokenMembers,
  oauth2: ["at", "login", "prefix", ...tokenMembers],
  basic: loginMembers,
  "hmac-sha256": ["...secret", "scheme", "tolerance"],
};

/** The required members of each kind of credential: at least one member of each inner list. */
const neededBy: Readonly<Record<CredentialKind, readonly (readonly string[])[]>> = {
  "api-key": [],
  password: [["of"], ["name"], ["secret"]],
  jwt: [["secret", "jwks", "issuer"]],
  oauth2: [],
  basic: [],
  "hmac-sha256": [["secret"]],
};

function what(path: Path): string {
  return `The credential ${path[2]}`;
}

const byKind = new Map(
  credentialKinds.map((kind) => {
    const own = [...everyKind, ...membersOf[kind]];
    const declared = Object.entries(members(kind)).filter(([name]) => own.includes(name as Name));
    const grammar = form<Credential, Spreads>({
      what,
      example: "{ kind: api-key, sent: Authorization Bearer }",
      line: "{kind}",
      scope: ({ of }, scope) => ({ ...scope, record: of }),
      members: Object.fromEntries(declared) as unknown as CredentialMembers,
    });
    return [kind, { grammar, keys: own.map(keyOf) }] as const;
  }),
);

function keyOf(name: Name): string {
  return name === "field" ? "secret" : name.replace("...", "");
}

const allKeys = [...new Set([...byKind.values()].flatMap(({ keys }) => keys))];

/** A change of how callers obtain a credential affects no request. */
const unnoticed: ChangeReport = { effect: "neutral", category: "shape" };

const anyKind = form<Credential, Spreads>({
  what,
  example: "{ kind: api-key }",
  members: members("jwt"),
  changes: {
    "*": { what: "{member} of the credential {}", category: "right" },
    field: { what: "`field` of the credential {}" },
    prefix: unnoticed,
    secret: unnoticed,
    "...secret": unnoticed,
    tolerance: { kind: "credential-tolerance", what: "The tolerance of signatures of {}", category: "limit" },
    jwks: unnoticed,
    obtained: unnoticed,
    openapi: unnoticed,
    renewed: unnoticed,
    revoked: unnoticed,
    lasts: { kind: "credential-lasts", category: "limit" },
  },
  presence: {
    added: ["additive", "The credential {} is new"],
    removed: ["breaking", "The credential {} is removed"],
    category: "right",
  },
});

const credential: Grammar<Credential> = {
  ...comparableOf(anyKind),
  mapNames: (value, scope) => byKind.get(value.kind)?.grammar.mapNames?.(value, scope),
  schema: either(
    kindWords.schema,
    closed(
      Object.fromEntries(Object.entries(members("jwt")).map(([name, member]) => [keyOf(name as Name), member.schema])),
    ),
  ),
  read: (reader, path, statement) => {
    const { key, value } = statement;
    if (value.kind === "text") {
      const kind = kindWords.read(reader, path, statement, what);
      if (kind !== undefined) reportMissing(reader, path, kind, [], key);
      return kind && { kind };
    }
    const map = expectMap(reader, path, value, what(path), "{ kind: api-key, sent: Authorization Bearer }");
    return map && readCredential(reader, path, map, key);
  },
  print: (value, below) => byKind.get(value.kind)?.grammar.print(value, below) ?? value.kind,
};

function readCredential(reader: Reader, path: Path, map: MapNode, key: TextNode | undefined): Credential | undefined {
  // An empty list, such as `secret: []`, declares nothing.
  const isEmpty = ({ value }: Entry): boolean => value.kind === "list" && value.items.length === 0;
  const declared = map.entries.flatMap((entry) => (isEmpty(entry) ? [] : [entry.key.value]));
  const kindEntry = map.entries.find((entry) => entry.key.value === "kind");
  const isOpen = kindEntry?.value.kind === "text" && kindEntry.value.value === "not shown";
  const kind = kindEntry && !isOpen ? kindWords.read(reader, [...path, "kind"], kindEntry, "The kind") : undefined;
  const own = kind && byKind.get(kind);
  if (kind === undefined || own === undefined) {
    knownEntries(reader, path, map, allKeys, what(path));
    if (kindEntry === undefined && key !== undefined)
      report(reader, "authentication/missing-member", key.span, `${what(path)} does not say its kind`, {
        help: `write \`kind:\` with one of ${credentialKinds.map((one) => `\`${one}\``).join(", ")}`,
      });
    return undefined;
  }
  reportMissing(reader, path, kind, declared, key);
  const isOther = (entry: Entry): boolean => allKeys.includes(entry.key.value) && !own.keys.includes(entry.key.value);
  for (const entry of map.entries.filter(isOther))
    report(
      reader,
      "authentication/member-of-other-kind",
      entry.key.span,
      `${what(path)} is of kind ${kind}, which has no \`${entry.key.value}\``,
      { help: `known here: ${own.keys.join(", ")}` },
    );
  const rest = { ...map, entries: map.entries.filter((entry) => !isOther(entry)) };
  const read = own.grammar.read(reader, path, { ...(key && { key }), value: rest });
  // `issuer: not shown` declares that another server issues the tokens, without naming the server yet.
  const isForeign = kind === "oauth2" && reader.gaps.includes([...path, "issuer"].join("/"));
  return read && (isForeign ? { ...read, foreign: true } : read);
}

function reportMissing(
  reader: Reader,
  path: Path,
  kind: CredentialKind,
  declared: readonly string[],
  key: TextNode | undefined,
): void {
  const examples: Readonly<Record<string, string>> = {
    secret: isLogin(kind) ? "secret: password" : "secret: env NAME",
    of: "of: User",
    name: "name: email",
  };
  for (const choices of neededBy[kind]) {
    if (key === undefined || choices.some((name) => declared.includes(name))) continue;
    const wanted = choices.map((name) => `\`${name}\``).join(" or ");
    report(
      reader,
      "authentication/missing-member",
      key.span,
      `${what(path)} is of kind ${kind}, which needs ${wanted}`,
      {
        why: "The service needs it to verify the credential.",
        help: `write \`${examples[choices[0] ?? ""]}\``,
      },
    );
  }
}

// ── Who may ────────────────────────────────────────────────────────────────────────────────────────────────────────

type Permissions = Readonly<Record<string, readonly Grant[]>>;

/** YAML allows keys of at most 1024 characters. */
const longestLine = 1000;

/**
 * Reads permission lines whose key is one name or several. Each name has a location; for a repeated name, that of its first
 * line.
 */
function permissions(example: string): Grammar<Permissions> {
  return {
    item: {},
    mapNames: (value, scope) => mapEntries(value, scope, { references: "operation" }, grants.mapNames),
    schema: orNone(mapOf(grants.schema)),
    read: (reader, path, { value }) => {
      if (isNone(value)) return {};
      const found = new Map<string, readonly Grant[]>();
      for (const line of expectMap(reader, path, value, `\`${path[1]}\``, example)?.entries ?? []) {
        for (const name of splitAt(sourceTextOf(line.key), ",")) {
          if (name.text === "") {
            report(reader, "authentication/empty-name", line.key.span, "A name is missing between two commas");
            continue;
          }
          const at = [...path, name.text];
          const before = found.get(name.text);
          if (before === undefined) recordLocation(reader, at, { key: { span: spanOf(name) }, value: line.value });
          if (!isGap(reader, at, line.value)) found.set(name.text, readGrants(reader, at, line.value, before));
        }
      }
      return Object.fromEntries(found);
    },
    // Adjacent operations with equal grants are printed on one line, as far as it is no longer than a key may be.
    print: (value) => {
      const lines: { names: string; grants: readonly Grant[] }[] = [];
      for (const [name, some] of Object.entries(value)) {
        const last = lines.at(-1);
        const names = `${last?.names}, ${name}`;
        if (last !== undefined && areSame(last.grants, some) && names.length <= longestLine) last.names = names;
        else lines.push({ names: name, grants: some });
      }
      return Object.fromEntries(lines.map((line) => [line.names, printGrants(line.grants)]));
    },
  };
}

/** Maps the names in the keys `Resource.field` of `show` and `set`. */
function mapVisibility(value: Permissions, scope: Scope): Permissions {
  const mapped = Object.entries(value).flatMap(([key, some]) => {
    const [resource = "", field = ""] = key.split(".");
    const at = { ...inside(scope, key), record: resource };
    const of = mapName(resource, at, { references: "resource" }, "key");
    const name = mapName(field, at, { references: "field" }, "key");
    const granted = grants.mapNames?.(some, at);
    return of === undefined || name === undefined || granted === undefined ? [] : [[`${of}.${name}`, granted] as const];
  });
  return Object.fromEntries(mapped);
}

function areSame(some: readonly Grant[], others: readonly Grant[]): boolean {
  return some.length === others.length && some.every((grant, index) => sameGrant(grant, others[index] as Grant));
}

const hiddenStatus = converted<"404" | "403", 404 | 403>(
  choice(["404", "403"], "The status for hidden records"),
  (_, __, status) => (status === "404" ? 404 : 403),
  (status) => `${status}`,
);

export const authentication: PartGrammar<Authentication> = part<Authentication>("authentication", {
  what: "Authentication",
  changes: {
    credentials: { kind: "credential" },
    unseen: { what: "The status for hidden records", effect: neutralIfNew },
  },
  example: "{ roles: [courier] }",
  members: {
    credentials: {
      ...named(credential, { example: "key: { kind: api-key, lasts: 365d }", declares: "credential" }),
      absent: {},
    },
    roles: { ...roles, declares: "role" },
    own: {
      ...named(
        expression((path) => `The ownership of ${path.at(-1)}`),
        { example: "{ Parcel: courier == caller.id }", references: "resource" },
      ),
      absent: {},
    },
    allow: { ...permissions("getParcel, listParcels: operator | courier if own"), absent: {} },
    show: { ...permissions("Parcel.pickupCode: operator"), mapNames: mapVisibility, absent: {} },
    set: { ...permissions("Parcel.priority: operator"), mapNames: mapVisibility },
    unseen: { ...hiddenStatus, schema: oneOf(403, 404, "403", "404") },
  },
});
