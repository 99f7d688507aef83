/** Implements `Transaction` in memory. */
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Table } from "../../plan/resources/types.ts";
import { countedColumns, timesOf } from "../sql/columns.ts";
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
import type { Sessions, SessionToken } from "../port/sessions.ts";
import { type Counts, countUp } from "./counts.ts";
import { runSteps } from "../sql/either-sync-or-async.ts";
import type { MemoryFiles } from "./files.ts";
import { evaluateIn, viewWriterIn, holdsIn } from "./evaluation.ts";
import type { Forgotten, MemoryJournal } from "./journal.ts";
import { prepareList, sortedRows } from "./list.ts";
import { type Committed, Pending } from "./records.ts";
import { type StoredSessions, PendingSessions } from "./sessions.ts";

/** Committed data other than records. */
export interface SideTables {
  readonly storedResponses: Map<string, StoredResponse>;
  readonly counts: Counts;
  /** The offset in the event log, by reader. */
  readonly offsets: Map<string, number>;
  readonly sessions: StoredSessions;
}

/** All state of a memory store. */
export interface MemoryState {
  readonly committed: Committed;
  readonly sideTables: SideTables;
  readonly journal: MemoryJournal;
  readonly files: MemoryFiles;
  /** Returns the time in epoch milliseconds. */
  readonly clock: () => number;
}

export class MemoryTransaction implements Transaction {
  readonly changes: RecordChange[] = [];
  readonly pending: Pending;
  readonly responses: Map<string, StoredResponse> = new Map();
  readonly counts: Counts = new Map();
  readonly journal: (JournalEntry | Forgotten)[] = [];
  readonly offsets: Map<string, number> = new Map();
  readonly sessions: PendingSessions;
  readonly #committed: Committed;
  readonly #sideTables: SideTables;
  readonly #happened: MemoryJournal;
  readonly #files: MemoryFiles;
  readonly #clock: () => number;
  #over = false;

  constructor({ committed, sideTables, journal, files, clock }: MemoryState) {
    this.#committed = committed;
    this.pending = new Pending(committed);
    this.#sideTables = sideTables;
    this.sessions = new PendingSessions(sideTables.sessions);
    this.#happened = journal;
    this.#files = files;
    this.#clock = clock;
  }

  /** Ends the transaction: from now on every call throws. */
  end(): void {
    this.#over = true;
  }

  #use(): void {
    if (this.#over) throw new Error("a transaction was used after its end");
  }

  get(resource: string, column: string, value: Value): Row | undefined {
    this.#use();
    return this.pending.find(resource, column, value);
  }

  lockShared(resource: string, column: string, value: Value): Row | undefined {
    return this.get(resource, column, value);
  }

  declareWrites(): void {}

  lockEagerly(): void {}

  lock(resource: string, id: Value): Row | undefined {
    return this.get(resource, "id", id);
  }

  first(resource: string, where: TypedExpression | undefined, variables: Variables): Row | undefined {
    this.#use();
    const condition = where && { all: [where] };
    return this.pending.all(resource).find((row) => holdsIn(this.pending, condition, row, variables));
  }

  firstShared(resource: string, where: TypedExpression, variables: Variables): Row | undefined {
    return this.first(resource, where, variables);
  }

  list(query: ListQuery, page: PageArguments, variables: Variables): Page {
    this.#use();
    return prepareList(query, this.pending, (row, parameters) => this.view(row, query.view, parameters))(
      page,
      variables,
    );
  }

  evaluate(expression: TypedExpression, row: Row, variables: Variables): Value {
    this.#use();
    return evaluateIn(this.pending, expression, row, variables);
  }

  exclude(): void {}

  breaks({ broken, one, resource, where }: RuleQuery, variables: Variables): boolean {
    this.#use();
    const among = where && { all: [where] };
    const found = this.pending.all(resource).filter((row) => holdsIn(this.pending, among, row, variables));
    return found.slice(0, one ? 1 : undefined).some((row) => holdsIn(this.pending, { all: [broken] }, row, variables));
  }

  insert(resource: string, values: Row, revision: number, view: View, variables: Variables): Written {
    this.#use();
    const { table } = this.#committed.relation(resource);
    const row: Record<string, Value> = { _seq: this.pending.nextSeq(resource), _rev: revision };
    for (const { name } of table.columns) row[name] = values[name] ?? null;
    for (const name of countedColumns(table)) row[name] ??= this.pending.count(resource, name);
    return this.#put(table, { ...row, ...timesOf(table, row, undefined, this.#clock()) }, view, variables);
  }

  update(resource: string, row: Row, changes: Row, view: View, variables: Variables): Written {
    this.#use();
    const { table } = this.#committed.relation(resource);
    return this.#put(table, this.#changed(table, row, changes), view, variables);
  }

  #changed(table: Table, row: Row, changes: Row): Row {
    const present = this.pending.find(table.resource, "_seq", row["_seq"] ?? null);
    if (!present) throw new Error(`a ${table.resource} was changed that is no longer there`);
    const now = this.#clock();
    const next = { ...present, ...changes, _rev: Math.max(now, (present["_rev"] as number) + 1) };
    return { ...next, ...timesOf(table, next, present, now) };
  }

  #put(table: Table, row: Row, view: View, variables: Variables): Written {
    const { resource } = table;
    this.#guard(table, row);
    const columns = this.pending.duplicated(resource, row);
    if (columns) return { kind: "duplicate", columns };
    const old = this.pending.find(resource, "_seq", row["_seq"] ?? null);
    this.#files.check(table, old, row);
    this.pending.put(resource, row);
    this.changes.push({ resource, row, ...(old === undefined ? {} : { old }) });
    return { kind: "written", text: this.view(row, view, variables), revision: row["_rev"] as number, row };
  }

  /** Throws if a row violates constraints of a database; the service has already validated it. */
  #guard({ columns, resource }: Table, row: Row): void {
    for (const { name, nullable, references, values } of columns) {
      const value = row[name] ?? null;
      if (value === null && nullable) continue;
      const fits =
        value !== null &&
        (values === undefined || typeof value !== "string" || values.includes(value)) &&
        (references === undefined || value === row["id"] || this.pending.find(references.resource, "id", value));
      if (!fits) throw new Error(`${resource}.${name} cannot be ${JSON.stringify(value)}`);
    }
  }

  all(resource: string, where: Condition | undefined, variables: Variables, limit: number): readonly Row[] {
    this.#use();
    return this.pending
      .all(resource)
      .filter((row) => holdsIn(this.pending, where, row, variables))
      .slice(0, limit);
  }

  select({ resource, sort, where }: SelectionQuery, limit: number, variables: Variables): readonly Row[] {
    const rows = this.all(resource, where, variables, Number.MAX_SAFE_INTEGER);
    return (sort === undefined ? rows : sortedRows(rows, [sort])).slice(0, limit);
  }

  delete(resource: string, row: Row): DeleteOutcome {
    return this.deleteAll(resource, [row]);
  }

  deleteAll(resource: string, rows: readonly Row[]): DeleteOutcome {
    this.#use();
    const { table } = this.#committed.relation(resource);
    const held = rows.map((row) => ({ table, row }));
    const plan = runSteps(planDeletion(this.#committed.tables, held), ({ kind, table: from, column, value }) =>
      this.pending.all(from.resource).filter((one) => kind === "holding" || (value !== null && one[column] === value)),
    );
    if (plan.kind === "referenced") return plan;
    for (const cleared of plan.cleared) {
      const changes = runSteps(recomputed(cleared), ([expression, at]) => this.evaluate(expression, at, {}));
      const row = this.#changed(cleared.table, cleared.row, changes);
      this.pending.put(cleared.table.resource, row);
      this.changes.push({ resource: cleared.table.resource, old: cleared.row, row });
    }
    for (const held of plan.deleted) {
      this.pending.remove(held.table.resource, held.row);
      this.changes.push({ resource: held.table.resource, old: held.row });
    }
    const records = plan.deleted.map(deletedRecord);
    for (const { resource: of, id } of records) this.sessions.forget(of, `${id as string | number}`);
    return { kind: "deleted", records };
  }

  session(hash: string): SessionToken | undefined {
    this.#use();
    return this.sessions.session(hash);
  }

  addSession(token: SessionToken): void {
    this.#use();
    this.sessions.addSession(token);
  }

  replaceSession(hash: string, at: number): void {
    this.#use();
    this.sessions.replaceSession(hash, at);
  }

  endSessions(which: Sessions, at: number): void {
    this.#use();
    this.sessions.endSessions(which, at);
  }

  offset(reader: string): number | undefined {
    this.#use();
    return this.offsets.get(reader) ?? this.#sideTables.offsets.get(reader);
  }

  setOffset(reader: string, position: number): void {
    this.#use();
    this.offsets.set(reader, position);
  }

  record(entry: JournalEntry): void {
    this.#use();
    this.journal.push(entry);
  }

  hasFired(resource: string, id: string, cause: string, due: number): boolean {
    this.#use();
    const isIt = (entry: JournalEntry | Forgotten): boolean =>
      "due" in entry &&
      entry.due === due &&
      entry.cause === cause &&
      entry.record === id &&
      entry.resource === resource;
    return this.journal.some(isIt) || this.#happened.some(isIt);
  }

  forget(resource: string, id: string): void {
    this.#use();
    this.journal.push({ forgotten: [resource, id] });
  }

  intact(positions: readonly number[]): ReadonlySet<number> {
    this.#use();
    return this.#happened.intact(positions);
  }

  defer(resource: string, row: Row, due: number | null): void {
    this.#use();
    const present = this.pending.find(resource, "_seq", row["_seq"] ?? null);
    if (present) this.pending.put(resource, { ...present, _due: due });
  }

  view(row: Row, view: View, variables: Variables): string {
    this.#use();
    return viewWriterIn(this.pending, view)(row, variables);
  }

  findResponse(scope: string, key: string): StoredResponse | undefined {
    this.#use();
    const storedKey = storedResponseKey(scope, key);
    return this.responses.get(storedKey) ?? this.#sideTables.storedResponses.get(storedKey);
  }

  saveResponse(scope: string, key: string, stored: StoredResponse): void {
    this.#use();
    this.responses.set(storedResponseKey(scope, key), stored);
  }

  count(name: string, key: string, now: number, until: number, more = 1): Counted {
    this.#use();
    return countUp(this.#sideTables.counts, this.counts, { name, key, more }, now, until);
  }

  hasRoom({ resource, column, value, states }: LiveCount, most: number): boolean {
    this.#use();
    const counted = this.pending
      .all(resource)
      .filter((row) => row[column] === value && (states === undefined || states.includes(row["state"] as string)));
    return counted.length <= most;
  }
}

function storedResponseKey(scope: string, key: string): string {
  return JSON.stringify([scope, key]);
}
