/**
 * The interface between the service and its store. Nothing above it knows which store is used: typed expressions and views go in,
 * rows and JSON text come out. `contract.ts` is the test suite that every store passes.
 *
 * Reads see the last committed state. Writes run in transactions which the store may group: the promise of `transaction` resolves
 * only when its changes are durable, and a failed transaction undoes only itself.
 */
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { FileStore } from "./files.ts";
import type { RateRequest, RateCount, RateLimit, Rates } from "./rates.ts";
import type { Grant, GrantStore } from "./grants.ts";
import type { SessionStore, SessionToken, SessionOperations } from "./sessions.ts";
import type { JsonType } from "../../plan/resources/types.ts";
import type { FilterOperator, MeasureFunction } from "../../plan/endpoints/types.ts";

export type { FileStore, Grant, GrantStore, RateRequest, RateCount, RateLimit, Rates, SessionStore, SessionToken };

/** A value, or a promise of it: a synchronous store returns the value, an asynchronous one a promise; callers `await` both. */
export type Awaitable<T> = T | Promise<T>;

/**
 * A record as expressions read it: needed columns by name (null when absent), `_seq`, `_rev`, and for resources with timers also
 * `_entered` and `_due`, which the store sets.
 */
export type Row = Readonly<Record<string, Value>>;

/** The store of a service. It stops reads at the deadline of their variables (`deadline.ts`), with a StoreError `late`. */
export interface Store {
  /** Whether reads and writes can be served now (R1.2). */
  ready(): Awaitable<boolean>;
  /** Prepares a query for one record; the returned function may run concurrently. */
  read(query: ReadQuery): (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Prepares an aggregate query over all records; undefined if its condition is false. */
  aggregate(query: AggregateQuery): (variables: Variables) => Awaitable<string | undefined>;
  list(query: ListQuery): (page: PageArguments, variables: Variables) => Awaitable<Page>;
  /** Prepares a query for groups of records. */
  summary(query: SummaryQuery): (page: PageArguments, variables: Variables) => Awaitable<SummaryPage>;
  /**
   * Runs `task` in one serialisable transaction. If `task` throws, rolls back and rejects with the same error. After a conflict
   * with another transaction `task` runs again with a new `Transaction` (R7.4); the failed call in the former run threw a passing
   * StoreError (`isPassing`), which `task` must not catch. `until`: the deadline in epoch milliseconds. `task` checks it when it
   * starts; a store that waits after that starts `task` again. A transaction that takes longer is rolled back with a StoreError
   * `late`.
   */
  transaction<T>(task: (tx: Transaction) => Promise<T>, until?: number): Promise<T>;
  /** Returns the records with a timer due by `now`, longest overdue first; at most `limit`. */
  due(now: number, limit: number): Awaitable<readonly Due[]>;
  readonly journal: Journal;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly grants: GrantStore;
  readonly counts: CountStore;
  readonly pins: PinStore;
  readonly files: FileStore;
  /** Present if several processes serve the same data; a single process counts rate limits in memory. */
  readonly rates?: Rates;
  /**
   * Whether this process runs the task, which only one process at a time does (leader election). The process keeps the lease
   * until it exits, or until a process with a newer document takes it. If it is killed, another process takes over within
   * seconds.
   */
  acquireLease(task: string): Awaitable<boolean>;
  /**
   * Notifies the listener after any process has added to the event log, if the store can; returns the function that
   * unsubscribes. Notifications are a hint: callers also poll.
   */
  changes(listener: () => void): () => void;
  /** Returns a secret of the service by name: created once, then the same for every process and after every restart. */
  secret(name: string, make: () => string): Awaitable<string>;
  /** Replaces the secret `old` with `value`; does nothing if another process replaced it first. */
  replaceSecret(name: string, old: string, value: string): Awaitable<void>;
  /** Deletes expired stored responses, counts and sessions. `now` is in epoch milliseconds. */
  purge(now: number): Awaitable<void>;
  /** Returns connection statistics, for stores that connect to a database server. */
  load?(): StoreLoad;
  /** Completes accepted transactions, then releases all resources. */
  close(): Promise<void>;
}

export interface StoreLoad {
  readonly usedConnections: number;
  readonly idleConnections: number;
  /** The number of callers that wait for a connection. */
  readonly waiting: number;
  /** How many transactions were restarted since the store was opened, after a conflict or a lost connection. */
  readonly retries: number;
}

export interface Due {
  readonly resource: string;
  readonly id: Value;
  /** When the timer was due, in epoch milliseconds. */
  readonly due: number;
}

/**
 * A transition (R3.7) or an event (R6.1), in the order of the commits, written in the transaction of the change. A change with
 * a transition and an event is one entry; each further event is one more entry.
 */
export interface JournalEntry {
  /** The time of the change in epoch milliseconds. */
  readonly at: number;
  readonly resource: string;
  /** The record's id, as text. */
  readonly record: string;
  /** The state before a transition; without it the record was created. */
  readonly from?: string;
  readonly to?: string;
  /** The actor: a caller's id, `anonymous`, or `system`. */
  readonly by: string;
  /** The trigger: an operation's name, `after 48h`, `when parcel.announced`. */
  readonly cause: string;
  readonly request?: string;
  /** The `traceparent` of the request that caused the change, if it has one (R1.4). */
  readonly trace?: string;
  /** For a timer: when it was due, in epoch milliseconds. */
  readonly due?: number;
  /** The emitted event; `data` is the record at that time. */
  readonly event?: string;
  /** The received event, with its payload as `data`. `resource` and `record` name the record that it refers to, or are empty. */
  readonly received?: string;
  readonly data?: Row;
}

/** An entry with its position: positions increase, with gaps, in the order of reading. */
export interface JournalRecord extends JournalEntry {
  readonly position: number;
}

export interface Journal {
  /** Returns entries with an event after a position, oldest first. */
  events(after: number, limit: number): Awaitable<readonly JournalRecord[]>;
  at(position: number): Awaitable<JournalRecord | undefined>;
  /** Returns the transitions of one record after a position, oldest first. */
  moves(resource: string, record: string, after: number, limit: number): Awaitable<readonly JournalRecord[]>;
  /** Returns the newest position; 0 for an empty event log. */
  last(): Awaitable<number>;
  /** Returns the oldest position whose event is still stored; undefined for none. */
  first(): Awaitable<number | undefined>;
  /** Deletes the sent and received events of entries made before `before` (epoch milliseconds); transitions stay. */
  trim(before: number): Awaitable<void>;
}

/** The members of a record that a response contains, in order. */
export interface View extends Members {
  readonly resource: string;
}

export interface Members {
  readonly members: readonly ViewMember[];
  /** Members that a response has only if the request asks for them; stores ignore them. */
  readonly onRequest?: readonly ViewMember[];
}

export interface ViewMember {
  readonly name: string;
  readonly source: ViewSource;
  /** How JSON has the value; `json` for everything nested. */
  readonly type: JsonType;
  readonly absent: "left out" | "null";
  /** Conditions, one of which must be true for the response to have the member; absent: it always has it. */
  readonly when?: readonly TypedExpression[];
  /** The record in place of which the member has the id; stores ignore it. */
  readonly expandable?: ExpandableMember;
}

/** A reference in place of which a request may ask for the record. */
export interface ExpandableMember {
  readonly expression: TypedExpression;
  /** The view of the record that the request gets. */
  readonly view: () => View;
  /** The name of the view, or absent for the record of the resource. */
  readonly name?: string;
  readonly visible?: VisibleIf;
  /** Set if the expression is a list of records. */
  readonly isList?: boolean;
  /** Set if there is no id in place of a record that the caller may not see. */
  readonly isLeftOut?: boolean;
}

/**
 * The source of a member. Nested members are evaluated over the nested record, while `caller`, `now` and `input` remain those of
 * the request. Callers who may read the outer record may read nested ones, except for their members' `when`.
 */
export type ViewSource =
  | { readonly kind: "column"; readonly column: string }
  | { readonly kind: "expression"; readonly expression: TypedExpression }
  /** An object of further members of the same record. */
  | ({ readonly kind: "object" } & Members)
  /** The referenced record as a view; absent if there is no reference. */
  | {
      readonly kind: "record";
      readonly expression: TypedExpression;
      readonly view: View;
      readonly visible?: VisibleIf;
      /** The type of the id, which is in place of a record that the caller may not see; absent: there is no member. */
      readonly orId?: JsonType;
    }
  /**
   * A list of views. The expression comes from `checkRecords` and sets the order, which for the records of a resource is the
   * order of creation. Absent only if the expression is null.
   */
  | {
      readonly kind: "records";
      readonly expression: TypedExpression;
      readonly view: View;
      readonly visible?: VisibleIf;
    };

/** Conditions over a nested record, one of which must be true for the caller to see it; absent: the caller sees all. */
export type VisibleIf = readonly TypedExpression[];

/**
 * A query for one record. With `key`: the record with this value in this column, if `where` is absent or true for it; if
 * the column is unique only with others, `where` compares those. Without `key`: the oldest record for which `where` is true.
 */
export interface ReadQuery {
  readonly resource: string;
  /**
   * Set if the service itself reads, not a caller. Otherwise the store reads for the variables' `caller`; a store with
   * row-level security then returns only records that some operation of the document would show to that caller, whatever
   * `where` allows.
   */
  readonly system?: true;
  readonly key?: string;
  readonly where?: Condition;
  readonly view: View;
}

/** A query without a current record: neither the condition nor a member reads a field. */
export interface AggregateQuery {
  readonly where?: Condition;
  readonly members: View["members"];
}

/** A condition that is true if `all` are true and, if given, one of `any` is. */
export interface Condition {
  readonly all?: readonly TypedExpression[];
  readonly any?: readonly TypedExpression[];
}

export interface Found {
  /** The view of the record as JSON text, an object. */
  readonly text: string;
  readonly revision: number;
}

export interface ListQuery {
  readonly resource: string;
  /** Set if the service itself reads, as in a ReadQuery. */
  readonly system?: true;
  readonly where?: Condition;
  readonly view: View;
  /**
   * The sort keys; empty: newest first. The order of creation breaks ties (R4.11), in the direction of the last key; nulls are
   * first in ascending order, last in descending order.
   */
  readonly sort: readonly SortKey[];
  readonly filters: readonly { readonly column: string; readonly operator: FilterOperator }[];
  /** The text columns to search: each word of `PageArguments.search` must occur in at least one of them (`base/search.ts`). */
  readonly search?: readonly string[];
  /** Whether the page starts at the beginning, after a position (cursor), or after skipped rows. */
  readonly from: "start" | "after" | "skip";
  /** Set to request `Page.total`, which scans all matching rows. */
  readonly counted?: true;
  /** Set to read the rows in the reverse order; the page has them in the order of the list. */
  readonly reversed?: true;
}

/** A query for groups of the records of a list, from the start or after skipped groups. */
export interface SummaryQuery {
  /** Selects the records; its view and its sort keys are empty. */
  readonly list: ListQuery;
  /** Without groups there is one, of all records. */
  readonly groups: readonly TypedExpression[];
  readonly measures: readonly SummaryMeasure[];
  /** The sort keys: indexes of groups, then of measures. Ties are in the order of the groups; nulls are as in a list. */
  readonly order: readonly { readonly index: number; readonly descending: boolean }[];
}

export interface SummaryMeasure {
  readonly function: MeasureFunction;
  /** The value of a record; for `count` a condition, absent: every record counts. */
  readonly value?: TypedExpression;
}

export interface SummaryPage {
  /**
   * For each group its values, then two values for each measure: the result, and the number of records with a value. The
   * result of `average` is the sum, which the caller divides. Sums and amounts of money are decimals as text.
   */
  readonly rows: readonly (readonly Value[])[];
  readonly hasMore: boolean;
  /** For a `counted` list: the number of groups. */
  readonly total?: number;
}

export interface SortKey {
  readonly column: string;
  readonly descending: boolean;
}

export interface PageArguments {
  /** The most rows of the page. */
  readonly limit: number;
  /**
   * A value for each filter: a list for `in` and `nin`, a folded text (`base/search.ts`) for `contains` and `startsWith`, for
   * `null` whether the value is absent.
   */
  readonly filters: readonly (Value | readonly Value[])[];
  /** For a query with `search`: the words, from `searchWords`. */
  readonly search?: readonly string[];
  /** For `from: "after"`: the position after which the page starts. */
  readonly after?: readonly Value[];
  readonly skip?: number;
}

export interface Page {
  /** The views as JSON texts, separated by commas, without brackets. */
  readonly text: string;
  readonly count: number;
  /** The position of the last row read, if more rows follow in the order of reading. */
  readonly next?: readonly Value[];
  /** The position of the last row read. */
  readonly last?: readonly Value[];
  /** For a `counted` query: the number of records that match its condition, filters and search. */
  readonly total?: number;
}

/** The result of a write. A violated unique constraint is a result, not an exception. */
export type Written =
  | { readonly kind: "written"; readonly text: string; readonly revision: number; readonly row: Row }
  /** Another record has these values. */
  | { readonly kind: "duplicate"; readonly columns: readonly string[] };

/** A record written by a transaction: no `old` for a created record, no `row` for a deleted one. */
export interface RecordChange {
  readonly resource: string;
  readonly old?: Row;
  readonly row?: Row;
}

/** A query for the records that a write changes: those for which `where` is true, in the order of `sort`, then of creation. */
export interface SelectionQuery {
  readonly resource: string;
  readonly where?: Condition;
  readonly sort?: SortKey;
  /**
   * Whether any of the records may be selected, instead of all: then records that other transactions hold are passed over, if
   * there are enough others.
   */
  readonly isPartial: boolean;
}

/** A query for a record for which `where` is true and that violates the rule. */
export interface RuleQuery {
  readonly resource: string;
  /** Which records to test. Absent: any record. */
  readonly where?: TypedExpression;
  /** A condition that is true for a record that violates the rule. */
  readonly broken: TypedExpression;
  /** Set if `broken` has the same value for all records, so that testing one record is enough. */
  readonly one: boolean;
}

export interface Transaction extends SessionOperations {
  /** The writes so far, in order; a record written twice appears twice. */
  readonly changes: readonly RecordChange[];
  /** Returns the record whose unique column has this value, and locks it until the transaction ends. */
  get(resource: string, column: string, value: Value): Awaitable<Row | undefined>;
  /**
   * Returns the record whose unique column has this value, with a shared lock: until the transaction ends, no other
   * transaction can change the record, but others may also reference it.
   */
  lockShared(resource: string, column: string, value: Value): Awaitable<Row | undefined>;
  /**
   * Declares that the task may later change records of these resources: from now on references and expressions lock such
   * records exclusively, as `get` does. Otherwise two transactions with shared locks that both want to write would deadlock.
   */
  declareWrites(resources: Iterable<string>): Awaitable<void>;
  /**
   * Ends the optimistic mode: locks what this transaction has read or will read, so that the commit finds nothing changed. For a
   * function that has already seen results and cannot run again.
   */
  lockEagerly(): Awaitable<void>;
  /**
   * Returns the record with this id, locked as by `get`; undefined also if another transaction holds it (SKIP LOCKED). Workers
   * skip a record that another worker processes.
   */
  lock(resource: string, id: Value): Awaitable<Row | undefined>;
  /** Returns a page that includes the writes of this transaction; the query is prepared at first use. */
  list(query: ListQuery, page: PageArguments, variables: Variables): Awaitable<Page>;
  /** Locks and returns the oldest record for which the condition is true; concurrent transactions never get the same record. */
  first(resource: string, where: TypedExpression | undefined, variables: Variables): Awaitable<Row | undefined>;
  /** Returns the oldest record for which the condition is true, with a shared lock as that of `lockShared`. */
  firstShared(resource: string, where: TypedExpression, variables: Variables): Awaitable<Row | undefined>;
  /** Locks and returns at most `limit` records for which the condition is true, oldest first. */
  all(resource: string, where: Condition | undefined, variables: Variables, limit: number): Awaitable<readonly Row[]>;
  /** Locks and returns at most `limit` records of the query, which is prepared at first use. */
  select(query: SelectionQuery, limit: number, variables: Variables): Awaitable<readonly Row[]>;
  /** Evaluates an expression that reads other records. Expressions over one row run without the store. */
  evaluate(expression: TypedExpression, row: Row, variables: Variables): Awaitable<Value>;
  /** Takes exclusive locks by name until the transaction ends; its later reads include all writes of the previous holders. */
  exclude(names: readonly (readonly [resource: string, name: string])[]): Awaitable<void>;
  /**
   * Whether a record matches the query, including this transaction's writes. Takes no lock; prepares the query at first use.
   */
  breaks(query: RuleQuery, variables: Variables): Awaitable<boolean>;
  /**
   * Inserts a record with these columns (absent ones null) and returns it as `view`. `id(counter)` and columns with the default
   * `counter` get the next number if they have no value.
   */
  insert(resource: string, values: Row, revision: number, view: View, variables: Variables): Awaitable<Written>;
  /** Updates columns of the record `row` (from `get` or `first`); the record gets a revision that it has never had. */
  update(resource: string, row: Row, changes: Row, view: View, variables: Variables): Awaitable<Written>;
  /**
   * Deletes the record, follows `delete with`, and clears references with `clear` (which changes the revision of those records
   * and their computed columns); or returns the reference that forbids the deletion.
   */
  delete(resource: string, row: Row): Awaitable<DeleteOutcome>;
  /** Deletes all of the records or none; references among them do not forbid it. */
  deleteAll(resource: string, rows: readonly Row[]): Awaitable<DeleteOutcome>;
  /** Returns the offset of a consumer in the event log; undefined before its first `setOffset`. */
  offset(reader: string): Awaitable<number | undefined>;
  setOffset(reader: string, position: number): Awaitable<void>;
  record(entry: JournalEntry): Awaitable<void>;
  /** Whether the event log has an entry for this timer of the record with this due time. */
  hasFired(resource: string, record: string, cause: string, due: number): Awaitable<boolean>;
  /** Deletes the data of a record from its entries in the event log; its transitions stay. */
  forget(resource: string, record: string): Awaitable<void>;
  /** Returns the entries whose data still exists; it cannot be deleted until the transaction ends. */
  intact(positions: readonly number[]): Awaitable<ReadonlySet<number>>;
  /**
   * Sets when the record's timer is next due, until the next change of the record computes it again: for a timer that is due
   * but cannot run now. Null: not before that change. The revision does not change.
   */
  defer(resource: string, row: Row, due: number | null): Awaitable<void>;
  /** Renders the record as a view. */
  view(row: Row, view: View, variables: Variables): Awaitable<string>;
  /** Returns the stored response for an idempotency key in its scope. It may have expired; the caller checks `expires`. */
  findResponse(scope: string, key: string): Awaitable<StoredResponse | undefined>;
  saveResponse(scope: string, key: string, stored: StoredResponse): Awaitable<void>;
  /**
   * Increments the counter of a name and key by `more`, by default 1, and returns its value. An expired counter starts again at
   * 0, until `until`. Concurrent transactions get distinct numbers.
   */
  count(name: string, key: string, now: number, until: number, more?: number): Awaitable<Counted>;
  /**
   * Whether there are at most `most` of these records. Concurrent transactions with the same value run one after the other, so
   * each counts the writes of the previous ones.
   */
  hasRoom(liveCount: LiveCount, most: number): Awaitable<boolean>;
}

/** Selects the records of a resource with this value in the column and, if `states` is present, in one of these states. */
export interface LiveCount {
  readonly resource: string;
  readonly column: string;
  readonly value: Value;
  readonly states?: readonly string[] | undefined;
}

export type DeleteOutcome =
  | { readonly kind: "deleted"; readonly records: readonly DeletedRecord[] }
  | { readonly kind: "referenced"; readonly resource: string; readonly field: string };

/** A deleted record: the record itself, or one that was deleted together with it. */
export interface DeletedRecord {
  readonly resource: string;
  readonly id: Value;
}

/** A stored response (R4.19, R4.20), sent again byte for byte. */
export interface StoredResponse {
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When the response expires, in epoch milliseconds. */
  readonly expires: number;
}

/** Counts with an expiry, which the service holds in memory and saves here across restarts (R8.3). */
export interface CountStore {
  /** Returns the counts that have not expired at `now`. */
  all(now: number): Awaitable<readonly Count[]>;
  /** Stores counts; each replaces the stored count of the same name and key. */
  save(counts: readonly Count[]): Awaitable<void>;
}

export interface Counted {
  readonly used: number;
  /** When the count expires, in epoch milliseconds. */
  readonly until: number;
}

export interface Count extends Counted {
  readonly name: string;
  readonly key: string;
}

/** API keys and passwords of `basic`, stored as hashes (R5.4). Times are in epoch milliseconds. */
export interface KeyStore {
  find(hash: string): Awaitable<Key | undefined>;
  create(key: Key): Awaitable<void>;
  list(): Awaitable<readonly Key[]>;
  /** Revokes a key; returns false if it is unknown. */
  revoke(id: string, at: number): Awaitable<boolean>;
}

/** The keys of existing data, for commands that create and revoke them while a service runs. */
export interface OpenedKeys {
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  /** The OAuth grants; absent in a file of an earlier release. */
  readonly grants?: GrantStore;
  close(): Awaitable<void>;
}

export interface Key {
  readonly id: string;
  readonly credential: string;
  /** The SHA-256 of the secret, in lower-case hex. */
  readonly hash: string;
  /** The part of the key that may be displayed: the prefix and the last four characters. */
  readonly hint: string;
  readonly user: string;
  readonly roles: readonly string[];
  readonly created: number;
  readonly expires?: number;
  readonly revoked?: number;
}

export interface PinStore {
  find(credential: string, user: string): Awaitable<string | undefined>;
  /** Pins a user of a credential to a version, unless the user is already pinned; returns the pinned version. */
  pin(credential: string, user: string, version: string): Awaitable<string>;
}
