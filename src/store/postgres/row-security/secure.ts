/** Whether the database holds permissions by itself, what keeps it from that, and what is done so that it does. */
import type { Table } from "../../../plan/plan.ts";
import type { RowSecurity } from "../../../plan/row-security.ts";
import { StoreError } from "../../error.ts";
import type { Place } from "../address.ts";
import { beside } from "../beside.ts";
import type { Session } from "../connection.ts";
import { neededPolicies, othersServing } from "../leads.ts";
import { policiesOf } from "./policies.ts";
import { lower, raisingOf } from "./raise.ts";
import { findReader } from "./reader.ts";
import type { Standing } from "./sight.ts";

export type Secured =
  | ({ readonly kind: "standing" } & Standing)
  /** Nobody wants it. */
  | { readonly kind: "off" }
  /** Somebody would have it, and cannot. */
  | { readonly kind: "absent"; readonly why: string; readonly remedy: string };

interface Wanted {
  readonly tables: readonly Table[];
  readonly security?: RowSecurity | undefined;
}

/** Once the tables are those of the document. @throws StoreError where it is required and cannot be had. */
export async function secure(single: Session, place: Place, wanted: Wanted): Promise<Secured> {
  for (;;) {
    const state = await stateOf(single, place, wanted);
    if (state.kind !== "to be raised") return state;
    await beside(single, place, (lockMilliseconds) => raiseStep(single, place, wanted, lockMilliseconds));
  }
}

/** What is lacking is asked again by who alone may change it. */
async function raiseStep(single: Session, place: Place, wanted: Wanted, lockMilliseconds: number): Promise<void> {
  await single.rows("BEGIN");
  try {
    await holdSchema(single, place);
    await single.rows(`SET LOCAL lock_timeout = ${lockMilliseconds}`);
    const state = await stateOf(single, place, wanted);
    if (state.kind === "to be raised") {
      const isAlone = (await othersServing(single)) === 0;
      const [first = []] = state.steps;
      await single.rows((isAlone ? state.steps.flat() : first).join("; "));
    }
    await single.rows("COMMIT");
  } catch (thrown) {
    await single.rows("ROLLBACK").catch(() => undefined);
    throw thrown;
  }
}

/** Until the transaction ends nobody else brings the schema anywhere. */
export async function holdSchema(single: Session, { schema }: Place): Promise<void> {
  await single.rows("SELECT pg_advisory_xact_lock(hashtextextended('nonet ' || $1, 0))", [schema]);
}

type State = Secured | { readonly kind: "to be raised"; readonly steps: readonly (readonly string[])[] };

async function stateOf(session: Session, place: Place, { security, tables }: Wanted): Promise<State> {
  if (security === undefined || place.rowSecurity === "off") return { kind: "off" };
  const reader = await findReader(session, place);
  if (reader.kind === "absent") return absent(place, reader.why, reader.remedy);
  if (reader.kind === "to be made") return { kind: "to be raised", steps: [reader.statements] };
  const { role } = reader;
  const policies = policiesOf(security, tables, role);
  const steps = await raisingOf(session, role, policies, await neededPolicies(session));
  return steps.length > 0 ? { kind: "to be raised", steps } : { kind: "standing", role, policies };
}

/** Whether what a process is going to rest on is still there. */
export async function isStanding(session: Session, secured: Secured): Promise<boolean> {
  if (secured.kind !== "standing") return true;
  const { policies, role } = secured;
  return (await raisingOf(session, role, policies, await neededPolicies(session))).length === 0;
}

/** Before tables are made anew, when nobody else serves. */
export async function unsecure(session: Session, place: Place): Promise<void> {
  const reader = await findReader(session, place);
  if (reader.kind === "there") await lower(session, reader.role);
}

function absent(place: Place, why: string, remedy: string): Secured {
  if (place.rowSecurity !== "required") return { kind: "absent", why, remedy };
  throw new StoreError("not-accessible", `row_security is required, and ${why}: ${remedy}`);
}
