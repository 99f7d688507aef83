/**
 * Migrates a schema to the tables of a document, in one transaction. If several processes start at once, one migrates, and the
 * others find it done.
 *
 * While processes with the former document serve, only a migration that adds (`migration/expansion.ts`) is possible; others are
 * rejected. A process with a former document that restarts while a newer one is served leaves the schema unchanged.
 */
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { isNewerVersion } from "../../base/version.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { VersionStep } from "../../plan/versioning/data-change-types.ts";
import type { RowSecurity } from "../../plan/authentication/row-security.ts";
import { differencesBetween } from "../migration/differences.ts";
import { StoreError } from "../port/error.ts";
import { obstructions } from "../migration/expansion.ts";
import {
  type Adoption,
  adoptionSteps,
  assertAdoptable,
  formerTables,
  isOwn,
  newlyAdopted,
  type WithAdoption,
  withAdoption,
} from "../migration/adoption.ts";
import { type Following, type Migrated, type MigrationPlan, stepText, storedDocument } from "../migration/migration.ts";
import { adoptionOf, invalidValues, writeAdoption } from "./adoption.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "./database-url.ts";
import { withoutBlocking } from "./online-ddl.ts";
import { openSingle, type Session } from "./connection.ts";
import { expand } from "./migrate-online.ts";
import { explained } from "./failure.ts";
import { follow, planFollowing } from "./migrate-data.ts";
import { makeFunctions } from "./functions.ts";
import { leaseMilliseconds, othersServing } from "./leader-lease.ts";
import {
  createSystemTables,
  eventsText,
  forgetDocuments,
  generationOf,
  recordTables,
  type SchemaState,
  stateOf,
  upgradeSystemTables,
} from "./system-tables.ts";
import { holdSchema, isApplied, applyRowSecurity, unsecure } from "./row-security/apply.ts";
import type { RowSecurityState } from "./row-security/policies.ts";
import { referencesSql, tableSql } from "./schema.ts";
import { addTextColumns, lackingTextColumns } from "./cached-json.ts";

export interface Wanted {
  readonly tables: readonly Table[];
  /** How to migrate the data. Absent: a schema with other tables is rejected. */
  readonly following: Following | undefined;
  /** The permissions for row-level security. */
  readonly security?: RowSecurity | undefined;
  readonly clock: () => number;
}

export interface MigrationOutcome {
  /** The tables as the store uses them: existing ones with `adopted`. */
  readonly tables: readonly Table[];
  /** The generation of the document that this process serves. */
  readonly generation: number;
  /** The generation of the newest document that any process has migrated to. */
  readonly newest: number;
  /** The migration of existing data, if there was one. */
  readonly migrated?: Migrated;
  readonly rowSecurity: RowSecurityState;
}

type Followed = Omit<MigrationOutcome, "rowSecurity" | "tables">;

/**
 * Migrates the schema. @throws StoreError `not-ours`, `too-new`, `corrupt`, `busy` or `incompatible` (a MigrationRejected).
 */
export async function migrate(databaseUrl: DatabaseUrl, declared: Wanted): Promise<MigrationOutcome> {
  const single = await openSingle(databaseUrl);
  try {
    // Migrating much data takes long, so there is no timeout.
    await single.rows("SET idle_in_transaction_session_timeout = 0");
    const wanted = await withExisting(single, databaseUrl, declared);
    const followed = await followDocument(single, databaseUrl, wanted);
    const { tables } = wanted;
    return { ...followed, tables, rowSecurity: await applyRowSecurity(single, databaseUrl, wanted) };
  } finally {
    await single.end();
  }
}

type Found = WithAdoption<Wanted>;

/** Finds the existing tables. The policies of row-level security are those of the store's own tables, so then there are none. */
async function withExisting(single: Session, databaseUrl: DatabaseUrl, declared: Wanted): Promise<Found> {
  const { wanted } = await withAdoption(
    declared,
    (usesExisting) => stateOf(single, databaseUrl.name, usesExisting),
    (former) => adoptionOf(single, databaseUrl.schema, declared.tables, former),
  );
  const { adoption, clock, following, tables } = wanted;
  if (tables.every(isOwn)) return wanted;
  const required =
    databaseUrl.rowSecurity === "required" ? ["row_security=required is not possible with existing tables"] : [];
  return { clock, following, tables, adoption: { ...adoption, obstacles: [...adoption.obstacles, ...required] } };
}

async function followDocument(single: Session, databaseUrl: DatabaseUrl, wanted: Found): Promise<Followed> {
  assertAdoptable(wanted.adoption);
  const state = await stateOf(
    single,
    databaseUrl.name,
    wanted.tables.some((table) => !isOwn(table)),
  );
  if (state !== undefined && isFollowed(state, wanted)) {
    const lacking = await lackingTextColumns(single, wanted.tables);
    if (lacking.length === 0) return current(state);
  }
  // A killed process keeps its lease until the lease expires, so the check is repeated for that time.
  for (const deadline = performance.now() + leaseMilliseconds + 1_000; ; await wait(250)) {
    try {
      return await withoutBlocking(single, databaseUrl, (lockMilliseconds) =>
        migrateExclusively(single, databaseUrl, wanted, lockMilliseconds),
      );
    } catch (thrown) {
      if (!(thrown instanceof OthersServe) || performance.now() > deadline) throw thrown;
    }
  }
}

async function migrateExclusively(
  single: Session,
  databaseUrl: DatabaseUrl,
  wanted: Found,
  lockMilliseconds: number,
): Promise<Followed> {
  await single.rows("BEGIN");
  try {
    await holdSchema(single, databaseUrl);
    await single.rows(`SET LOCAL lock_timeout = ${lockMilliseconds}`);
    // The schema is looked up first: `IF NOT EXISTS` would require the privilege to create schemas even if the schema exists.
    const present = await single.rows("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", [databaseUrl.schema]);
    if (present.length === 0) await single.rows(`CREATE SCHEMA ${pg.escapeIdentifier(databaseUrl.schema)}`);
    const outcome = await migrateTables(single, databaseUrl, wanted);
    await single.rows("COMMIT");
    if (outcome.migrated !== undefined) wanted.following?.followed?.(outcome.migrated);
    return outcome;
  } catch (thrown) {
    await single.rows("ROLLBACK").catch(() => undefined);
    throw thrown;
  }
}

/**
 * Whether the schema is still at the generation of `migrate`; checked after this process has registered, so that a migration
 * by a process that did not know of it has ended when this resolves.
 */
export async function isStill(
  session: Session,
  databaseUrl: DatabaseUrl,
  { newest, rowSecurity }: MigrationOutcome,
): Promise<boolean> {
  await session.rows("SELECT pg_advisory_xact_lock_shared(hashtextextended('nonet ' || $1, 0))", [databaseUrl.schema]);
  const [row] = await session.rows<[number]>("SELECT generation FROM nonet_schema");
  return row?.[0] === newest && (await isApplied(session, rowSecurity));
}

/** Thrown if the migration is impossible while processes with the former document serve. */
class OthersServe extends StoreError {
  constructor(others: number, waits: readonly string[]) {
    const who = others === 1 ? "another process serves" : `${others} other processes serve`;
    super(
      "busy",
      `${who} the data with the document before, and the change cannot be made beside that: stop it first, or make the change in two steps, of which the first only adds`,
      waits,
    );
  }
}

function current({ generation }: SchemaState): Followed {
  return { generation, newest: generation };
}

function isFollowed(state: SchemaState, { following, tables }: Wanted): boolean {
  const { events, isCurrent, step, tables: present } = state;
  const sameStep = following === undefined || step === stepText(following.history[0]);
  const sameEvents = following?.events === undefined || events === eventsText(following.events);
  return isCurrent && sameStep && sameEvents && present === JSON.stringify(tables);
}

async function migrateTables(session: Session, databaseUrl: DatabaseUrl, wanted: Found): Promise<Followed> {
  const { adoption, following, tables } = wanted;
  const own = tables.filter(isOwn);
  const state = await stateOf(session, databaseUrl.name, own.length < tables.length);
  let migrated: Migrated | undefined;
  if (state === undefined) {
    await createSystemTables(session);
    await makeFunctions(session);
    await adoptTables(session, wanted, []);
    for (const table of own) for (const statement of tableSql(table)) await session.rows(statement);
    for (const table of own) for (const statement of referencesSql(table, tables)) await session.rows(statement);
    if (own.length < tables.length) migrated = { steps: adoptionSteps(adoption, []) };
  } else {
    if (isFollowed(state, wanted)) {
      await addTextColumns(session, tables);
      return current(state);
    }
    const others = await othersServing(session);
    const document = storedDocument(state);
    const { tables: stored, step: before } = document;
    // Existing tables are not migrated: their bookkeeping is written anew.
    const differences = differencesBetween(stored.filter(isOwn), own, following?.history, before);
    const changes = obstructions(differences);
    const adopts =
      JSON.stringify(stored.filter((one) => !isOwn(one))) !== JSON.stringify(tables.filter((one) => !isOwn(one)));
    const waits = adopts ? [...changes, "the existing tables are used otherwise"] : changes;
    const known = others > 0 && state.isCurrent ? await generationOf(session, tables, following) : undefined;
    if (others > 0 && isOlder(state, stored, before, wanted, waits, known)) {
      await addTextColumns(session, tables);
      return { generation: known ?? state.generation - 1, newest: state.generation };
    }
    if (following === undefined)
      throw new StoreError("incompatible", `the tables in ${databaseUrl.name} are not those of the document`, waits);
    if (waits.length > 0 && others > 0) throw new OthersServe(others, waits);
    const data = { ...document, tables: stored.filter(isOwn), differences };
    const wish = { tables: own, following, clock: wanted.clock };
    // Before the store's own tables, which may refer to ids that existing tables get.
    if (adopts) await adoptTables(session, wanted, stored);
    if (changes.length > 0) {
      // Views prevent changes of their tables, and policies would move with the backed-up tables.
      await unsecure(session, databaseUrl);
      migrated = await follow(session, databaseUrl, data, wish);
    } else {
      migrated = await planFollowing(session, data, wish);
      await expand(session, differences, tables);
      await addTextColumns(session, tables);
    }
    if (adopts) migrated = { ...migrated, steps: [...adoptionSteps(adoption, stored), ...migrated.steps] };
    if (!state.isCurrent) await upgradeSystemTables(session, state);
    if (waits.length > 0) await forgetDocuments(session);
    await makeFunctions(session);
  }
  await recordTables(session, tables, following);
  const recorded = await stateOf(session, databaseUrl.name);
  if (recorded === undefined) throw new Error("a schema is not there after it was made");
  return { ...current(recorded), ...(migrated === undefined ? {} : { migrated }) };
}

/** Uses the existing tables. @throws MigrationRejected for values that the fields cannot have. */
async function adoptTables(
  session: Session,
  { adoption, following, tables }: Found,
  former: readonly Table[],
): Promise<void> {
  await writeAdoption(session, tables, former);
  const obstacles = await invalidValues(session, newlyAdopted(tables, former), validatorOf(following));
  assertAdoptable({ ...adoption, obstacles });
}

function validatorOf(following: Following | undefined): Following["validate"] {
  return following?.validate ?? (() => () => true);
}

/**
 * Whether this document is an older one, still compatible with the newer one that other processes serve. The tables cannot
 * distinguish an older document from a newer one that removes something: only the database knows which documents it has
 * followed.
 */
function isOlder(
  { events }: SchemaState,
  stored: readonly Table[],
  before: VersionStep | undefined,
  { following, tables }: Wanted,
  waits: readonly string[],
  known: number | undefined,
): boolean {
  if (obstructions(differencesBetween(tables, stored)).length > 0) return false;
  const [mine] = following?.history ?? [];
  if (mine !== undefined && (before === undefined || isNewerVersion(mine.version, before.version))) return false;
  const theirs = JSON.parse(events) as readonly string[];
  const eventTexts = following?.events ?? theirs;
  const fewer = eventTexts.length < theirs.length && eventTexts.every((event) => theirs.includes(event));
  const behind = before !== undefined && (mine === undefined || isNewerVersion(before.version, mine.version));
  return waits.length > 0 ? known !== undefined : fewer || behind;
}

/** Returns what `migrate` would do. @throws StoreError if the server cannot be used. */
export async function planMigration(address: string, wanted: Wanted): Promise<MigrationPlan> {
  const databaseUrl = parseDatabaseUrl(address);
  const { clock, following } = wanted;
  const single = await openSingle(databaseUrl).catch((thrown: unknown) => {
    throw explained(thrown, databaseUrl.name);
  });
  try {
    await single.rows("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const found = await withExisting(single, databaseUrl, wanted);
    const own = found.tables.filter(isOwn);
    const state = await stateOf(single, databaseUrl.name, own.length < found.tables.length);
    const former = formerTables(state);
    const steps = adoptionSteps(await withValues(single, found, former), former);
    if (state === undefined && own.length < found.tables.length) return { steps };
    if (state === undefined) throw new StoreError("missing-folder", `there is no data in ${databaseUrl.name} yet`);
    if (isFollowed(state, found) || following === undefined) return { steps };
    const { step } = storedDocument(state);
    const stored = former.filter(isOwn);
    const differences = differencesBetween(stored, own, following.history, step);
    const plan = await planFollowing(single, { tables: stored, step, differences }, { tables: own, following, clock });
    return { steps: [...steps, ...plan.steps] };
  } catch (thrown) {
    throw explained(thrown, databaseUrl.name);
  } finally {
    await single.end();
  }
}

/** Adds the values that the fields cannot have to the obstacles, once the tables themselves can be used. */
async function withValues(
  session: Session,
  { adoption, following, tables }: Found,
  former: readonly Table[],
): Promise<Adoption> {
  if (adoption.obstacles.length > 0) return adoption;
  const obstacles = await invalidValues(session, newlyAdopted(tables, former), validatorOf(following));
  return { ...adoption, obstacles };
}
