/** Implements `Transaction` on the writing connection, for one transaction at a time. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { getOrMake, onceFor } from "../../base/once.ts";
import { compileFunction, type Value, type Variables } from "../../expression/evaluate.ts";
import type { Table } from "../../plan/resources/types.ts";
import { fieldsIn, mentions, type TypedExpression } from "../../expression/typed.ts";
import { deletedRecord, planDeletion, recomputed } from "../sql/deletion.ts";
import type {
  Condition,
  Counted,
  DeleteOutcome,
  JournalEntry,
  ListQuery,
  Page,
  PageArguments,
  RecordChange,
  StoredResponse,
  Row,
  SelectionQuery,
  RuleQuery,
  LiveCount,
  Transaction,
  View,
  Written,
} from "../port/store.ts";
import { isRequired, relationFor, typeOf } from "../sql/table-access.ts";
import { runSteps } from "../sql/either-sync-or-async.ts";
import { isTimed, timesOf, uniquesOf } from "../sql/columns.ts";
import { type Evaluate, viewWriter, type Write } from "../sql/view-text.ts";
import { findResponse, saveResponse } from "./stored-responses.ts";
import { expressions, resultOf, views } from "./view.ts";
import { type SqlRow, type Connection, duplicated } from "./connection.ts";
import { count } from "./counters.ts";
import { checkStop, stopAt, stopSometimes } from "./deadline.ts";
import { countDown, countUp } from "./counts.ts";
import { followFiles } from "./files.ts";
import { breakingSql } from "../sql/condition.ts";
import { type Fragment, joined, sql } from "../sql/fragment.ts";
import { argument, binder } from "./fragment.ts";
import type { WriteSlot } from "./write-batches.ts";
import { offset, forget, hasFired, intact, record, setOffset } from "./journal.ts";
import { prepareList } from "./list.ts";
import type { Relation, Relations } from "./relations.ts";
import { quoteText } from "../sql/json-text.ts";
import { createLiveCounts, type LiveCounts } from "./live-counts.ts";
import { absentIndexName } from "./schema.ts";
import { limitOf, quoteName, toStored } from "./value.ts";
import type { Sessions, SessionToken } from "../port/sessions.ts";
import { addSession, endSessions, findSession, forgetSessions, replaceSession } from "./sessions.ts";

/** The most cached updaters: one for each set of columns that change together, which callers choose. */
const mostUpdaters = 1000;

/** What the transactions of one store share: compiled expressions, views and statements. */
export class TransactionDeps {
  readonly relations: Relations;
  readonly connection: Connection;
  /** Returns the time in epoch milliseconds. */
  readonly clock: () => number;
  readonly liveCounts: LiveCounts;
  readonly #firsts = new WeakMap<TypedExpression, (variables: Variables) => SqlRow | undefined>();
  readonly #gets = new Map<string, (value: Value) => Row | undefined>();
  readonly #updaters = new Map<string, Updater>();

  constructor(relations: Relations, connection: Connection, clock: () => number) {
    this.relations = relations;
    this.connection = connection;
    this.clock = clock;
    this.liveCounts = createLiveCounts(connection);
  }

  /** Compiles an expression over a row: to JavaScript, or to SQL if it reads the records of a resource. */
  readonly evaluate: (expression: TypedExpression) => Evaluate = onceFor((expression) =>
    mentions(expression, "records") ? this.#evaluateInDatabase(expression) : this.#evaluateAtHand(expression),
  );

  #evaluateAtHand(expression: TypedExpression): Evaluate {
    const run = compileFunction(expression);
    const reference = (resource: string, id: string | number) => this.getter(resource, "id")(id);
    const stop = (): void => checkStop(this.connection.stop);
    return (record, variables) => run({ record, variables, reference, stop });
  }

  #evaluateInDatabase(expression: TypedExpression): Evaluate {
    const run = this.#selector(expressions.value(expression, this.relations), [expression]);
    const read = resultOf(expression);
    return (record, variables) => read(run(record, variables));
  }

  /** Returns SQL that evaluates `value` over a row; `expressions` are those inside it, whose fields it needs. */
  #selector(
    value: Fragment,
    expressions: readonly TypedExpression[],
  ): (record: Row, variables: Variables) => SQLOutputValue | undefined {
    const fields = [...new Set(expressions.flatMap(fieldsIn))];
    const columns = fields.map(
      (name, index): Fragment => ({
        sql: `? AS ${quoteName(name)}`,
        bindings: [{ kind: "argument", index }],
      }),
    );
    const row = joined(columns, ", ", "1");
    const { sql: text, bindings } = sql`SELECT ${value} FROM (SELECT ${row}) AS t`;
    const get = this.connection.getter(text);
    const bind = binder(bindings);
    return (record, variables) => {
      const values = fields.map((name) => valueAtHand(record[name] ?? null));
      return get(...bind(values, variables))?.[0];
    };
  }

  readonly write: (view: View) => Write = onceFor((view) => {
    const { table } = relationFor(this.relations, view.resource);
    return viewWriter(view, {
      expression: (expression) => this.evaluate(expression),
      nested: (source) => {
        const select = this.#selector(views.nested(source, table, this.relations), [source.expression]);
        return (row, variables) => (select(row, variables) ?? null) as string | null;
      },
    });
  });

  /** Returns a function that finds a record by a unique column. */
  getter(resource: string, column: string): (value: Value) => Row | undefined {
    return getOrMake(this.#gets, `${resource}.${column}`, () => {
      const relation = relationFor(this.relations, resource);
      const type = typeOf(relation, column);
      const get = this.connection.getter(
        `SELECT ${relation.everything} FROM ${relation.name} AS t WHERE t.${quoteName(column)} = ?`,
      );
      return (value) => {
        const sqlRow = get(toStored(value, type));
        return sqlRow && relation.decode(sqlRow);
      };
    });
  }

  /** Returns a function that updates these columns of a row if its revision matches, and returns whether it did. */
  updater(relation: Relation, names: readonly string[]): Updater {
    return getOrMake(this.#updaters, `${relation.name} ${names.join()}`, () => {
      if (this.#updaters.size >= mostUpdaters) this.#updaters.clear();
      const types = names.map((name) => [name, typeOf(relation, name), isRequired(relation, name)] as const);
      const set = names.map((name) => `, ${quoteName(relation.storedName(name))} = ?`).join("");
      const statement = this.connection.prepare(
        `UPDATE ${relation.stored} SET _rev = ?${set} WHERE ${relation.seq} = ? AND _rev = ?`,
      );
      return {
        encode: (row) => types.map(([name, type, required]) => toStored(row[name], type, required)),
        run: (revision, values, seq, old) => Number(statement.run(revision, ...values, seq, old).changes) > 0,
      };
    });
  }

  readonly list: (query: ListQuery) => ReturnType<typeof prepareList>["run"] = onceFor(
    (query) => prepareList(query, this.relations, this.connection, { acquire: () => {} }).run,
  );

  readonly breaks: (query: RuleQuery) => (variables: Variables) => boolean = onceFor((query) => {
    const { sql: text, bindings } = breakingSql(query, expressions, this.relations, stopSometimes("t._seq"));
    const get = this.connection.getter(text);
    const bind = binder(bindings);
    return (variables) => get(...bind([], variables)) !== undefined;
  });

  readonly select: (query: SelectionQuery) => (limit: number, variables: Variables) => readonly Row[] = onceFor(
    ({ resource, sort, where }) => {
      const relation = relationFor(this.relations, resource);
      const order = sort === undefined ? "" : `t.${quoteName(sort.column)}${sort.descending ? " DESC" : ""}, `;
      const { sql: text, bindings } = sql`SELECT ${relation.everything} FROM ${relation.name} AS t
        WHERE ${stopSometimes("t._seq")} AND ${expressions.condition(where, this.relations)}
        ORDER BY ${order}t._seq ${{ ...argument(0), sql: limitOf("?") }}`;
      const bind = binder(bindings);
      return (limit, variables) => this.connection.all(text, ...bind([limit], variables)).map(relation.decode);
    },
  );

  first(relation: Relation, where: TypedExpression | undefined, variables: Variables): SqlRow | undefined {
    const known = where && this.#firsts.get(where);
    if (known) return known(variables);
    const condition = expressions.condition(where && { all: [where] }, this.relations);
    const { sql: text, bindings } = sql`SELECT ${relation.everything} FROM ${relation.name} AS t
      WHERE ${stopSometimes("t._seq")} AND ${condition} ORDER BY t._seq LIMIT 1`;
    const get = this.connection.getter(text);
    const bind = binder(bindings);
    const first = (parameters: Variables) => get(...bind([], parameters));
    if (where) this.#firsts.set(where, first);
    return first(variables);
  }
}

interface Updater {
  readonly encode: (row: Row) => SQLInputValue[];
  readonly run: (revision: number, values: readonly SQLInputValue[], seq: number, old: number) => boolean;
}

/** Converts a row's value to the form in which its column stores it: booleans as 0 and 1, structures as text. */
function valueAtHand(value: Value): SQLInputValue {
  return toStored(value, typeof value === "boolean" ? "boolean" : typeof value === "object" ? "json" : "text");
}

export class SqliteTransaction implements Transaction {
  readonly changes: RecordChange[] = [];
  readonly #deps: TransactionDeps;
  readonly #slot: WriteSlot;

  constructor(deps: TransactionDeps, slot: WriteSlot) {
    this.#deps = deps;
    this.#slot = slot;
  }

  get(resource: string, column: string, value: Value): Row | undefined {
    this.#slot.reading();
    return this.#deps.getter(resource, column)(value);
  }

  /** Only one transaction runs at a time, so locks are no-ops: here, in the next three methods, and in `exclude`. */
  lockShared(resource: string, column: string, value: Value): Row | undefined {
    return this.get(resource, column, value);
  }

  declareWrites(): void {}

  lockEagerly(): void {}

  lock(resource: string, id: Value): Row | undefined {
    return this.get(resource, "id", id);
  }

  first(resource: string, where: TypedExpression | undefined, variables: Variables): Row | undefined {
    this.#slot.reading();
    const relation = relationFor(this.#deps.relations, resource);
    const sqlRow = this.#deps.first(relation, where, variables);
    return sqlRow && relation.decode(sqlRow);
  }

  firstShared(resource: string, where: TypedExpression, variables: Variables): Row | undefined {
    return this.first(resource, where, variables);
  }

  list(query: ListQuery, page: PageArguments, variables: Variables): Page {
    this.#slot.reading();
    return this.#deps.list(query)(page, variables);
  }

  evaluate(expression: TypedExpression, row: Row, variables: Variables): Value {
    this.#slot.reading();
    return this.#deps.evaluate(expression)(row, variables);
  }

  exclude(): void {}

  breaks(query: RuleQuery, variables: Variables): boolean {
    this.#slot.reading();
    return this.#deps.breaks(query)(variables);
  }

  insert(resource: string, values: Row, revision: number, view: View, variables: Variables): Written {
    const relation = relationFor(this.#deps.relations, resource);
    const { table } = relation;
    if (relation.undoneSeparately && relation.counted.length === 0) this.#slot.writingOne();
    else this.#slot.writing();
    const parameters = relation.counted.length === 0 ? values : { ...values, ...this.#counted(relation, values) };
    const hidden = { _rev: revision, ...timesOf(table, parameters, undefined, this.#deps.clock()) };
    try {
      const { lastInsertRowid } = this.#slot.connection.run(
        relation.insert,
        ...relation.encode({ ...parameters, ...hidden }),
      );
      this.#slot.undoWrite(() => this.#slot.connection.run(relation.remove, lastInsertRowid));
      const row: Record<string, Value> = { _seq: Number(lastInsertRowid), ...hidden };
      for (const { name } of table.columns) row[name] = parameters[name] ?? null;
      if (relation.makesIds) row["id"] = Number(lastInsertRowid);
      if (relation.hasFiles) followFiles(this.#slot.connection, table, undefined, row);
      this.#deps.liveCounts.follow(this.#slot, resource, undefined, row);
      this.changes.push({ resource, row });
      return { kind: "written", text: this.#deps.write(view)(row, variables), revision, row };
    } catch (thrown) {
      return lost(thrown, relation);
    }
  }

  #counted({ counted, table }: Relation, values: Row): Row {
    const missing = counted.filter((name) => (values[name] ?? null) === null);
    return Object.fromEntries(missing.map((name) => [name, count(this.#slot.connection, table.resource, name)]));
  }

  update(resource: string, row: Row, changes: Row, view: View, variables: Variables): Written {
    const relation = relationFor(this.#deps.relations, resource);
    if (relation.hasFiles) this.#slot.writing();
    else this.#slot.writingOne();
    try {
      const changed = this.#change(relation, row, changes);
      return {
        kind: "written",
        text: this.#deps.write(view)(changed, variables),
        revision: changed["_rev"] as number,
        row: changed,
      };
    } catch (thrown) {
      return lost(thrown, relation);
    }
  }

  /** Writes the changes. If an earlier change of this transaction made `row` stale, reads it again. */
  #change(relation: Relation, row: Row, changes: Row): Row {
    const now = this.#deps.clock();
    for (let present: Row | undefined = row; present; present = this.#present(relation, row)) {
      const old = present["_rev"] as number;
      const written = isTimed(relation.table)
        ? { ...changes, ...timesOf(relation.table, { ...present, ...changes }, present, now) }
        : changes;
      const names = Object.keys(written);
      const { run, encode } = this.#deps.updater(relation, names);
      const revision = Math.max(now, old + 1);
      const seq = row["_seq"] as number;
      if (!run(revision, encode(written), seq, old)) continue;
      const before = present;
      this.#slot.undoWrite(() => run(old, encode(before), seq, revision));
      const next = { ...present, ...written, _rev: revision };
      if (relation.hasFiles) followFiles(this.#slot.connection, relation.table, present, next);
      this.#deps.liveCounts.follow(this.#slot, relation.table.resource, present, next);
      this.changes.push({ resource: relation.table.resource, old: before, row: next });
      return next;
    }
    throw new Error(`a ${relation.table.resource} was changed that is no longer there`);
  }

  #present(relation: Relation, row: Row): Row | undefined {
    return this.#deps.getter(relation.table.resource, "_seq")(row["_seq"] as number);
  }

  all(resource: string, where: Condition | undefined, variables: Variables, limit: number): readonly Row[] {
    this.#slot.reading();
    const relation = relationFor(this.#deps.relations, resource);
    const { sql: text, bindings } = sql`SELECT ${relation.everything} FROM ${relation.name} AS t
      WHERE ${stopSometimes("t._seq")} AND ${expressions.condition(where, this.#deps.relations)}
      ORDER BY t._seq ${{ ...argument(0), sql: limitOf("?") }}`;
    return this.#slot.connection.all(text, ...binder(bindings)([limit], variables)).map(relation.decode);
  }

  select(query: SelectionQuery, limit: number, variables: Variables): readonly Row[] {
    this.#slot.reading();
    return this.#deps.select(query)(limit, variables);
  }

  delete(resource: string, row: Row): DeleteOutcome {
    return this.deleteAll(resource, [row]);
  }

  deleteAll(resource: string, rows: readonly Row[]): DeleteOutcome {
    this.#slot.writing();
    const { relations } = this.#deps;
    const { table } = relationFor(relations, resource);
    const tables = [...relations.values()].map((relation) => relation.table);
    const where = (from: Table, condition: string, value: SQLInputValue): readonly Row[] => {
      const relation = relationFor(relations, from.resource);
      checkStop(this.#slot.connection.stop);
      const select = `SELECT ${relation.everything} FROM ${relation.name} AS t WHERE ${condition} ORDER BY t._seq`;
      return this.#slot.connection.all(select, value).map(relation.decode);
    };
    const held = rows.map((row) => ({ table, row }));
    const plan = runSteps(planDeletion(tables, held), ({ kind, table: from, column, value }) => {
      if (kind === "having") {
        const type = typeOf(relationFor(relations, from.resource), column);
        return where(from, `t.${quoteName(column)} = ?`, toStored(value, type));
      }
      const nestedMatch = `${stopAt("t._seq")} AND EXISTS (SELECT 1 FROM json_tree(t.${quoteName(column)}) AS e WHERE e.atom = ?)`;
      return where(from, nestedMatch, value as SQLInputValue);
    });
    if (plan.kind === "referenced") return plan;
    for (const cleared of plan.cleared) {
      checkStop(this.#slot.connection.stop);
      const changes = runSteps(recomputed(cleared), ([expression, at]) => this.evaluate(expression, at, {}));
      this.#change(relationFor(relations, cleared.table.resource), cleared.row, changes);
    }
    this.#remove(plan.deleted.map((held) => [relationFor(relations, held.table.resource), held.row] as const));
    const records = plan.deleted.map(deletedRecord);
    for (const { resource: of, id } of records) forgetSessions(this.#slot.connection, of, `${id as string | number}`);
    return { kind: "deleted", records };
  }

  session(hash: string): SessionToken | undefined {
    this.#slot.reading();
    return findSession(this.#slot.connection, hash);
  }

  addSession(token: SessionToken): void {
    this.#slot.writing();
    addSession(this.#slot.connection, token);
  }

  replaceSession(hash: string, at: number): void {
    this.#slot.writing();
    replaceSession(this.#slot.connection, hash, at);
  }

  endSessions(which: Sessions, at: number): void {
    this.#slot.writing();
    endSessions(this.#slot.connection, which, at);
  }

  /** Deletes records. References between them may form a cycle, so that no order of deletion satisfies the foreign keys. */
  #remove(records: readonly (readonly [Relation, Row])[]): void {
    const { connection } = this.#slot;
    if (records.length === 1) return this.#removeEach(records);
    connection.exec("PRAGMA defer_foreign_keys = ON");
    try {
      this.#removeEach(records);
    } finally {
      connection.exec("PRAGMA defer_foreign_keys = OFF");
    }
  }

  #removeEach(records: readonly (readonly [Relation, Row])[]): void {
    const { connection } = this.#slot;
    for (const [relation, row] of records) {
      const { hasFiles, table } = relation;
      this.changes.push({ resource: table.resource, old: row });
      checkStop(connection.stop);
      // `row` may be stale after an earlier change of this transaction.
      if (this.#deps.liveCounts.has(table.resource))
        this.#deps.liveCounts.follow(this.#slot, table.resource, this.#present(relation, row), undefined);
      connection.run(relation.remove, row["_seq"] as number);
      if (hasFiles) followFiles(connection, table, row, undefined);
    }
  }

  offset(reader: string): number | undefined {
    this.#slot.reading();
    return offset(this.#slot.connection, reader);
  }

  setOffset(reader: string, position: number): void {
    this.#slot.writing();
    setOffset(this.#slot.connection, reader, position);
  }

  record(entry: JournalEntry): void {
    this.#slot.writingOne();
    this.#slot.undoWrite(record(this.#slot.connection, entry));
  }

  hasFired(resource: string, id: string, cause: string, due: number): boolean {
    this.#slot.reading();
    return hasFired(this.#slot.connection, resource, id, cause, due);
  }

  forget(resource: string, id: string): void {
    this.#slot.writing();
    forget(this.#slot.connection, resource, id);
  }

  intact(positions: readonly number[]): ReadonlySet<number> {
    this.#slot.reading();
    return intact(this.#slot.connection, positions);
  }

  defer(resource: string, row: Row, due: number | null): void {
    this.#slot.writing();
    const { name } = relationFor(this.#deps.relations, resource);
    this.#slot.connection.run(`UPDATE ${name} SET _due = ? WHERE _seq = ?`, due, row["_seq"] as number);
  }

  view(row: Row, view: View, variables: Variables): string {
    this.#slot.reading();
    return this.#deps.write(view)(row, variables);
  }

  findResponse(scope: string, key: string): StoredResponse | undefined {
    this.#slot.reading();
    return findResponse(this.#slot.connection, scope, key);
  }

  saveResponse(scope: string, key: string, stored: StoredResponse): void {
    this.#slot.writingOne();
    this.#slot.undoWrite(saveResponse(this.#slot.connection, scope, key, stored));
  }

  count(name: string, key: string, now: number, until: number, more = 1): Counted {
    this.#slot.writingOne();
    const counted = countUp(this.#slot.connection, { name, key, more }, now, until);
    this.#slot.undoWrite(() => countDown(this.#slot.connection, { name, key, more }));
    return counted;
  }

  hasRoom(liveCount: LiveCount, most: number): boolean {
    const { resource, column, value, states } = liveCount;
    this.#slot.reading();
    const relation = relationFor(this.#deps.relations, resource);
    const among = states === undefined ? "" : `AND state IN (${states.map(quoteText).join(", ")})`;
    const count = (): number => {
      const sqlRow = this.#slot.connection.get(
        `SELECT count(*) FROM (SELECT 1 FROM ${relation.name} WHERE ${stopSometimes("_seq")} AND ${quoteName(column)} = ?
           ${among} ${limitOf("?")})`,
        toStored(value, typeOf(relation, column)),
        most + 1,
      );
      return sqlRow?.[0] as number;
    };
    return this.#deps.liveCounts.count(this.#slot, liveCount, { most: most + 1, count }) <= most;
  }
}

/** Converts a UNIQUE violation to a result; rethrows other errors. */
function lost(thrown: unknown, { table }: Relation): Written {
  const found = duplicated(thrown);
  if (!found) throw thrown;
  const absent = table.absentEqual?.find((columns) => found.index === absentIndexName(table, columns));
  const { adopted } = table;
  // A name may contain the separator, and an existing index may have another order.
  const parts = (text: string): string => text.split(", ").toSorted().join(", ");
  const textOf = (set: readonly string[]): string =>
    set.map((field) => `${(adopted ?? table).name}.${adopted?.columns[field]?.name ?? field}`).join(", ");
  const columns = uniquesOf(table).find((set) => parts(textOf(set)) === parts(found.columns)) ?? [];
  return { kind: "duplicate", columns: absent ?? columns };
}
