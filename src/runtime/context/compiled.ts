/** The type of compiled operations; `operations/compile.ts` creates them. */
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Operation, ContractResponsePlan } from "../../plan/endpoints/types.ts";
import type { Column, ResourcesPart, Table } from "../../plan/resources/types.ts";
import type { Awaitable, Found, ListQuery, Page, PageArguments, View, Row } from "../../store/port/store.ts";
import type { Validator } from "../validation/validator.ts";
import type { Json } from "../../base/json.ts";
import type { HttpResponse } from "../../http/message.ts";
import type { Values, Call } from "./context.ts";
import type { Decision as DecisionOf } from "../../language/authentication/decide.ts";

export interface CompiledOperation {
  readonly operation: Operation;
  readonly table: Table;
  readonly validate: Validator | undefined;
  /** Validates the result of a function. */
  readonly validateResponse: Validator | undefined;
  /** Removes the write-only members from the response of a function; undefined if there are none. */
  readonly strip?: Strip | undefined;
  /** For handlers with an HTTP contract. */
  readonly wire: CompiledContract | undefined;
  /** Columns that are stored as a hash. */
  readonly secrets: readonly Column[];
  /** Columns with `writeOnly` members inside their values. */
  readonly partlyHidden: ReadonlySet<string>;
  /** By filter name: the validator of a value. */
  readonly filters: ReadonlyMap<string, Validator>;
  /** By query parameter: the validator of a value. */
  readonly queries: ReadonlyMap<string, Validator>;
  /** The operation that reads a record of the resource, for `Location`. */
  readonly reading: Operation | undefined;
  /** All operations with transitions of the resource, to list the allowed ones. */
  readonly siblings: readonly Operation[];
  /** Behaviour that the service adds, for few operations. */
  readonly extension: Extension | undefined;
  forKind(kind: number): ForKind;
}

/** The permissions and views of one kind of caller. */
export interface ForKind {
  readonly allowed: Decision;
  readonly visible: Decision;
  readonly record: ResourceView;
  /** The operation's custom response, if declared. */
  readonly own: View | undefined;
  readonly parents: ParentFinder;
  /** Reads a record that this kind may run the operation on. */
  readonly read: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Reads a record that this kind may see, if it may not run the operation. */
  readonly visibleRecord: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Reads the record if the operation's guard is true. */
  readonly passes: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** For an aggregate: its response for this kind, and whether its guard is true. */
  readonly aggregate: (variables: Variables) => Awaitable<string | undefined>;
  readonly readAggregate: (variables: Variables) => Awaitable<string | undefined>;
  /** For `the`: the conditions of records that this kind may run the operation on, and may see. */
  readonly the: { readonly allowed?: TypedExpression; readonly visible?: TypedExpression } | undefined;
  /** The same reads with another view; each call prepares new queries. */
  readsIn(view: View): Pick<ForKind, "read" | "list">;
  /** A list query for a shape, prepared once. */
  list(shape: ListShape): (page: PageArguments, variables: Variables) => Awaitable<Page>;
}

export interface ListShape extends Pick<ListQuery, "sort" | "filters" | "search" | "from"> {
  /** Names of the document's named filters. */
  readonly conditions: readonly string[];
}

/** The responses of an operation with an HTTP contract, with their validators. */
export interface CompiledContract {
  readonly answers: readonly CompiledResponse[];
  readonly schemas: ResourcesPart["schemas"];
  /** The media types of all responses. */
  readonly offers: readonly string[] | undefined;
}

export interface CompiledResponse extends ContractResponsePlan {
  readonly validate: Validator | undefined;
  readonly strip: Strip | undefined;
  readonly validators: ReadonlyMap<string, Validator>;
}

export interface ResourceView {
  readonly view: View;
  /** Members that this kind sees in every record; it may filter and sort by them (R4.13). */
  readonly readable: ReadonlySet<string>;
  /** Members that it sees in some record; only these may be named to it. */
  readonly known: ReadonlySet<string>;
  /** Whether the text can change without the revision; then the entity tag is a hash of the text. */
  readonly derived: boolean;
  /** Distinguishes the entity tags of different views of one revision (R4.15). */
  readonly tag: string;
}

/** The id of the last parent; null without one, undefined if one is absent or hidden. */
export type ParentFinder = (values: readonly (Value | undefined)[], variables: Variables) => Promise<Value | undefined>;

/** Removes the write-only members of a value. */
export type Strip = (value: Json) => Json;

export interface Extension {
  /** Further column values; `row` is the record before. May throw an ApiError. */
  fill?(call: Call, next: Values, row: Row | undefined): Values;
  /** Changes the response body, also of a replayed response; the result is never stored (R4.20). */
  transformBody?(body: string): string;
  /** Replaces the action, for resources without a table. */
  perform?(call: Call): Promise<HttpResponse>;
  /** The media types of its responses, if not only JSON. */
  readonly offers?: readonly string[];
}

export type Extensions = Readonly<Record<string, Extension>>;

export type Decision = DecisionOf<TypedExpression>;
