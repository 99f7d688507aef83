/** What statements that read for callers, and those that read for the service itself, are run as, and where they look. */
import type { Variables } from "../../../expression/evaluate.ts";
import type { Named } from "../../condition.ts";
import type { Questions, Session } from "../connection.ts";
import type { Asking } from "../questions.ts";
import { type Policies, settingNames } from "./policies.ts";

export interface Sight {
  /** The tables by resource, for what is read of other records than the one that a statement is about. */
  readonly reached: Named;
  readonly session: (variables: Variables) => Session;
  /** What gives the `_seq` of the record with a value in a column, where an index could not be used otherwise: a function. */
  readonly finds: (column: string) => string | undefined;
}

/** The policies that hold, and the role that they hold. */
export interface Standing {
  readonly role: string;
  readonly policies: Policies;
}

/** With the rights of the tables' owner. */
export function ownSight({ ask }: Questions, tables: Named): Sight {
  const session: Session = { rows: (statement, values) => ask(statement, values) };
  return { reached: tables, session: () => session, finds: () => undefined };
}

/** `resource`: what the statements are about, where they are about a record. */
export function sightOf({ ask }: Questions, { policies, role }: Standing, resource: string): Sight {
  const settings = policies.settings(resource);
  return {
    reached: policies.reached,
    finds: (column) => policies.finds(resource, column),
    session: (variables) => {
      const before = sayingAs(role, settings(variables));
      return { rows: (statement, values = []) => ask(statement, values, before) };
    },
  };
}

/**
 * What is said before a statement that is run as a role and for a caller. Both hold until the transaction ends, which is the
 * statement's own: so there is nothing that a connection could keep, not for the next caller, and not for whom a pooler gives it to.
 * A statement that shares the transaction says as many settings of its own before it.
 */
export function sayingAs(role: string, settings: readonly string[]): Asking {
  const names = ["role", ...settingNames(settings.length)];
  const text = `SELECT ${names.map((name, index) => `set_config('${name}', $${index + 1}, true)`).join(", ")}`;
  return { text, values: [role, ...settings] };
}
