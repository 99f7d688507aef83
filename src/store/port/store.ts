/**
 * The port between the service and its durable state. Nothing above it knows which store is behind it: conditions and
 * answers go in as typed expressions and views, and come out as rows and as JSON text. `contract.ts` is the suite that
 * every store passes.
 *
 * Reads see the last committed state. Writes run in transactions which the store may group: a promise of `transaction`
 * resolves only when its changes are durable, and one transaction's failure undoes that transaction alone.
 */
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { FileStore } from "./files.ts";
import type { RateRequest, RateCount, RateLimit, Rates } from "./rates.ts";
import type { Grant, GrantStore } from "./grants.ts";
import type { SessionStore, SessionToken, SessionOperations } from "./sessions.ts";
import type { ColumnType } from "../../plan/resources/types.ts";
import type { FilterOperator } from "../../plan/endpoints/types.ts";

export type { FileStore, Grant, GrantStore, RateRequest, RateCount, RateLimit, Rates, SessionStore, SessionToken };

/** A store that answers at once gives the value, one that waits a promise; callers `await` both. */
export type Awaitable<T> = T | Promise<T>;

/**
 * A record as expressions see it: every needed column by name (null when absent), `_seq`, `_rev`, and where time does
 * something to records of the resource `_entered` and `_due`, which the store keeps itself.
 */
export type Row = Readonly<Record<string, Value>>;

/** Reads are stopped at the deadline of their variables (`deadline.ts`), with a StoreError `late`. */
export interface Store {
  /** Whether reads and writes can be served now (R1.2). */
  ready(): Awaitable<boolean>;
  /** Prepares the reading of one record; the result may be called any number of times, at the same time. */
  read(query: ReadQuery): (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Prepares what is told of all records together; undefined where the condition does not hold. */
  aggregate(query: AggregateQuery): (variables: Variables) => Awaitable<string | undefined>;
  list(query: ListQuery): (page: PageArguments, variables: Variables) => Awaitable<Page>;
  /**
   * Runs `work` in one serialisable transaction. Rejects with what `work` throws, after undoing what it did. Where another
   * transaction was in the way `work` is run again, with another `Transaction` (R7.4); what failed in the one before was then a
   * passing StoreError (`isPassing`), which `work` has to let through. It is done by `until`, its deadline in epoch milliseconds:
   * `work` finds out itself when it begins whether that is past, and a store that waits for something after that begins it again.
   * What takes longer is stopped and undone, with a StoreError `late`.
   */
  transaction<T>(task: (tx: Transaction) => Promise<T>, until?: number): Promise<T>;
  /** Records to which time does something by `now`, what is due longest first; at most `limit`. */
  due(now: number, limit: number): Awaitable<readonly Due[]>;
  readonly journal: Journal;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly grants: GrantStore;
  readonly counts: CountStore;
  readonly pins: PinStore;
  readonly files: FileStore;
  /** Where several processes serve the same data; absent where one does, and counts by itself. */
  readonly rates?: Rates;
  /**
   * Whether this process is the one of those that serve the data which does this work, that one at a time does. It stays so
   * until it ends, or serves an older document than another one does; when it was killed another takes over within seconds.
   */
  acquireLease(task: string): Awaitable<boolean>;
  /**
   * Tells a listener soon after any process has committed something to the journal, where the store can; gives what ends it.
   * Nothing may rest on being told: what is waited for is looked for now and then, too.
   */
  changes(listener: () => void): () => void;
  /** A secret of the service's own by name, made once and then the same for every process and after every restart. */
  secret(name: string, make: () => string): Awaitable<string>;
  /** Stores `value` in the place of `old`; nothing happens where another process was first. */
  replaceSecret(name: string, old: string, value: string): Awaitable<void>;
  /** Removes what is kept only for a time and is past it (idempotency records, counts, sessions). `now` in epoch milliseconds. */
  purge(now: number): Awaitable<void>;
  /** What it has to do at the moment, where it has connections of its own to a server. */
  load?(): StoreLoad;
  /** Finishes what was accepted, then releases everything. */
  close(): Promise<void>;
}

export interface StoreLoad {
  readonly usedConnections: number;
  readonly idleConnections: number;
  /** What waits for a connection. */
  readonly waiting: number;
  /** How often a transaction was begun again, since the store was opened: others were in the way, or its connection was lost. */
  readonly retries: number;
}

export interface Due {
  readonly resource: string;
  readonly id: Value;
  /** Epoch milliseconds. */
  readonly due: number;
}

/**
 * What happened to records, in the order of its commits: moves (R3.7) and events (R6.1), written in the transaction of the
 * change itself. A change that moves and emits is one entry; each further event of it is one more.
 */
export interface JournalEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly resource: string;
  /** The record's id, as text. */
  readonly record: string;
  /** A move; without `from` the record was created. */
  readonly from?: string;
  readonly to?: string;
  /** Who: a caller's id, `anonymous`, or `system`. */
  readonly by: string;
  /** What made it happen: an operation's name, `after 48h`, `when parcel.announced`. */
  readonly cause: string;
  readonly request?: string;
  /** The `traceparent` of that request, where somebody traces it (R1.4). */
  readonly trace?: string;
  /** What time did: the moment at which it was due, epoch milliseconds. */
  readonly due?: number;
  /** The event that it emits, with the record as it was then. */
  readonly event?: string;
  /** The event that came in, with what it carried as `data`. It refers to the record; both are empty where to none. */
  readonly received?: string;
  readonly data?: Row;
}

/** An entry with its place: positions grow, with gaps, in the order in which they are read. */
export interface JournalRecord extends JournalEntry {
  readonly position: number;
}

export interface Journal {
  /** Entries with an event after a position, oldest first. */
  events(after: number, limit: number): Awaitable<readonly JournalRecord[]>;
  at(position: number): Awaitable<JournalRecord | undefined>;
  /** The moves of one record after a position, oldest first. */
  moves(resource: string, record: string, after: number, limit: number): Awaitable<readonly JournalRecord[]>;
  /** The newest position; 0 where nothing has happened yet. */
  last(): Awaitable<number>;
  /** The oldest position whose event is still kept; undefined where none is. */
  first(): Awaitable<number | undefined>;
  /** Forgets the events, sent and received, of entries made before (epoch milliseconds); what they say of moves stays. */
  trim(before: number): Awaitable<void>;
}

/** What of a record goes into an answer: its members in order. */
export interface View {
  readonly resource: string;
  readonly members: readonly ViewMember[];
}

export interface ViewMember {
  readonly name: string;
  readonly source: ViewSource;
  /** `json` for all that is nested. */
  readonly type: ColumnType;
  readonly absent: "left out" | "null";
  /** Given only where one of these is true; absent: always. */
  readonly when?: readonly TypedExpression[];
}

/**
 * Where a member comes from. What is nested is evaluated over the record that it is of, while `caller`, `now` and `input`
 * stay those of the request; whoever sees the outer record sees it, but for its members' own `when`.
 */
export type ViewSource =
  | { readonly kind: "column"; readonly column: string }
  | { readonly kind: "expression"; readonly expression: TypedExpression }
  /** An object of members of the same record. */
  | { readonly kind: "object"; readonly members: readonly ViewMember[] }
  /** The record that a reference names, as a view; absent without one. */
  | { readonly kind: "record"; readonly expression: TypedExpression; readonly view: View }
  /**
   * Records as a list of views: of an expression that `checkRecords` made, in its order, which for the records of a
   * resource is that of their creation. Absent only where the expression is null.
   */
  | { readonly kind: "records"; readonly expression: TypedExpression; readonly view: View };

/**
 * A record by the value of a unique column, where `where` (any of them) is true; an absent `where` allows every record.
 * Without a key the oldest of those for which it is true.
 */
export interface ReadQuery {
  readonly resource: string;
  /**
   * The service reads it for itself. All else is read for the variables' `caller`, to whom a store that knows permissions by
   * itself gives nothing that none of the document's operations would, whatever `where` says.
   */
  readonly system?: true;
  readonly key?: string;
  readonly where?: Condition;
  readonly view: View;
}

/** What no record is at hand for: neither the condition nor a member reads a field of one. */
export interface AggregateQuery {
  readonly where?: Condition;
  readonly members: View["members"];
}

/** True when `all` are true and, if given, one of `any` is. */
export interface Condition {
  readonly all?: readonly TypedExpression[];
  readonly any?: readonly TypedExpression[];
}

export interface Found {
  /** The view as JSON text, an object. */
  readonly text: string;
  readonly revision: number;
}

export interface ListQuery {
  readonly resource: string;
  /** As in a ReadQuery. */
  readonly system?: true;
  readonly where?: Condition;
  readonly view: View;
  /**
   * Empty: newest first. The order is made total by creation (R4.11), in the direction of the last key; an absent value
   * comes before all others ascending, after them descending.
   */
  readonly sort: readonly SortKey[];
  readonly filters: readonly { readonly column: string; readonly operator: FilterOperator }[];
  /** Columns of text, in one of which every word of `PageArguments.search` has to stand (`base/search.ts`). */
  readonly search?: readonly string[];
  /** Whether the page starts after a position (cursor), or skips a number of rows. */
  readonly from: "start" | "after" | "skip";
  /** Asks for `Page.total`, which costs a walk through all that fits. */
  readonly counted?: true;
}

export interface SortKey {
  readonly column: string;
  readonly descending: boolean;
}

export interface PageArguments {
  /** At most this many rows. */
  readonly limit: number;
  /** One value for each filter; a list for `in`. */
  readonly filters: readonly (Value | readonly Value[])[];
  /** Where the query searches: the words, as `searchWords` gives them. */
  readonly search?: readonly string[];
  /** `after`: the position that the page before ended at. */
  readonly after?: readonly Value[];
  readonly skip?: number;
}

export interface Page {
  /** The views as JSON text, comma-separated, without brackets. */
  readonly text: string;
  readonly count: number;
  /** The position of the last row, when rows follow it. */
  readonly next?: readonly Value[];
  /** Where the query is `counted`: how many records fit its condition, filters and search, whatever the page. */
  readonly total?: number;
}

/** What a write came to. The losing side of a constraint is an answer, not an exception. */
export type Written =
  | { readonly kind: "written"; readonly text: string; readonly revision: number; readonly row: Row }
  /** Another record has these values. */
  | { readonly kind: "duplicate"; readonly columns: readonly string[] };

/** A record that a transaction has written: without `old` it was made, without `row` deleted. */
export interface RecordChange {
  readonly resource: string;
  readonly old?: Row;
  readonly row?: Row;
}

/** Asks for a record of which `where` is true and `rule` is not. */
export interface RuleQuery {
  readonly resource: string;
  /** Absent: any record. */
  readonly where?: TypedExpression;
  /** True of what is looked for. */
  readonly broken: TypedExpression;
  /** It is true of all of them or of none, so that one is enough. */
  readonly one: boolean;
}

export interface Transaction extends SessionOperations {
  /** What it has written so far, in order; a record that was written twice is there twice. */
  readonly changes: readonly RecordChange[];
  /** The record whose unique column has this value, held against change until the transaction ends. */
  get(resource: string, column: string, value: Value): Awaitable<Row | undefined>;
  /**
   * The record whose unique column has this value: nobody changes it until the transaction ends, and any number may refer to it
   * meanwhile.
   */
  lockShared(resource: string, column: string, value: Value): Awaitable<Row | undefined>;
  /**
   * Records of these resources may be changed later in the work: from now on those that it refers to, or that an expression reads,
   * are held as by `get`. Two that shared one first would wait for one another.
   */
  declareWrites(resources: Iterable<string>): Awaitable<void>;
  /**
   * From now on nothing that this transaction gives is found to be otherwise when it commits: for work that has been told of it
   * and cannot be told anew.
   */
  lockEagerly(): Awaitable<void>;
  /**
   * The record with this id, held as by `get`; undefined also where another transaction holds it. Whoever looks for something
   * to do leaves that one to it.
   */
  lock(resource: string, id: Value): Awaitable<Row | undefined>;
  /** A page of records as they are now, with what this transaction has written; a query is prepared at its first use. */
  list(query: ListQuery, page: PageArguments, variables: Variables): Awaitable<Page>;
  /** The oldest record for which the condition is true, held; no two transactions get the same one while its condition holds. */
  first(resource: string, where: TypedExpression | undefined, variables: Variables): Awaitable<Row | undefined>;
  /** The records for which the condition is true, oldest first and held, at most `limit`. */
  all(resource: string, where: Condition | undefined, variables: Variables, limit: number): Awaitable<readonly Row[]>;
  /** An expression that reads other records, over a row at hand. Expressions that do not can be run without the store. */
  evaluate(expression: TypedExpression, row: Row, variables: Variables): Awaitable<Value>;
  /**
   * From now on no other transaction gets beyond this with one of these names of a resource, until this one has ended; what it
   * reads then has all that those before it have written.
   */
  exclude(names: readonly (readonly [resource: string, name: string])[]): Awaitable<void>;
  /** Whether there is such a record, as this transaction leaves it. Nothing is held; a query is prepared at its first use. */
  breaks(query: RuleQuery, variables: Variables): Awaitable<boolean>;
  /**
   * Adds a record with these columns (absent ones null) and gives it as `view`. What counts (`id(counter)`, the default
   * `counter`) and has no value gets the next number.
   */
  insert(resource: string, values: Row, revision: number, view: View, variables: Variables): Awaitable<Written>;
  /** Changes columns of the record `row` (from `get` or `first`); the revision becomes one that it never had. */
  update(resource: string, row: Row, changes: Row, view: View, variables: Variables): Awaitable<Written>;
  /**
   * Deletes it, with what says `delete with`, clearing what says `clear` (which changes the revision of those records, and
   * their columns that are computed from it); or names what still refers to it.
   */
  delete(resource: string, row: Row): Awaitable<DeleteOutcome>;
  /** Deletes them all or none; that they refer to one another keeps none of them. */
  deleteAll(resource: string, rows: readonly Row[]): Awaitable<DeleteOutcome>;
  /** Where a reader of the journal has come to; undefined before its first `setOffset`. */
  offset(reader: string): Awaitable<number | undefined>;
  setOffset(reader: string, position: number): Awaitable<void>;
  /** Adds to the journal. */
  record(entry: JournalEntry): Awaitable<void>;
  /** Whether the journal says that time has moved the record by this cause when it was due at this moment. */
  hasFired(resource: string, record: string, cause: string, due: number): Awaitable<boolean>;
  /** Takes out of the journal what it holds of a record's data; that it moved stays. */
  forget(resource: string, record: string): Awaitable<void>;
  /** Of entries at these positions those whose data has not been taken out; it stays until the transaction ends. */
  intact(positions: readonly number[]): Awaitable<ReadonlySet<number>>;
  /**
   * Says when time next does something to the record, until the next change of it says so anew: for what is due and can
   * not be done now. Null: nothing until then. The record's revision stays.
   */
  defer(resource: string, row: Row, due: number | null): Awaitable<void>;
  /** The record at hand as a view. */
  view(row: Row, view: View, variables: Variables): Awaitable<string>;
  /** The answer last remembered for an idempotency key, by its scope. Its time may be past: that is for the caller to see. */
  findResponse(scope: string, key: string): Awaitable<StoredResponse | undefined>;
  saveResponse(scope: string, key: string, stored: StoredResponse): Awaitable<void>;
  /**
   * Counts one more under a name and key; begins anew, until `until`, where the count before is over at `now`. Of parallel
   * transactions each gets a number of its own.
   */
  count(name: string, key: string, now: number, until: number): Awaitable<Counted>;
  /**
   * Whether there are at most `most` of these records. Of parallel transactions that ask this of one value each sees what those
   * before it have written.
   */
  hasRoom(liveCount: LiveCount, most: number): Awaitable<boolean>;
}

/** The records of a resource that have this value in the column and, where states are given, one of these as `state`. */
export interface LiveCount {
  readonly resource: string;
  readonly column: string;
  readonly value: Value;
  readonly states?: readonly string[] | undefined;
}

export type DeleteOutcome =
  | { readonly kind: "deleted"; readonly records: readonly DeletedRecord[] }
  | { readonly kind: "referenced"; readonly resource: string; readonly field: string };

/** The record itself, and each that was deleted with it. */
export interface DeletedRecord {
  readonly resource: string;
  readonly id: Value;
}

/** A stored first answer (R4.19, R4.20): given again byte for byte. */
export interface StoredResponse {
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Epoch milliseconds. */
  readonly expires: number;
}

/** Counts that are over at some moment, brought from memory and back (R8.3). */
export interface CountStore {
  /** Those that are not over at `now`. */
  all(now: number): Awaitable<readonly Count[]>;
  /** Each takes the place of what is kept under its name and key. */
  save(counts: readonly Count[]): Awaitable<void>;
}

export interface Counted {
  readonly used: number;
  /** When it is over: epoch milliseconds. */
  readonly until: number;
}

export interface Count extends Counted {
  readonly name: string;
  readonly key: string;
}

/** API keys and passwords of `basic`, hashed at rest (R5.4). Times in epoch milliseconds. */
export interface KeyStore {
  find(hash: string): Awaitable<Key | undefined>;
  create(key: Key): Awaitable<void>;
  list(): Awaitable<readonly Key[]>;
  /** False when there is no such key. */
  revoke(id: string, at: number): Awaitable<boolean>;
}

export interface Key {
  readonly id: string;
  readonly credential: string;
  /** SHA-256 of the secret, lower-case hex. */
  readonly hash: string;
  /** What may be shown: the prefix and the last four characters. */
  readonly hint: string;
  readonly user: string;
  readonly roles: readonly string[];
  readonly created: number;
  readonly expires?: number;
  readonly revoked?: number;
}

export interface PinStore {
  find(credential: string, user: string): Awaitable<string | undefined>;
  /** Pins a user of a credential, and gives the version that it is pinned to: the first one stays. */
  pin(credential: string, user: string, version: string): Awaitable<string>;
}
