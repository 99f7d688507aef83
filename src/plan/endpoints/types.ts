/** Operations: their paths, requests, responses, lists and views. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Method } from "../../language/endpoints/model.ts";
import type { PathSegment, ResourceAction } from "../../language/endpoints/resolve.ts";
import type { CorsPlan, GrantPlan, PresentSecretPlan, SessionPlan } from "../authentication/types.ts";
import type { InboundPlan } from "../events/types.ts";
import type { Limited, ServerLimits } from "../limits/types.ts";
import type { ColumnType, FilePlan, RulePlan } from "../resources/types.ts";
import type { ChoicePlan, EffectPlan, TransitionPlan } from "../states/types.ts";
import type { Envelope } from "./envelope.ts";

/** Part 4 of the plan. */
export interface EndpointsPart {
  /** `{base_url}` or an absolute URL; the server fills it in. */
  readonly base: string;
  /** Which pages of other origins may call; absent: none. */
  readonly cors?: CorsPlan;
  readonly operations: readonly Operation[];
  /** Handlers whose requests and responses are declared in full; served where there are functions (`servedPlan`). */
  readonly contractOperations: readonly ContractOperation[];
  /** What functions may do to records besides the operations; only of the newest version. */
  readonly system: readonly SystemOperations[];
  /** By name, where the document has any. */
  readonly views?: Readonly<Record<string, ViewPlan>>;
}

// ── Operations ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Operation {
  readonly name: string;
  readonly sentence: string;
  /** `receive`: takes an event that comes in. What cannot be served yet is not listed here but under `unenforced`. */
  readonly action: ResourceAction | "handler" | "receive";
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
  readonly aggregate?: true;
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
  /** The guard: `if` must be true for the operation to run, else it returns the error `else`. `if` may name fields of the record, if the operation has one. */
  readonly guard?: { readonly if: TypedExpression; readonly else: string };
  /** For `link` and `unlink`. */
  readonly link?: AssociationPlan;
  /** For `clear`: a condition besides permissions. */
  readonly where?: TypedExpression;
  readonly response: ResponsePlan;
  /** Of a `history` only its pages. */
  readonly list?: ListPlan;
  /** For `move`: tried in order; the first whose `from` holds the present state and whose guard is true is made. */
  readonly moves: readonly TransitionPlan[];
  readonly choose: readonly ChoicePlan[];
  /** Whether `If-Match` must or may be sent. Required only of update, replace and delete; of a move it may be sent. */
  readonly edits: "required" | "optional" | "none";
  readonly repeats?: { readonly header: string; readonly required: boolean; readonly retentionMilliseconds: number };
  /** What entering a state or running this operation causes in other records, in the same transaction. */
  readonly effects: readonly EffectPlan[];
  /** For `receive`. */
  readonly inbound?: InboundPlan;
  /** For a `handler` that says all that goes over the wire: then `body` is of all that a request says, by where it says it. */
  readonly wire?: HttpContract;
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
export interface ContractOperation extends HttpContract {
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

export interface HttpContract {
  readonly parameters: readonly ContractParameter[];
  readonly body?: ContractBodyPlan;
  readonly answers: readonly ContractResponsePlan[];
}

export interface ContractParameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonObject;
  readonly note?: string;
  readonly example?: Json;
}

export interface ContractBodyPlan {
  readonly required: boolean;
  readonly media: readonly string[];
  /** Absent: any content. */
  readonly schema?: JsonObject;
  readonly note?: string;
}

export interface ContractResponsePlan {
  /** Three digits, a class such as `4XX`, or `default`. */
  readonly status: string;
  /** Empty: no body. */
  readonly media: readonly string[];
  readonly schema?: JsonObject;
  readonly headers: readonly Omit<ContractParameter, "in">[];
  readonly note?: string;
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

export interface ResponsePlan {
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
  readonly members?: readonly ResponseMember[];
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
export interface AssociationPlan {
  readonly resource: string;
  /** Over the record at hand. */
  readonly values: readonly { readonly field: string; readonly expression: TypedExpression }[];
  /** Over the other resource: it is the one that has these values, which are the members of the variable `link`. */
  readonly where: TypedExpression;
}

export interface ResponseMember {
  readonly name: string;
  readonly source: ResponseSource;
  readonly absent: "left out" | "null";
  /** Who sees it, where it is made of hidden fields: who passes one grant of each list. */
  readonly visibleTo?: readonly (readonly GrantPlan[])[];
}

export type ResponseSource =
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
  | { readonly kind: "object"; readonly members: readonly ResponseMember[] }
  /** The record at hand, as the caller sees it or as a view. */
  | { readonly kind: "whole" }
  | { readonly kind: "view"; readonly view: string }
  /** Another record as a view, or a list of them. */
  | { readonly kind: "record" | "records"; readonly expression: TypedExpression; readonly view: string };

/** A projection that answers name. */
export interface ViewPlan {
  readonly resource: string;
  readonly members: readonly ResponseMember[];
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
  readonly visibleTo: readonly (readonly GrantPlan[])[];
}

export type FilterOperator = "eq" | "in" | "gt" | "gte" | "lt" | "lte";
