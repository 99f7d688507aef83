/** Decides the role, the settings and the tables of reads: for callers, and for the service itself. */
import type { Variables } from "../../../expression/evaluate.ts";
import type { Named } from "../../sql/condition.ts";
import type { Queries, Session } from "../connection.ts";
import type { BoundStatement } from "../query-batch.ts";
import { type AppliedPolicies, settingNames } from "./policies.ts";

export interface ReadRole {
  /** The tables or views by resource, for reads of records other than the statement's own. */
  readonly reached: Named;
  /**
   * Returns the session for a statement. `long`: the statement may scan many rows, and the server stops it at the deadline of
   * the variables.
   */
  readonly session: (variables: Variables, long: boolean) => Session;
  /**
   * Returns a function that returns the `_seq` of a record by a column value, where row-level security prevents the use of an
   * index.
   */
  readonly finds: (column: string) => string | undefined;
}

/** Returns the statement that sets a shorter timeout before a query, if the query's deadline requires one. */
export type Stopping = (variables: Variables) => BoundStatement | undefined;

/** Returns the role that reads with the privileges of the tables' owner. */
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

/** Returns the role for reads. `resource`: the resource of the statements; empty for aggregates. */
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
 * Returns the statement that sets role and caller before another statement. Both last until the end of the transaction, which
 * has only this statement: nothing remains on the connection for the next caller or the next client of a pooler. Every
 * statement in a shared transaction sets the same number of settings first.
 */
export function asRole(role: string, settings: readonly string[]): BoundStatement {
  const names = ["role", ...settingNames(settings.length)];
  const text = `SELECT ${names.map((name, index) => `set_config('${name}', $${index + 1}, true)`).join(", ")}`;
  return { text, values: [role, ...settings] };
}

/** Combines two statements in one: `SELECT …, …`. */
function combine(one: BoundStatement, other: BoundStatement): BoundStatement {
  const more = other.text.replace("SELECT ", "").replace("$1", `$${one.values.length + 1}`);
  return { text: `${one.text}, ${more}`, values: [...one.values, ...other.values] };
}
