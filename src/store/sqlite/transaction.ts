/** What one transaction can do, on the writing connection while it is that transaction's turn. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { compileFunction, type Value, type Variables } from "../../expression/evaluate.ts";
import type { ColumnType, Table } from "../../plan/plan.ts";
import { parts, type TypedExpression } from "../../expression/typed.ts";
import { deletedRecord, planDeletion } from "../deletion.ts";
import type {
  Condition,
  Counted,
  DeleteOutcome,
  JournalEntry,
  ListQuery,
  Page,
  PageArguments,
  RecordChange,
  Remembered,
  Row,
  RuleQuery,
  Tally,
  Transaction,
  View,
  Written,
} from "../store.ts";
import { recomputed } from "../recompute.ts";
import { relationFor, typeOf } from "../relation.ts";
import { answered } from "../steps.ts";
import { isTimed, timesOf } from "../times.ts";
import { type Evaluate, viewWriter, type Write } from "../text.ts";
import { recall, remember } from "./answers.ts";
import { expressions, resultOf } from "./condition.ts";
import { type Cells, type Connection, duplicated } from "./connection.ts";
import { count } from "./counters.ts";
import { checkStop, stopAt, stopSometimes } from "./deadline.ts";
import { countDown, countUp } from "./counts.ts";
import { followFiles } from "./files.ts";
import { breakingSql } from "../breaking-sql.ts";
import { type Fragment, joined, sql } from "../fragment.ts";
import { argument, binder } from "./fragment.ts";
import type { Turn } from "./group.ts";
import { bookmark, forget, hasFired, intact, record, setBookmark } from "./journal.ts";
import { prepareList } from "./list.ts";
import type { Relation, Relations } from "./relations.ts";
import { quoteText } from "../member-text.ts";
import { createTallies, type Tallies } from "./tallies.ts";
import { absentIndexName } from "./schema.ts";
import { limitOf, quoteName, toStored } from "./value.ts";
import { views } from "./view.ts";
import type { Sessions, SessionToken } from "../sessions.ts";
import { addSession, endSessions, findSession, forgetSessions, replaceSession } from "./sessions.ts";

/** There is one for each set of columns that changes together, which callers choose. */
const mostUpdaters = 1000;

/** What transactions of one store have in common: everything that is made once and used by all. */
export class Workshop {
  readonly relations: Relations;
  readonly connection: Connection;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly tallies: Tallies;
  readonly #evaluates = new WeakMap<TypedExpression, Evaluate>();
  readonly #writes = new WeakMap<View, Write>();
  readonly #firsts = new WeakMap<TypedExpression, (variables: Variables) => Cells | undefined>();
  readonly #gets = new Map<string, (value: Value) => Row | undefined>();
  readonly #breaks = new WeakMap<RuleQuery, (variables: Variables) => boolean>();
  readonly #updaters = new Map<string, Updater>();
  readonly #lists = new WeakMap<ListQuery, ReturnType<typeof prepareList>["run"]>();

  constructor(relations: Relations, connection: Connection, clock: () => number) {
    this.relations = relations;
    this.connection = connection;
    this.clock = clock;
    this.tallies = createTallies(connection);
  }

  /** An expression over a row at hand: in JavaScript, or in SQL where it goes through the records of a resource. */
  evaluate(expression: TypedExpression): Evaluate {
    let evaluate = this.#evaluates.get(expression);
    if (!evaluate) {
      evaluate = readsRecords(expression) ? this.#evaluateInDatabase(expression) : this.#evaluateAtHand(expression);
      this.#evaluates.set(expression, evaluate);
    }
    return evaluate;
  }

  #evaluateAtHand(expression: TypedExpression): Evaluate {
    const run = compileFunction(expression);
    const reference = (resource: string, id: string | number) => this.getter(resource, "id")(id);
    const stop = (): void => checkStop(this.connection.stop);
    return (record, variables) => run({ record, variables, reference, stop });
  }

  #evaluateInDatabase(expression: TypedExpression): Evaluate {
    const run = this.#ask(expressions.value(expression, this.relations), [expression]);
    const read = resultOf(expression);
    return (record, variables) => read(run(record, variables));
  }

  /** What `value` comes to over a row at hand, of which the expressions in it are. */
  #ask(
    value: Fragment,
    expressions: readonly TypedExpression[],
  ): (record: Row, variables: Variables) => SQLOutputValue | undefined {
    const fields = [...new Set(expressions.flatMap((one) => [...fieldsOf(one)]))];
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

  write(view: View): Write {
    let write = this.#writes.get(view);
    if (!write) {
      const { table } = relationFor(this.relations, view.resource);
      write = viewWriter(view, {
        expression: (expression) => this.evaluate(expression),
        nested: (source) => {
          const ask = this.#ask(views.nested(source, table, this.relations), [source.expression]);
          return (row, variables) => (ask(row, variables) ?? null) as string | null;
        },
      });
      this.#writes.set(view, write);
    }
    return write;
  }

  /** The record whose unique column has a value. */
  getter(resource: string, column: string): (value: Value) => Row | undefined {
    const key = `${resource}.${column}`;
    let getter = this.#gets.get(key);
    if (!getter) {
      const relation = relationFor(this.relations, resource);
      const type = typeOf(relation, column);
      const get = this.connection.getter(
        `SELECT ${relation.everything} FROM ${relation.name} AS t WHERE t.${quoteName(column)} = ?`,
      );
      getter = (value) => {
        const cells = get(toStored(value, type));
        return cells && relation.decode(cells);
      };
      this.#gets.set(key, getter);
    }
    return getter;
  }

  /** Changes these columns of a row where it has a revision, and says whether it had. */
  updater(relation: Relation, names: readonly string[]): Updater {
    const key = `${relation.name} ${names.join()}`;
    let updater = this.#updaters.get(key);
    if (!updater) {
      if (this.#updaters.size >= mostUpdaters) this.#updaters.clear();
      const types = names.map((name) => typeOf(relation, name));
      const set = names.map((name) => `, ${quoteName(name)} = ?`).join("");
      const statement = this.connection.prepare(
        `UPDATE ${relation.name} SET _rev = ?${set} WHERE _seq = ? AND _rev = ?`,
      );
      updater = {
        encode: (row) => names.map((name, index) => toStored(row[name], types[index] as ColumnType)),
        run: (revision, values, seq, old) => Number(statement.run(revision, ...values, seq, old).changes) > 0,
      };
      this.#updaters.set(key, updater);
    }
    return updater;
  }

  list(query: ListQuery): ReturnType<typeof prepareList>["run"] {
    let list = this.#lists.get(query);
    if (!list) {
      list = prepareList(query, this.relations, this.connection, { take: () => {} }).run;
      this.#lists.set(query, list);
    }
    return list;
  }

  breaks(query: RuleQuery): (variables: Variables) => boolean {
    let breaks = this.#breaks.get(query);
    if (!breaks) {
      const { sql: text, bindings } = breakingSql(query, expressions, this.relations, stopSometimes("t._seq"));
      const get = this.connection.getter(text);
      const bind = binder(bindings);
      breaks = (variables) => get(...bind([], variables)) !== undefined;
      this.#breaks.set(query, breaks);
    }
    return breaks;
  }

  first(relation: Relation, where: TypedExpression | undefined, variables: Variables): Cells | undefined {
    const known = where && this.#firsts.get(where);
    if (known) return known(variables);
    const condition = expressions.condition(where && { all: [where] }, this.relations);
    const { sql: text, bindings } = sql`SELECT ${relation.everything} FROM ${relation.name} AS t
      WHERE ${stopSometimes("t._seq")} AND ${condition} ORDER BY t._seq LIMIT 1`;
    const get = this.connection.getter(text);
    const bind = binder(bindings);
    const first = (given: Variables) => get(...bind([], given));
    if (where) this.#firsts.set(where, first);
    return first(variables);
  }
}

interface Updater {
  readonly encode: (row: Row) => SQLInputValue[];
  readonly run: (revision: number, values: readonly SQLInputValue[], seq: number, old: number) => boolean;
}

/** A value of a row as its column would give it to SQL: truth as 0 and 1, structures as text. */
function valueAtHand(value: Value): SQLInputValue {
  return toStored(value, typeof value === "boolean" ? "boolean" : typeof value === "object" ? "json" : "text");
}

/** Whether an expression goes through all records of some resource. */
function readsRecords(expression: TypedExpression): boolean {
  return expression.kind === "records" || parts(expression).some(readsRecords);
}

function fieldsOf(expression: TypedExpression): Set<string> {
  const fields = new Set(parts(expression).flatMap((part) => [...fieldsOf(part)]));
  return expression.kind === "field" ? fields.add(expression.name) : fields;
}

export class SqliteTransaction implements Transaction {
  readonly changes: RecordChange[] = [];
  readonly #shop: Workshop;
  readonly #turn: Turn;

  constructor(shop: Workshop, turn: Turn) {
    this.#shop = shop;
    this.#turn = turn;
  }

  get(resource: string, column: string, value: Value): Row | undefined {
    this.#turn.reading();
    return this.#shop.getter(resource, column)(value);
  }

  /** There is one transaction at a time, so that none holds what another one asks for: here, in the next three, and in `exclude`. */
  refer(resource: string, column: string, value: Value): Row | undefined {
    return this.get(resource, column, value);
  }

  mayChange(): void {}

  lockEagerly(): void {}

  claim(resource: string, id: Value): Row | undefined {
    return this.get(resource, "id", id);
  }

  first(resource: string, where: TypedExpression | undefined, variables: Variables): Row | undefined {
    this.#turn.reading();
    const relation = relationFor(this.#shop.relations, resource);
    const cells = this.#shop.first(relation, where, variables);
    return cells && relation.decode(cells);
  }

  list(query: ListQuery, page: PageArguments, variables: Variables): Page {
    this.#turn.reading();
    return this.#shop.list(query)(page, variables);
  }

  evaluate(expression: TypedExpression, row: Row, variables: Variables): Value {
    this.#turn.reading();
    return this.#shop.evaluate(expression)(row, variables);
  }

  exclude(): void {}

  breaks(query: RuleQuery, variables: Variables): boolean {
    this.#turn.reading();
    return this.#shop.breaks(query)(variables);
  }

  insert(resource: string, values: Row, revision: number, view: View, variables: Variables): Written {
    const relation = relationFor(this.#shop.relations, resource);
    const { table } = relation;
    if (relation.undoneAlone && relation.counted.length === 0) this.#turn.writingOne();
    else this.#turn.writing();
    const given = relation.counted.length === 0 ? values : { ...values, ...this.#counted(relation, values) };
    const hidden = { _rev: revision, ...timesOf(table, given, undefined, this.#shop.clock()) };
    try {
      const { lastInsertRowid } = this.#turn.connection.run(
        relation.insert,
        ...relation.encode({ ...given, ...hidden }),
      );
      this.#turn.takeBack(() => this.#turn.connection.run(relation.remove, lastInsertRowid));
      const row: Record<string, Value> = { _seq: Number(lastInsertRowid), ...hidden };
      for (const { name } of table.columns) row[name] = given[name] ?? null;
      if (relation.hasFiles) followFiles(this.#turn.connection, table, undefined, row);
      this.#shop.tallies.follow(this.#turn, resource, undefined, row);
      this.changes.push({ resource, row });
      return { kind: "written", text: this.#shop.write(view)(row, variables), revision, row };
    } catch (thrown) {
      return lost(thrown, relation);
    }
  }

  #counted({ counted, table }: Relation, values: Row): Row {
    const missing = counted.filter((name) => (values[name] ?? null) === null);
    return Object.fromEntries(missing.map((name) => [name, count(this.#turn.connection, table.resource, name)]));
  }

  update(resource: string, row: Row, changes: Row, view: View, variables: Variables): Written {
    const relation = relationFor(this.#shop.relations, resource);
    if (relation.hasFiles) this.#turn.writing();
    else this.#turn.writingOne();
    try {
      const changed = this.#change(relation, row, changes);
      return {
        kind: "written",
        text: this.#shop.write(view)(changed, variables),
        revision: changed["_rev"] as number,
        row: changed,
      };
    } catch (thrown) {
      return lost(thrown, relation);
    }
  }

  /** The record with its changes. A row that was read before an earlier change of this transaction is brought up to date. */
  #change(relation: Relation, row: Row, changes: Row): Row {
    const now = this.#shop.clock();
    for (let present: Row | undefined = row; present; present = this.#present(relation, row)) {
      const old = present["_rev"] as number;
      const written = isTimed(relation.table)
        ? { ...changes, ...timesOf(relation.table, { ...present, ...changes }, present, now) }
        : changes;
      const names = Object.keys(written);
      const { run, encode } = this.#shop.updater(relation, names);
      const revision = Math.max(now, old + 1);
      const seq = row["_seq"] as number;
      if (!run(revision, encode(written), seq, old)) continue;
      const before = present;
      this.#turn.takeBack(() => run(old, encode(before), seq, revision));
      const next = { ...present, ...written, _rev: revision };
      if (relation.hasFiles) followFiles(this.#turn.connection, relation.table, present, next);
      this.#shop.tallies.follow(this.#turn, relation.table.resource, present, next);
      this.changes.push({ resource: relation.table.resource, old: before, row: next });
      return next;
    }
    throw new Error(`a ${relation.table.resource} was changed that is no longer there`);
  }

  #present(relation: Relation, row: Row): Row | undefined {
    return this.#shop.getter(relation.table.resource, "_seq")(row["_seq"] as number);
  }

  all(resource: string, where: Condition | undefined, variables: Variables, limit: number): readonly Row[] {
    this.#turn.reading();
    const relation = relationFor(this.#shop.relations, resource);
    const { sql: text, bindings } = sql`SELECT ${relation.everything} FROM ${relation.name} AS t
      WHERE ${stopSometimes("t._seq")} AND ${expressions.condition(where, this.#shop.relations)}
      ORDER BY t._seq ${{ ...argument(0), sql: limitOf("?") }}`;
    return this.#turn.connection.all(text, ...binder(bindings)([limit], variables)).map(relation.decode);
  }

  delete(resource: string, row: Row): DeleteOutcome {
    return this.deleteAll(resource, [row]);
  }

  deleteAll(resource: string, rows: readonly Row[]): DeleteOutcome {
    this.#turn.writing();
    const { relations } = this.#shop;
    const { table } = relationFor(relations, resource);
    const tables = [...relations.values()].map((relation) => relation.table);
    const where = (from: Table, condition: string, value: SQLInputValue): readonly Row[] => {
      const relation = relationFor(relations, from.resource);
      checkStop(this.#turn.connection.stop);
      const select = `SELECT ${relation.everything} FROM ${relation.name} AS t WHERE ${condition} ORDER BY t._seq`;
      return this.#turn.connection.all(select, value).map(relation.decode);
    };
    const held = rows.map((row) => ({ table, row }));
    const plan = answered(planDeletion(tables, held), ({ kind, table: from, column, value }) => {
      if (kind === "having") {
        const type = typeOf(relationFor(relations, from.resource), column);
        return where(from, `t.${quoteName(column)} = ?`, toStored(value, type));
      }
      const within = `${stopAt("t._seq")} AND EXISTS (SELECT 1 FROM json_tree(t.${quoteName(column)}) AS e WHERE e.atom = ?)`;
      return where(from, within, value as SQLInputValue);
    });
    if (plan.kind === "referenced") return plan;
    for (const cleared of plan.cleared) {
      checkStop(this.#turn.connection.stop);
      const changes = answered(recomputed(cleared), ([expression, at]) => this.evaluate(expression, at, {}));
      this.#change(relationFor(relations, cleared.table.resource), cleared.row, changes);
    }
    this.#remove(plan.deleted.map((held) => [relationFor(relations, held.table.resource), held.row] as const));
    const records = plan.deleted.map(deletedRecord);
    for (const { resource: of, id } of records) forgetSessions(this.#turn.connection, of, `${id as string | number}`);
    return { kind: "deleted", records };
  }

  session(hash: string): SessionToken | undefined {
    this.#turn.reading();
    return findSession(this.#turn.connection, hash);
  }

  addSession(token: SessionToken): void {
    this.#turn.writing();
    addSession(this.#turn.connection, token);
  }

  replaceSession(hash: string, at: number): void {
    this.#turn.writing();
    replaceSession(this.#turn.connection, hash, at);
  }

  endSessions(which: Sessions, at: number): void {
    this.#turn.writing();
    endSessions(this.#turn.connection, which, at);
  }

  /** Records may refer to each other in a circle, so that no order of deleting them would do. */
  #remove(records: readonly (readonly [Relation, Row])[]): void {
    const { connection } = this.#turn;
    if (records.length === 1) return this.#removeEach(records);
    connection.exec("PRAGMA defer_foreign_keys = ON");
    try {
      this.#removeEach(records);
    } finally {
      connection.exec("PRAGMA defer_foreign_keys = OFF");
    }
  }

  #removeEach(records: readonly (readonly [Relation, Row])[]): void {
    const { connection } = this.#turn;
    for (const [relation, row] of records) {
      const { hasFiles, name, table } = relation;
      this.changes.push({ resource: table.resource, old: row });
      checkStop(connection.stop);
      // The row may have been read before an earlier change of this transaction.
      if (this.#shop.tallies.has(table.resource))
        this.#shop.tallies.follow(this.#turn, table.resource, this.#present(relation, row), undefined);
      connection.run(`DELETE FROM ${name} WHERE _seq = ?`, row["_seq"] as number);
      if (hasFiles) followFiles(connection, table, row, undefined);
    }
  }

  bookmark(reader: string): number | undefined {
    this.#turn.reading();
    return bookmark(this.#turn.connection, reader);
  }

  setBookmark(reader: string, position: number): void {
    this.#turn.writing();
    setBookmark(this.#turn.connection, reader, position);
  }

  record(entry: JournalEntry): void {
    this.#turn.writingOne();
    this.#turn.takeBack(record(this.#turn.connection, entry));
  }

  hasFired(resource: string, id: string, cause: string, due: number): boolean {
    this.#turn.reading();
    return hasFired(this.#turn.connection, resource, id, cause, due);
  }

  forget(resource: string, id: string): void {
    this.#turn.writing();
    forget(this.#turn.connection, resource, id);
  }

  intact(positions: readonly number[]): ReadonlySet<number> {
    this.#turn.reading();
    return intact(this.#turn.connection, positions);
  }

  defer(resource: string, row: Row, due: number | null): void {
    this.#turn.writing();
    const { name } = relationFor(this.#shop.relations, resource);
    this.#turn.connection.run(`UPDATE ${name} SET _due = ? WHERE _seq = ?`, due, row["_seq"] as number);
  }

  view(row: Row, view: View, variables: Variables): string {
    this.#turn.reading();
    return this.#shop.write(view)(row, variables);
  }

  recall(scope: string, key: string): Remembered | undefined {
    this.#turn.reading();
    return recall(this.#turn.connection, scope, key);
  }

  remember(scope: string, key: string, answer: Remembered): void {
    this.#turn.writingOne();
    this.#turn.takeBack(remember(this.#turn.connection, scope, key, answer));
  }

  count(name: string, key: string, now: number, until: number): Counted {
    this.#turn.writingOne();
    const counted = countUp(this.#turn.connection, name, key, now, until);
    this.#turn.takeBack(() => countDown(this.#turn.connection, name, key));
    return counted;
  }

  isWithin(tally: Tally, most: number): boolean {
    const { resource, column, value, states } = tally;
    this.#turn.reading();
    const relation = relationFor(this.#shop.relations, resource);
    const among = states === undefined ? "" : `AND state IN (${states.map(quoteText).join(", ")})`;
    const count = (): number => {
      const cells = this.#turn.connection.get(
        `SELECT count(*) FROM (SELECT 1 FROM ${relation.name} WHERE ${stopSometimes("_seq")} AND ${quoteName(column)} = ?
           ${among} ${limitOf("?")})`,
        toStored(value, typeOf(relation, column)),
        most + 1,
      );
      return cells?.[0] as number;
    };
    return this.#shop.tallies.count(this.#turn, tally, { most: most + 1, count }) <= most;
  }
}

/** The losing side of a UNIQUE constraint; anything else is thrown on. */
function lost(thrown: unknown, { table }: Relation): Written {
  const found = duplicated(thrown);
  if (!found) throw thrown;
  const absent = table.absentEqual?.find((columns) => found.index === absentIndexName(table, columns));
  return { kind: "duplicate", columns: absent ?? found.columns.map((column) => column.slice(table.name.length + 1)) };
}
