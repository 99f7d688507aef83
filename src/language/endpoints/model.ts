/** The model of part 4, endpoints. */
import type { Grant } from "../authentication/model.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { Field, FieldType } from "../resources/model.ts";
import type { FurtherWrite } from "../states/model.ts";

export interface Endpoints {
  /** The base URL of the operations: `{base_url}` or an absolute URL. */
  readonly base?: string;
  readonly lists?: ListStyle;
  readonly edits?: EditStyle;
  readonly requests?: RequestStyle;
  /** How a request asks for records in place of their ids. */
  readonly expand?: ExpandStyle | "none";
  /** The parameter with which a request asks for some of a record's members; `none`: there is none. */
  readonly fields?: string;
  /** The idempotency keys. `none`: the document declares that there are none. */
  readonly repeats?: IdempotencyStyle | "none";
  /** The members around records in bodies. */
  readonly wrap?: Wrap;
  /** Who may call from other origins. `none`: the document declares that nobody may. */
  readonly cors?: Cors | "none";
  /** Where agents call operations as tools. `none`: the document declares that they cannot. */
  readonly mcp?: Mcp | "none";
  /** Members of the exported OpenAPI description about which the document has no other statement, such as `servers`. */
  readonly openapi?: JsonObject;
  /** The endpoints by name of their operation. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
}

/** The origins whose pages may call the service (R4.22). */
export interface Cors {
  readonly origins: "any" | readonly string[];
  /** Whether browsers may send credentials such as cookies. */
  readonly credentials?: true;
  /** How long browsers may cache the preflight response: a duration as written. */
  readonly keep?: string;
}

/** The address at which operations are tools of the Model Context Protocol (R4.25). */
export interface Mcp {
  /** The path, in the form of an endpoint's, without parameters. */
  readonly at: string;
  /** The callers who may use the address; a grant has no condition. Absent: all callers. */
  readonly for?: readonly Grant[];
}

export const unknownStyles = ["rejected", "ignored"] as const;
export const textStyles = ["exact", "converted"] as const;
export const emptyStyles = ["kept", "removes"] as const;

/** What the bodies and parameters of requests may contain besides what an operation takes. */
export interface RequestStyle {
  /** The media types of bodies and responses besides `application/json`; the default type of responses is the first. */
  readonly media?: readonly AcceptedMedia[];
  /** What happens to members and parameters that the operation does not take. Absent: they are rejected. */
  readonly unknown?: (typeof unknownStyles)[number];
  /** Whether `"1"` is accepted for a number and `"true"` for a boolean. Absent: they are not. */
  readonly texts?: (typeof textStyles)[number];
  /**
   * `removes`: an empty text in JSON means null or no value where that is possible, as it always does in a form. Absent:
   * `kept`, it stays a text.
   */
  readonly empty?: (typeof emptyStyles)[number];
}

export const pathStarts = ["record", "response"] as const;

/** The parameter with which a request asks for records in place of their ids. */
export interface ExpandStyle {
  /** With brackets at its end (`expand[]`) a request names it once for each path, else the paths have commas between them. */
  readonly name: string;
  /** Where the paths begin: at the record, or at the whole response, with the objects around the record. Absent: `record`. */
  readonly from?: (typeof pathStarts)[number];
  /** The most names in a path. Absent: 3. */
  readonly depth?: number;
}

/** A media type that clients may send and, unless it is that of forms, accept. */
export interface AcceptedMedia {
  /** In lower case; `application/*+json` accepts each type with this suffix. */
  readonly type: string;
  /** The media type of responses to callers who accept `type`. Absent: the type that they accept. */
  readonly as?: string;
}

export const listKinds = ["cursor", "offset", "page", "none"] as const;

/** The style of lists, such as `cursor, 50 per page, at most 200`. */
export interface ListStyle {
  readonly kind: (typeof listKinds)[number];
  readonly size?: number;
  readonly max?: number;
  /** Set by `clamped to n`: a limit beyond the largest page means the largest page, instead of an error. */
  readonly clamped?: true;
  /** Set by `bare array`: the response is the array of items itself. */
  readonly bare?: true;
  readonly names?: ListNames;
  /** The object around each page: `items` for the records, `count`, `next`, and expressions about the page. */
  readonly gives?: ResponseTemplate;
  /** The pages whose addresses are in the `Link` header. Absent: `next`. */
  readonly links?: readonly PageLink[];
  /** Header fields of the responses, by name: expressions about the page. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The parameters of filters by fields, by operator. */
  readonly operators?: Operators;
}

export const pageLinks = ["first", "prev", "next", "last"] as const;
export type PageLink = (typeof pageLinks)[number];

/** The names of the parameters by operator: texts with `{field}`, such as `{field}_ne`. */
export interface Operators {
  readonly eq?: string;
  readonly ne?: string;
  readonly in?: ListParameterName;
  readonly nin?: ListParameterName;
  readonly gt?: string;
  readonly gte?: string;
  readonly lt?: string;
  readonly lte?: string;
  readonly contains?: string;
  readonly startsWith?: string;
  /** Whether the field is absent. */
  readonly null?: string;
}

/** The name of a parameter that has several values. */
export interface ListParameterName {
  readonly as: string;
  /** How a request sends the values: in one text with commas (the default), or by repeating the parameter. */
  readonly several?: (typeof severalValues)[number];
}

export const severalValues = ["commas", "repeated"] as const;

export const listWords = [
  "limit", "cursor", "after", "before", "offset", "end", "page", "sort", "direction", "search", "items", "next", "count",
] as const; // biome-ignore format: a table

/**
 * The names of a list's parameters and response members. Without `count` the response has no such member; without `after`,
 * `before`, `end` and `direction` the list has no such parameters.
 */
export interface ListNames {
  readonly limit?: string;
  readonly cursor?: string;
  /** The id of the record behind which the page starts, beside the cursor: `starting_after`. */
  readonly after?: string;
  /** The id of the record before which the page ends: `ending_before`. */
  readonly before?: string;
  readonly offset?: string;
  /** The index after the last record of the page, in place of `limit`: `_end`. */
  readonly end?: string;
  readonly page?: string;
  readonly sort?: string;
  /** The direction of `sort`: `asc` or `desc`, one for all fields or one for each. */
  readonly direction?: string;
  readonly search?: string;
  readonly items?: string;
  readonly next?: string;
  readonly count?: string;
}

/**
 * The members that contain records, such as `{ one: "{resource}", many: "{resources}" }`. `one` contains a single record, in
 * responses and in bodies that create or change it; `many` contains a page of records. `{resource}` is the resource's name in
 * camelCase.
 */
export interface Wrap {
  readonly one?: string;
  readonly many?: string;
}

export const editStyles = ["required", "optional", "none"] as const;

/** Whether edits need the header: `If-Match required`, `If-Match optional` or `none`. */
export type EditStyle = (typeof editStyles)[number];

export const idempotencyScopes = ["POST", "write"] as const;

/** The declaration of idempotency keys, such as `Idempotency-Key on every POST, kept 24h`; `required` for `required on`. */
export interface IdempotencyStyle {
  readonly header: string;
  readonly on: (typeof idempotencyScopes)[number];
  readonly required: boolean;
  /** How long responses are stored: a duration as written. */
  readonly kept?: string;
  /** Whether responses have the key of their request, in the same header field. */
  readonly echoed?: boolean;
}

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof methods)[number];

export const actions = [
  "create", "read", "list", "summary", "history", "update", "replace", "delete", "move", "login", "renew", "logout", "handler",
  "none",
] as const; // biome-ignore format: a table
export type Action = (typeof actions)[number];

/** Operations on sessions of a `password` credential. */
export const sessionActions: ReadonlySet<string> = new Set<Action>(["login", "renew", "logout"]);
/** Actions without a body, besides the reading actions. */
export const bodilessActions: ReadonlySet<string> = new Set(["delete", "clear"]);
/** Actions that take only the members of `takes`, which set no fields but are available as `input`. */
export const inputOnlyActions: ReadonlySet<string> = new Set(["move", "link", "unlink"]);

/** Actions that change no data. */
export const readingActions: ReadonlySet<string> = new Set<Action>(["read", "list", "summary", "history"]);

/** Actions whose response is a list, with pages, filters and a condition. */
export const listingActions: ReadonlySet<string> = new Set<Action>(["list", "summary"]);

/** The meaning of the segments of a path. */
export interface ResolvedPath {
  /** The index of the segment after which the path identifies the record; -1 if the path starts with the parameter. */
  readonly anchor: number;
  /** The parameter that identifies the record, and its field. */
  readonly key?: PathKey;
  /** The parent records in the path, outermost first. */
  readonly parents: readonly PathParent[];
  /** The parameters before a collection that are fields of its records: `{org}` in `/orgs/{org}/secrets`. */
  readonly pathFields?: readonly PathPart[];
}

/** A path parameter and the field that it is compared with. */
export interface PathPart {
  readonly parameter: string;
  readonly column: string;
}

/** The parameters that together name one record: the last of them, and those before it. */
export interface PathKey {
  readonly parameter: string;
  readonly column: string;
  /** The parameters before the last one, if the fields are only together unique. */
  readonly before?: readonly PathPart[];
  /** Set if the fields are unique only among the records of the last parent before them. */
  readonly scoped?: true;
}

export interface PathParent {
  /** As of a `PathKey`. */
  readonly parameter: string;
  readonly column: string;
  readonly before?: readonly PathPart[];
  readonly scoped?: true;
  /** The resource of the parent. */
  readonly resource: string;
  /** The field with which the next parent, or the record, refers to this parent. */
  readonly field: string;
}

/** Returns the parameters that together name a record, in the order of the path. */
export function partsOf({ before = [], column, parameter }: PathKey): readonly PathPart[] {
  return [...before, { parameter, column }];
}

/** Returns the key with changed parameters or fields. */
export function mapParts<Key extends PathKey>(key: Key, edit: (part: PathPart) => PathPart): Key {
  const { before, column, parameter } = key;
  return { ...key, ...edit({ parameter, column }), ...(before === undefined ? {} : { before: before.map(edit) }) };
}

export interface Endpoint {
  readonly method: Method;
  /** The path as the document writes it, with `{name}` for parameters. */
  readonly path: string;
  /** The resource, if it cannot be derived from the path. */
  readonly of?: string;
  readonly does?: Action;
  /** The resolved path of an older version, if its older names no longer imply the resource. */
  readonly meant?: ResolvedPath;
  /** Members of the request's body, at any depth; a member with a view's type has its fields. Absent: the action's default. */
  readonly takes?: Readonly<Record<string, Field>>;
  /**
   * By member of `takes`, the names of the objects around it in the body, outermost first; `user?` is optional. A member
   * without an entry is at the top level.
   */
  readonly nesting?: Readonly<Record<string, readonly string[]>>;
  /** The view whose fields are the members of the body, instead of `takes`. */
  readonly takesView?: string;
  /** The records that one request creates, as a bare array, instead of `takes`. */
  readonly manyRecords?: ManyRecords;
  /** The name of the element around a response in XML; absent: that of the resource. */
  readonly element?: string;
  /** The response. Absent: the record. */
  readonly gives?: ResponseTemplate;
  /** `gives` of a handler, whose response has no expressions: the members and their types. */
  readonly shape?: Readonly<Record<string, Field>>;
  /** By field of the created or moved record: the record to choose and lock. */
  readonly choose?: Readonly<Record<string, Choice>>;
  /** The success status, if it differs from the action's default. */
  readonly status?: number;
  /** The outcomes that can have a separate status. */
  readonly statuses?: Statuses;
  readonly lists?: ListStyle;
  /** By name, the values by which a summary groups records: expressions. Absent: one group of all records. */
  readonly group?: Readonly<Record<string, string>>;
  /** The order of a list if a request asks for none: fields, `-` before a field for descending. */
  readonly order?: readonly OrderKey[];
  /** Header fields of successful responses, by name: expressions as in `gives`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The styles of this operation, in place of those of part 4. */
  readonly requests?: RequestStyle;
  readonly expand?: ExpandStyle | "none";
  readonly fields?: string;
  readonly edits?: EditStyle;
  readonly repeats?: IdempotencyStyle | "none";
  /** The condition of a list or a summary, or of the deletion of many: the text of an expression. */
  readonly where?: string;
  /** The guard: an expression that must be true for the operation to run. */
  readonly if?: string;
  /** The error if the guard is false, or if a login or renewal is rejected. */
  readonly else?: string;
  /** The complete HTTP contract of a handler, in place of `takes` and `gives`. */
  readonly wire?: EndpointContract;
  /** `wire` of an operation without a handler: the contract that its callers know, and that the operation has to keep. */
  readonly knownContract?: EndpointContract;
  /** An expression that selects the record, if no part of the path identifies it. */
  readonly the?: string;
  /** The association record that the operation creates, unless an equal one exists. */
  readonly link?: Association;
  /** The association record that the operation deletes, if it exists. */
  readonly unlink?: Association;
  /** The writes of other records in the same transaction, in order. */
  readonly also?: readonly FurtherWrite[];
  /** Query parameters that filter a list. */
  readonly filters?: Readonly<Record<string, Filter>>;
  /** Query parameters that expressions read as `input`. */
  readonly query?: Readonly<Record<string, Field>>;
}

/**
 * The complete HTTP contract of an operation of an API that already exists. Parameters have the exact names that callers send.
 */
export interface EndpointContract {
  readonly path?: Readonly<Record<string, Parameter>>;
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly header?: Readonly<Record<string, Parameter>>;
  readonly cookie?: Readonly<Record<string, Parameter>>;
  readonly body?: ContractBody;
  /** The responses by status: a number, a class such as `4XX`, or `default` for all others. */
  readonly answers?: Readonly<Record<string, ContractResponse>>;
  /** Members of the exported OpenAPI description about which the document has no other statement; likewise below. */
  readonly openapi?: JsonObject;
}

/** The parts of a request in which a wire declares parameters. */
export const parameterLocations = ["path", "query", "header", "cookie"] as const;

/** How a query sends a list or an object: with these between the values, or the names of members in brackets. */
export const sentForms = ["commas", "spaces", "pipes", "brackets"] as const;
export type SentForm = (typeof sentForms)[number];

export interface Parameter {
  readonly optional: boolean;
  readonly type: FieldType;
  /** In a query. Absent: the name is repeated for each value of a list, and each member of an object is a parameter. */
  readonly sent?: SentForm;
  readonly note?: string;
  readonly example?: Json;
  readonly openapi?: JsonObject;
}

export interface ContractBody {
  /** `body?`: the caller may omit the body. */
  readonly optional: boolean;
  /** The type of the body. Absent: any content. */
  readonly type?: FieldType;
  /** The media types of the body. Absent: application/json. */
  readonly media?: readonly string[];
  /** The types by media type, of those whose content has another type. */
  readonly others?: Readonly<Record<string, FieldType>>;
  readonly note?: string;
  readonly openapi?: JsonObject;
}

/** A response without a type has no body; with a media type only, it has any content of that media type. */
export interface ContractResponse {
  readonly type?: FieldType;
  readonly media?: readonly string[];
  /** As of a body. */
  readonly others?: Readonly<Record<string, FieldType>>;
  readonly headers?: Readonly<Record<string, Parameter>>;
  readonly note?: string;
  readonly openapi?: JsonObject;
}

/**
 * A response, or one of its members: the name of a view or a resource (the current record), `X[]` (the page of a list),
 * `count`, `next`, else the text of an expression over the record. The word `none` means no body.
 */
export type ResponseTemplate = string | ResponseTemplateMembers;

export interface ResponseTemplateMembers {
  readonly [member: string]: ResponseTemplate;
}

/** One record of another resource, identified by the values of some of its fields: expressions over the current record. */
export interface Association {
  readonly in: string;
  readonly with: Readonly<Record<string, string>>;
}

/** A field of an order; descending for `-createdAt`. */
export interface OrderKey {
  readonly field: string;
  readonly descending: boolean;
}

/** The condition of a filter, such as `label in labels` for the parameter `label`. */
export interface Filter {
  /** The type of the value. Absent: the type that the condition compares it with. */
  readonly type?: FieldType;
  /** How a request sends the values of a list; the default is commas. */
  readonly several?: (typeof severalValues)[number];
  readonly if: string;
}

/** An array of records in a body: `Reading[](1..500)`. */
export interface ManyRecords {
  /** The resource, or a view of it. */
  readonly of: string;
  readonly min?: number;
  readonly max?: number;
}

export interface Statuses {
  /** The status of a request that created a record. */
  readonly created?: number;
  /** The status of a request that had nothing to do. For a create: a record with the same unique values exists. */
  readonly same?: number;
  /** The status if processing continues after the response. */
  readonly accepted?: Accepted;
  /** The error if a record with the same unique values exists but differs. */
  readonly differs?: string;
  /** Statuses by code of an error. */
  readonly errors?: Readonly<Record<string, number>>;
}

export interface Accepted {
  readonly status: number;
  /**
   * The condition for the status, evaluated after the operation. Absent: whether the record's state has a transition that no
   * operation triggers.
   */
  readonly if?: string;
}

export interface Choice {
  readonly from: string;
  readonly if?: string;
  /** The error if there is no such record. Absent: then the field, which is optional, is absent. */
  readonly else?: string;
}
