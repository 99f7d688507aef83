/** Whether the database holds permissions by itself, what keeps it from that, and what is done so that it does. */
import type { Table } from "../../../plan/plan.ts";
import type { RowSecurity } from "../../../plan/row-security.ts";
import { StoreError } from "../../error.ts";
import type { Place } from "../address.ts";
import type { Session } from "../connection.ts";
import { neededPolicies } from "../leads.ts";
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

/** As it is. @throws StoreError where it is required and cannot be had. */
export async function securedBy(
  session: Session,
  place: Place,
  wanted: Wanted,
): Promise<Secured | { readonly kind: "to be raised" }> {
  const { security, tables } = wanted;
  if (security === undefined || place.rowSecurity === "off") return { kind: "off" };
  const reader = await findReader(session, place);
  if (reader.kind === "to be made") return { kind: "to be raised" };
  if (reader.kind === "absent") return absent(place, reader.why, reader.remedy);
  const { role } = reader;
  const policies = policiesOf(security, tables, role);
  const lacking = await raisingOf(session, role, policies, await neededPolicies(session));
  return lacking.length > 0 ? { kind: "to be raised" } : { kind: "standing", role, policies };
}

/** In a transaction, once the tables are those of the document. */
export async function secure(session: Session, place: Place, wanted: Wanted): Promise<Secured> {
  const { security, tables } = wanted;
  if (security === undefined || place.rowSecurity === "off") return { kind: "off" };
  const reader = await findReader(session, place);
  if (reader.kind === "absent") return absent(place, reader.why, reader.remedy);
  const { role } = reader;
  if (reader.kind === "to be made") for (const statement of reader.statements) await session.rows(statement);
  const policies = policiesOf(security, tables, role);
  const lacking = await raisingOf(session, role, policies, await neededPolicies(session));
  if (lacking.length > 0) await session.rows(lacking.join("; "));
  return { kind: "standing", role, policies };
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
