/** `nonet key create|list|revoke DOC`: the keys that callers send. A secret is shown once, and kept only as its hash. */
import { createIds } from "../base/id.ts";
import { parseDuration } from "../base/duration.ts";
import type { CredentialPlan, Plan } from "../plan/plan.ts";
import { hashSecret, hintOf, mintSecret } from "../serve/credentials/api-key.ts";
import type { Key, Store } from "../store/store.ts";
import { checkFile } from "./document.ts";
import { clock, planOf, random } from "./service-file.ts";
import { defaultFile, openStore, storeFault } from "./store.ts";
import type { Terminal } from "./terminal.ts";
import { onlyDocument, parseOptions, UsageError } from "./usage.ts";

const options = {
  data: { type: "string" },
  user: { type: "string" },
  role: { type: "string", multiple: true, default: [] as string[] },
  credential: { type: "string" },
  lasts: { type: "string" },
  id: { type: "string" },
} as const;

export async function key(args: readonly string[], terminal: Terminal): Promise<number> {
  const [action = "", ...rest] = args;
  const run = actions[action];
  if (run === undefined) throw new UsageError("say what to do: create, list or revoke");
  const { values, positionals } = parseOptions(rest, options);
  const plan = planOf(await checkFile(onlyDocument(positionals), terminal), terminal);
  if (plan === undefined) return 1;
  const data = values.data ?? defaultFile(plan.service);
  if (data === "memory") throw new UsageError("keys are kept in the data; memory keeps nothing for another process");
  let store: Store;
  try {
    store = await openStore(plan, data, clock);
  } catch (thrown) {
    const fault = storeFault(thrown);
    if (fault === undefined) throw thrown;
    throw new UsageError(fault);
  }
  try {
    return await run({ plan, store, terminal, ...values });
  } finally {
    await store.close();
  }
}

interface Request {
  readonly plan: Plan;
  readonly store: Store;
  readonly terminal: Terminal;
  readonly user?: string | undefined;
  readonly role: readonly string[];
  readonly credential?: string | undefined;
  readonly lasts?: string | undefined;
  readonly id?: string | undefined;
}

const actions: Readonly<Record<string, (request: Request) => Promise<number>>> = { create, list, revoke };

async function create({ plan, store, terminal, user, role, credential, lasts }: Request): Promise<number> {
  if (user === undefined || user === "") throw new UsageError("say whose key it is: --user NAME");
  const kind = keyCredential(plan, credential);
  const minted = await mintKey(plan, store, {
    user,
    roles: role,
    credential: kind,
    ...(lasts === undefined ? {} : { lasts }),
  });
  terminal.err(
    `key ${minted.key.id} for ${user}${role.length === 0 ? "" : ` as ${role.join(", ")}`}; it is shown this once\n`,
  );
  terminal.out(`${minted.secret}\n`);
  return 0;
}

export interface Minting {
  readonly user: string;
  readonly roles: readonly string[];
  readonly credential: CredentialPlan;
  readonly lasts?: string;
}

/** Makes a key and keeps its hash. */
export async function mintKey(
  plan: Plan,
  store: Store,
  { user, roles, credential, lasts }: Minting,
): Promise<{ key: Key; secret: string }> {
  const stranger = roles.find((role) => !plan.roles.includes(role));
  if (stranger !== undefined)
    throw new UsageError(`the document has no role ${stranger}; its roles are ${plan.roles.join(", ")}`);
  const created = clock.now();
  const milliseconds = lasts === undefined ? credential.lastsMilliseconds : parseDuration(lasts)?.milliseconds;
  if (lasts !== undefined && milliseconds === undefined)
    throw new UsageError(`--lasts is a duration such as 30d, not ${lasts}`);
  const secret = mintSecret(credential.prefix, random);
  const made: Key = {
    id: createIds(clock, random)("key"),
    credential: credential.name,
    hash: hashSecret(secret),
    hint: hintOf(credential.prefix, secret),
    user,
    roles,
    created,
    ...(milliseconds === undefined ? {} : { expires: created + milliseconds }),
  };
  await store.keys.create(made);
  return { key: made, secret };
}

/** The credential that keys are made for: the one named, or the only one of a kind that has keys. */
export function keyCredential(plan: Plan, name?: string): CredentialPlan {
  const candidates = plan.credentials.filter(({ kind }) => kind === "api-key" || kind === "basic");
  const names = candidates.map((each) => each.name).join(", ");
  if (candidates.length === 0) throw new UsageError("the document has no credential of kind api-key or basic");
  if (name === undefined && candidates.length > 1)
    throw new UsageError(`say which credential: --credential ${names.replaceAll(", ", " | ")}`);
  const found = name === undefined ? candidates[0] : candidates.find((each) => each.name === name);
  if (found === undefined) throw new UsageError(`the document has no such credential; it has ${names}`);
  return found;
}

async function list({ store, terminal }: Request): Promise<number> {
  const now = clock.now();
  for (const each of await store.keys.list()) {
    const state =
      each.revoked !== undefined ? "revoked" : each.expires !== undefined && each.expires <= now ? "expired" : "live";
    const until = each.expires === undefined ? "until revoked" : `until ${new Date(each.expires).toISOString()}`;
    terminal.out(`${[each.id, each.hint, each.user, each.roles.join(",") || "-", state, until].join("  ")}\n`);
  }
  return 0;
}

async function revoke({ store, terminal, id, user }: Request): Promise<number> {
  if (id === undefined && user === undefined)
    throw new UsageError("say which: --id KEY, or --user NAME for all of theirs");
  const now = clock.now();
  const chosen = (await store.keys.list()).filter(
    (each) =>
      each.revoked === undefined && (id === undefined || each.id === id) && (user === undefined || each.user === user),
  );
  for (const each of chosen) await store.keys.revoke(each.id, now);
  terminal.out(`${chosen.length} revoked\n`);
  return chosen.length === 0 ? 1 : 0;
}
