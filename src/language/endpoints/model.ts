/** Part 4, endpoints. */
import type { Json } from "../../base/json.ts";
import type { Field, FieldType } from "../resources/model.ts";

export interface Endpoints {
  /** `{base_url}` or an absolute URL. */
  readonly base?: string;
  readonly lists?: ListStyle;
  readonly edits?: EditStyle;
  /** `none`: the document declares that there are no idempotency keys. */
  readonly repeats?: IdempotencyStyle | "none";
  /** The envelope of records in bodies. */
  readonly wrap?: Wrap;
  /** `none`: the document declares that pages of other origins may not call. */
  readonly cors?: Cors | "none";
  /** By operation. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
}

/** Which pages of other origins may call (R4.22). */
export interface Cors {
  readonly origins: "any" | readonly string[];
  /** Browsers may send cookies and the like along. */
  readonly credentials?: true;
  /** How long browsers may cache the preflight response, a duration as written. */
  readonly keep?: string;
}

export const listKinds = ["cursor", "offset", "page", "none"] as const;

/** `cursor, 50 per page, at most 200`. */
export interface ListStyle {
  readonly kind: (typeof listKinds)[number];
  readonly size?: number;
  readonly max?: number;
  /** `bare array`: the response is the array of items itself. */
  readonly bare?: true;
  readonly names?: ListNames;
}

export const listWords = ["limit", "cursor", "offset", "page", "sort", "search", "items", "next", "count"] as const;

/** The names of a list's parameters and response members; without a name for `count` the response has none. */
export interface ListNames {
  readonly limit?: string;
  readonly cursor?: string;
  readonly offset?: string;
  readonly page?: string;
  readonly sort?: string;
  readonly search?: string;
  readonly items?: string;
  readonly next?: string;
  readonly count?: string;
}

/**
 * `{ one: "{resource}", many: "{resources}" }`: the member that holds a record, in responses and in bodies that create or change
 * one, and the member that holds a page of records. The name in braces is the resource's name in camelCase.
 */
export interface Wrap {
  readonly one?: string;
  readonly many?: string;
}

export const editStyles = ["required", "optional", "none"] as const;

/** `If-Match required`, `If-Match optional` or `none`. */
export type EditStyle = (typeof editStyles)[number];

export const idempotencyScopes = ["POST", "write"] as const;

/** `Idempotency-Key on every POST, kept 24h`; `required` for `required on`. */
export interface IdempotencyStyle {
  readonly header: string;
  readonly on: (typeof idempotencyScopes)[number];
  readonly required: boolean;
  /** A duration as written. */
  readonly kept?: string;
}

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof methods)[number];

export const actions = [
  "create", "read", "list", "history", "update", "replace", "delete", "move", "login", "renew", "logout", "handler",
] as const; // biome-ignore format: a table
export type Action = (typeof actions)[number];

/** Operations on sessions of a `password` credential. */
export const sessionActions: ReadonlySet<string> = new Set<Action>(["login", "renew", "logout"]);
/** Actions without a body, besides the reading ones. */
export const bodilessActions: ReadonlySet<string> = new Set(["delete", "clear"]);
/** Actions that take only the members of `takes`, which set no fields but are available as `input`. */
export const inputOnlyActions: ReadonlySet<string> = new Set(["move", "link", "unlink"]);

/** What changes nothing. */
export const readingActions: ReadonlySet<string> = new Set<Action>(["read", "list", "history"]);

/** The meaning of the segments of a path. */
export interface ResolvedPath {
  /** The index of the segment behind which the record is named; -1 where the path starts with its parameter. */
  readonly anchor: number;
  /** The parameter that identifies the record, and its unique field. */
  readonly key?: { readonly parameter: string; readonly column: string };
  /** Outermost first. */
  readonly parents: readonly PathParent[];
}

export interface PathParent {
  readonly parameter: string;
  /** The resource that the parameter names, by which unique field. */
  readonly resource: string;
  readonly column: string;
  /** The field by which the next parent, or the record, refers to it. */
  readonly field: string;
}

export interface Endpoint {
  readonly method: Method;
  /** As written, with `{name}` for parameters. */
  readonly path: string;
  /** The resource, if it cannot be derived from the path. */
  readonly of?: string;
  readonly does?: Action;
  /** Of an older version, where its path does not show it under the names of that time. */
  readonly meant?: ResolvedPath;
  /** Members of the request's body, at any depth; a member with a view's type has its fields. Absent: the action's default. */
  readonly takes?: Readonly<Record<string, Field>>;
  /**
   * The objects around a member of `takes` in the body, outermost first; `user?` is optional. A member without an entry is at the
   * top level.
   */
  readonly nesting?: Readonly<Record<string, readonly string[]>>;
  /** Instead of `takes` the view whose fields are the members. */
  readonly takesView?: string;
  /** The response. Absent: the record itself. */
  readonly gives?: ResponseTemplate;
  /** `gives` of a handler, whose response has no expressions: the members and their types. */
  readonly shape?: Readonly<Record<string, Field>>;
  /** By field of the created or moved record: the record to take and lock. */
  readonly choose?: Readonly<Record<string, Choice>>;
  /** The success status, if it differs from the action's default. */
  readonly status?: number;
  /** The outcomes that can have a separate status. */
  readonly statuses?: Statuses;
  readonly lists?: ListStyle;
  /** The condition of a list, or of the deletion of many: the text of an expression. */
  readonly where?: string;
  /** The guard: an expression that must be true for the operation to run. */
  readonly if?: string;
  /** The error without that, and for whom a login or a renewal does not let in. */
  readonly else?: string;
  /** The complete HTTP contract of a handler, in place of `takes` and `gives`. */
  readonly wire?: EndpointContract;
  /** The record that it is about where no part of the path names one: a condition over it. */
  readonly the?: string;
  /** The record that it creates, unless there is one like it already. */
  readonly link?: Association;
  /** The record that it deletes, if there is one. */
  readonly unlink?: Association;
  /** Query parameters by which a list is cut down. */
  readonly filters?: Readonly<Record<string, Filter>>;
  /** Query parameters that are `input` in expressions. */
  readonly query?: Readonly<Record<string, Field>>;
}

/**
 * All that goes over the wire in an operation that a handler does, for an interface that exists already. Parameters have
 * the names that callers send, whatever these look like.
 */
export interface EndpointContract {
  readonly path?: Readonly<Record<string, Parameter>>;
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly header?: Readonly<Record<string, Parameter>>;
  readonly cookie?: Readonly<Record<string, Parameter>>;
  readonly body?: ContractBody;
  /** By status, `4XX` for a class of them, or `default` for all others. */
  readonly answers?: Readonly<Record<string, ContractResponse>>;
}

/** The places of a wire that hold parameters. */
export const parameterLocations = ["path", "query", "header", "cookie"] as const;

export interface Parameter {
  readonly optional: boolean;
  readonly type: FieldType;
  readonly note?: string;
  readonly example?: Json;
}

export interface ContractBody {
  /** `body?`: it may be left out. */
  readonly optional: boolean;
  /** Absent: any content at all. */
  readonly type?: FieldType;
  /** Absent: application/json. */
  readonly media?: readonly string[];
  readonly note?: string;
}

/** Without a type: no body; or, with a media type, any content of this type. */
export interface ContractResponse {
  readonly type?: FieldType;
  readonly media?: readonly string[];
  readonly headers?: Readonly<Record<string, Parameter>>;
  readonly note?: string;
}

/**
 * A response, or one of its members: the name of a view or a resource (the current record), `X[]` (the page of a list), `count`,
 * `next`, else the text of an expression over the record; only `none` means no body.
 */
export type ResponseTemplate = string | ResponseTemplateMembers;

export interface ResponseTemplateMembers {
  readonly [member: string]: ResponseTemplate;
}

/** One record of another resource, identified by the values of some fields: expressions over the current record. */
export interface Association {
  readonly in: string;
  readonly with: Readonly<Record<string, string>>;
}

/** `label in labels`, where `label` is the parameter. */
export interface Filter {
  /** The type of the value. Absent: the type that the condition compares it with. */
  readonly type?: FieldType;
  readonly if: string;
}

export interface Statuses {
  /** Where a record was made. */
  readonly created?: number;
  /** Where nothing had to be done. On a create: where there is a record with the same unique values. */
  readonly same?: number;
  /** Where processing continues after the response. */
  readonly accepted?: Accepted;
  /** The error where there is a record already that would have to change. */
  readonly differs?: string;
  /** By the code of an error. */
  readonly errors?: Readonly<Record<string, number>>;
}

export interface Accepted {
  readonly status: number;
  /** Evaluated after the operation. Absent: whether the record is in a state that it leaves without an operation. */
  readonly if?: string;
}

export interface Choice {
  readonly from: string;
  readonly if?: string;
  readonly else: string;
}
