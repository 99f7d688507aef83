/** `nonet key create|list|revoke DOC`: manages API keys. A secret is shown once; the store has only its hash. */
import { statSync } from "node:fs";
import { parseDuration, printMilliseconds } from "../base/duration.ts";
import type { CredentialPlan, AuthenticationPart } from "../plan/authentication/types.ts";
import type { Plan } from "../plan/plan.ts";
import { keyMilliseconds, mintKey, keyCredentials } from "../runtime/auth/mint.ts";
import { endAfter } from "../runtime/auth/session.ts";
import { redirectProblem, register } from "../runtime/auth/oauth/registered.ts";
import type { Key, OpenedKeys } from "../store/port/store.ts";
import { UsageError } from "../server/errors.ts";
import { checkFile, planOf } from "../server/document.ts";
import { columns, count, listed } from "../base/layout.ts";
import { clock, random } from "../server/compose.ts";
import { isPostgresAddress } from "../store/postgres/database-url.ts";
import { openStore, databaseOf, withoutSecret, withDatabase } from "../server/open-store.ts";
import type { Terminal } from "../server/terminal.ts";
import { didYouMean } from "../base/suggest.ts";

export interface KeyData {
  readonly data: string | undefined;
}

export interface CreateOptions extends KeyData {
  readonly user: string | undefined;
  readonly role: readonly string[];
  readonly credential: string | undefined;
  readonly lasts: string | undefined;
  readonly redirect: readonly string[];
  readonly public: boolean;
}

export interface RevokeOptions extends KeyData {
  readonly id: string | undefined;
  readonly user: string | undefined;
}

/** Creates a key. Messages go to standard error, so that the secret on standard output can be redirected. */
export async function createKey(document: string, options: CreateOptions, terminal: Terminal): Promise<number> {
  const { user, role, lasts } = options;
  if (user === undefined) throw new UsageError("give the user of the key: --user NAME");
  const duration = lasts === undefined ? undefined : parseDuration(lasts)?.milliseconds;
  if (lasts !== undefined && duration === undefined)
    throw new UsageError(`--lasts is a duration such as 30d, not ${lasts}`);
  const plan = await planOf(await checkFile(document, terminal), terminal);
  assertRoles(plan, role);
  const credential = keyCredential(plan, options.credential);
  const most = keyMilliseconds(credential);
  if (duration !== undefined && most !== undefined && duration > most)
    throw new UsageError(`the document limits a ${credential.name} to ${printMilliseconds(most)}`);
  assertRedirects(credential, options);
  const database = keyDatabase(options, plan);
  const minting = {
    user,
    roles: [...new Set(role)],
    credential,
    milliseconds: duration ?? most,
  };
  const opened = (await keysAt(plan, database)) ?? (await madeKeys(plan, database));
  const { key, secret } = await withKeys(opened, async (store) => {
    const minted = await mintKey(store.keys, minting, clock, random);
    const { redirect: redirects, public: isPublic } = options;
    if (redirects.length > 0) {
      if (store.grants === undefined)
        throw new UsageError(`start the service once before it has clients: ${withoutSecret(database)}`);
      await register(store.grants, minted.key, { redirects: [...new Set(redirects)], isPublic });
    }
    return minted;
  });
  const roles = key.roles.length === 0 ? "" : ` as ${key.roles.join(", ")}`;
  terminal.err(`key ${key.id} for ${user}${roles}; it is shown only once\n`);
  terminal.out(printedKey(credential, options, key, secret));
  return 0;
}

/** Prints a key; the secret of a public client is never shown. */
function printedKey({ oauth }: CredentialPlan, options: CreateOptions, { id }: Key, secret: string): string {
  if (oauth === undefined) return `${secret}\n`;
  return options.public ? `client_id=${id}\n` : `client_id=${id}\nclient_secret=${secret}\n`;
}

function assertRedirects({ name, oauth }: CredentialPlan, { redirect, public: isPublic }: CreateOptions): void {
  const [option] = [...(redirect.length > 0 ? ["--redirect"] : []), ...(isPublic ? ["--public"] : [])];
  if (option === undefined) return;
  if (oauth?.users === undefined)
    throw new UsageError(`${option} is for OAuth clients of users, and ${name} has no \`login\``);
  if (redirect.length === 0) throw new UsageError("a public client only acts for users: --redirect URL");
  for (const each of redirect) {
    const problem = redirectProblem(each);
    if (problem !== undefined) throw new UsageError(`--redirect ${each} ${problem}`);
  }
}

export async function listKeys(document: string, options: KeyData, terminal: Terminal): Promise<number> {
  const plan = await planOf(await checkFile(document, terminal), terminal);
  const keys = await withKeys(await presentKeys(options, plan), allKeys);
  if (keys.length === 0) {
    terminal.err("there are no keys yet; nonet key create creates one\n");
    return 0;
  }
  const now = clock.now();
  const rows = keys.map((key) => [
    key.id,
    key.hint,
    key.credential,
    key.user,
    key.roles.join(", ") || "-",
    stateOf(key, now),
  ]);
  const lines = columns([["KEY", "SECRET", "CREDENTIAL", "USER", "ROLES", "STATE"], ...rows]);
  terminal.out(`${lines.join("\n")}\n`);
  return 0;
}

export async function revokeKeys(document: string, options: RevokeOptions, terminal: Terminal): Promise<number> {
  const { id, user } = options;
  if (id === undefined && user === undefined)
    throw new UsageError("choose one: --id KEY, or --user NAME for all keys of a user");
  const plan = await planOf(await checkFile(document, terminal), terminal);
  const now = clock.now();
  const revoked = await withKeys(await presentKeys(options, plan), async (store) => {
    const chosen = (await allKeys(store)).filter(
      (key) =>
        stateOf(key, now).startsWith("valid") &&
        (id === undefined || key.id === id) &&
        (user === undefined || key.user === user),
    );
    assertRevocable(plan, chosen);
    for (const key of chosen) {
      // An id of no key is the id of a session, which ends when its revocation takes effect.
      const after = plan.credentials.find(({ name }) => name === key.credential)?.revokedAfterMilliseconds;
      if (!(await store.keys.revoke(key.id, now))) await store.sessions.end(key.id, endAfter(now, after));
    }
    return chosen;
  });
  if (revoked.length === 0) {
    terminal.err(`no valid key ${[id, user && `of ${user}`].filter(Boolean).join(" ")}\n`);
    return 1;
  }
  terminal.out(`revoked ${count(revoked.length, "key")}: ${revoked.map((key) => key.id).join(", ")}\n`);
  return 0;
}

/** Returns all keys, and sessions by their newest token. */
async function allKeys({ keys, sessions }: OpenedKeys): Promise<readonly Key[]> {
  const newest = new Map((await sessions.list()).map((token) => [token.session, token]));
  const tokens = [...newest.values()].map(({ session, ...token }): Key => ({ ...token, id: session, roles: [] }));
  return [...(await keys.list()), ...tokens];
}

/** Throws if a key cannot be revoked: with `revoked: none`, keys are valid until they expire. */
function assertRevocable({ credentials }: Plan, keys: readonly Key[]): void {
  const lasting = credentials.filter(({ revokedAfterMilliseconds }) => revokedAfterMilliseconds === null);
  const found = lasting.find(({ name }) => keys.some(({ credential }) => credential === name));
  if (found !== undefined) throw new UsageError(`the document says that a ${found.name} cannot be revoked`);
}

function stateOf(key: Key, now: number): string {
  if (key.revoked !== undefined) return `revoked ${dayOf(key.revoked)}`;
  if (key.expires === 0) return "ended";
  if (key.expires !== undefined && key.expires <= now) return `expired ${dayOf(key.expires)}`;
  return validity(key);
}

function validity({ expires }: Key): string {
  return expires === undefined ? "valid until revoked" : `valid until ${dayOf(expires)}`;
}

/** Returns the day in UTC; within 24 hours with the time of day. */
function dayOf(milliseconds: number): string {
  const time = new Date(milliseconds).toISOString();
  return Math.abs(milliseconds - clock.now()) < 86_400_000 ? `${time.slice(0, 19)}Z` : time.slice(0, 10);
}

function keyDatabase({ data }: KeyData, plan: Plan): string {
  if (data === "memory")
    throw new UsageError("keys are stored with the data, and data in memory is only visible to the service itself");
  return databaseOf(data, plan);
}

/** Opens the keys for reading, which creates neither a file nor a schema. */
async function presentKeys(options: KeyData, plan: Plan): Promise<OpenedKeys> {
  const database = keyDatabase(options, plan);
  const found = await keysAt(plan, database);
  if (found === undefined) throw new UsageError(`there is no data in ${withoutSecret(database)} yet`);
  return found;
}

/** Opens the keys; creates the data if necessary, since the first key may be created before the first start. */
async function madeKeys(plan: Plan, database: string): Promise<OpenedKeys> {
  await (await openStore(plan, database, clock)).close();
  const keys = await keysAt(plan, database);
  if (keys === undefined) throw new Error(`${withoutSecret(database)} holds nothing after it was made`);
  return keys;
}

/** Opens the keys without a migration, because a service may be using the data; undefined if there is no data. */
async function keysAt(plan: Plan, database: string): Promise<OpenedKeys | undefined> {
  return withDatabase(plan, database, () => openKeys(database));
}

async function withKeys<T>(keys: OpenedKeys, task: (store: OpenedKeys) => Promise<T>): Promise<T> {
  try {
    return await task(keys);
  } finally {
    await keys.close();
  }
}

async function openKeys(database: string): Promise<OpenedKeys | undefined> {
  if (isPostgresAddress(database)) return (await import("../store/postgres/open-keys.ts")).openPostgresKeys(database);
  const { openSqliteKeys } = await import("../store/sqlite/open-keys.ts");
  return isFile(database) ? openSqliteKeys(database) : undefined;
}

function isFile(database: string): boolean {
  return statSync(database, { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns the credential with this name, or the only one. */
function keyCredential(plan: AuthenticationPart, name: string | undefined): CredentialPlan {
  const candidates = keyCredentials(plan);
  const names = candidates.map((each) => each.name);
  if (candidates.length === 0) throw new UsageError("the document has no credential of kind api-key or basic");
  if (name === undefined && candidates.length > 1)
    throw new UsageError(`say which credential: --credential ${names.join(" or --credential ")}`);
  const found = name === undefined ? candidates[0] : candidates.find((each) => each.name === name);
  if (found === undefined) throw new UsageError(unknown("credential with keys called", name ?? "", names));
  return found;
}

function assertRoles({ roles }: AuthenticationPart, roleNames: readonly string[]): void {
  const stranger = roleNames.find((role) => !roles.includes(role));
  if (stranger !== undefined) throw new UsageError(unknown("role", stranger, roles));
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = didYouMean(name, known);
  const all = known.length === 0 ? "it has none" : `it has ${listed(known)}`;
  return `the document has no ${what} ${name}; ${near === undefined ? all : `did you mean ${near}?`}`;
}
