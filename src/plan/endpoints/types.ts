/** The types of operations: their paths, requests, responses, lists and views. */
import type { MeasureFunction } from "../../language/endpoints/summary.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { UnixUnit } from "../../base/unix-time.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { FilterOperator, FilterParameter } from "../../language/endpoints/filter-parameters.ts";
import type {
  AcceptedMedia,
  EndpointContract,
  Method,
  PageLink,
  PathKey,
  PathPart,
  SentForm,
} from "../../language/endpoints/model.ts";
import type { PathSegment, ResourceAction } from "../../language/endpoints/resolve.ts";
import type { CorsPlan, GrantPlan, PresentSecretPlan, SessionPlan } from "../authentication/types.ts";
import type { InboundPlan } from "../events/types.ts";
import type { Limited, ServerLimits } from "../limits/types.ts";
import type { ColumnType, FilePlan, JsonType, RulePlan } from "../resources/types.ts";
import type { ChoicePlan, EffectPlan, FurtherWritePlan, TransitionPlan } from "../states/types.ts";
import type { DeprecationPlan } from "../versioning/conversion-types.ts";
import type { Envelope } from "./envelope.ts";

/** The members of the plan for part 4. */
export interface EndpointsPart {
  /** `{base_url}` or an absolute URL; the server replaces `{base_url}`. */
  readonly base: string;
  /** Members of the exported OpenAPI description, beside those that follow from the plan. */
  readonly openapi?: JsonObject;
  /** The origins whose pages may call the service; absent: none. */
  readonly cors?: CorsPlan;
  /** The address at which agents call operations; absent: there is none. */
  readonly mcp?: McpPlan;
  readonly operations: readonly Operation[];
  /** The operations of handlers with a wire; served if the service has functions (`servedPlan`). */
  readonly contractOperations: readonly ContractOperation[];
  /** The operations for functions that bypass permissions; only in the newest version. */
  readonly system: readonly SystemOperations[];
  /** The views by name; absent if the document has none. */
  readonly views?: Readonly<Record<string, ViewPlan>>;
}

/** The address of the Model Context Protocol. */
export interface McpPlan {
  /** The path below the base URL. */
  readonly at: string;
  /** The callers who may use it; absent: all. */
  readonly for?: readonly GrantPlan[];
}

// ── Operations ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Operation {
  readonly name: string;
  readonly sentence: string;
  /**
   * What the operation does. `receive`: receives an incoming event. Operations that this release does not support are in
   * `unenforced` instead.
   */
  readonly action: ResourceAction | "handler" | "receive";
  /** The deprecation of the operation, in all versions. After its sunset the operation is not served. */
  readonly deprecated?: DeprecationPlan;
  /** The contract that callers know, if it has notes, examples or tags: the exported description has them too. */
  readonly known?: EndpointContract;
  /** The service describes the operation and answers 501: `does: none`, or a wire without a function. */
  readonly unserved?: true;
  readonly method: Method;
  readonly path: readonly Segment[];
  readonly template: string;
  readonly resource: string;
  /** The path parameter of the current record, and the column that it is compared with. */
  readonly key?: PathKey;
  /** A condition instead of a key: the current record is the oldest that satisfies it. */
  readonly the?: TypedExpression;
  /**
   * The path parameters of parents, outermost first. Each is compared with `column` of `resource`; the `field` of the next
   * parent, or of the record for the last parent, must refer to the parent.
   */
  readonly parents: readonly Parent[];
  /** The path parameters before the collection that are columns of its records. */
  readonly pathFields?: readonly PathPart[];
  /** Set for a `read` without a record: the response is about the whole service, and `resource` is unused. */
  readonly aggregate?: true;
  readonly allow: readonly GrantPlan[];
  /**
   * The callers to whom a record is visible. If no grant of `allow` permits the operation on a record, they get a 403, all
   * others the `unseen` status. The grants of the resource's read and list operations, except lists with `where`; without any
   * such operation, those of all its operations.
   */
  readonly visible: readonly GrantPlan[];
  /** The body. Absent for read, list and delete, which reject a body. A transition without `takes` accepts only `{}`. */
  readonly body?: BodyPlan;
  /** The file column that a read returns as bytes and an update accepts as bytes. */
  readonly file?: FilePlan & { readonly column: string };
  /** For PUT: whether it creates a missing record, whose id is the key in the path. */
  readonly creates: boolean;
  /**
   * The media types that a caller may accept, and the media type of the response; absent: `application/json`. A type without
   * `as` is also that of the response.
   */
  readonly offers?: readonly AcceptedMedia[];
  /** The name of the element around a response in XML; absent: that of the resource. */
  readonly element?: string;
  /**
   * Whether unknown query parameters, and members that the body does not take, are ignored; the latter include those that only
   * the service sets.
   */
  readonly ignoresUnknown?: true;
  /** How a request asks for records in place of their ids, if the response has any for which it may ask. */
  readonly expand?: ExpandPlan;
  /** How a request asks for some members of a record. */
  readonly fields?: PathParameterPlan;
  /** The query parameters, available as `input`; those of lists are in `list`. */
  readonly query: readonly QueryPlan[];
  /**
   * The guard: if `if` is not true, the operation does not run and returns the error `else`. `if` may read fields of the
   * record, if the operation has one.
   */
  readonly guard?: { readonly if: TypedExpression; readonly else: string };
  /** The association of a `link` or `unlink`. */
  readonly link?: AssociationPlan;
  /** For `clear`: the condition for the records to delete, besides permissions. */
  readonly where?: TypedExpression;
  readonly response: ResponsePlan;
  /** The header fields of successful responses. */
  readonly headers?: readonly HeaderPlan[];
  /** The pages, filters and sorting of a list; for a `history` only pages. */
  readonly list?: ListPlan;
  /** For `create`: the records that one request creates. Then `body` and `response` are those of each record. */
  readonly batch?: BatchPlan;
  /** For `move`: the operation makes the first transition whose `from` includes the current state and whose guard is true. */
  readonly moves: readonly TransitionPlan[];
  readonly choose: readonly ChoicePlan[];
  /** The further writes of the operation, of an incoming event those of the event; absent: none. */
  readonly also?: readonly FurtherWritePlan[];
  /**
   * Whether `If-Match` is required or accepted. Only update, replace and delete may require it; a transition only accepts it.
   */
  readonly edits: "required" | "optional" | "none";
  readonly repeats?: IdempotencyPlan;
  /** The effects on other records, of the operation and of the states that it enters, in the same transaction. */
  readonly effects: readonly EffectPlan[];
  /** For `receive`: the incoming event. */
  readonly inbound?: InboundPlan;
  /** For a `handler` with a wire: then `body` describes the whole request, grouped by location. */
  readonly wire?: HttpContract;
  /** For `login`, `renew` and `logout`: what the operation does with sessions. */
  readonly session?: SessionPlan;
  /** Set if the operation can change the caller's secret, which requires the current one. */
  readonly presentSecret?: PresentSecretPlan;
  /** The events of part 6 that the operation emits, besides those of entered states. */
  readonly emits: readonly string[];
  /** The rules of the table that the write may break; evaluated over the record after the write. */
  readonly rules: readonly RulePlan[];
  readonly limits: ServerLimits;
  readonly rates: readonly Limited[];
  /** The window quotas that count each success of the operation. Live quotas are checked at every write of a record. */
  readonly quotas: readonly Limited[];
  /** The error codes of functions that run before or after the operation. */
  readonly hooked?: readonly string[];
  /** The codes of the document's errors that the operation may return. */
  readonly errors: readonly string[];
  /** The columns of the current record that guards, permissions and rules need, for stores that load only these. */
  readonly needs: readonly string[];
}

/** The operations on a resource for functions, without permissions. */
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
  /** The operation as it is served with functions. */
  readonly operation: Operation;
}

export interface HttpContract {
  readonly parameters: readonly ContractParameter[];
  readonly body?: ContractBodyPlan;
  readonly answers: readonly ContractResponsePlan[];
  /** Members of the exported OpenAPI description; likewise below. */
  readonly openapi?: JsonObject;
}

export interface ContractParameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonObject;
  readonly sent?: SentForm;
  readonly note?: string;
  readonly example?: Json;
  /** Set if part 9 deprecates the parameter; its schema has the dates. */
  readonly deprecated?: true;
  readonly openapi?: JsonObject;
}

export interface ContractBodyPlan {
  readonly required: boolean;
  readonly media: readonly string[];
  /** The schema of the body. Absent: any content. */
  readonly schema?: JsonObject;
  /** The schemas of further media types, in `media` as well. */
  readonly others?: Readonly<Record<string, JsonObject>>;
  readonly note?: string;
  readonly openapi?: JsonObject;
}

export interface ContractResponsePlan {
  /** The status: three digits, a class such as `4XX`, or `default`. */
  readonly status: string;
  /** The media types of the response. Empty: no body. */
  readonly media: readonly string[];
  readonly schema?: JsonObject;
  /** As of a body. */
  readonly others?: Readonly<Record<string, JsonObject>>;
  readonly headers: readonly Omit<ContractParameter, "in">[];
  readonly note?: string;
  readonly openapi?: JsonObject;
}

export interface Parent extends PathKey {
  /** The resource of the parent. */
  readonly resource: string;
  /** The reference field of the record (or of the next parent) that refers to the parent. */
  readonly field: string;
  /** The column type of `field`. */
  readonly type: ColumnType;
  /** The callers to whom the parent is visible. */
  readonly visible: readonly GrantPlan[];
}

export interface BodyPlan {
  /** JSON Schema 2020-12 of the body, closed at every depth (R2.3). For `update` every member is optional. */
  readonly schema: JsonObject;
  /** The accepted media types; they may be patterns, such as `application/*+json` and `image/*`. */
  readonly mediaTypes: readonly string[];
  /** Whether texts are converted to the numbers and booleans that the schema requires. */
  readonly convertsTexts?: true;
  /** Whether an empty text means no value, as in forms. */
  readonly emptyRemoves?: true;
  /** The file fields, sent as parts of a form; or the field whose bytes are the whole body (`Operation.file`). */
  readonly files?: Readonly<Record<string, FilePlan>>;
  /** Whether an absent body is rejected; otherwise it means `{}`. */
  readonly required: boolean;
  /** The objects around the body's members; absent: none. `schema` describes the flat body. */
  readonly envelope?: Envelope;
  /** Set if the document declares the members of this body; absent: they are the resource's fields. */
  readonly own?: true;
  /** Fields of the record that the body sets. Other members are only `input.x`. */
  readonly fields: readonly InputField[];
  /**
   * Members that set no field: they are only `input.x`, in the form in which columns store them, and their references must
   * exist.
   */
  readonly others: readonly InputField[];
  /**
   * For `update` and `replace`: the fields (columns or computed) that may only be sent unchanged (R2.4), so that clients can
   * send a record back as they read it. Fields that are not in `schema` are compared and removed before validation. A PUT
   * that `creates` has the create-only fields in `schema`: they are compared only if the record exists.
   */
  readonly fixed: readonly string[];
}

export interface InputField {
  readonly name: string;
  /** The callers who may set the field; absent: all callers of the operation. For others it is like a `read-only` field. */
  readonly setBy?: readonly GrantPlan[];
  readonly type: ColumnType;
  /** How to convert the sent value; absent: it is stored as sent. */
  readonly form?: InputForm;
  /** The value of an omitted member; not for `update`. Other defaults belong to the column. */
  readonly default?: Json;
  /** Whether the value is stored as a hash (modifier `secret`). */
  readonly secret?: true;
}

/** How to convert a valid value to its stored form, and which references in it must exist. */
export type InputForm =
  /** Converts `2026-01-01T01:00:00+01:00`, or Unix time in this unit, to UTC. */
  | { readonly kind: "timestamp"; readonly unix?: UnixUnit }
  /** The record with this id must exist and be visible to the caller (R2.10). */
  | { readonly kind: "reference"; readonly resource: string; readonly visible: readonly GrantPlan[] }
  | { readonly kind: "list" | "map"; readonly of: InputForm }
  /** An embedded value; its members without a conversion or default are omitted here. */
  | {
      readonly kind: "object";
      readonly members: Readonly<Record<string, { readonly form?: InputForm; readonly default?: Json }>>;
    };

export interface ResponsePlan {
  readonly status: number;
  /** The status if the operation created a record, for an operation that may create or not. */
  readonly created?: number;
  /** The status if nothing had to change. For a create: it returns the existing record. */
  readonly same?: number;
  readonly accepted?: AcceptedPlan;
  /** The error code if a record exists that would have to change. */
  readonly differs?: string;
  /** The statuses of errors in this operation only, by code. */
  readonly errors?: Readonly<Record<string, number>>;
  /**
   * The form of the response. `record`: the resource as the caller may see it; `members`: the document's `gives`; `shape`: the
   * result of a handler's function; `none`: no body. For a list: the form of each item.
   */
  readonly kind: "record" | "members" | "shape" | "none";
  /** The member that contains the response; for a list, see `page`. */
  readonly wrap?: string;
  readonly members?: readonly ResponseMember[];
  /** The view that the members are from. */
  readonly view?: string;
  readonly shape?: ShapePlan;
}

/** The result that a handler's function must return. */
export interface ShapePlan {
  readonly schema: JsonObject;
  /** The members for which the function returns one or more records, which the response shows as the caller may see them. */
  readonly records: readonly { readonly member: string; readonly resource: string; readonly many: boolean }[];
}

/** A header field of a response; a null value leaves it out. For a list, the expression is about the page. */
export interface HeaderPlan {
  readonly name: string;
  readonly expression: TypedExpression;
  readonly type: JsonType;
  /** JSON Schema of a value that is there. */
  readonly schema: JsonObject;
  /** The callers who get the field, as for a member of a response. */
  readonly visibleTo?: readonly (readonly GrantPlan[])[];
}

/** When a success has the status 202: if `if` is true of the record after the operation; without `if`, in these states. */
export interface AcceptedPlan {
  readonly status: number;
  readonly if?: TypedExpression;
  readonly states: readonly string[];
}

export interface IdempotencyPlan {
  readonly header: string;
  readonly required: boolean;
  readonly retentionMilliseconds: number;
  /** Whether responses have the key of their request. */
  readonly echoed?: true;
}

export interface QueryPlan {
  readonly name: string;
  readonly type: JsonType;
  /** For a list of values: the type of each. */
  readonly items?: JsonType;
  /** How a request sends a list or an object. Absent: the value is one text. */
  readonly parts?: "commas" | "repeated" | "brackets";
  /** The JSON Schema of the parameter's value. */
  readonly schema: JsonObject;
  readonly required: boolean;
  readonly default?: Json;
}

/** The record of another resource that an operation creates or deletes. */
export interface AssociationPlan {
  readonly resource: string;
  /** The values of the associated record, computed from the current record. */
  readonly values: readonly { readonly field: string; readonly expression: TypedExpression }[];
  /** A condition over the other resource: it has these values, which are members of the variable `link`. */
  readonly where: TypedExpression;
}

/** A parameter with paths of members of the response. */
export interface PathParameterPlan {
  /** The name, without brackets. */
  readonly name: string;
  /** Whether it is sent with brackets, once for each path: `expand[]=a`, `expand[0]=a`, or as a member of the body. */
  readonly hasBrackets: boolean;
  /** The names before each path: of the objects around the record or, in a list, around a record of the page. */
  readonly prefix: readonly string[];
}

export interface ExpandPlan extends PathParameterPlan {
  /** The most names in a path, with those of the prefix. */
  readonly depth: number;
}

/** A reference in place of which a request may ask for the record. */
export interface ExpandableReference {
  /** The callers who may see the record; others get its id. */
  readonly visible: readonly GrantPlan[];
  /** Set if the response has no member unless the request asks for it. */
  readonly isLeftOut?: true;
  /** The type and the JSON Schema of the id. */
  readonly type: JsonType;
  readonly schema: JsonObject;
}

export interface ResponseMember {
  readonly name: string;
  readonly source: ResponseSource;
  readonly absent: "left out" | "null";
  /** The callers who see a member that reads restricted fields: those who pass at least one grant of each list. */
  readonly visibleTo?: readonly (readonly GrantPlan[])[];
}

export type ResponseSource =
  /** The expression is evaluated over the record after the operation. */
  | {
      readonly kind: "expression";
      readonly expression: TypedExpression;
      readonly type: JsonType;
      readonly schema: JsonObject;
      readonly nullable: boolean;
    }
  /** A field of the record that has a column. */
  | {
      readonly kind: "column";
      readonly column: string;
      readonly type: JsonType;
      readonly schema: JsonObject;
      readonly nullable: boolean;
    }
  | { readonly kind: "object"; readonly members: readonly ResponseMember[] }
  /** The current record, as the caller may see it or as a view. */
  | { readonly kind: "whole" }
  | { readonly kind: "view"; readonly view: string }
  /** Another record as a view, or a list of other records. */
  | {
      readonly kind: "record" | "records";
      readonly expression: TypedExpression;
      readonly view: string;
      /** The id of the record, unless the request asks for the record. */
      readonly expand?: ExpandableReference;
    };

/** A view: a named projection of a resource, for responses. */
export interface ViewPlan {
  readonly resource: string;
  readonly members: readonly ResponseMember[];
}

export interface ListPlan {
  readonly kind: "cursor" | "offset" | "page" | "none";
  readonly size: number;
  readonly max: number;
  /** The names of the list's parameters. */
  readonly names: Readonly<Record<ListParameter, string>> & { readonly [Name in OptionalListParameter]?: string };
  /** The object around a page's items. */
  readonly page: PageShape;
  /** The list's own condition, besides permissions. */
  readonly where?: TypedExpression;
  readonly filters: readonly FilterPlan[];
  /** The filters that the document declares with a condition. */
  readonly conditions: readonly ConditionFilterPlan[];
  /** The columns in which `?search=` searches, for callers who see them. */
  readonly searches: readonly string[];
  readonly sorts: readonly string[];
  /** The order without a requested one; absent: newest first. */
  readonly order?: readonly SortKeyPlan[];
  /** A limit beyond `max` means `max`. */
  readonly clamped?: true;
  /** The pages whose addresses are in `Link`; absent: the next one. */
  readonly links?: readonly PageLink[];
  /** Set if the items are groups of records. */
  readonly summary?: SummaryPlan;
}

/** Groups of records and their measures, which are members of each item. */
export interface SummaryPlan {
  readonly groups: readonly GroupPlan[];
  readonly measures: readonly MeasurePlan[];
  /** The order of the groups, by names of members; ties are in the order of the groups' values. */
  readonly order: readonly { readonly name: string; readonly descending: boolean }[];
}

export interface GroupPlan {
  readonly name: string;
  readonly expression: TypedExpression;
  /** As of a `ResponseMember`; a record whose value the caller may not see has none. */
  readonly visibleTo?: readonly (readonly GrantPlan[])[];
}

export interface MeasurePlan {
  readonly name: string;
  readonly function: MeasureFunction;
  /** The value of each record, for `count` a condition. Absent: all records count. */
  readonly expression?: TypedExpression;
  /** For money: the name of the group with its currency. */
  readonly currency?: string;
  readonly visibleTo?: readonly (readonly GrantPlan[])[];
}

/** An array of records in a body and in its response. */
export interface BatchPlan {
  /** The member of the body with the array; absent: the body is the array. */
  readonly member?: string;
  readonly min: number;
  readonly max: number;
  /** The object around the created records in the response. */
  readonly page: PageShape;
}

export interface SortKeyPlan {
  readonly column: string;
  readonly descending: boolean;
}

export type ListParameter = "limit" | "cursor" | "offset" | "page" | "sort" | "search";

/** The parameters that a list has only if the document names them. */
export type OptionalListParameter = "after" | "before" | "end" | "direction";

export type PageShape =
  | { readonly kind: "items" }
  /** The only item of a summary without groups. */
  | { readonly kind: "item" }
  /** The value that selects the next page; null on the last page. */
  | { readonly kind: "next" }
  /** The number of matching records on all pages. */
  | { readonly kind: "count" }
  /** A value computed from the page: `count`, `next` and the position are variables. */
  | ({ readonly kind: "expression" } & PageExpression)
  | { readonly kind: "object"; readonly members: readonly { readonly name: string; readonly shape: PageShape }[] };

export interface PageExpression {
  readonly expression: TypedExpression;
  readonly schema: JsonObject;
}

/** A filter on a column. A filter or sort exists only for callers who see the column (its `visibleTo`). */
export interface FilterPlan {
  readonly field: string;
  readonly type: JsonType;
  /** The operators: `eq` and `in` always; `gt`, `gte`, `lt`, `lte` for ordered types; others if the document names them. */
  readonly operators: readonly FilterOperator[];
  /** The parameters, if the document names any: one for each operator. Absent: `field`, `field[in]` and so on. */
  readonly parameters?: readonly FilterParameter[];
  /** JSON Schema of a single value. */
  readonly schema: JsonObject;
}

/** Another resource whose records a filter reads. */
export interface PassedResource {
  readonly resource: string;
  /** The callers to whom a record of it is visible. */
  readonly visible: readonly GrantPlan[];
}

export type { FilterOperator, FilterParameter, MeasureFunction, PageLink };

/** A filter with a condition: `?name=value`. */
export interface ConditionFilterPlan {
  readonly name: string;
  readonly type: JsonType;
  /** For a list of values: the type of each. */
  readonly items?: JsonType;
  /** Whether a request repeats the parameter for each item of a list, instead of commas between them. */
  readonly repeated?: true;
  /** JSON Schema of the value. */
  readonly schema: JsonObject;
  /** The field that the value is compared with: the field's conversions between versions also apply to the value. */
  readonly field?: { readonly resource: string; readonly name: string };
  /** The condition over a record of the list; the value is the member `name` of the variable `filter`. */
  readonly condition: TypedExpression;
  /**
   * The callers who may use the filter: those who pass at least one grant of every list, each list for a restricted field that
   * the condition reads.
   */
  readonly visibleTo: readonly (readonly GrantPlan[])[];
  /** The other resources whose records the condition reads, if an operation reads them (`passed-records.ts`). */
  readonly passes?: readonly PassedResource[];
}
