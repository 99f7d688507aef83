/** Plans rules: those of a single record, and those that a transaction checks after all its writes. */
import { isItself, negation, reachOf, type Reach } from "../../expression/reach.ts";
import { expressibleInSql } from "../../expression/sql.ts";
import { mentions, readsOtherRecords } from "../../expression/typed.ts";
import { lookup } from "../../language/resources/fields.ts";
import { recordMembers } from "../../language/resources/value-type.ts";
import type { Column, LateRule, RulePlan, Table } from "./types.ts";
import { defined } from "../../base/defined.ts";
import { type PlanInput, typedAt, unique } from "../input.ts";

export function rulePlans(planInput: PlanInput, resource: string): readonly RulePlan[] {
  return (lookup(planInput.model.resources.rules, resource) ?? []).flatMap((rule, index) => {
    if (rule.kind !== "holds") return [];
    const expression = typedAt(planInput, `resources/rules/${resource}/${index}/holds`);
    return [
      {
        expression,
        else: rule.else,
        ...(readsOtherRecords(expression) ? { isLate: true as const } : {}),
        ...(mentions(expression, "variable") ? { isAboutWrite: true as const } : {}),
      },
    ];
  });
}

/**
 * Returns the rules that a write of this resource can break and that read other records; also rules of a single record that
 * read a reference which a deletion can clear, since the deletion itself evaluates no rules.
 */
export function lateRules(planInput: PlanInput, resource: string, columns: readonly Column[]): readonly LateRule[] {
  const cleared = columnsCleared(columns);
  return Object.keys(planInput.model.resources.rules).flatMap((of) =>
    rulePlans(planInput, of).flatMap((rule, index) => {
      const named: Named = { resource: of, rule, name: `${of} ${index}` };
      if (rule.isLate === true) return lateRulesOf(planInput, named, resource);
      return of === resource && rule.isAboutWrite !== true ? ruleOfCleared(planInput, named, cleared) : [];
    }),
  );
}

/** Returns the columns that change when a referenced record is deleted. */
function columnsCleared(columns: readonly Column[]): readonly string[] {
  const cleared = columns.filter(({ references }) => references?.onDelete === "clear");
  return cleared.length === 0 ? [] : [...cleared.map(({ name }) => name), ...computedColumns({ columns })];
}

function ruleOfCleared(planInput: PlanInput, named: Named, cleared: readonly string[]): readonly LateRule[] {
  const read = reachOf(named.rule.expression).local.filter((name) => cleared.includes(name));
  if (read.length === 0) return [];
  return lateRulesOf(planInput, named, named.resource).map((late) => ({
    ...late,
    on: { insert: false, delete: false, columns: read },
  }));
}

interface Named {
  readonly resource: string;
  readonly rule: RulePlan;
  readonly name: string;
}

function lateRulesOf({ model }: PlanInput, { resource, rule, name }: Named, written: string): readonly LateRule[] {
  const { expression } = rule;
  const reach = reachOf(expression);
  const broken = negation(expression);
  const id = defined(lookup(recordMembers(model, resource), "id"), `the id of ${resource}`);
  const common = {
    resource,
    rule: expression,
    else: rule.else,
    name,
    isAboutWrite: reach.aboutWrite,
    inDatabase: mentions(expression, "records"),
    ...(expressibleInSql(expression) ? { broken } : {}),
    ...(reach.key === undefined ? {} : { key: reach.key }),
  } satisfies Partial<LateRule>;
  const itself: LateRule = {
    ...common,
    kind: "itself",
    on: { insert: true, delete: false, columns: reach.aboutWrite ? "any" : reach.local },
    find: { column: "id", where: isItself(id.type), one: false },
  };
  // A rule about the write itself is evaluated only for the written record.
  const others = reach.aboutWrite ? [] : reach.others.filter((other) => other.resource === written);
  return [
    ...(resource === written ? [itself] : []),
    ...others.map(({ affected, columns, kind }): LateRule => {
      const one = isSameForAll(reach, affected?.field);
      const membership = kind === "records";
      return {
        ...common,
        kind: "other",
        on: { insert: membership, delete: membership, columns },
        ...(affected === undefined
          ? { find: { one } }
          : {
              find: {
                column: affected.column,
                where: affected.where,
                one,
                ...(affected.absent === undefined ? {} : { absent: affected.absent }),
              },
            }),
      };
    }),
  ];
}

/** Whether the rule has the same value for all records that have the same value in `field`. */
function isSameForAll({ local: read }: Reach, field: string | undefined): boolean {
  return read.every((name) => name === field);
}

/** Returns the columns by which rules look for records; each gets an index. */
export function ruleColumns(planInput: PlanInput, resource: string): readonly string[] {
  const columns = Object.keys(planInput.model.resources.rules).flatMap((of) =>
    rulePlans(planInput, of).flatMap(({ expression, isLate }) => {
      if (isLate !== true) return [];
      return reachOf(expression).columns.flatMap((one) => {
        return (one.resource === "" ? of : one.resource) === resource ? [one.column] : [];
      });
    }),
  );
  return unique(columns);
}

/** A possible write of an operation. */
export interface PlannedWrite {
  readonly resource: string;
  readonly kind: "insert" | "update" | "delete";
  /** For an update, the columns that it may change. */
  readonly columns?: ReadonlySet<string>;
}

/** Returns the codes of errors of rules that read other records and that these writes may break. */
export function lateErrors(writes: readonly PlannedWrite[], tables: readonly Table[]): readonly string[] {
  return writes.flatMap((write) => {
    const { lateRules: rules = [] } = tables.find(({ resource }) => resource === write.resource) ?? {};
    return rules.filter((rule) => concerns(rule, write)).map((rule) => rule.else);
  });
}

function concerns({ on }: LateRule, { columns, kind }: PlannedWrite): boolean {
  if (kind !== "update") return on[kind];
  return on.columns === "any" || on.columns.some((name) => columns?.has(name));
}

/** Returns the writes of a deletion: records deleted together with the record, and references cleared. */
export function writesOfDeletion(
  resource: string,
  tables: readonly Table[],
  visited: ReadonlySet<string> = new Set(),
): readonly PlannedWrite[] {
  if (visited.has(resource)) return [];
  const around = new Set([...visited, resource]);
  const referring = tables.flatMap((table) =>
    table.columns.flatMap(({ name, references }): readonly PlannedWrite[] => {
      if (references?.resource !== resource) return [];
      if (references.onDelete === "delete") return writesOfDeletion(table.resource, tables, around);
      if (references.onDelete !== "clear") return [];
      return [{ resource: table.resource, kind: "update", columns: new Set([name, ...computedColumns(table)]) }];
    }),
  );
  return [{ resource, kind: "delete" }, ...referring];
}

function computedColumns({ columns }: Pick<Table, "columns">): readonly string[] {
  return columns.flatMap(({ computed, name }) => (computed === undefined ? [] : [name]));
}
