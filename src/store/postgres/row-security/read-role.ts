/** What statements that read for callers, and those that read for the service itself, are run as, and where they look. */
import type { Variables } from "../../../expression/evaluate.ts";
import type { Named } from "../../sql/condition.ts";
import type { Queries, Session } from "../connection.ts";
import type { BoundStatement } from "../query-batch.ts";
import { type Policies, settingNames } from "./policies.ts";

export interface ReadRole {
  /** The tables by resource, for what is read of other records than the one that a statement is about. */
  readonly reached: Named;
  /** `long`: for a statement that goes through as many rows as there are, which is stopped at the deadline of the variables. */
  readonly session: (variables: Variables, long: boolean) => Session;
  /** What gives the `_seq` of the record with a value in a column, where an index could not be used otherwise: a function. */
  readonly finds: (column: string) => string | undefined;
}

/** The policies that hold, and the role that they hold. */
export interface AppliedPolicies {
  readonly role: string;
  readonly policies: Policies;
}

/** What a question says before it of its time, where that is less than any has. */
export type Stopping = (variables: Variables) => BoundStatement | undefined;

/** With the rights of the tables' owner. */
export function ownerReadRole({ execute }: Queries, tables: Named, stopping: Stopping): ReadRole {
  const short: Session = { rows: (statement, values) => execute(statement, values) };
  return {
    reached: tables,
    session: (variables, long) => {
      const before = long ? stopping(variables) : undefined;
      return before === undefined ? short : { rows: (statement, values) => execute(statement, values, before) };
    },
    finds: () => undefined,
  };
}

/** `resource`: what the statements are about, where they are about a record. */
export function readRoleOf(
  { execute }: Queries,
  { policies, role }: AppliedPolicies,
  resource: string,
  stopping: Stopping,
): ReadRole {
  const settings = policies.settings(resource);
  return {
    reached: policies.reached,
    finds: (column) => policies.finds(resource, column),
    session: (variables, long) => {
      const roleStatement = asRole(role, settings(variables));
      const stop = long ? stopping(variables) : undefined;
      const before = stop === undefined ? roleStatement : combine(roleStatement, stop);
      return { rows: (statement, values = []) => execute(statement, values, before) };
    },
  };
}

/**
 * What is said before a statement that is run as a role and for a caller. Both hold until the transaction ends, which is the
 * statement's own: so there is nothing that a connection could keep, not for the next caller, and not for whom a pooler gives it to.
 * A statement that shares the transaction says as many settings of its own before it.
 */
export function asRole(role: string, settings: readonly string[]): BoundStatement {
  const names = ["role", ...settingNames(settings.length)];
  const text = `SELECT ${names.map((name, index) => `set_config('${name}', $${index + 1}, true)`).join(", ")}`;
  return { text, values: [role, ...settings] };
}

/** Both in one statement: `SELECT …, …`. */
function combine(one: BoundStatement, other: BoundStatement): BoundStatement {
  const more = other.text.replace("SELECT ", "").replace("$1", `$${one.values.length + 1}`);
  return { text: `${one.text}, ${more}`, values: [...one.values, ...other.values] };
}
