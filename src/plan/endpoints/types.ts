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
  /** The origins whose pages may call; absent: none. */
  readonly cors?: CorsPlan;
  readonly operations: readonly Operation[];
  /** Handlers with fully declared requests and responses; served if the service has functions (`servedPlan`). */
  readonly contractOperations: readonly ContractOperation[];
  /** Operations for functions that bypass permissions; only in the newest version. */
  readonly system: readonly SystemOperations[];
  /** By name, if the document has any. */
  readonly views?: Readonly<Record<string, ViewPlan>>;
}

// ── Operations ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Operation {
  readonly name: string;
  readonly sentence: string;
  /** `receive`: receives an incoming event. Unsupported operations are in `unenforced` instead. */
  readonly action: ResourceAction | "handler" | "receive";
  readonly method: Method;
  readonly path: readonly Segment[];
  readonly template: string;
  readonly resource: string;
  /** The path parameter of the current record, and the unique column that it is compared with. */
  readonly key?: { readonly parameter: string; readonly column: string };
  /** Instead of a key: a condition; the current record is the oldest that fulfils it. */
  readonly the?: TypedExpression;
  /**
   * Path parameters of parents, outermost first: each is compared with `column` of `resource`, and must be referenced by the
   * `field` of the next parent, the last one by that of the record.
   */
  readonly parents: readonly Parent[];
  /** A `read` without a record: the response is about the whole service; `resource` is unused. */
  readonly aggregate?: true;
  readonly allow: readonly GrantPlan[];
  /**
   * To whom a record is visible although no grant of `allow` permits the operation on it (then 403, else the `unseen` status).
   * The grants of the resource's read and list operations, except lists with `where`; without any, those of all its operations.
   */
  readonly visible: readonly GrantPlan[];
  /** Absent for read, list and delete, which reject a body. A transition without `takes` accepts only `{}`. */
  readonly body?: BodyPlan;
  /** A read returns the bytes of this file of the record; an update accepts only them. */
  readonly file?: FilePlan & { readonly column: string };
  /** PUT only: whether it creates a missing record, with the path's key as its id. */
  readonly creates: boolean;
  /** Query parameters, available as `input`; those of lists are in `list`. */
  readonly query: readonly QueryPlan[];
  /** The guard: `if` must be true for the operation to run, else it returns the error `else`. `if` may name fields of the record, if the operation has one. */
  readonly guard?: { readonly if: TypedExpression; readonly else: string };
  /** For `link` and `unlink`. */
  readonly link?: AssociationPlan;
  /** For `clear`: a condition besides permissions. */
  readonly where?: TypedExpression;
  readonly response: ResponsePlan;
  /** For a `history` only pages. */
  readonly list?: ListPlan;
  /** For `move`: makes the first transition whose `from` includes the present state and whose guard is true. */
  readonly moves: readonly TransitionPlan[];
  readonly choose: readonly ChoicePlan[];
  /** Whether `If-Match` is required or accepted. Only update, replace and delete may require it; a transition accepts it. */
  readonly edits: "required" | "optional" | "none";
  readonly repeats?: { readonly header: string; readonly required: boolean; readonly retentionMilliseconds: number };
  /** Effects on other records, of the operation and of the states it enters, in the same transaction. */
  readonly effects: readonly EffectPlan[];
  /** For `receive`. */
  readonly inbound?: InboundPlan;
  /** For a `handler` with a wire: then `body` has the whole request, grouped by location. */
  readonly wire?: HttpContract;
  /** For `login`, `renew` and `logout`. */
  readonly session?: SessionPlan;
  /** The operation can change the caller's secret, and requires the present one. */
  readonly presentSecret?: PresentSecretPlan;
  /** The events of part 6 that it emits, besides those of entered states. */
  readonly emits: readonly string[];
  /** The rules of the table that its write may break; evaluated over the record after the write. */
  readonly rules: readonly RulePlan[];
  readonly limits: ServerLimits;
  readonly rates: readonly Limited[];
  /** The window quotas that count its success. Live quotas are checked at every write of a record. */
  readonly quotas: readonly Limited[];
  /** The error codes of functions that run before or after it. */
  readonly hooked?: readonly string[];
  /** Codes of the document's errors that it may return. */
  readonly errors: readonly string[];
  /** Columns of the current record that guards, permissions and rules need, for stores that load only these. */
  readonly needs: readonly string[];
}

/** Operations for functions, without permissions. */
export interface SystemOperations {
  readonly resource: string;
  readonly create: Operation;
  readonly update: Operation;
  readonly delete: Operation;
}

export type Segment = PathSegment;

/** The requests and responses of a handler, exactly as declared. */
export interface ContractOperation extends HttpContract {
  readonly name: string;
  readonly sentence: string;
  readonly method: Method;
  readonly path: readonly Segment[];
  readonly template: string;
  readonly resource?: string;
  readonly allow: readonly GrantPlan[];
  /** The operation as served with functions. */
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
  /** The parent's resource, and the unique column. */
  readonly resource: string;
  readonly column: string;
  /** The reference field of the record (or the next parent) to it. */
  readonly field: string;
  /** The column type of `field`. */
  readonly type: ColumnType;
  /** To whom the parent is visible. */
  readonly visible: readonly GrantPlan[];
}

export interface BodyPlan {
  /** JSON Schema 2020-12 of the body, closed at every depth (R2.3). For `update` every member is optional. */
  readonly schema: JsonObject;
  readonly mediaTypes: readonly string[];
  /** File fields, sent as parts of a form; or the field whose bytes are the whole body (`Operation.file`). */
  readonly files?: Readonly<Record<string, FilePlan>>;
  /** Whether an absent body is rejected; false: it means `{}`. */
  readonly required: boolean;
  /** The objects that enclose its members; absent: none. `schema` describes the flat body. */
  readonly envelope?: Envelope;
  /** The document declares the members of this body; absent: they are the resource's fields. */
  readonly own?: true;
  /** Fields of the record that the body sets. Other members are only `input.x`. */
  readonly fields: readonly InputField[];
  /** Members that set no field: also stored as `input.x` in their column form, and their references must exist. */
  readonly others: readonly InputField[];
  /**
   * For `update` and `replace`: fields (columns or virtual) that may only be sent unchanged (R2.4), so that clients can send back
   * what they read. Those not in `schema` are compared and removed before validation. A PUT that `creates` has the create-only
   * ones in `schema`: they are compared only if the record exists.
   */
  readonly fixed: readonly string[];
}

export interface InputField {
  readonly name: string;
  readonly type: ColumnType;
  /** How to convert the sent value; absent: stored as sent. */
  readonly form?: InputForm;
  /** The value if omitted; not for `update`. Other defaults belong to the column. */
  readonly default?: Json;
  /** Stored as a hash (modifier `secret`). */
  readonly secret?: true;
}

/** How to convert a valid value to its stored form, and which references in it must exist. */
export type InputForm =
  /** `2026-01-01T01:00:00+01:00` to UTC. */
  | { readonly kind: "timestamp" }
  /** The record with this id must be visible to the caller (R2.10). */
  | { readonly kind: "reference"; readonly resource: string; readonly visible: readonly GrantPlan[] }
  | { readonly kind: "list" | "map"; readonly of: InputForm }
  /** An embedded value; members without a conversion or default are omitted here. */
  | {
      readonly kind: "object";
      readonly members: Readonly<Record<string, { readonly form?: InputForm; readonly default?: Json }>>;
    };

export interface ResponsePlan {
  readonly status: number;
  /** The status after creating, for an operation that may create or not. */
  readonly created?: number;
  /** The status if nothing had to change. For a create: returns the existing record. */
  readonly same?: number;
  readonly accepted?: AcceptedPlan;
  /** The error if an existing record would have to change. */
  readonly differs?: string;
  /** Statuses of errors in this operation only. */
  readonly errors?: Readonly<Record<string, number>>;
  /**
   * `record`: the resource as visible to the caller; `members`: the document's `gives`; `shape`: the result of a handler's
   * function; `none`: no body. For a list: of each item.
   */
  readonly kind: "record" | "members" | "shape" | "none";
  /** The member that contains the response; for a list see `page`. */
  readonly wrap?: string;
  readonly members?: readonly ResponseMember[];
  /** The view of the members. */
  readonly view?: string;
  readonly shape?: ShapePlan;
}

/** The required result of a handler's function. */
export interface ShapePlan {
  readonly schema: JsonObject;
  /** Members for which the function returns one or more records, which the response shows as visible to the caller. */
  readonly records: readonly { readonly member: string; readonly resource: string; readonly many: boolean }[];
}

/** When a success is 202: if `if` is true of the record after the operation; without `if`, in these states. */
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

/** The record of another resource that an operation creates or deletes. */
export interface AssociationPlan {
  readonly resource: string;
  /** Over the current record. */
  readonly values: readonly { readonly field: string; readonly expression: TypedExpression }[];
  /** Over the other resource: it has these values, which are members of the variable `link`. */
  readonly where: TypedExpression;
}

export interface ResponseMember {
  readonly name: string;
  readonly source: ResponseSource;
  readonly absent: "left out" | "null";
  /** Who sees a member that reads restricted fields: callers who pass one grant of each list. */
  readonly visibleTo?: readonly (readonly GrantPlan[])[];
}

export type ResponseSource =
  /** Over the record after the operation. */
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
  /** The current record, as visible to the caller or as a view. */
  | { readonly kind: "whole" }
  | { readonly kind: "view"; readonly view: string }
  /** Another record as a view, or a list of them. */
  | { readonly kind: "record" | "records"; readonly expression: TypedExpression; readonly view: string };

/** A named projection for responses. */
export interface ViewPlan {
  readonly resource: string;
  readonly members: readonly ResponseMember[];
}

export interface ListPlan {
  readonly kind: "cursor" | "offset" | "page" | "none";
  readonly size: number;
  readonly max: number;
  /** The names of its parameters. */
  readonly names: Readonly<Record<ListParameter, string>>;
  /** The object around a page's items. */
  readonly page: PageShape;
  /** The list's condition, besides permissions. */
  readonly where?: TypedExpression;
  readonly filters: readonly FilterPlan[];
  /** Custom filters of the document. */
  readonly conditions: readonly ConditionFilterPlan[];
  /** The columns that `?search=` searches, for callers who see them. */
  readonly searches: readonly string[];
  readonly sorts: readonly string[];
}

export type ListParameter = "limit" | "cursor" | "offset" | "page" | "sort" | "search";

export type PageShape =
  | { readonly kind: "items" }
  /** The start of the next page; null on the last page. */
  | { readonly kind: "next" }
  /** The number of matching records on all pages. */
  | { readonly kind: "count" }
  | { readonly kind: "object"; readonly members: readonly { readonly name: string; readonly shape: PageShape }[] };

/** A filter or sort exists only for callers who see the column (its `visibleTo`). */
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
  /** The field that the value is compared with: its conversions between versions also apply to the value. */
  readonly field?: { readonly resource: string; readonly name: string };
  /** Over a record of the list; the value is the member `name` of the variable `filter`. */
  readonly condition: TypedExpression;
  /** Who may use it: callers who pass one grant of every list, each for a restricted field that the condition reads. */
  readonly visibleTo: readonly (readonly GrantPlan[])[];
}

export type FilterOperator = "eq" | "in" | "gt" | "gte" | "lt" | "lte";
