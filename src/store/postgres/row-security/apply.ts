/** Applies row-level security to a schema, or reports why it cannot. */
import type { Table } from "../../../plan/resources/types.ts";
import type { RowSecurity } from "../../../plan/authentication/row-security.ts";
import { StoreError } from "../../port/error.ts";
import type { DatabaseUrl } from "../database-url.ts";
import { withoutBlocking } from "../online-ddl.ts";
import type { Session } from "../connection.ts";
import { neededPolicies, othersServing } from "../leader-lease.ts";
import { policiesOf, type RowSecurityState } from "./policies.ts";
import { lower, policyChangesOf } from "./policy-changes.ts";
import { findReader } from "./reader.ts";

interface Wanted {
  readonly tables: readonly Table[];
  readonly security?: RowSecurity | undefined;
}

/**
 * Applies row-level security; called after the tables match the document. @throws StoreError if it is required but not
 * possible.
 */
export async function applyRowSecurity(
  single: Session,
  databaseUrl: DatabaseUrl,
  wanted: Wanted,
): Promise<RowSecurityState> {
  for (;;) {
    const state = await stateOf(single, databaseUrl, wanted);
    if (state.kind !== "to be raised") return state;
    await withoutBlocking(single, databaseUrl, (lockMilliseconds) =>
      applyStep(single, databaseUrl, wanted, lockMilliseconds),
    );
  }
}

/**
 * Applies a step. Computes the missing statements again under the lock, because another process may have changed the schema.
 */
async function applyStep(
  single: Session,
  databaseUrl: DatabaseUrl,
  wanted: Wanted,
  lockMilliseconds: number,
): Promise<void> {
  await single.rows("BEGIN");
  try {
    await holdSchema(single, databaseUrl);
    await single.rows(`SET LOCAL lock_timeout = ${lockMilliseconds}`);
    const state = await stateOf(single, databaseUrl, wanted);
    if (state.kind === "to be raised") {
      const isOnlyProcess = (await othersServing(single)) === 0;
      const [first = []] = state.steps;
      await single.rows((isOnlyProcess ? state.steps.flat() : first).join("; "));
    }
    await single.rows("COMMIT");
  } catch (thrown) {
    await single.rows("ROLLBACK").catch(() => undefined);
    throw thrown;
  }
}

/** Locks the schema against other migrations until the transaction ends. */
export async function holdSchema(single: Session, { schema }: DatabaseUrl): Promise<void> {
  await single.rows("SELECT pg_advisory_xact_lock(hashtextextended('nonet ' || $1, 0))", [schema]);
}

type State = RowSecurityState | { readonly kind: "to be raised"; readonly steps: readonly (readonly string[])[] };

async function stateOf(session: Session, databaseUrl: DatabaseUrl, { security, tables }: Wanted): Promise<State> {
  if (security === undefined || databaseUrl.rowSecurity === "off") return { kind: "off" };
  const reader = await findReader(session, databaseUrl);
  if (reader.kind === "absent") return absent(databaseUrl, reader.why, reader.remedy);
  if (reader.kind === "to be made") return { kind: "to be raised", steps: [reader.statements] };
  const { role } = reader;
  const policies = policiesOf(security, tables, role);
  const steps = await policyChangesOf(session, role, policies, await neededPolicies(session));
  return steps.length > 0 ? { kind: "to be raised", steps } : { kind: "standing", role, policies };
}

/** Whether the policies that a process relies on are still applied. */
export async function isApplied(session: Session, rowSecurity: RowSecurityState): Promise<boolean> {
  if (rowSecurity.kind !== "standing") return true;
  const { policies, role } = rowSecurity;
  return (await policyChangesOf(session, role, policies, await neededPolicies(session))).length === 0;
}

/** Removes row-level security before tables are rebuilt, when no other process serves. */
export async function unsecure(session: Session, databaseUrl: DatabaseUrl): Promise<void> {
  const reader = await findReader(session, databaseUrl);
  if (reader.kind === "there") await lower(session, reader.role);
}

function absent(databaseUrl: DatabaseUrl, why: string, remedy: string): RowSecurityState {
  if (databaseUrl.rowSecurity !== "required") return { kind: "absent", why, remedy };
  throw new StoreError("not-accessible", `row_security is required, and ${why}: ${remedy}`);
}
