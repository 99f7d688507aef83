/** Deliberate bugs in when rules are evaluated, inserted between a correct service and its plan or its store. */
import type { LateRule, Table } from "../../src/plan/resources/types.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { RecordChange, Store, Transaction } from "../../src/store/port/store.ts";
import { withMembers } from "../with-members.ts";
import type { PlayOptions } from "./play.ts";

/** `from`: the first seed to look in, where few of them show it. */
export type Mutant = Pick<PlayOptions, "plan" | "around"> & { readonly from?: number };

export const mutants: Readonly<Record<string, Mutant>> = {
  "rules are evaluated before the write": { plan: evaluatedBefore },
  "rules of others are not evaluated when what they read changes": { plan: withLate((rule, { resource }) => (rule.resource === resource ? rule : undefined)) }, // biome-ignore format: a table
  "a rule is evaluated for the written record alone": { plan: withLate((rule) => (rule.kind === "itself" ? rule : undefined)) }, // biome-ignore format: a table
  "a rule is evaluated for all but the written record": { plan: withLate((rule) => (rule.kind === "other" ? rule : undefined)) }, // biome-ignore format: a table
  "the group that a record has left is not asked": { around: changesAs((change) => (hasMoved(change) ? { resource: change.resource, ...(change.row && { row: change.row }) } : change)) }, // biome-ignore format: a table
  "deletions ask nothing": { from: 49, plan: withLate((rule) => ({ ...rule, on: { ...rule.on, delete: false } })) },
  "creations ask nothing": { plan: withLate((rule) => ({ ...rule, on: { ...rule.on, insert: false } })) },
  "what a deletion clears asks nothing": { around: changesAs((change) => (hasMoved(change) ? undefined : change)) },
  "time asks nothing": { around: timeUnheld },
};

function withLate(change: (rule: LateRule, table: Table) => LateRule | undefined): (plan: Plan) => Plan {
  return (plan) => ({
    ...plan,
    tables: plan.tables.map((table) => {
      const late = (table.lateRules ?? []).flatMap((rule) => change(rule, table) ?? []);
      return table.lateRules === undefined ? table : { ...table, lateRules: late };
    }),
  });
}

/** With the rules of a record alone. */
function evaluatedBefore(plan: Plan): Plan {
  const early = (rules: Table["rules"]): Table["rules"] => rules.map(({ isLate: _, ...rule }) => rule);
  return {
    ...plan,
    tables: plan.tables.map(({ lateRules: _, ...table }) => ({ ...table, rules: early(table.rules) })),
    operations: plan.operations.map((operation) => ({ ...operation, rules: early(operation.rules) })),
  };
}

/** Whether a reference has become another one, or none. */
function hasMoved({ old, row }: RecordChange): boolean {
  const references = ["team", "seat", "over"];
  return old !== undefined && row !== undefined && references.some((name) => (old[name] ?? null) !== (row[name] ?? null)); // biome-ignore format: short
}

function changesAs(change: (change: RecordChange) => RecordChange | undefined): (store: Store) => Store {
  return (store) =>
    inTransactions(store, (tx) => ({
      get changes() {
        return tx.changes.flatMap((one) => change(one) ?? []);
      },
    }));
}

function timeUnheld(store: Store): Store {
  return inTransactions(store, (tx) => {
    let isTimed = false;
    return {
      get changes() {
        return isTimed ? [] : tx.changes;
      },
      lock: (...asked) => {
        isTimed = true;
        return tx.lock(...asked);
      },
    };
  });
}

function inTransactions(store: Store, instead: (tx: Transaction) => Partial<Transaction>): Store {
  return withMembers(store, {
    transaction: (work) => store.transaction((tx) => work(withMembers(tx, instead(tx)))),
  });
}
