/**
 * The plan: a sound document with everything resolved, as plain serialisable data. Whatever a request could have to look
 * up is looked up here: columns, wire types, permissions, moves, answers, errors. Building a plan cannot fail.
 */
import type { Duration } from "../base/duration.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { TypedExpression } from "../expression/typed.ts";
import type { GrantOf } from "../parts/authentication/decide.ts";
import type { CredentialKind, SentIn } from "../parts/authentication/model.ts";
import type { Method } from "../parts/endpoints/model.ts";
import type { PathSegment, ResourceDeed } from "../parts/endpoints/meaning.ts";
import type { ErrorBody } from "../parts/errors/model.ts";
import type { Erased } from "../parts/resources/erased-value.ts";
import type { CountedBy } from "../parts/limits/counted.ts";
import type { Default, Mark } from "../parts/resources/model.ts";
import type { Envelope } from "./envelope.ts";
import type { ConversionPlan, VersionsPlan } from "./version.ts";

export interface Plan {
  readonly service: string;
  readonly title: string;
  readonly purpose: string;
  /** This version's name, where the document has versions. */
  readonly version?: string;
  /** What stored data follows from one version to the next, newest first; every version is there, also one without any. */
  readonly history: readonly VersionStep[];
  /** The document's versions, this one first; only of the newest. */
  readonly versions?: VersionsPlan;
  /** Which pages of other origins may call; absent: none. */
  readonly cors?: CorsPlan;
  /** `{base_url}` or an absolute URL; the server fills it in. */
  readonly base: string;
  readonly tables: readonly Table[];
  /** By name, where the document has any. */
  readonly views?: Readonly<Record<string, ViewPlan>>;
  readonly operations: readonly Operation[];
  /** Operations of handlers that say all that goes over the wire; served where there are functions (`servedPlan`). */
  readonly wired: readonly WiredOperation[];
  /** JSON Schemas with names, by the address that stands in references to them. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
  /** What functions may do to records beside the operations; only of the newest version. */
  readonly system: readonly SystemOperations[];
  readonly credentials: readonly CredentialPlan[];
  /** In the document's order; a caller's roles are bits by this index. */
  readonly roles: readonly string[];
  /** Every code the service can answer with: the document's, the catalogue's, the protocol's. */
  readonly errors: Readonly<Record<string, ErrorPlan>>;
  readonly problemBody: ErrorBody;
  /** Bodies in its place: by `without field`, a code, a code `in` an operation. */
  readonly problemBodies: Readonly<Record<string, ErrorBody>>;
  /** What is said of a fault, by its code. */
  readonly faultMessages: Readonly<Record<string, string>>;
  /** The status for a record that exists but may not be seen by this caller. */
  readonly unseen: 403 | 404;
  readonly limits: ServerLimits;
  /** In the document's order; operations name those that hold for them by their index. */
  readonly rates: readonly RatePlan[];
  /** The rates that hold for every request, also for one to no operation of the document. */
  readonly generalRates: readonly Limited[];
  readonly quotas: readonly QuotaPlan[];
  readonly events: EventsPlan;
  /** Statements that are read and checked but that this release does not enforce yet, each with its place. */
  readonly unenforced: readonly Unenforced[];
}

export interface CorsPlan {
  /** As browsers write them, with `*` for the first label of a host or for a port. */
  readonly origins: "any" | readonly string[];
  readonly credentials: boolean;
  /** How long a browser may keep the answer to a preflight. */
  readonly keepSeconds: number;
}

export interface Unenforced {
  /** As in `Places`. */
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

/** Limits that protect the server itself; from part 8 where it says so, else the engine's defaults (R8.8). */
export interface ServerLimits {
  readonly requestBytes: number;
  readonly requestMilliseconds: number;
}

/**
 * How often. A window begins at the first request of a key and takes `count` of them; with `burst` it is a bucket that holds
 * so many and is refilled by `count` in each window.
 */
export interface RatePlan {
  /**
   * In `RateLimit` fields and in refusals: `collect-per-Parcel`, and with its window where another limit would have the same
   * name. Letters, digits, `-` and `_` only, so that it needs no escapes (RFC 9651 section 3.3.3).
   */
  readonly name: string;
  /** Every request, or only those that carry no credential. */
  readonly of: "all" | "anonymous";
  readonly count: number;
  readonly windowMilliseconds: number;
  /** `user`, `ip`, or a resource. */
  readonly per: string;
  readonly burst?: number;
}

export type QuotaPlan =
  /** So many successes in a window, or records made. */
  | {
      readonly kind: "window";
      readonly name: string;
      readonly of: "operation" | "creation";
      readonly count: number;
      readonly windowMilliseconds: number;
      readonly per: string;
    }
  /** So many records at a time with the same value in `column`; where states are given, in one of these. */
  | {
      readonly kind: "live";
      readonly name: string;
      readonly resource: string;
      readonly column: string;
      readonly states?: readonly string[];
      readonly count: number;
    };

/** A limit that holds for an operation: the index of its plan, and what tells one key from another. */
export interface Limited {
  readonly limit: number;
  readonly by: CountedBy;
}

// ── Resources ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A resource as a table. Besides `columns` every table has `_seq` (integer primary key, order of creation) and `_rev`
 * (integer, changes with every visible change); resources with states have a column `state`, listed like any other; what
 * time changes has `_entered` (epoch milliseconds at which the state was entered) and `_due` (when time next does
 * something to the record; see `due.ts`).
 */
export interface Table {
  readonly resource: string;
  /** The table's name in the store, snake_case plural: `parcels`. */
  readonly name: string;
  /** How the column `id` gets its value. */
  readonly id: IdPlan;
  /** In the order in which a record is written on the wire. */
  readonly columns: readonly Column[];
  /** Fields computed at reading, `:=` without `unique`, `filter` or `sort`. */
  readonly virtual: readonly Virtual[];
  /** Sets of columns that together are unique, besides `id`. */
  readonly uniques: readonly (readonly string[])[];
  /** Those of `uniques` for which two absent values are equal; for all others they are distinct. */
  readonly absentEqual?: readonly (readonly string[])[];
  /** Sets of `uniques` whose being taken has an error of the document's own; for all others it is `already-exists`. */
  readonly conflicts: readonly { readonly columns: readonly string[]; readonly else: string }[];
  /** Sets of columns to index, `_seq` understood as the last: what filters, sorts and ownership use. */
  readonly indexes: readonly (readonly string[])[];
  readonly rules: readonly RulePlan[];
  /** Rules that read other records, of this resource or another, that a write of a record of this one can break. */
  readonly lateRules?: readonly LateRule[];
  readonly lifecycle?: LifecyclePlan;
  /** What time does to a record, in the document's order, moves before retention; absent: nothing. */
  readonly timed?: readonly TimedAct[];
}

/**
 * `server`: a prefix, `_` and 26 characters that sort by time, which are alone where the prefix is empty; where the id has
 * another type than `id` or `id(prefix)`, from the column's `default`. `counter`: 1, 2, 3, never reused. `client`: from the body, or for a PUT from the path.
 */
export type IdPlan =
  | { readonly made: "server"; readonly prefix?: string }
  | { readonly made: "counter" }
  | { readonly made: "client" };

export interface Column {
  /** The field's name, which is also the column's and the wire's. */
  readonly name: string;
  readonly type: ColumnType;
  /** May be null in the store. */
  readonly nullable: boolean;
  /** On the wire a null is left out (`?`) or given as null (`| null`). */
  readonly absent: "left out" | "null";
  /** A closed list of values, which the store holds the column to. */
  readonly values?: readonly string[];
  readonly references?: ReferencePlan;
  /** A file: the value says of it `{ id, type, bytes, sha256, name? }`, its bytes are kept beside the record. */
  readonly file?: FilePlan;
  /** References inside of the value: deleting what they refer to is refused. */
  readonly holds?: readonly HeldReference[];
  /** Stored and kept current at each write of the record. */
  readonly computed?: TypedExpression;
  readonly default?: DefaultPlan;
  readonly marks: readonly Mark[];
  /** Who sees it; absent: everybody who sees the record. Empty: nobody (`write-only`, `secret`). */
  readonly shown?: readonly GrantPlan[];
  /** What JSON Schema says of the value on the wire. */
  readonly schema: JsonObject;
}

export interface ReferencePlan {
  readonly resource: string;
  readonly onDelete: "refuse" | "delete" | "clear";
  /** The resource is its own, and no record may be above itself. */
  readonly tree?: true;
}

/** What a file may be. */
export interface FilePlan {
  readonly maxBytes: number;
  /** Media types, a subtype may be `*`; empty: any. */
  readonly media: readonly string[];
}

/** Where in a value ids of a resource stand: names of members, and `*` for every item of a list or value of a map. */
export interface HeldReference {
  readonly resource: string;
  readonly path: readonly string[];
}

/** A default; a literal with the value that the field's type gives it. */
export type DefaultPlan =
  | Exclude<Default, { kind: "literal" }>
  | { readonly kind: "literal"; readonly text: string; readonly value: Json };

/**
 * How a value is kept and given. `text`; `integer`; `number` (double; a whole number is written without a fraction);
 * `boolean`; `timestamp` (RFC 3339 in UTC with milliseconds); `json` (lists, maps, embedded values, schema fields, money).
 */
export type ColumnType = "text" | "integer" | "number" | "boolean" | "timestamp" | "json";

export interface Virtual {
  readonly name: string;
  readonly type: ColumnType;
  readonly absent: "left out" | "null";
  readonly expression: TypedExpression;
  readonly shown?: readonly GrantPlan[];
  readonly schema: JsonObject;
}

export interface RulePlan {
  readonly expression: TypedExpression;
  readonly else: string;
  /** It reads other records, and is evaluated when all is written (`Table.lateRules`); absent: before its record is. */
  readonly isLate?: true;
  /** It mentions the moment, the caller or the record before: it says nothing of what is stored. */
  readonly isAboutWrite?: true;
}

/** A rule, and for which records it is evaluated when a transaction has written a record of the table that it is listed at. */
export interface LateRule {
  /** The resource that the rule is of. */
  readonly resource: string;
  readonly rule: TypedExpression;
  readonly else: string;
  /** Of the document's rules this one. */
  readonly name: string;
  /** `itself`: for the written record, with what it was before as `old`. `other`: for those that read it. */
  readonly kind: "itself" | "other";
  readonly on: {
    readonly insert: boolean;
    readonly delete: boolean;
    /** What an update has to change. */
    readonly columns: readonly string[] | "any";
  };
  readonly find: RuleFinder;
  readonly isAboutWrite: boolean;
  /** It goes through the records of a resource, which only the database does. */
  readonly inDatabase: boolean;
  /** True of a record that breaks it; absent where SQL cannot say that. */
  readonly broken?: TypedExpression;
  /** Writes that reach it through different values of this field of its record have nothing to do with one another. */
  readonly key?: string;
}

/** The records that a rule is evaluated for. */
export interface RuleFinder {
  /** Of the written record: its values, before and after, are `reach.value` in `where`. */
  readonly column?: string;
  /** Absent: all records. */
  readonly where?: TypedExpression;
  /** In place of `where` for a null; without it there is no such record. */
  readonly absent?: TypedExpression;
  /** The rule says the same of each of them, so that one is enough. */
  readonly one: boolean;
}

export interface LifecyclePlan {
  readonly states: readonly string[];
  readonly start: string;
  readonly final: readonly string[];
  /** The events of part 6 that entering a state emits, by state; a state that emits none is not there. */
  readonly emits: Readonly<Record<string, readonly string[]>>;
}

/** Done to a record `after` a moment of it has come, while it is in one of `states` (R3.5; part 8, `keep`). */
export interface TimedAct {
  /** Absent: in whatever state. */
  readonly states?: readonly string[];
  /** When the present state was entered, or what a column says (`timestamp`, or a date, which is its midnight in UTC). */
  readonly since: { readonly kind: "entered" } | { readonly kind: "column"; readonly column: string };
  readonly after: Duration;
  /** As the document says it: `after 48h`, `at collectBy`, `keep 90d after final`. */
  readonly cause: string;
  readonly act: /** The first of `moves` that fits is made; `effects` are what entering its state causes. */
    | { readonly kind: "move"; readonly moves: readonly MovePlan[]; readonly effects: readonly EffectPlan[] }
    | { readonly kind: "delete" }
    /** The columns that are personal lose what they say. */
    | { readonly kind: "erase"; readonly columns: readonly Erasure[] };
}

export interface Erasure {
  readonly column: string;
  readonly to: Erased;
}

// ── Versions of the data ───────────────────────────────────────────────────────────────────────────────────────────

/** How the data of a version comes from that of the version before. */
export interface VersionStep {
  readonly version: string;
  readonly changes: readonly DataChange[];
}

export type DataChange =
  | { readonly kind: "rename-resource"; readonly from: string; readonly to: string }
  /** `resource` is named as this version does. */
  | { readonly kind: "rename-field"; readonly resource: string; readonly from: string; readonly to: string }
  /** What a field has where it had nothing; it and its resource are named as the document does. */
  | { readonly kind: "fill"; readonly resource: string; readonly field: string; readonly taken: TakenPlan }
  /** What it has in place of a value that was kept as `was`. */
  | {
      readonly kind: "convert";
      readonly resource: string;
      readonly field: string;
      readonly was: ColumnType;
      readonly taken: TakenPlan;
    }
  /** What becomes of the embedded values that it holds. */
  | { readonly kind: "reshape"; readonly resource: string; readonly field: string; readonly reshape: ReshapePlan };

/** The types are named as their version does. */
export interface ReshapePlan extends HeldType {
  readonly kind: "reshape";
  /** Every type that is reached, by its name. */
  readonly types: Readonly<Record<string, TypeStep>>;
}

/** An embedded type, and the lists and maps around its values, outermost first. */
export interface HeldType {
  readonly type: string;
  readonly within: readonly ("list" | "map")[];
}

export interface TypeStep {
  readonly renames: readonly (readonly [from: string, to: string])[];
  /**
   * Over the value as it was, by its former names: of a member that is not there, or with `was`, what the member was
   * called, of one that is.
   */
  readonly taken: readonly { readonly member: string; readonly was?: string; readonly taken: ConversionPlan }[];
  /** Members that hold embedded values, by their names afterwards. */
  readonly holds: Readonly<Record<string, HeldType>>;
}

export type TakenPlan =
  | { readonly kind: "literal"; readonly value: Json }
  /** Over the record, and for `convert` over `value`, what the field had. */
  | { readonly kind: "expression"; readonly expression: TypedExpression };

// ── Permissions ────────────────────────────────────────────────────────────────────────────────────────────────────

/** One alternative of a permission; a caller passes when any of a list does. */
export interface GrantPlan {
  readonly who: GrantOf<TypedExpression>["who"];
  /** Over the record at hand and `caller`; `own` is already replaced. */
  readonly if?: TypedExpression;
}

export interface CredentialPlan {
  readonly name: string;
  readonly kind: CredentialKind;
  /** What its tokens may do is bound by their scopes. */
  readonly scoped?: true;
  /** Of a token of somebody else's: the roles that each of its scopes gives, beside `roles`. */
  readonly scopeRoles?: Readonly<Record<string, readonly string[]>>;
  readonly sent: SentIn;
  readonly prefix: string;
  /** Lifetime in milliseconds; absent: until revoked. Of a token of somebody else's: how long it may be good at most. */
  readonly lastsMilliseconds?: number;
  /** How long after its revocation a key is still good; null: for ever, it cannot be revoked. */
  readonly revokedAfterMilliseconds: number | null;
  /** What the token has to be good for, all of it (RFC 6750, 3.1). */
  readonly scopes: readonly string[];
  /** The environment variable that holds the secret. */
  readonly secret?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly jwks?: string;
  /** The claim that names the caller. */
  readonly userClaim: string;
  readonly roles:
    | { readonly kind: "own" }
    | { readonly kind: "claim"; readonly claim: string }
    /** What a column of the record says now: a text, or a list of them. */
    | { readonly kind: "column"; readonly column: string }
    | { readonly kind: "fixed"; readonly roles: readonly string[] };
  /** oauth2: whose tokens are made here. */
  readonly oauth?: OAuthPlan;
  /** password, basic: whose callers are records of the service's own. */
  readonly login?: LoginPlan;
}

/** An authorization server of the service's own. Paths are below the base address. */
export interface OAuthPlan {
  readonly token: string;
  readonly revoke: string;
  readonly introspect: string;
  /** Where users let clients act for them; absent: clients act for themselves. */
  readonly users?: OAuthUsersPlan;
  /** The roles that each scope gives; absent: there are no scopes, and a token has all roles of its client. */
  readonly scopes?: Readonly<Record<string, readonly string[]>>;
}

export interface OAuthUsersPlan {
  /** Where clients send their users, and where those are asked. */
  readonly authorize: string;
  readonly ask: string;
  /** The password credential that they prove themselves by. */
  readonly credential: string;
  /** For how long a refresh token is good; absent: there are none. */
  readonly renewedMilliseconds?: number;
}

export interface LoginPlan {
  readonly resource: string;
  /** The unique column that names one of them, and the one that holds its secret. */
  readonly name: string;
  readonly secret: string;
  /** For how long a token to renew with is good; absent: there are none. */
  readonly renewedMilliseconds?: number;
}

// ── Operations ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Operation {
  readonly name: string;
  readonly sentence: string;
  /** `receive`: takes an event that comes in. What cannot be served yet is not listed here but under `unenforced`. */
  readonly deed: ResourceDeed | "handler" | "receive";
  readonly method: Method;
  readonly path: readonly Segment[];
  /** The path as the document writes it. */
  readonly template: string;
  readonly resource: string;
  /** The path parameter that names the record at hand, and the unique column it is matched with. */
  readonly key?: { readonly parameter: string; readonly column: string };
  /** In place of a key: a condition that the record at hand fulfils, the oldest of those that do. */
  readonly the?: TypedExpression;
  /**
   * Path parameters before it that name parents, outermost first: each is matched with `column` of `resource`, and bound
   * to the field `field` of the next parent, the last one's to that of the record.
   */
  readonly parents: readonly Parent[];
  /** A `read` of no record: its answer is of the service as a whole, and `resource` means nothing. */
  readonly collective?: true;
  readonly allow: readonly GrantPlan[];
  /**
   * Whether a record exists for a caller whom no grant of `allow` lets run this on it (403 if so, else the `unseen`
   * answer); whom one lets, it exists for. The grants of the resource's read and list operations, those of lists with a
   * `where` of their own left out; where there are none, of all its operations.
   */
  readonly visible: readonly GrantPlan[];
  /** Absent for read, list and delete: a body is refused. A move without `takes` has one that may only be `{}`. */
  readonly body?: BodyPlan;
  /** A read gives the bytes of this file of the record; an update takes them, and nothing else. */
  readonly file?: FilePlan & { readonly column: string };
  /** PUT only: whether it creates the record where there is none, with the path's key as its id. */
  readonly creates: boolean;
  /** Query parameters, which are members of `input`; those of lists are in `list`. */
  readonly query: readonly QueryPlan[];
  /** What has to hold for it to be done: over the record at hand where there is one. */
  readonly guard?: { readonly if: TypedExpression; readonly else: string };
  /** For `link` and `unlink`. */
  readonly link?: LinkPlan;
  /** For `clear`: a condition besides permissions. */
  readonly where?: TypedExpression;
  readonly answer: AnswerPlan;
  /** Of a `history` only its pages. */
  readonly list?: ListPlan;
  /** For `move`: tried in order; the first whose `from` holds the present state and whose guard is true is made. */
  readonly moves: readonly MovePlan[];
  readonly choose: readonly ChoicePlan[];
  /** Whether `If-Match` must or may be sent. Required only of update, replace and delete; of a move it may be sent. */
  readonly edits: "required" | "optional" | "none";
  readonly repeats?: { readonly header: string; readonly required: boolean; readonly keptMilliseconds: number };
  /** What entering a state or running this operation causes in other records, in the same transaction. */
  readonly effects: readonly EffectPlan[];
  /** For `receive`. */
  readonly inbound?: InboundPlan;
  /** For a `handler` that says all that goes over the wire: then `body` is of all that a request says, by where it says it. */
  readonly wire?: WirePlan;
  /** For `login`, `renew` and `logout`. */
  readonly session?: SessionPlan;
  /** It can change the secret of its own caller, who proves the present one. */
  readonly presentSecret?: PresentSecretPlan;
  /** The events of part 6 that running it emits, beside those of the states that it enters. */
  readonly emits: readonly string[];
  /** The rules of the table that a write by this operation can break; asked of the record as it would be afterwards. */
  readonly rules: readonly RulePlan[];
  readonly limits: ServerLimits;
  readonly rates: readonly Limited[];
  /** The quotas in a window that its success counts for. Those of live records are asked wherever a record is written. */
  readonly quotas: readonly Limited[];
  /** Functions of the service's owner run before or after it: the codes of errors that they can raise beside its own. */
  readonly hooked?: readonly string[];
  /** Codes of the document's own errors that this operation can give. */
  readonly errors: readonly string[];
  /** Columns of the record at hand that deciding needs (guards, permissions, rules), for stores that load only these. */
  readonly needs: readonly string[];
}

/** Made, changed and deleted by a function of the service's own, which permissions do not hold back. */
export interface SystemOperations {
  readonly resource: string;
  readonly create: Operation;
  readonly update: Operation;
  readonly delete: Operation;
}

export type Segment = PathSegment;

/** What goes over the wire of an operation that a handler does, word for word as the document says it. */
export interface WiredOperation extends WirePlan {
  readonly name: string;
  readonly sentence: string;
  readonly method: Method;
  readonly path: readonly Segment[];
  /** The path as the document writes it. */
  readonly template: string;
  readonly resource?: string;
  readonly allow: readonly GrantPlan[];
  /** As it is served, where there are functions. */
  readonly operation: Operation;
}

export interface WirePlan {
  readonly parameters: readonly WiredParameter[];
  readonly body?: WiredBody;
  readonly answers: readonly WiredAnswer[];
}

export interface WiredParameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonObject;
  readonly note?: string;
  readonly example?: Json;
}

export interface WiredBody {
  readonly required: boolean;
  readonly media: readonly string[];
  /** Absent: any content. */
  readonly schema?: JsonObject;
  readonly note?: string;
}

export interface WiredAnswer {
  /** Three digits, a class such as `4XX`, or `default`. */
  readonly status: string;
  /** Empty: no body. */
  readonly media: readonly string[];
  readonly schema?: JsonObject;
  readonly headers: readonly Omit<WiredParameter, "in">[];
  readonly note?: string;
}

/** What an operation has to do with the sessions of a credential. */
export interface SessionPlan {
  readonly credential: string;
  /** The member of the body that names who logs in; `login` only. */
  readonly name?: string;
  /** The member that proves it: the secret of a `login`, the token of a `renew`. */
  readonly proof?: string;
  /** The error for whom the proof does not prove. */
  readonly else: string;
}

/** What a caller proves who changes the secret that it logs in with. */
export interface PresentSecretPlan {
  readonly credential: string;
  /** The member of the body with the present secret, and the column of the secret. */
  readonly member: string;
  readonly secret: string;
  /** The error of a wrong one: that of a wrong login. */
  readonly else: string;
}

/** An event that comes in (part 6, `in`), as the operation that takes it. */
export interface InboundPlan {
  readonly event: string;
  /** The one credential that proves the sender; others are refused, whoever they are of. */
  readonly credential: string;
  /** The members of its payload that refer to records, in its order. */
  readonly refers: readonly { readonly member: string; readonly resource: string }[];
}

export interface Parent {
  readonly parameter: string;
  /** The resource that it names, by which unique column. */
  readonly resource: string;
  readonly column: string;
  /** The reference field that ties the record (or the next parent) to it. */
  readonly field: string;
  /** Of that field. */
  readonly type: ColumnType;
  /** Whether the parent exists for this caller. */
  readonly visible: readonly GrantPlan[];
}

export interface BodyPlan {
  /** JSON Schema 2020-12 of what may be sent, closed at every depth (R2.3). For `update`: every member optional. */
  readonly schema: JsonObject;
  readonly mediaTypes: readonly string[];
  /** Fields that are files, sent as parts of a form; or the one whose bytes are the whole body (`Operation.file`). */
  readonly files?: Readonly<Record<string, FilePlan>>;
  /** Whether an absent body is refused; false: an absent body is `{}`. */
  readonly required: boolean;
  /** The objects that its members stand in on the wire; absent: none, they are its own. `schema` is of the flat body. */
  readonly envelope?: Envelope;
  /** The document says the members of this body by themselves; without it they are the resource's fields. */
  readonly own?: true;
  /** Fields of the record that the body sets. Members that are not fields are `input.x` only. */
  readonly fields: readonly InputField[];
  /** Members that set no field: `input.x` has them in their stored form too, and what they refer to has to exist. */
  readonly others: readonly InputField[];
  /**
   * For `update` and `replace`: fields (columns or virtual) that may be sent only with the value that the record has
   * (R2.4), so that what a read gave can be sent back. Those that `schema` does not know are compared and taken out before
   * it is asked. A PUT that `creates` knows the create-only ones: they are compared where the record exists, and left in.
   */
  readonly fixed: readonly string[];
}

export interface InputField {
  readonly name: string;
  readonly type: ColumnType;
  /** What is to be done to what was sent; absent: it is kept as it was sent. */
  readonly form?: InputForm;
  /** What it is when it is left out; not for `update`. Other defaults are the column's. */
  readonly default?: Json;
  /** Kept as a hash (mark `secret`). */
  readonly secret?: true;
}

/** How a value that fits its schema is brought to its stored form, and what in it has to exist. */
export type InputForm =
  /** `2026-01-01T01:00:00+01:00` to UTC. */
  | { readonly kind: "timestamp" }
  /** The record with this id has to exist for the caller (R2.10). */
  | { readonly kind: "reference"; readonly resource: string; readonly visible: readonly GrantPlan[] }
  | { readonly kind: "list" | "map"; readonly of: InputForm }
  /** An embedded value; its members that are kept as they were sent and have no default are not here. */
  | {
      readonly kind: "object";
      readonly members: Readonly<Record<string, { readonly form?: InputForm; readonly default?: Json }>>;
    };

export interface AnswerPlan {
  readonly status: number;
  /** For an operation that may create, and may not: the status when it has. */
  readonly created?: number;
  /** The status where nothing had to be done. Of a create: then the record that there is already is given. */
  readonly same?: number;
  readonly accepted?: AcceptedPlan;
  /** The error where there is a record that would have to change. */
  readonly differs?: string;
  /** Statuses that errors have in this operation alone. */
  readonly errors?: Readonly<Record<string, number>>;
  /**
   * `record`: the resource as the caller may see it; `members`: the document's own `gives`; `shape`: what a handler's
   * function gives; `none`: no body. Of a list: each item.
   */
  readonly kind: "record" | "members" | "shape" | "none";
  /** The name of the member that holds it, where it stands in one. Of a list it is `page` that says so. */
  readonly wrap?: string;
  readonly members?: readonly AnswerMember[];
  /** The view that the members are. */
  readonly view?: string;
  readonly shape?: ShapePlan;
}

/** What a handler's function has to give. */
export interface ShapePlan {
  readonly schema: JsonObject;
  /** Members that the function names a record for, or a list of them, and that are given as its caller may see them. */
  readonly records: readonly { readonly member: string; readonly resource: string; readonly many: boolean }[];
}

/** When a success is 202: always when `if` is true of the record afterwards, without it in these states. */
export interface AcceptedPlan {
  readonly status: number;
  readonly if?: TypedExpression;
  readonly states: readonly string[];
}

export interface QueryPlan {
  readonly name: string;
  readonly type: ColumnType;
  /** JSON Schema of its value. */
  readonly schema: JsonObject;
  readonly required: boolean;
  readonly default?: Json;
}

/** The one record of another resource that an operation makes or deletes. */
export interface LinkPlan {
  readonly resource: string;
  /** Over the record at hand. */
  readonly values: readonly { readonly field: string; readonly expression: TypedExpression }[];
  /** Over the other resource: it is the one that has these values, which are the members of the variable `link`. */
  readonly where: TypedExpression;
}

export interface AnswerMember {
  readonly name: string;
  readonly source: AnswerSource;
  readonly absent: "left out" | "null";
  /** Who sees it, where it is made of hidden fields: who passes one grant of each list. */
  readonly shown?: readonly (readonly GrantPlan[])[];
}

export type AnswerSource =
  /** Over the record as it is afterwards. */
  | {
      readonly kind: "expression";
      readonly expression: TypedExpression;
      readonly type: ColumnType;
      readonly schema: JsonObject;
      readonly nullable: boolean;
    }
  /** A field of the record that has a column. */
  | {
      readonly kind: "column";
      readonly column: string;
      readonly type: ColumnType;
      readonly schema: JsonObject;
      readonly nullable: boolean;
    }
  | { readonly kind: "object"; readonly members: readonly AnswerMember[] }
  /** The record at hand, as the caller sees it or as a view. */
  | { readonly kind: "whole" }
  | { readonly kind: "view"; readonly view: string }
  /** Another record as a view, or a list of them. */
  | { readonly kind: "record" | "records"; readonly expression: TypedExpression; readonly view: string };

/** A projection that answers name. */
export interface ViewPlan {
  readonly resource: string;
  readonly members: readonly AnswerMember[];
}

export interface ListPlan {
  readonly kind: "cursor" | "offset" | "page" | "none";
  readonly size: number;
  readonly max: number;
  /** What its parameters are called. */
  readonly names: Readonly<Record<ListParameter, string>>;
  /** The answer around a page's items. */
  readonly page: PageShape;
  /** A condition of the list's own, besides permissions. */
  readonly where?: TypedExpression;
  readonly filters: readonly FilterPlan[];
  /** Filters that the document words itself. */
  readonly conditions: readonly ConditionFilterPlan[];
  /** The columns that `?search=` looks into, for those who see them. */
  readonly searches: readonly string[];
  readonly sorts: readonly string[];
}

export type ListParameter = "limit" | "cursor" | "offset" | "page" | "sort" | "search";

export type PageShape =
  | { readonly kind: "items" }
  /** Where the next page starts, null on the last one. */
  | { readonly kind: "next" }
  /** How many records fit, on all pages together. */
  | { readonly kind: "count" }
  | { readonly kind: "object"; readonly members: readonly { readonly name: string; readonly shape: PageShape }[] };

/** A filter, and a sort, is only for those who see the column (its `shown`); for others there is no such parameter. */
export interface FilterPlan {
  readonly field: string;
  readonly type: ColumnType;
  /** `eq` always; `gt gte lt lte` for ordered types; `in`. */
  readonly operators: readonly FilterOperator[];
  /** JSON Schema of one value. */
  readonly schema: JsonObject;
}

/** `?name=value` */
export interface ConditionFilterPlan {
  readonly name: string;
  readonly type: ColumnType;
  /** JSON Schema of the value. */
  readonly schema: JsonObject;
  /** Where the value is compared with a field: it means what that does, also to callers of older versions. */
  readonly field?: { readonly resource: string; readonly name: string };
  /** Over a record of the list; the value is the member `name` of the variable `filter`. */
  readonly condition: TypedExpression;
  /** Who may use it: whoever passes all, since each is of a hidden field that the condition reads. */
  readonly shown: readonly (readonly GrantPlan[])[];
}

export type FilterOperator = "eq" | "in" | "gt" | "gte" | "lt" | "lte";

export interface MovePlan {
  /** The states it starts from; `any` in the document is every state but final ones and the one it leads to. */
  readonly from: readonly string[];
  readonly to: string;
  /** Entering: false for a self-move. */
  readonly enters: boolean;
  /** `old` in it, and in `set`, is the record before the move, and so are bare names. */
  readonly if?: TypedExpression;
  readonly else?: string;
  readonly set: readonly { readonly field: string; readonly expression: TypedExpression }[];
}

export interface ChoicePlan {
  readonly field: string;
  readonly resource: string;
  readonly if?: TypedExpression;
  readonly else: string;
}

/**
 * When the record at hand enters `state` (absent: whenever the operation succeeds), the record that `field` refers to
 * makes the first of `moves` that fits; where none does, nothing happens. `field` is `id` where it is the record itself.
 */
export interface EffectPlan {
  readonly event: string;
  readonly state?: string;
  readonly field: string;
  readonly resource: string;
  readonly moves: readonly MovePlan[];
  /** Columns of the record at hand that the event's payload has: the members of `input` in the guards and sets of `moves`. */
  readonly payload: readonly string[];
  /** What that in turn causes. */
  readonly effects: readonly EffectPlan[];
}

// ── Events ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface EventsPlan {
  readonly envelope: "cloudevents" | "plain";
  /** By name. */
  readonly out: Readonly<Record<string, OutEventPlan>>;
  readonly webhook?: WebhookPlan;
  readonly stream?: StreamPlan;
  /** For how long events can be read and sent. */
  readonly keptMilliseconds: number;
}

export interface OutEventPlan {
  readonly resource: string;
  /** The members of its data, whoever receives it; absent: the resource as the receiver may see it. */
  readonly carries?: readonly string[];
  /** Who receives it, asked of the record as it was: subscribers of webhooks, and callers of the stream. */
  readonly webhook: readonly GrantPlan[];
  readonly stream: readonly GrantPlan[];
}

/** Webhook endpoints and deliveries are resources like others, `Webhook` and `WebhookDelivery`; this is how they are sent. */
export interface WebhookPlan {
  readonly signed: boolean;
  readonly timeoutMilliseconds: number;
  /** Waits between one attempt and the next; when all are over, the delivery has failed. */
  readonly retryMilliseconds: readonly number[];
  /** Whether an endpoint where a delivery has failed is disabled. */
  readonly disable: boolean;
  /** Whether a record's events are sent one after the other. */
  readonly inOrder: boolean;
  /** Over a delivery: it is one to the endpoint `input.webhook`. */
  readonly of: TypedExpression;
  /** Over a delivery: it waits to be sent to the endpoint `input.webhook`. */
  readonly waiting: TypedExpression;
  /** Over a delivery: it is about `input.record`, and still has what it tells. */
  readonly about: TypedExpression;
  /** Over a delivery: it is to be sent to `input.webhook`, and is about `input.record`. */
  readonly ahead: TypedExpression;
  /** Over a delivery: it is the one to `input.webhook` of `input.event`, which is about `input.record`. */
  readonly made: TypedExpression;
}

/**
 * Events as callers follow and list them. Its operations are not among `operations`: what they are about is in the journal
 * and in no table.
 */
export interface StreamPlan {
  /** `GET /events`: the stream, or a page of events. */
  readonly follow: Operation;
  /** `GET /events/{id}` */
  readonly read: Operation;
  /** The header field that names the last event a caller has. */
  readonly resume: string;
  /** For how long after an event a caller that has it may go on from there. */
  readonly resumableMilliseconds: number;
}

// ── Errors ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ErrorPlan {
  readonly status: number;
  /** Every status it can come with, `status` first: `invalid-request` is 422, and 400 for what cannot be read. */
  readonly statuses: readonly number[];
  /** The document has said `status` for it: only an operation's own takes its place. */
  readonly fixed?: true;
  /** What the wire calls it, where that is not its code. */
  readonly wire?: string;
  readonly title: string;
  /** What is said of it whatever happened, with facts in braces. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  /** Declared in the document's own part 7, in the catalogue it imports, or given by HTTP itself. */
  readonly source: "document" | "catalogue" | "protocol";
}
