/** What one transaction can do, on a connection of its own. */
import { defined } from "../../base/defined.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Table } from "../../plan/plan.ts";
import { deletedRecord, planDeletion, type Held, type Referring } from "../deletion.ts";
import { sql } from "../fragment.ts";
import { quoteText } from "../member-text.ts";
import { recomputed } from "../recompute.ts";
import { relationFor, typeOf } from "../relation.ts";
import type { Sessions, SessionToken } from "../sessions.ts";
import { answeredLater } from "../steps.ts";
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
import { timesOf } from "../times.ts";
import { recall, remember, type Unclaimed } from "./answers.ts";
import { type Ask, askValue, askView, type Fetch, wholeResources } from "./at-hand.ts";
import { breakingSql } from "../breaking-sql.ts";
import { type Held as Name, holding } from "./commits.ts";
import { expressions } from "./condition.ts";
import type { Bindable, Work } from "./connection.ts";
import { countUp } from "./counts.ts";
import { Overtaken } from "./failure.ts";
import { followFiles } from "./files.ts";
import { argument, type Statement, statementOf } from "./fragment.ts";
import { bookmark, forget, hasFired, intact, record, setBookmark } from "./journal.ts";
import { type List, prepareList } from "./list.ts";
import { hasKey } from "./read.ts";
import type { Relation, Relations } from "./relations.ts";
import { addSession, endSessions, forgetSessions, heldSession, replaceSession } from "./sessions.ts";
import { isAbsentEqual } from "../uniques.ts";
import { digestOf, isUniqueByDigest } from "./schema.ts";
import { createTallies, type Tallies } from "./tallies.ts";
import { columnTypes, quoteName, toStored } from "./value.ts";

interface AskOfOthers {
  readonly ask: Ask<Value>;
  /** Those of which any row may matter. */
  readonly tables: readonly string[];
}

/** What transactions of one store have in common: everything that is made once and used by all. */
export class Workshop {
  readonly relations: Relations;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly #values = new WeakMap<TypedExpression, AskOfOthers>();
  readonly #views = new WeakMap<View, ReturnType<typeof askView>>();
  readonly #firsts = new WeakMap<TypedExpression, Statement>();
  readonly #lists = new WeakMap<ListQuery, List>();
  readonly #gets = new Map<string, string>();
  readonly #breaks = new WeakMap<RuleQuery, Statement>();
  readonly tallies: Tallies = createTallies();

  constructor(relations: Relations, clock: () => number) {
    this.relations = relations;
    this.clock = clock;
  }

  value(expression: TypedExpression): AskOfOthers {
    return kept(this.#values, expression, () => ({
      ask: askValue(expression, this.relations),
      tables: wholeResources(expression).map((resource) => relationFor(this.relations, resource).name),
    }));
  }

  view(view: View): ReturnType<typeof askView> {
    return kept(this.#views, view, () => askView(view, this.relations));
  }

  list(query: ListQuery): List {
    return kept(this.#lists, query, () => prepareList(query, this.relations));
  }

  breaks(query: RuleQuery): Statement {
    return kept(this.#breaks, query, () => statementOf(breakingSql(query, expressions, this.relations)));
  }

  /** The oldest record for which a condition is true. */
  first(relation: Relation, where: TypedExpression | undefined): Statement {
    const make = (): Statement =>
      statementOf(sql`SELECT ${relation.everything} FROM ${relation.name} AS t
        WHERE ${expressions.condition(where && { all: [where] }, this.relations)}
        ORDER BY t._seq LIMIT 1 FOR NO KEY UPDATE OF t`);
    return where === undefined ? make() : kept(this.#firsts, where, make);
  }

  /** The record whose unique column has a value. */
  get(relation: Relation, column: string): string {
    const key = `${relation.table.resource}.${column}`;
    let text = this.#gets.get(key);
    if (text === undefined) {
      text = statementOf(
        sql`SELECT ${relation.everything} FROM ${relation.name} AS t WHERE ${hasKey(relation, column)}`,
      ).text;
      this.#gets.set(key, text);
    }
    return text;
  }
}

function kept<Key extends object, Made>(all: WeakMap<Key, Made>, key: Key, make: () => Made): Made {
  const known = all.get(key);
  if (known !== undefined) return known;
  const made = make();
  all.set(key, made);
  return made;
}

/** How a row is held: so that any number may do so at once, or so that one may change it. */
const [toRefer, toChange] = ["FOR SHARE", "FOR NO KEY UPDATE"] as const;
type Lock = typeof toRefer | typeof toChange;

/**
 * Statements see what is committed when they are given (READ COMMITTED), and whatever is decided on is held until the end, so
 * that transactions come out as if they had been run one after another: a row with FOR NO KEY UPDATE, which others who only
 * refer to it need not wait for; a row that is read by a reference with FOR SHARE, unless the work may change it later; a number
 * of rows by a lock of its own; and where all rows of a table may matter, the table. `docs/decisions/0010-postgres-locks.md` says why not SERIALIZABLE.
 */
export class PostgresTransaction implements Transaction {
  readonly changes: RecordChange[] = [];
  readonly #shop: Workshop;
  readonly #work: Work;
  readonly #unclaimed: Unclaimed = new Map();
  /**
   * Records that this transaction holds or has written, by table and id, as they are now: nobody else can change them, and who
   * only glances at one does not see what was written.
   */
  readonly #own = new Map<string, Row>();
  /** Of records that were glanced at, by table and id: their revisions, and how they are held once anything is. */
  readonly #relied = new Map<string, { readonly revision: number; readonly held: Lock }>();
  /** Resources. */
  readonly #changing = new Set<string>();
  /** Whether what mostly is as expected is expected, and found out as it commits. */
  #isHopeful: boolean;
  /** Whether there is something for the sequencer, once it is committed. */
  hasRecorded = false;

  constructor(shop: Workshop, work: Work) {
    this.#shop = shop;
    this.#work = work;
    this.#isHopeful = work.isHopeful;
  }

  get(resource: string, column: string, value: Value): Promise<Row | undefined> {
    return this.#find(resource, column, value, toChange);
  }

  refer(resource: string, column: string, value: Value): Promise<Row | undefined> {
    return this.#find(resource, column, value, this.#changing.has(resource) ? toChange : toRefer);
  }

  mayChange(resources: Iterable<string>): void {
    for (const resource of resources) this.#changing.add(resource);
  }

  async lockEagerly(): Promise<void> {
    if (!this.#isHopeful) return;
    this.#isHopeful = false;
    await this.#work.rows("SELECT 1");
  }

  claim(resource: string, id: Value): Promise<Row | undefined> {
    return this.#find(resource, "id", id, toChange, " SKIP LOCKED");
  }

  /** Without `held` nothing is held of it. */
  async #find(
    resource: string,
    column: string,
    value: Value,
    held: Lock | undefined,
    otherwise: "" | " SKIP LOCKED" = "",
  ): Promise<Row | undefined> {
    const relation = relationFor(this.#shop.relations, resource);
    const own = column === "id" ? this.#own.get(placeOf(relation, value)) : undefined;
    if (own?.["_seq"] !== undefined) return own;
    // A column that is unique by its digest is asked for both.
    const key = toStored(value, typeOf(relation, column));
    const keys = isUniqueByDigest(relation.table, column) ? [key, key] : [key];
    const seen = otherwise === "" ? await this.#glance(relation, column, keys, held) : undefined;
    if (seen !== undefined) return seen;
    const text = this.#shop.get(relation, column);
    const [found] = await this.#work.rows(held === undefined ? text : `${text} ${held} OF t${otherwise}`, keys);
    if (found === undefined) return undefined;
    const row = relation.decode(found);
    return held === toChange ? this.#holding(relation, row) : row;
  }

  #holding(relation: Relation, row: Row): Row {
    this.#own.set(placeOf(relation, row["id"]), row);
    return row;
  }

  /** A record as it is committed, of which nothing is held: by its revision it is found out in the end whether it still is. */
  async #glance(
    relation: Relation,
    column: string,
    keys: readonly Bindable[],
    held: Lock | undefined,
  ): Promise<Row | undefined> {
    const glanced = this.#work.glance(this.#shop.get(relation, column), keys);
    const [found] = (await glanced) ?? [];
    if (found === undefined) return undefined;
    const row = relation.decode(found);
    const written = this.#own.get(placeOf(relation, row["id"]));
    // What it has under this key now, only the database knows.
    if (written !== undefined)
      return written[column] === row[column] && written["_seq"] !== undefined ? written : undefined;
    if (held !== undefined) this.#relyOn(relation, row, held);
    return row;
  }

  #relyOn(relation: Relation, row: Row, held: Lock): void {
    const place = placeOf(relation, row["id"]);
    const revision = row["_rev"] as number;
    const before = this.#relied.get(place);
    if ((before?.revision ?? revision) !== revision) throw new Overtaken("a record was changed between two looks");
    if (before?.held === toChange) return;
    this.#relied.set(place, { revision, held });
    this.#work.rely(place, {
      text: `SELECT 1 FROM ${relation.name} WHERE _seq = $1 AND _rev = $2 ${held}`,
      values: [row["_seq"] as number, revision],
    });
  }

  /** Without holding it: for what is only shown. */
  readonly #look: Fetch = (resource, id) => this.#find(resource, "id", id, undefined);

  /** What is decided on stays as it is. */
  readonly #rely: Fetch = (resource, id) => this.refer(resource, "id", id);

  async list(query: ListQuery, page: PageArguments, variables: Variables): Promise<Page> {
    await this.#work.freeze([relationFor(this.#shop.relations, query.resource).name]);
    return this.#shop.list(query)(this.#work, page, variables);
  }

  /** Those that others have in hand are passed over; only where there is no other is it waited for what becomes of them. */
  async first(resource: string, where: TypedExpression | undefined, variables: Variables): Promise<Row | undefined> {
    const relation = relationFor(this.#shop.relations, resource);
    const { bind, text } = this.#shop.first(relation, where);
    const values = bind([], variables);
    const [free] = await this.#work.rows(`${text} SKIP LOCKED`, values);
    const [found] = free === undefined ? await this.#work.rows(text, values) : [free];
    return found && this.#holding(relation, relation.decode(found));
  }

  async all(
    resource: string,
    where: Condition | undefined,
    variables: Variables,
    limit: number,
  ): Promise<readonly Row[]> {
    const relation = relationFor(this.#shop.relations, resource);
    const { bind, text } = statementOf(sql`SELECT ${relation.everything} FROM ${relation.name} AS t
      WHERE ${expressions.condition(where, this.#shop.relations)}
      ORDER BY t._seq LIMIT ${argument(0, "bigint")} FOR NO KEY UPDATE OF t`);
    return (await this.#work.rows(text, bind([limit], variables))).map(relation.decode);
  }

  evaluate(expression: TypedExpression, row: Row, variables: Variables): Value | Promise<Value> {
    const { ask, tables } = this.#shop.value(expression);
    if (tables.length === 0) return ask(this.#work, this.#rely, row, variables);
    return this.#work.freeze(tables).then(() => ask(this.#work, this.#rely, row, variables));
  }

  /** Behind what was written before, whose rows are held already: all do it in this order, and do not wait in a circle. */
  exclude(names: readonly (readonly [resource: string, name: string])[]): void {
    const held = names.map(([resource, name]): Name => [relationFor(this.#shop.relations, resource).name, name]);
    const { text, values } = holding(held.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)));
    this.#work.send(text, values);
  }

  async breaks(query: RuleQuery, variables: Variables): Promise<boolean> {
    const { bind, text } = this.#shop.breaks(query);
    return (await this.#work.rows(text, bind([], variables))).length > 0;
  }

  view(row: Row, view: View, variables: Variables): string | Promise<string> {
    return this.#shop.view(view).given(this.#work, this.#look, row, variables);
  }

  async insert(resource: string, values: Row, revision: number, view: View, variables: Variables): Promise<Written> {
    const relation = relationFor(this.#shop.relations, resource);
    const { counted, table } = relation;
    const hidden = { _rev: revision, ...timesOf(table, values, undefined, this.#shop.clock()) };
    const local = this.#shop.view(view).local;
    if (local !== undefined && this.#isHopeful && counted.length === 0 && !relation.hasFiles) {
      const row: Record<string, Value> = { ...hidden };
      for (const { name } of table.columns) row[name] = values[name] ?? null;
      this.#work.expect(relation.insert, relation.encode({ ...values, ...hidden }));
      this.#own.set(placeOf(relation, row["id"]), row);
      this.changes.push({ resource, row });
      return { kind: "written", text: local(row, variables), revision, row };
    }
    const [made] = await this.#work.rows<[number, ...number[]]>(
      relation.insert,
      relation.encode({ ...values, ...hidden }),
    );
    if (made === undefined) return this.#taken(relation, values, undefined);
    const row: Record<string, Value> = { _seq: made[0], ...hidden };
    for (const { name } of table.columns) row[name] = values[name] ?? null;
    counted.forEach((name, index) => {
      row[name] = made[index + 1] ?? null;
    });
    if (relation.hasFiles) await followFiles(this.#work, table, undefined, row);
    this.changes.push({ resource, row });
    const text = await this.#shop.view(view).stored(this.#work, this.#look, row, variables);
    return { kind: "written", text, revision, row };
  }

  async update(resource: string, row: Row, changes: Row, view: View, variables: Variables): Promise<Written> {
    const relation = relationFor(this.#shop.relations, resource);
    const changed = await this.#change(relation, await this.#numbered(relation, row), changes);
    if ("kind" in changed) return changed;
    const text = await this.#shop.view(view).stored(this.#work, this.#look, changed.row, variables);
    return { kind: "written", text, revision: changed.row["_rev"] as number, row: changed.row };
  }

  /** The record with its changes. A row that was read before an earlier change of this transaction is brought up to date. */
  async #change(relation: Relation, row: Row, changes: Row): Promise<{ readonly row: Row } | Duplicate> {
    const now = this.#shop.clock();
    const written = this.#own.get(placeOf(relation, row["id"]));
    const newest = written?.["_seq"] === undefined ? row : written;
    for (let present: Row | undefined = newest; present; ) {
      const old = present["_rev"] as number;
      const times = timesOf(relation.table, { ...present, ...changes }, present, now);
      const next: Row = { ...present, ...changes, ...times, _rev: Math.max(now, old + 1) };
      const set = { _rev: next["_rev"] ?? null, ...changes, ...times, ...relation.texts(next) };
      if (await this.#write(relation, present, next, set)) {
        this.#own.set(placeOf(relation, next["id"]), next);
        if (relation.hasFiles) await followFiles(this.#work, relation.table, present, next);
        this.changes.push({ resource: relation.table.resource, old: present, row: next });
        return { row: next };
      }
      const before: Row = present;
      present = await this.get(relation.table.resource, "_seq", row["_seq"] as number);
      if (present?.["_rev"] === before["_rev"]) return this.#taken(relation, next, before);
    }
    throw new Error(`a ${relation.table.resource} was changed that is no longer there`);
  }

  /** A record that this transaction has made has no number before the database has made it. */
  async #numbered(relation: Relation, row: Row): Promise<Row> {
    if (row["_seq"] !== undefined) return row;
    const [found] = await this.#work.rows<[number]>(`SELECT _seq FROM ${relation.name} WHERE "id" = $1`, [
      toStored(row["id"], typeOf(relation, "id")),
    ]);
    if (found === undefined) throw new Overtaken("a record that was made is not there");
    return { ...row, _seq: found[0] };
  }

  /** False where it is not as it was, or has what another one has. */
  async #write(relation: Relation, before: Row, next: Row, set: Row): Promise<boolean> {
    const values: Bindable[] = [];
    const place = (value: Value | undefined, column: string): string => {
      const type = typeOf(relation, column);
      values.push(toStored(value, type));
      return `$${values.length}::${columnTypes[type]}`;
    };
    const changes = Object.entries(set).map(([name, value]) => `${quoteName(name)} = ${place(value, name)}`);
    const same = `_seq = ${place(before["_seq"], "_seq")} AND _rev = ${place(before["_rev"], "_rev")}`;
    // Asked before it is tried, because what fails would be the end of the transaction.
    const free = changedUniques(relation, before, next).map((columns) => {
      const all = columns.map((name) =>
        isSame(relation, "o", name, isAlike(next[name], null) ? undefined : place(next[name], name)),
      );
      return `NOT EXISTS (SELECT 1 FROM ${relation.name} AS o WHERE ${all.join(" AND ")} AND o._seq <> t._seq)`;
    });
    const text = `UPDATE ${relation.name} AS t SET ${changes.join(", ")} WHERE ${[same, ...free].join(" AND ")} RETURNING 1`;
    if (this.#isHopeful && !relation.hasFiles) {
      this.#work.expect(text, values);
      // From now on this finds out.
      this.#work.rely(placeOf(relation, before["id"]), undefined);
      return true;
    }
    return (await this.#work.rows(text, values)).length > 0;
  }

  /** Which of the columns another record has; it was just seen that one has some. */
  async #taken(relation: Relation, values: Row, before: Row | undefined): Promise<Duplicate> {
    const bound: Bindable[] = [];
    const sets = changedUniques(relation, before, values);
    const questions = sets.map((columns) => {
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
    const [found = []] = sets.length === 0 ? [] : await this.#work.rows(`SELECT ${questions.join(", ")}`, bound);
    const columns = sets[found.indexOf(true)];
    // One that this transaction cannot see yet.
    if (columns === undefined) throw new Overtaken("another transaction has written the same");
    return { kind: "duplicate", columns };
  }

  delete(resource: string, row: Row): Promise<DeleteOutcome> {
    return this.deleteAll(resource, [row]);
  }

  async deleteAll(resource: string, rows: readonly Row[]): Promise<DeleteOutcome> {
    const { relations } = this.#shop;
    const relation = relationFor(relations, resource);
    const { table } = relation;
    const tables = [...relations.values()].map((relation) => relation.table);
    const held: Held[] = [];
    for (const row of rows) held.push({ table, row: await this.#numbered(relation, row) });
    const plan = await answeredLater(planDeletion(tables, held), (question) => this.#referring(question));
    if (plan.kind === "referenced") return plan;
    for (const cleared of plan.cleared) {
      const changes = await answeredLater(recomputed(cleared), ([expression, at]) => this.evaluate(expression, at, {}));
      const changed = await this.#change(relationFor(relations, cleared.table.resource), cleared.row, changes);
      if ("kind" in changed) throw new Error(`a ${cleared.table.resource} is not unique any more`);
    }
    await this.#remove(plan.deleted);
    const records = plan.deleted.map(deletedRecord);
    for (const { resource: of, id } of records) forgetSessions(this.#work, of, `${id as string | number}`);
    return { kind: "deleted", records };
  }

  async #referring({ kind, table, column, value }: Referring): Promise<readonly Row[]> {
    const relation = relationFor(this.#shop.relations, table.resource);
    const name = `t.${quoteName(column)}`;
    const [where, bound] =
      kind === "having"
        ? [`${name} = $1::${columnTypes[typeOf(relation, column)]}`, toStored(value, typeOf(relation, column))]
        : [`strpos(${name}::text, $1) > 0`, JSON.stringify(value)];
    const text = `SELECT ${relation.everything} FROM ${relation.name} AS t WHERE ${where} ORDER BY t._seq FOR UPDATE OF t`;
    return (await this.#work.rows(text, [bound])).map(relation.decode);
  }

  /** Of each table at once. Records of several may refer to each other in a circle, so that no order of them would do. */
  async #remove(records: readonly Held[]): Promise<void> {
    const byTable = Map.groupBy(records, ({ table }) => table);
    if (byTable.size > 1) this.#work.send("SET CONSTRAINTS ALL DEFERRED");
    for (const [table, held] of byTable) {
      const { hasFiles, name } = relationFor(this.#shop.relations, table.resource);
      const ids = held.map(({ row }) => row["_seq"] as number);
      for (const { row } of held) this.changes.push({ resource: table.resource, old: row });
      for (const { row } of held)
        this.#own.delete(placeOf(relationFor(this.#shop.relations, table.resource), row["id"]));
      await this.#work.rows(`DELETE FROM ${name} WHERE _seq = ANY($1::bigint[])`, [ids]);
      if (hasFiles) for (const { row } of held) await followFiles(this.#work, table, row, undefined);
    }
    if (byTable.size > 1) await this.#work.rows("SET CONSTRAINTS ALL IMMEDIATE");
  }

  session(hash: string): Promise<SessionToken | undefined> {
    return heldSession(this.#work, hash);
  }

  addSession(token: SessionToken): void {
    addSession(this.#work, token);
  }

  replaceSession(hash: string, at: number): void {
    replaceSession(this.#work, hash, at);
  }

  async endSessions(which: Sessions, at: number): Promise<void> {
    await endSessions(this.#work, which, at);
  }

  bookmark(reader: string): Promise<number | undefined> {
    return bookmark(this.#work, reader);
  }

  setBookmark(reader: string, position: number): void {
    setBookmark(this.#work, reader, position);
  }

  record(entry: JournalEntry): void {
    this.hasRecorded = true;
    record(this.#work, entry);
  }

  hasFired(resource: string, id: string, cause: string, due: number): Promise<boolean> {
    return hasFired(this.#work, resource, id, cause, due);
  }

  forget(resource: string, id: string): void {
    forget(this.#work, resource, id);
  }

  intact(positions: readonly number[]): Promise<ReadonlySet<number>> {
    return intact(this.#work, positions);
  }

  defer(resource: string, row: Row, due: number | null): void {
    const relation = relationFor(this.#shop.relations, resource);
    const id = toStored(row["id"], typeOf(relation, "id"));
    this.#work.send(`UPDATE ${relation.name} SET _due = $1 WHERE "id" = $2`, [due, id]);
    this.#own.delete(placeOf(relation, row["id"]));
  }

  recall(scope: string, key: string): Promise<Remembered | undefined> {
    return recall(this.#work, this.#unclaimed, scope, key);
  }

  remember(scope: string, key: string, answer: Remembered): void {
    remember(this.#work, this.#unclaimed, scope, key, answer);
  }

  count(name: string, key: string, now: number, until: number): Promise<Counted> {
    return countUp(this.#work, name, key, now, until);
  }

  async isWithin({ resource, column, value, states }: Tally, most: number): Promise<boolean> {
    const relation = relationFor(this.#shop.relations, resource);
    const type = typeOf(relation, column);
    const key = JSON.stringify([column, value]);
    const among = states === undefined ? "" : `AND state IN (${states.map(quoteText).join(", ") || "NULL"})`;
    const name = `${relation.name} ${key} ${among}`;
    // Whoever adds one of them asks, too, and waits for this one's end.
    this.#work.hold(relation.name, key);
    const count = `SELECT count(*) AS present FROM (SELECT 1 FROM ${relation.name} AS t
      WHERE t.${quoteName(column)} = $1::${columnTypes[type]} ${among} LIMIT $2::bigint) AS found`;
    const values = [toStored(value, type), most + 1];
    if (this.#isHopeful && this.#shop.tallies.expects(name, most)) {
      this.#work.expect(`SELECT 1 FROM (${count}) AS counted WHERE present < $2::bigint`, values);
      return true;
    }
    const [found] = await this.#work.rows<[number]>(count, values);
    const [present] = defined(found, `the count of ${resource}`);
    this.#shop.tallies.counted(name, present);
    return present <= most;
  }
}

function placeOf({ name }: Relation, id: Value | undefined): string {
  return `${name} ${String(id as string | number)}`;
}

type Duplicate = Extract<Written, { kind: "duplicate" }>;

/** The sets of which a value changes, if there was a record before; where one is absent and not equal to others they are like none. */
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

/** `value`: none for an absent one. */
function isSame({ table }: { readonly table: Table }, alias: string, name: string, value: string | undefined): string {
  const column = `${alias}.${quoteName(name)}`;
  if (value === undefined) return `${column} IS NULL`;
  const whole = `${column} = ${value}`;
  return isUniqueByDigest(table, name) ? `${digestOf(column)} = ${digestOf(value)} AND ${whole}` : whole;
}
