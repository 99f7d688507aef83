/**
 * Evaluates rules that read other records, after all writes, for each record that the writes can affect (language, section 2).
 * Rules of a single record are evaluated before its write (defaults-and-rules.ts).
 */
import { getOrMake, onceFor } from "../../base/once.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import { reachVariable } from "../../expression/reach.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { LateRule } from "../../plan/resources/types.ts";
import type { Awaitable, RecordChange, Row, RuleQuery, Transaction } from "../../store/port/store.ts";
import type { ChangeContext } from "../context/context.ts";
import { ApiError } from "../errors/api-error.ts";
import { sameValue } from "./defaults-and-rules.ts";

export interface Holding {
  /** The length of `tx.changes` at the last check. */
  readonly from?: number;
  /** Set to skip rules about writes. */
  readonly stateOnly?: boolean;
}

/** Evaluates the rules. @throws ApiError with the error of a broken rule. */
export function holdToRules(
  changeContext: Pick<ChangeContext, "context" | "variables">,
  tx: Transaction,
  { from = 0, stateOnly = false }: Holding = {},
): Awaitable<void> {
  const { tables } = changeContext.context;
  for (let index = from; index < tx.changes.length; index += 1) {
    if (tables.get((tx.changes[index] as RecordChange).resource)?.lateRules !== undefined)
      return holdAll(changeContext, tx, tx.changes.slice(from), stateOnly);
  }
}

/** A rule to evaluate for some records. */
interface RuleCheck {
  readonly late: LateRule;
  /** The value of `reach.value`, which selects the records; null for all. */
  readonly value: Value;
  /** The change of the record, for rules of kind `itself`. */
  readonly change?: RecordChange;
}

async function holdAll(
  changeContext: Pick<ChangeContext, "context" | "variables">,
  tx: Transaction,
  changes: readonly RecordChange[],
  stateOnly: boolean,
): Promise<void> {
  const checks = checksOf(changeContext, changes).filter(({ late }) => !(stateOnly && late.isAboutWrite));
  const names = new Map<string, readonly [string, string]>();
  for (const one of checks) {
    const name = nameOf(one);
    if (name !== undefined) names.set(name, [one.late.resource, name]);
  }
  if (names.size > 0) await tx.exclude([...names.values()]);
  for (const one of checks)
    if (await isBroken(changeContext, tx, one)) throw new ApiError(one.late.else, { isLate: true });
}

function checksOf({ context }: Pick<ChangeContext, "context">, changes: readonly RecordChange[]): readonly RuleCheck[] {
  const checks = new Map<string, RuleCheck>();
  for (const { change, writes } of changesByRecord(changes)) {
    const late = context.tables.get(change.resource)?.lateRules ?? [];
    for (const [index, rule] of late.entries()) {
      // A rule of one record was evaluated before each write, except when a deletion cleared a reference of the record.
      const concerned = rule.kind === "itself" ? writes.some((one) => concerns(rule, one)) : concerns(rule, change);
      if (!concerned) continue;
      for (const value of valuesOf(rule, change)) {
        const one: RuleCheck = { late: rule, value, ...(rule.kind === "itself" ? { change } : {}) };
        checks.set(JSON.stringify([change.resource, index, value]), one);
      }
    }
  }
  return [...checks.values()];
}

/** All changes of one record in one transaction. */
interface RecordChanges {
  /** The change from the state before the first write to the state after the last one. */
  readonly change: RecordChange;
  /** The writes of the record, in order. */
  readonly writes: readonly RecordChange[];
}

function changesByRecord(changes: readonly RecordChange[]): readonly RecordChanges[] {
  const records = Map.groupBy(changes, ({ old, resource, row }) => JSON.stringify([resource, (row ?? old)?.["id"]]));
  return [...records.values()].flatMap((writes): readonly RecordChanges[] => {
    const [{ old, resource }, { row }] = [writes[0] as RecordChange, writes.at(-1) as RecordChange];
    if (old === undefined && row === undefined) return [];
    const change = { resource, ...(old === undefined ? {} : { old }), ...(row === undefined ? {} : { row }) };
    return [{ change, writes }];
  });
}

function concerns({ on }: LateRule, { old, row }: RecordChange): boolean {
  if (old === undefined) return on.insert;
  if (row === undefined) return on.delete;
  return on.columns === "any" || on.columns.some((name) => !sameValue(old[name] ?? null, row[name] ?? null));
}

function valuesOf({ find: { absent, column }, kind }: LateRule, { old, row }: RecordChange): readonly Value[] {
  if (column === undefined) return [null];
  const rows = kind === "itself" ? [row] : [old, row];
  const values = rows.flatMap((one) => (one === undefined ? [] : [one[column] ?? null]));
  return [...new Set(values)].filter((value) => value !== null || absent !== undefined);
}

/**
 * Returns the name of a lock that keeps two transactions from checking the same rule at once. Reading references already locks
 * the records.
 */
function nameOf({ change, late: { inDatabase, key, kind, name }, value }: RuleCheck): string | undefined {
  if (kind === "itself" && !inDatabase) return undefined;
  if (key === undefined) return name;
  const of = change === undefined ? value : (change.row?.[key] ?? null);
  return `${name} ${JSON.stringify(of)}`;
}

async function isBroken(
  changeContext: Pick<ChangeContext, "context" | "variables">,
  tx: Transaction,
  { change, late, value }: RuleCheck,
): Promise<boolean> {
  const variables: Variables = {
    ...changeContext.variables,
    [reachVariable]: { value },
    ...(change === undefined ? {} : { old: change.old ?? null }),
  };
  if (change?.row !== undefined && !late.inDatabase)
    return (await changeContext.context.evaluate(tx, late.rule, change.row, variables)) !== true;
  const where = value === null ? late.find.absent : late.find.where;
  if (late.broken !== undefined) return tx.breaks(queryOf(late, where, late.broken), variables);
  const rows = await tx.all(late.resource, where && { all: [where] }, variables, Number.MAX_SAFE_INTEGER);
  for (const row of rows)
    if ((await changeContext.context.evaluate(tx, late.rule, row as Row, variables)) !== true) return true;
  return false;
}

const queriesOf = onceFor((_: LateRule) => new Map<TypedExpression | undefined, RuleQuery>());

/** Returns the query of a rule, always the same object, so that the store prepares the query once. */
function queryOf(late: LateRule, where: TypedExpression | undefined, broken: TypedExpression): RuleQuery {
  const { find, resource } = late;
  return getOrMake(queriesOf(late), where, () => {
    return { resource, broken, one: find.one, ...(where === undefined ? {} : { where }) };
  });
}
