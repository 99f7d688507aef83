/**
 * Part 5, read: credentials, roles, ownership and permissions.
 *
 *     credentials   name: kind   or   name: { kind, sent, … }   or `none`
 *       kind        api-key | password | jwt | oauth2 | basic | hmac-sha256
 *       sent        `Authorization SCHEME` or `header NAME`   map: { header, scheme }. Never in an address (R5.3).
 *       obtained, renewed   a sentence; `renewed` of password, and of oauth2 with `login`, also a duration, for
 *                   which there are tokens to renew it with
 *       lasts       a duration or `until revoked`
 *       revoked     a duration, `at once` or `none`
 *       prefix      api-key: what a key starts with
 *       secret      jwt, oauth2, hmac-sha256: `env NAME`, never the secret itself. password, basic: the field that holds it
 *       of, name    password, basic: the resource that can log in, and the field that names one of it
 *       changed     password: `with NAME`, the member with the present secret where callers change their own
 *       issuer, audience, jwks   jwt, oauth2: the `iss` and `aud` that are expected, the address of the key set
 *       user        jwt, oauth2: `claim NAME`, what names the caller
 *       roles       a list, the same for each caller, or (jwt, oauth2) `claim NAME`, or (password, basic) `field NAME`
 *       scopes      jwt, oauth2, api-key: a list   jwt, oauth2 also: { scope: roles }
 *       at          oauth2: `POST /path`, where clients get tokens
 *       login       oauth2: the password credential by which users log in who let a client act for them
 *     roles         a list of names, or `none`
 *     own           Resource: expression
 *     allow         operation: grants, or several operations with one line: `a, b: grants` (grants.ts). Two lines for
 *                   one operation add up.
 *     show          Resource.field: grants, likewise
 *     unseen        403 or 404
 */
import type { Entry, MapNode, Node } from "../../document/document.ts";
import { type Phrase, phraseOf, slice, spanOf, splitAt, words } from "../phrase.ts";
import {
  expectMap,
  isGap,
  isNone,
  knownEntries,
  openEntries,
  type Path,
  place,
  type Reader,
  report,
} from "../reader.ts";
import { namesAt, readChoice, readDuration, readLines, readNames, readText } from "../values.ts";
import { readGrants } from "./grants.ts";
import {
  type Authentication,
  type Credential,
  type CredentialKind,
  credentialKinds,
  type Grant,
  lifetimes,
  revocations,
  type SentIn,
} from "./model.ts";

const keys = ["credentials", "roles", "own", "allow", "show", "unseen"] as const;

export function readAuthentication(reader: Reader, body: MapNode): Authentication {
  const path = ["authentication"];
  const entries = knownEntries(reader, path, body, keys, "Authentication");
  const unseen = readUnseen(reader, path, entries.unseen);
  return {
    credentials: readCredentials(reader, [...path, "credentials"], entries.credentials),
    ...(entries.roles === undefined ? {} : { roles: readRoles(reader, [...path, "roles"], entries.roles.value) }),
    own: readOwn(reader, [...path, "own"], entries.own),
    allow: readPermissions(
      reader,
      [...path, "allow"],
      entries.allow,
      "getParcel, listParcels: operator | courier if own",
    ),
    show: readPermissions(reader, [...path, "show"], entries.show, "Parcel.pickupCode: operator"),
    ...(unseen === undefined ? {} : { unseen }),
  };
}

function readUnseen(reader: Reader, path: Path, entry: Entry | undefined): 403 | 404 | undefined {
  const text = readText(reader, path, entry, "`unseen`");
  const status = readChoice(reader, path, text, ["404", "403"], "The answer for what a caller may not see");
  return status === undefined ? undefined : status === "404" ? 404 : 403;
}

function readRoles(reader: Reader, path: Path, node: Node): readonly string[] {
  return namesAt(reader, path, node, "The list of roles").flatMap((role) => {
    const taken = ["signed-in", "any-scope", "anyone", "none"].includes(role.text);
    if (!taken && /^[A-Za-z][\w-]*$/.test(role.text)) return [role.text];
    report(
      reader,
      "authentication/bad-role",
      spanOf(role),
      taken
        ? `\`${role.text}\` has a meaning of its own and cannot name a role`
        : `\`${role.text}\` cannot name a role`,
      { help: "a role is one word of letters, digits, `-` and `_`" },
    );
    return [];
  });
}

function readOwn(reader: Reader, path: Path, entry: Entry | undefined): Authentication["own"] {
  if (entry === undefined || isNone(entry.value)) return {};
  const map = expectMap(reader, path, entry.value, "`own`", "{ Parcel: courier == caller.id }");
  return readLines(map === undefined ? [] : openEntries(reader, path, map), (line) => {
    return readText(reader, path, line, `The ownership of ${line.key.value}`)?.text;
  });
}

/** Lines whose keys are one name or several. Each name is placed on its own. */
function readPermissions(
  reader: Reader,
  path: Path,
  entry: Entry | undefined,
  example: string,
): Readonly<Record<string, readonly Grant[]>> {
  if (entry === undefined || isNone(entry.value)) return {};
  const map = expectMap(reader, path, entry.value, `\`${path[1]}\``, example);
  const permissions = new Map<string, readonly Grant[]>();
  for (const line of map?.entries ?? []) {
    for (const name of splitAt(phraseOf(line.key), ",")) {
      if (name.text === "") {
        report(reader, "authentication/empty-name", line.key.span, "Between two commas stands no name");
        continue;
      }
      const at = [...path, name.text];
      const before = permissions.get(name.text);
      // The name is the key, the line's value the value. The first line counts.
      if (before === undefined) place(reader, at, { key: { span: spanOf(name) }, value: line.value });
      if (isGap(reader, at, line.value)) continue;
      permissions.set(name.text, readGrants(reader, at, line.value, before));
    }
  }
  return Object.fromEntries(permissions);
}

function readCredentials(reader: Reader, path: Path, entry: Entry | undefined): Authentication["credentials"] {
  if (entry === undefined || isNone(entry.value)) return {};
  const map = expectMap(reader, path, entry.value, "`credentials`", "key: { kind: api-key, lasts: 365d }");
  return readLines(map === undefined ? [] : openEntries(reader, path, map), (line) => {
    return readCredential(reader, [...path, line.key.value], line);
  });
}

type Member = Exclude<keyof Credential, "field" | "foreign" | "scopeRoles">;

const everyKind = ["kind", "sent", "obtained", "renewed", "lasts", "revoked", "roles"] as const;
const tokenMembers = ["secret", "issuer", "audience", "jwks", "user", "scopes"] as const;
const loginMembers = ["of", "name", "secret"] as const;

/** What each kind can say, beside what every kind can. */
const membersOf: Readonly<Record<CredentialKind, readonly Member[]>> = {
  "api-key": ["prefix", "scopes"],
  password: ["prefix", ...loginMembers, "changed"],
  jwt: tokenMembers,
  oauth2: ["at", "login", "prefix", ...tokenMembers],
  basic: loginMembers,
  "hmac-sha256": ["secret"],
};

/** What each kind must say: one of each list. */
const neededBy: Readonly<Record<CredentialKind, readonly (readonly Member[])[]>> = {
  "api-key": [],
  password: [["of"], ["name"], ["secret"]],
  jwt: [["secret", "jwks", "issuer"]],
  oauth2: [],
  basic: [],
  "hmac-sha256": [["secret"]],
};

const allMembers = [...new Set([...everyKind, ...credentialKinds.flatMap((kind) => membersOf[kind])])];

function readCredential(reader: Reader, path: Path, line: Entry): Credential | undefined {
  const what = `The credential ${line.key.value}`;
  if (line.value.kind === "text") {
    const kind = readChoice(
      reader,
      path,
      readText(reader, path, line, what),
      credentialKinds,
      "The kind of a credential",
    );
    if (kind !== undefined) reportMissing(reader, what, kind, {}, line);
    return kind === undefined ? undefined : { kind };
  }
  const map = expectMap(reader, path, line.value, what, "{ kind: api-key, sent: Authorization Bearer }");
  if (map === undefined) return undefined;
  const gaps = map.entries.filter((entry) => entry.value.kind === "text" && entry.value.value === "not shown");
  const entries = knownEntries<Member>(reader, path, map, allMembers, what);
  if (entries.kind === undefined) {
    if (!gaps.some((entry) => entry.key.value === "kind")) {
      report(reader, "authentication/missing-member", line.key.span, `${what} does not say its kind`, {
        help: `write \`kind:\` with one of ${credentialKinds.map((kind) => `\`${kind}\``).join(", ")}`,
      });
    }
    return undefined;
  }
  const kindText = readText(reader, path, entries.kind, "The kind");
  const kind = readChoice(reader, path, kindText, credentialKinds, "The kind of a credential");
  if (kind === undefined) return undefined;
  const said = Object.fromEntries([...Object.entries(entries), ...gaps.map((entry) => [entry.key.value, entry])]);
  reportMissing(reader, what, kind, said, line);
  const foreign = kind === "oauth2" && gaps.some((entry) => entry.key.value === "issuer");
  const members = readMembers(reader, path, kind, ownMembers(reader, what, kind, entries));
  return { kind, ...(foreign ? { foreign } : {}), ...members };
}

/** The members that this kind has; the others are reported. */
function ownMembers(
  reader: Reader,
  what: string,
  kind: CredentialKind,
  entries: Partial<Record<Member, Entry>>,
): Partial<Record<Member, Entry>> {
  const own: readonly Member[] = [...everyKind, ...membersOf[kind]];
  for (const [name, entry] of Object.entries(entries)) {
    if (own.includes(name as Member)) continue;
    report(
      reader,
      "authentication/member-of-other-kind",
      entry.key.span,
      `${what} is of kind ${kind}, which has no \`${name}\``,
      {
        help: `known here: ${own.join(", ")}`,
      },
    );
  }
  return Object.fromEntries(Object.entries(entries).filter(([name]) => own.includes(name as Member)));
}

function reportMissing(
  reader: Reader,
  what: string,
  kind: CredentialKind,
  said: Partial<Record<string, unknown>>,
  line: Entry,
): void {
  for (const choices of neededBy[kind]) {
    if (choices.some((name) => said[name] !== undefined)) continue;
    const example = {
      secret: kind === "password" ? "secret: password" : "secret: env NAME",
      of: "of: User",
      name: "name: email",
    };
    const names = choices.map((name) => `\`${name}\``).join(" or ");
    report(reader, "authentication/missing-member", line.key.span, `${what} is of kind ${kind}, which needs ${names}`, {
      why: "Without it nothing could be verified.",
      help: `write \`${example[choices[0] as keyof typeof example]}\``,
    });
  }
}

function readMembers(
  reader: Reader,
  path: Path,
  kind: CredentialKind,
  entries: Partial<Record<Member, Entry>>,
): Omit<Credential, "kind"> {
  const text = (name: Member, what: string) => readText(reader, path, entries[name], what)?.text;
  const sent = entries.sent === undefined ? undefined : readSent(reader, [...path, "sent"], entries.sent);
  const lasts = readLength(reader, path, entries.lasts, "How long a credential lasts", lifetimes);
  const revoked = readLength(reader, path, entries.revoked, "How soon a revocation takes effect", revocations);
  const login = kind === "password" || kind === "basic";
  const members = {
    sent,
    obtained: text("obtained", "How a credential is obtained"),
    renewed: text("renewed", "How a credential is renewed"),
    prefix: readPrefix(reader, path, entries.prefix),
    lasts,
    revoked,
    secret: login ? undefined : readSecret(reader, path, entries.secret),
    field: login ? readSecretField(reader, path, kind, entries) : undefined,
    issuer: text("issuer", "The issuer"),
    audience: text("audience", "The audience"),
    jwks: readKeySet(reader, path, entries.jwks),
    user: readClaim(reader, path, entries.user),
    roles: entries.roles === undefined ? undefined : readRoleSource(reader, path, kind, entries.roles),
    of: text("of", "The resource that can log in"),
    name: text("name", "The field that names who logs in"),
    changed: readChanged(reader, path, entries.changed),
    ...readScopes(reader, [...path, "scopes"], kind, entries.scopes),
    at: readTokenPath(reader, path, entries.at),
    login: text("login", "The credential by which users log in"),
  };
  return withoutUndefined(members);
}

/** `with currentPassword` */
function readChanged(reader: Reader, path: Path, entry: Entry | undefined): string | undefined {
  const line = readText(reader, path, entry, "What a change of the secret takes");
  if (line === undefined) return undefined;
  const member = /^with\s+([A-Za-z_][A-Za-z0-9_]*)$/.exec(line.text)?.[1];
  if (member === undefined) {
    report(reader, "authentication/bad-changed", spanOf(line), `\`${line.text}\` names no member of a body`, {
      help: "write `with currentPassword`",
    });
  }
  return member;
}

/** A list, or a map: the roles that each scope of a token gives. */
function readScopes(
  reader: Reader,
  path: Path,
  kind: CredentialKind,
  entry: Entry | undefined,
): Pick<Credential, "scopes" | "scopeRoles"> {
  if (entry === undefined) return {};
  if ((kind !== "oauth2" && kind !== "jwt") || entry.value.kind !== "map")
    return { scopes: readNames(reader, path, entry.value, "The list of scopes") };
  return {
    scopeRoles: readLines(openEntries(reader, path, entry.value), (line) =>
      readRoles(reader, [...path, line.key.value], line.value),
    ),
  };
}

/** `POST /oauth/token` */
function readTokenPath(reader: Reader, path: Path, entry: Entry | undefined): string | undefined {
  const line = readText(reader, path, entry, "Where tokens are given");
  if (line === undefined) return undefined;
  const route = /^POST\s+(\/[A-Za-z0-9._~/-]*[A-Za-z0-9._~-])$/.exec(line.text)?.[1];
  if (route === undefined) {
    report(reader, "authentication/bad-token-address", spanOf(line), `\`${line.text}\` is no place to get tokens at`, {
      help: "write `POST` and a path: `POST /oauth/token`",
    });
  }
  return route;
}

type Defined<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

function withoutUndefined<Members extends object>(members: Members): Defined<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<Members>;
}

/** A duration, or one of some fixed phrases. */
function readLength(
  reader: Reader,
  path: Path,
  entry: Entry | undefined,
  what: string,
  fixed: readonly string[],
): string | undefined {
  const phrase = readText(reader, path, entry, what);
  return phrase !== undefined && fixed.includes(phrase.text) ? phrase.text : readDuration(reader, path, phrase, what);
}

function readPrefix(reader: Reader, path: Path, entry: Entry | undefined): string | undefined {
  const prefix = readText(reader, path, entry, "The prefix");
  if (prefix === undefined || /^[A-Za-z][A-Za-z0-9_-]*$/.test(prefix.text)) return prefix?.text;
  report(reader, "authentication/bad-prefix", spanOf(prefix), `\`${prefix.text}\` cannot start a key`, {
    help: "a prefix is letters, digits, `-` and `_`: `pl_`",
  });
  return undefined;
}

const token = /^[!#$%&'*+.^`|~\w-]+$/;

/** `Authorization Bearer`, `header X-Api-Key`, or a map of `header` and `scheme`. Header names are tokens (RFC 9110, 5.6.2). */
function readSent(reader: Reader, path: Path, entry: Entry): SentIn | undefined {
  if (entry.value.kind === "map") return readSentMap(reader, path, entry.value);
  const line = readText(reader, path, entry, "Where a credential is sent");
  if (line === undefined) return undefined;
  const [first, second, ...rest] = words(line);
  const place = first?.text.toLowerCase();
  if (place === "query" || place === "url" || place === "body" || place === "path") {
    reportSentInAddress(reader, line);
    return undefined;
  }
  if (second !== undefined && rest.length === 0 && token.test(second.text)) {
    if (first?.text === "header") return { header: second.text };
    if (place === "authorization") return { header: "Authorization", scheme: second.text };
  }
  report(
    reader,
    "authentication/bad-sent",
    spanOf(line),
    `\`${line.text}\` does not say where the credential is sent`,
    {
      help:
        second === undefined && first !== undefined && token.test(first.text) && place !== "header"
          ? place === "authorization"
            ? "write `Authorization Bearer` or another scheme"
            : `write \`header ${first.text}\``
          : "write `Authorization Bearer`, with the scheme, or `header X-Api-Key`, with the header's name",
    },
  );
  return undefined;
}

function readSentMap(reader: Reader, path: Path, map: MapNode): SentIn | undefined {
  const entries = knownEntries(reader, path, map, ["header", "scheme"], "`sent`");
  const header = readText(reader, path, entries.header, "The header");
  const scheme = readText(reader, path, entries.scheme, "The scheme");
  const authorization = header?.text.toLowerCase() === "authorization";
  if (header !== undefined && token.test(header.text)) {
    if (scheme === undefined && entries.scheme === undefined) return { header: header.text };
    if (scheme !== undefined && token.test(scheme.text) && authorization)
      return { header: "Authorization", scheme: scheme.text };
  }
  report(reader, "authentication/bad-sent", map.span, "This does not say where the credential is sent", {
    help: "write `{ header: X-Api-Key }`, or `{ header: Authorization, scheme: Bearer }`",
  });
  return undefined;
}

function reportSentInAddress(reader: Reader, line: Phrase): void {
  report(reader, "authentication/sent-in-address", spanOf(line), "A credential is sent in a header and nowhere else", {
    why: "Addresses and bodies end up in logs and histories (R5.3).",
    help: "write `header X-Api-Key`",
  });
}

/** The field that holds the secret of each record: what a caller logs in with is never one secret for all. */
function readSecretField(
  reader: Reader,
  path: Path,
  kind: CredentialKind,
  entries: Partial<Record<Member, Entry>>,
): string | undefined {
  const field = readText(reader, path, entries.secret, "The field of the secret");
  if (field === undefined || !/^env\s/.test(field.text)) return field?.text;
  report(
    reader,
    "authentication/member-of-other-kind",
    spanOf(field),
    `A credential of kind ${kind} has no secret of its own: its \`secret\` names a field of the resource in \`of\``,
    { help: `write \`{ kind: ${kind}, of: User, name: email, secret: password }\`` },
  );
  return undefined;
}

/** `env NAME`. What stands there instead may be the secret itself, so it is not repeated in the message. */
function readSecret(reader: Reader, path: Path, entry: Entry | undefined): string | undefined {
  const secret = readText(reader, path, entry, "The secret");
  if (secret === undefined) return undefined;
  const name = /^env\s+([A-Za-z_][A-Za-z0-9_]*)$/.exec(secret.text)?.[1];
  if (name === undefined) {
    report(
      reader,
      "authentication/secret-in-document",
      spanOf(secret),
      "A secret comes from the environment, never from the document",
      {
        why: "A document is read by everybody who uses the service.",
        help: "name the variable that holds it: `env DOOR_SECRET`",
      },
    );
  }
  return name;
}

function readKeySet(reader: Reader, path: Path, entry: Entry | undefined): string | undefined {
  const address = readText(reader, path, entry, "The address of the key set");
  if (address === undefined || /^https?:\/\/[^\s/]+\S*$/.test(address.text)) return address?.text;
  report(reader, "authentication/bad-address", spanOf(address), `\`${address.text}\` is not an absolute address`, {
    help: "write it as `https://issuer.example/.well-known/jwks.json`",
  });
  return undefined;
}

function readClaim(reader: Reader, path: Path, entry: Entry | undefined): string | undefined {
  const line = readText(reader, path, entry, "What names the caller");
  if (line === undefined) return undefined;
  const claim = claimOf(line);
  if (claim === undefined) {
    report(reader, "authentication/bad-claim", spanOf(line), `\`${line.text}\` does not name a claim`, {
      help: "write `claim sub`",
    });
  }
  return claim?.text;
}

function readRoleSource(
  reader: Reader,
  path: Path,
  kind: CredentialKind,
  entry: Entry,
): Credential["roles"] | undefined {
  const line = entry.value.kind === "text" ? phraseOf(entry.value) : undefined;
  const field = line && /^field\s+(\S+)$/.exec(line.text)?.[1];
  if (line !== undefined && field !== undefined) return readRoleField(reader, kind, line, field);
  const claim = line && claimOf(line);
  if (line === undefined || claim === undefined) return readRoles(reader, path, entry.value);
  if (kind === "jwt" || kind === "oauth2") return { claim: claim.text };
  report(reader, "authentication/bad-claim", spanOf(line), `A credential of kind ${kind} has no claims`, {
    help: "write the list of roles: `[courier]`",
  });
  return undefined;
}

/** `field NAME`: for who is a record of the service's own. */
function readRoleField(reader: Reader, kind: CredentialKind, line: Phrase, field: string): Credential["roles"] {
  if (kind === "password" || kind === "basic") return { field };
  report(
    reader,
    "authentication/bad-claim",
    spanOf(line),
    `Who sends a credential of kind ${kind} is no record with fields`,
    {
      help: kind === "jwt" || kind === "oauth2" ? "write `claim roles`" : "write the list of roles: `[courier]`",
    },
  );
  return undefined;
}

function claimOf(line: Phrase): Phrase | undefined {
  const match = /^claim\s+(\S+)$/.exec(line.text);
  return match === null ? undefined : slice(line, line.text.length - (match[1] as string).length);
}
