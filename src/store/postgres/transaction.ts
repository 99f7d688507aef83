/** Implements `Transaction` on a PostgreSQL connection. */
import { getOrMake, onceFor } from "../../base/once.ts";
import { defined } from "../../base/defined.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Table } from "../../plan/resources/types.ts";
import { deletedRecord, planDeletion, type Held, type Referring, recomputed } from "../sql/deletion.ts";
import { sql } from "../sql/fragment.ts";
import { quoteText } from "../sql/json-text.ts";
import { isRequired, relationFor, typeOf } from "../sql/table-access.ts";
import type { Sessions, SessionToken } from "../port/sessions.ts";
import { runStepsAsync } from "../sql/either-sync-or-async.ts";
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
import { timesOf, isAbsentEqual } from "../sql/columns.ts";
import { findResponse, saveResponse, type Unclaimed } from "./stored-responses.ts";
import { type Evaluator, valueEvaluator, viewEvaluator, type Fetch, resourcesReadInFull } from "./evaluate-row.ts";
import { breakingSql } from "../sql/condition.ts";
import { type Held as Name, holding } from "./commits.ts";
import { expressions } from "./condition.ts";
import type { Bindable, PgSession } from "./connection.ts";
import { countUp } from "./counts.ts";
import { Overtaken } from "./failure.ts";
import { followFiles } from "./files.ts";
import { argument, type Statement, statementOf } from "./fragment.ts";
import { offset, forget, hasFired, intact, record, setOffset } from "./journal.ts";
import { type List, prepareList } from "./list.ts";
import { hasKey } from "./read.ts";
import type { Relation, Relations } from "./relations.ts";
import { addSession, endSessions, forgetSessions, heldSession, replaceSession } from "./sessions.ts";
import { digestOf, isUniqueByDigest } from "./schema.ts";
import { createLiveCounts, type LiveCounts } from "./live-counts.ts";
import { columnTypes, quoteName, toStored } from "./value.ts";

interface TableEvaluator {
  readonly evaluate: Evaluator<Value>;
  /** The tables of which any row may change the value. */
  readonly tables: readonly string[];
}

/** What the transactions of one store share: compiled expressions, views and statements. */
export class TransactionDeps {
  readonly relations: Relations;
  /** Returns the time in epoch milliseconds. */
  readonly clock: () => number;
  readonly #firsts = new WeakMap<TypedExpression, Statement>();
  readonly #gets = new Map<string, string>();
  readonly liveCounts: LiveCounts = createLiveCounts();

  constructor(relations: Relations, clock: () => number) {
    this.relations = relations;
    this.clock = clock;
  }

  readonly value: (expression: TypedExpression) => TableEvaluator = onceFor((expression) => ({
    evaluate: valueEvaluator(expression, this.relations),
    tables: resourcesReadInFull(expression).map((resource) => relationFor(this.relations, resource).name),
  }));
  readonly view: (view: View) => ReturnType<typeof viewEvaluator> = onceFor((view) =>
    viewEvaluator(view, this.relations),
  );
  readonly list: (query: ListQuery) => List = onceFor((query) => prepareList(query, this.relations));
  readonly breaks: (query: RuleQuery) => Statement = onceFor((query) =>
    statementOf(breakingSql(query, expressions, this.relations)),
  );

  /** Returns a statement that finds the oldest record for which a condition is true; a lock follows it. */
  first(relation: Relation, where: TypedExpression | undefined): Statement {
    const make = (): Statement =>
      statementOf(sql`SELECT ${relation.everything} FROM ${relation.name} AS t
        WHERE ${expressions.condition(where && { all: [where] }, this.relations)}
        ORDER BY t._seq LIMIT 1`);
    return where === undefined ? make() : getOrMake(this.#firsts, where, make);
  }

  /** Returns a statement that finds and locks the records of a selection; the limit is its argument. */
  readonly select: (query: SelectionQuery) => Statement = onceFor(({ resource, sort, where }) => {
    const relation = relationFor(this.relations, resource);
    const nulls = sort?.descending === true ? "DESC NULLS LAST" : "NULLS FIRST";
    const order = sort === undefined ? "" : `t.${quoteName(sort.column)} ${nulls}, `;
    return statementOf(sql`SELECT ${relation.everything} FROM ${relation.name} AS t
      WHERE ${expressions.condition(where, this.relations)}
      ORDER BY ${order}t._seq LIMIT ${argument(0, "bigint")} FOR NO KEY UPDATE OF t`);
  });

  /** Returns a statement that finds a record by a unique column. */
  get(relation: Relation, column: string): string {
    return getOrMake(this.#gets, `${relation.table.resource}.${column}`, () => {
      const find = sql`SELECT ${relation.everything} FROM ${relation.name} AS t WHERE ${hasKey(relation, column)}`;
      return statementOf(find).text;
    });
  }
}

/** The clauses of row locks: shared by any number of transactions, or exclusive for a change. */
const [forShare, toChange] = ["FOR SHARE", "FOR NO KEY UPDATE"] as const;
type Lock = typeof forShare | typeof toChange;

/**
 * Statements see what is committed when they start (READ COMMITTED), and locks until the end make the transactions serialisable:
 * FOR NO KEY UPDATE on a row, which does not block transactions that only reference it; FOR SHARE on a row read through a
 * reference, unless the task may change it later; an advisory lock for a count of rows; a table lock if any row of a table may
 * matter. `docs/decisions/0010-postgres-locks.md` explains why not SERIALIZABLE.
 */
export class PostgresTransaction implements Transaction {
  readonly changes: RecordChange[] = [];
  readonly #deps: TransactionDeps;
  readonly #session: PgSession;
  readonly #unclaimed: Unclaimed = new Map();
  /**
   * Current values of records that this transaction has locked or written, by table and id: no other transaction can change them,
   * and unlocked reads do not see its writes.
   */
  readonly #changedRows = new Map<string, Row>();
  /**
   * Records that were read without a lock, by table and id: their revisions, and the lock to take once the transaction takes
   * locks.
   */
  readonly #relied = new Map<string, { readonly revision: number; readonly held: Lock }>();
  /** Resources that the task may change. */
  readonly #changing = new Set<string>();
  /** Optimistic mode: assumes that usual checks succeed, and verifies them at commit. */
  #isHopeful: boolean;
  /** Whether the transaction added entries to the event log, for the sequencer after the commit. */
  hasRecorded = false;

  constructor(deps: TransactionDeps, session: PgSession) {
    this.#deps = deps;
    this.#session = session;
    this.#isHopeful = session.isHopeful;
  }

  get(resource: string, column: string, value: Value): Promise<Row | undefined> {
    return this.#find(resource, column, value, toChange);
  }

  lockShared(resource: string, column: string, value: Value): Promise<Row | undefined> {
    return this.#find(resource, column, value, this.#changing.has(resource) ? toChange : forShare);
  }

  declareWrites(resources: Iterable<string>): void {
    for (const resource of resources) this.#changing.add(resource);
  }

  async lockEagerly(): Promise<void> {
    if (!this.#isHopeful) return;
    this.#isHopeful = false;
    await this.#session.rows("SELECT 1");
  }

  lock(resource: string, id: Value): Promise<Row | undefined> {
    return this.#find(resource, "id", id, toChange, " SKIP LOCKED");
  }

  /** Finds a record; without `held` it takes no lock. */
  async #find(
    resource: string,
    column: string,
    value: Value,
    held: Lock | undefined,
    otherwise: "" | " SKIP LOCKED" = "",
  ): Promise<Row | undefined> {
    const relation = relationFor(this.#deps.relations, resource);
    const changedRows = column === "id" ? this.#changedRows.get(keyOf(relation, value)) : undefined;
    if (changedRows?.["_seq"] !== undefined) return changedRows;
    // A column unique by its digest needs the value twice: for the digest and the comparison.
    const key = toStored(value, typeOf(relation, column));
    const keys = isUniqueByDigest(relation.table, column) ? [key, key] : [key];
    const glanced = otherwise === "" ? await this.#glance(relation, column, keys, held) : undefined;
    if (glanced !== undefined) return glanced;
    const text = this.#deps.get(relation, column);
    const [found] = await this.#session.rows(held === undefined ? text : `${text} ${held} OF t${otherwise}`, keys);
    if (found === undefined) return undefined;
    const row = relation.decode(found);
    return held === toChange ? this.#holding(relation, row) : row;
  }

  #holding(relation: Relation, row: Row): Row {
    this.#changedRows.set(keyOf(relation, row["id"]), row);
    return row;
  }

  /** Reads a committed record without a lock; the commit verifies its revision. */
  async #glance(
    relation: Relation,
    column: string,
    keys: readonly Bindable[],
    held: Lock | undefined,
  ): Promise<Row | undefined> {
    const glanced = this.#session.glance(this.#deps.get(relation, column), keys);
    const [found] = (await glanced) ?? [];
    if (found === undefined) return undefined;
    const row = relation.decode(found);
    const written = this.#changedRows.get(keyOf(relation, row["id"]));
    // If this transaction changed the key, only the database knows which record has it now.
    if (written !== undefined)
      return written[column] === row[column] && written["_seq"] !== undefined ? written : undefined;
    if (held !== undefined) this.#relyOn(relation, row, held);
    return row;
  }

  #relyOn(relation: Relation, row: Row, held: Lock): void {
    const rowKey = keyOf(relation, row["id"]);
    const revision = row["_rev"] as number;
    const before = this.#relied.get(rowKey);
    if ((before?.revision ?? revision) !== revision) throw new Overtaken("a record was changed between two looks");
    if (before?.held === toChange) return;
    this.#relied.set(rowKey, { revision, held });
    this.#session.rely(rowKey, {
      text: `SELECT 1 FROM ${relation.name} WHERE _seq = $1 AND _rev = $2 ${held}`,
      values: [row["_seq"] as number, revision],
    });
  }

  /** Reads without a lock, for records that are only displayed. */
  readonly #look: Fetch = (resource, id) => this.#find(resource, "id", id, undefined);

  /** Reads with a lock, for records on which a decision depends. */
  readonly #rely: Fetch = (resource, id) => this.lockShared(resource, "id", id);

  async list(query: ListQuery, page: PageArguments, variables: Variables): Promise<Page> {
    await this.#session.freeze([relationFor(this.#deps.relations, query.resource).name]);
    return this.#deps.list(query)(this.#session, page, variables);
  }

  /** SKIP LOCKED first; only if no unlocked row matches, waits for the locked ones. */
  async first(resource: string, where: TypedExpression | undefined, variables: Variables): Promise<Row | undefined> {
    const relation = relationFor(this.#deps.relations, resource);
    const statement = this.#deps.first(relation, where);
    const text = `${statement.text} ${toChange} OF t`;
    const values = statement.bind([], variables);
    const [free] = await this.#session.rows(`${text} SKIP LOCKED`, values);
    const [found] = free === undefined ? await this.#session.rows(text, values) : [free];
    return found && this.#holding(relation, relation.decode(found));
  }

  async firstShared(resource: string, where: TypedExpression, variables: Variables): Promise<Row | undefined> {
    if (this.#changing.has(resource)) return this.first(resource, where, variables);
    const relation = relationFor(this.#deps.relations, resource);
    const { bind, text } = this.#deps.first(relation, where);
    const [found] = await this.#session.rows(`${text} ${forShare} OF t`, bind([], variables));
    return found && relation.decode(found);
  }

  async all(
    resource: string,
    where: Condition | undefined,
    variables: Variables,
    limit: number,
  ): Promise<readonly Row[]> {
    const relation = relationFor(this.#deps.relations, resource);
    const { bind, text } = statementOf(sql`SELECT ${relation.everything} FROM ${relation.name} AS t
      WHERE ${expressions.condition(where, this.#deps.relations)}
      ORDER BY t._seq LIMIT ${argument(0, "bigint")} FOR NO KEY UPDATE OF t`);
    return (await this.#session.rows(text, bind([limit], variables))).map(relation.decode);
  }

  async select(query: SelectionQuery, limit: number, variables: Variables): Promise<readonly Row[]> {
    const relation = relationFor(this.#deps.relations, query.resource);
    const { bind, text } = this.#deps.select(query);
    const values = bind([limit], variables);
    const free = query.isPartial ? await this.#session.rows(`${text} SKIP LOCKED`, values) : [];
    const found = query.isPartial && free.length === limit ? free : await this.#session.rows(text, values);
    return found.map((row) => this.#holding(relation, relation.decode(row)));
  }

  evaluate(expression: TypedExpression, row: Row, variables: Variables): Value | Promise<Value> {
    const { evaluate, tables } = this.#deps.value(expression);
    if (tables.length === 0) return evaluate(this.#session, this.#rely, row, variables);
    return this.#session.freeze(tables).then(() => evaluate(this.#session, this.#rely, row, variables));
  }

  /** Takes the locks in one order, after earlier writes, so that transactions cannot deadlock. */
  exclude(names: readonly (readonly [resource: string, name: string])[]): void {
    const held = names.map(([resource, name]): Name => [relationFor(this.#deps.relations, resource).name, name]);
    const { text, values } = holding(held.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)));
    this.#session.send(text, values);
  }

  async breaks(query: RuleQuery, variables: Variables): Promise<boolean> {
    const { bind, text } = this.#deps.breaks(query);
    return (await this.#session.rows(text, bind([], variables))).length > 0;
  }

  view(row: Row, view: View, variables: Variables): string | Promise<string> {
    return this.#deps.view(view).fromRow(this.#session, this.#look, row, variables);
  }

  async insert(resource: string, input: Row, revision: number, view: View, variables: Variables): Promise<Written> {
    const relation = relationFor(this.#deps.relations, resource);
    const values = relation.rounded(input);
    const { counted, table } = relation;
    const hidden = { _rev: revision, ...timesOf(table, values, undefined, this.#deps.clock()) };
    const local = this.#deps.view(view).local;
    if (local !== undefined && this.#isHopeful && counted.length === 0 && !relation.hasFiles) {
      const row: Record<string, Value> = { ...hidden };
      for (const { name } of table.columns) row[name] = values[name] ?? null;
      this.#session.expect(relation.insert, relation.encode({ ...values, ...hidden }));
      this.#changedRows.set(keyOf(relation, row["id"]), row);
      this.changes.push({ resource, row });
      return { kind: "written", text: local(row, variables), revision, row };
    }
    const [made] = await this.#session.rows<[number, ...number[]]>(
      relation.insert,
      relation.encode({ ...values, ...hidden }),
    );
    if (made === undefined) return this.#conflict(relation, values, undefined);
    const row: Record<string, Value> = { _seq: made[0], ...hidden };
    for (const { name } of table.columns) row[name] = values[name] ?? null;
    counted.forEach((name, index) => {
      row[name] = made[index + 1] ?? null;
    });
    if (relation.hasFiles) await followFiles(this.#session, table, undefined, row);
    this.changes.push({ resource, row });
    const text = await this.#deps.view(view).stored(this.#session, this.#look, row, variables);
    return { kind: "written", text, revision, row };
  }

  async update(resource: string, row: Row, changes: Row, view: View, variables: Variables): Promise<Written> {
    const relation = relationFor(this.#deps.relations, resource);
    const changed = await this.#change(relation, await this.#numbered(relation, row), changes);
    if ("kind" in changed) return changed;
    const text = await this.#deps.view(view).stored(this.#session, this.#look, changed.row, variables);
    return { kind: "written", text, revision: changed.row["_rev"] as number, row: changed.row };
  }

  /** Writes the changes. If an earlier change of this transaction made `row` stale, uses the current row. */
  async #change(relation: Relation, row: Row, input: Row): Promise<{ readonly row: Row } | Duplicate> {
    const changes = relation.rounded(input);
    const now = this.#deps.clock();
    const written = this.#changedRows.get(keyOf(relation, row["id"]));
    const newest = written?.["_seq"] === undefined ? row : written;
    for (let present: Row | undefined = newest; present; ) {
      const old = present["_rev"] as number;
      const times = timesOf(relation.table, { ...present, ...changes }, present, now);
      const next: Row = { ...present, ...changes, ...times, _rev: Math.max(now, old + 1) };
      const set = { _rev: next["_rev"] ?? null, ...changes, ...times, ...relation.texts(next) };
      if (await this.#write(relation, present, next, set)) {
        this.#changedRows.set(keyOf(relation, next["id"]), next);
        if (relation.hasFiles) await followFiles(this.#session, relation.table, present, next);
        this.changes.push({ resource: relation.table.resource, old: present, row: next });
        return { row: next };
      }
      const before: Row = present;
      present = await this.get(relation.table.resource, "_seq", row["_seq"] as number);
      if (present?.["_rev"] === before["_rev"]) return this.#conflict(relation, next, before);
    }
    throw new Error(`a ${relation.table.resource} was changed that is no longer there`);
  }

  /**
   * Returns the row with its `_seq`: a record that this transaction created optimistically has none yet, so it waits for the
   * database.
   */
  async #numbered(relation: Relation, row: Row): Promise<Row> {
    if (row["_seq"] !== undefined) return row;
    const [found] = await this.#session.rows<[number]>(`SELECT _seq FROM ${relation.name} WHERE "id" = $1`, [
      toStored(row["id"], typeOf(relation, "id")),
    ]);
    if (found === undefined) throw new Overtaken("a record that was made is not there");
    return { ...row, _seq: found[0] };
  }

  /** Writes a row; returns false if the row has changed, or would violate a unique constraint. */
  async #write(relation: Relation, before: Row, next: Row, set: Row): Promise<boolean> {
    const values: Bindable[] = [];
    const rowKey = (value: Value | undefined, column: string): string => {
      const type = typeOf(relation, column);
      values.push(toStored(value, type, isRequired(relation, column)));
      return `$${values.length}::${columnTypes[type]}`;
    };
    const changes = Object.entries(set).map(
      ([name, value]) => `${relation.storedName(name)} = ${relation.storedValue(name, rowKey(value, name))}`,
    );
    const same = `${relation.seq} = ${rowKey(before["_seq"], "_seq")} AND _rev = ${rowKey(before["_rev"], "_rev")}`;
    // Uniqueness is checked in the WHERE clause, because a failed statement would abort the transaction.
    const free = changedUniques(relation, before, next).map((columns) => {
      const all = columns.map((name) =>
        isSame(relation, "o", name, isAlike(next[name], null) ? undefined : rowKey(next[name], name)),
      );
      return `NOT EXISTS (SELECT 1 FROM ${relation.name} AS o WHERE ${all.join(" AND ")} AND o._seq <> t.${relation.seq})`;
    });
    const text = `UPDATE ${relation.stored} AS t SET ${changes.join(", ")} WHERE ${[same, ...free].join(" AND ")} RETURNING 1`;
    if (this.#isHopeful && !relation.hasFiles) {
      this.#session.expect(text, values);
      // The UPDATE itself now verifies the revision, so the separate check is removed.
      this.#session.rely(keyOf(relation, before["id"]), undefined);
      return true;
    }
    return (await this.#session.rows(text, values)).length > 0;
  }

  /** Finds which unique columns conflict, after a write found that some do. */
  async #conflict(relation: Relation, values: Row, before: Row | undefined): Promise<Duplicate> {
    const bound: Bindable[] = [];
    const sets = changedUniques(relation, before, values);
    const conditions = sets.map((columns) => {
      const all = columns.map((name) => {
        if (isAlike(values[name], null)) return isSame(relation, "o", name, undefined);
        const type = typeOf(relation, name);
        bound.push(toStored(values[name], type));
        return isSame(relation, "o", name, `$${bound.length}::${columnTypes[type]}`);
      });
      if (before !== undefined) bound.push(before["_seq"] as number);
      const other = before === undefined ? "" : ` AND o._seq <> $${bound.length}::bigint`;
      return `EXISTS (SELECT 1 FROM ${relation.name} AS o WHERE ${all.join(" AND ")}${other})`;
    });
    const [found = []] = sets.length === 0 ? [] : await this.#session.rows(`SELECT ${conditions.join(", ")}`, bound);
    const columns = sets[found.indexOf(true)];
    // The conflicting record is not visible to this transaction yet.
    if (columns === undefined) throw new Overtaken("another transaction has written the same");
    return { kind: "duplicate", columns };
  }

  delete(resource: string, row: Row): Promise<DeleteOutcome> {
    return this.deleteAll(resource, [row]);
  }

  async deleteAll(resource: string, rows: readonly Row[]): Promise<DeleteOutcome> {
    const { relations } = this.#deps;
    const relation = relationFor(relations, resource);
    const { table } = relation;
    const tables = [...relations.values()].map((relation) => relation.table);
    const held: Held[] = [];
    for (const row of rows) held.push({ table, row: await this.#numbered(relation, row) });
    const plan = await runStepsAsync(planDeletion(tables, held), (step) => this.#referring(step));
    if (plan.kind === "referenced") return plan;
    for (const cleared of plan.cleared) {
      const changes = await runStepsAsync(recomputed(cleared), ([expression, at]) => this.evaluate(expression, at, {}));
      const changed = await this.#change(relationFor(relations, cleared.table.resource), cleared.row, changes);
      if ("kind" in changed) throw new Error(`a ${cleared.table.resource} is not unique any more`);
    }
    await this.#remove(plan.deleted);
    const records = plan.deleted.map(deletedRecord);
    for (const { resource: of, id } of records) forgetSessions(this.#session, of, `${id as string | number}`);
    return { kind: "deleted", records };
  }

  async #referring({ kind, table, column, value }: Referring): Promise<readonly Row[]> {
    const relation = relationFor(this.#deps.relations, table.resource);
    const name = `t.${quoteName(column)}`;
    const [where, bound] =
      kind === "having"
        ? [`${name} = $1::${columnTypes[typeOf(relation, column)]}`, toStored(value, typeOf(relation, column))]
        : [`strpos(${name}::text, $1) > 0`, JSON.stringify(value)];
    const text = `SELECT ${relation.everything} FROM ${relation.name} AS t WHERE ${where} ORDER BY t._seq FOR UPDATE OF t`;
    return (await this.#session.rows(text, [bound])).map(relation.decode);
  }

  /**
   * Deletes records with one DELETE per table. References between records may form a cycle, so that no other order satisfies
   * the foreign keys.
   */
  async #remove(records: readonly Held[]): Promise<void> {
    const byTable = Map.groupBy(records, ({ table }) => table);
    if (byTable.size > 1) this.#session.send("SET CONSTRAINTS ALL DEFERRED");
    for (const [table, held] of byTable) {
      const { hasFiles, seq, stored } = relationFor(this.#deps.relations, table.resource);
      const ids = held.map(({ row }) => row["_seq"] as number);
      for (const { row } of held) this.changes.push({ resource: table.resource, old: row });
      for (const { row } of held)
        this.#changedRows.delete(keyOf(relationFor(this.#deps.relations, table.resource), row["id"]));
      await this.#session.rows(`DELETE FROM ${stored} WHERE ${seq} = ANY($1::bigint[])`, [ids]);
      if (hasFiles) for (const { row } of held) await followFiles(this.#session, table, row, undefined);
    }
    if (byTable.size > 1) await this.#session.rows("SET CONSTRAINTS ALL IMMEDIATE");
  }

  session(hash: string): Promise<SessionToken | undefined> {
    return heldSession(this.#session, hash);
  }

  addSession(token: SessionToken): void {
    addSession(this.#session, token);
  }

  replaceSession(hash: string, at: number): void {
    replaceSession(this.#session, hash, at);
  }

  async endSessions(which: Sessions, at: number): Promise<void> {
    await endSessions(this.#session, which, at);
  }

  offset(reader: string): Promise<number | undefined> {
    return offset(this.#session, reader);
  }

  setOffset(reader: string, position: number): void {
    setOffset(this.#session, reader, position);
  }

  record(entry: JournalEntry): void {
    this.hasRecorded = true;
    record(this.#session, entry);
  }

  hasFired(resource: string, id: string, cause: string, due: number): Promise<boolean> {
    return hasFired(this.#session, resource, id, cause, due);
  }

  forget(resource: string, id: string): void {
    forget(this.#session, resource, id);
  }

  intact(positions: readonly number[]): Promise<ReadonlySet<number>> {
    return intact(this.#session, positions);
  }

  defer(resource: string, row: Row, due: number | null): void {
    const relation = relationFor(this.#deps.relations, resource);
    const id = toStored(row["id"], typeOf(relation, "id"));
    this.#session.send(`UPDATE ${relation.name} SET _due = $1 WHERE "id" = $2`, [due, id]);
    this.#changedRows.delete(keyOf(relation, row["id"]));
  }

  findResponse(scope: string, key: string): Promise<StoredResponse | undefined> {
    return findResponse(this.#session, this.#unclaimed, scope, key);
  }

  saveResponse(scope: string, key: string, stored: StoredResponse): void {
    saveResponse(this.#session, this.#unclaimed, scope, key, stored);
  }

  count(name: string, key: string, now: number, until: number, more = 1): Promise<Counted> {
    return countUp(this.#session, { name, key, more }, now, until);
  }

  async hasRoom({ resource, column, value, states }: LiveCount, most: number): Promise<boolean> {
    const relation = relationFor(this.#deps.relations, resource);
    const type = typeOf(relation, column);
    const key = JSON.stringify([column, value]);
    const among = states === undefined ? "" : `AND state IN (${states.map(quoteText).join(", ") || "NULL"})`;
    const name = `${relation.name} ${key} ${among}`;
    // Every transaction that adds such a record takes this lock first, and so waits for this one.
    this.#session.hold(relation.name, key);
    const count = `SELECT count(*) AS present FROM (SELECT 1 FROM ${relation.name} AS t
      WHERE t.${quoteName(column)} = $1::${columnTypes[type]} ${among} LIMIT $2::bigint) AS found`;
    const values = [toStored(value, type), most + 1];
    if (this.#isHopeful && this.#deps.liveCounts.expects(name, most)) {
      this.#session.expect(`SELECT 1 FROM (${count}) AS counted WHERE present < $2::bigint`, values);
      return true;
    }
    const [found] = await this.#session.rows<[number]>(count, values);
    const [present] = defined(found, `the count of ${resource}`);
    this.#deps.liveCounts.counted(name, present);
    return present <= most;
  }
}

function keyOf({ name }: Relation, id: Value | undefined): string {
  return `${name} ${String(id as string | number)}`;
}

type Duplicate = Extract<Written, { kind: "duplicate" }>;

/**
 * Returns the unique sets in which a value changes, or all for a new record; sets with a null do not conflict unless
 * `isAbsentEqual`.
 */
function changedUniques(
  { table, uniques }: Relation,
  before: Row | undefined,
  next: Row,
): readonly (readonly string[])[] {
  return uniques.filter(
    (set) =>
      (isAbsentEqual(table, set) || set.every((name) => !isAlike(next[name], null))) &&
      (before === undefined || set.some((name) => !isAlike(before[name], next[name]))),
  );
}

function isAlike(a: Value | undefined, b: Value | undefined): boolean {
  return (a ?? null) === (b ?? null);
}

/** Returns the condition that a column has the given value; undefined stands for null. */
function isSame({ table }: { readonly table: Table }, alias: string, name: string, value: string | undefined): string {
  const column = `${alias}.${quoteName(name)}`;
  if (value === undefined) return `${column} IS NULL`;
  const equality = `${column} = ${value}`;
  return isUniqueByDigest(table, name) ? `${digestOf(column)} = ${digestOf(value)} AND ${equality}` : equality;
}
