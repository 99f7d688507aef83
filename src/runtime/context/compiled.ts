/** What a compiled operation has, for the rooms that run it; `operations/compile.ts` makes it. */
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
  /** Of the result of a function. */
  readonly validateResponse: Validator | undefined;
  /** Removes the write-only members from the response of a function; undefined if there are none. */
  readonly strip?: Strip | undefined;
  /** Of a function that says all that goes over the wire. */
  readonly wire: CompiledContract | undefined;
  /** Columns of the table that are stored as a hash. */
  readonly secrets: readonly Column[];
  /** Columns with `writeOnly` members inside of them. */
  readonly partlyHidden: ReadonlySet<string>;
  /** By filter: the validator of one value. */
  readonly filters: ReadonlyMap<string, Validator>;
  /** By query parameter of the operation's own. */
  readonly queries: ReadonlyMap<string, Validator>;
  /** The operation that reads a record of the resource: where one that is made can be found. */
  readonly reading: Operation | undefined;
  /** All operations that move a record of the resource, to say which are allowed now. */
  readonly siblings: readonly Operation[];
  /** What the service adds to it; most have none. */
  readonly extension: Extension | undefined;
  forKind(kind: number): ForKind;
}

/** What one kind of caller may do and sees. */
export interface ForKind {
  readonly allowed: Decision;
  readonly visible: Decision;
  readonly record: ResourceView;
  /** The operation's own answer, where it has one. */
  readonly own: View | undefined;
  readonly parents: ParentFinder;
  /** Reads one record of those that this kind may see and run the operation on. */
  readonly read: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Whether the record exists for this kind, where running on it is not allowed. */
  readonly visibleRecord: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Reads the record where the operation's guard holds. */
  readonly passes: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Where the operation is of no record: what it tells those of this kind who may run it, and whether its guard holds. */
  readonly aggregate: (variables: Variables) => Awaitable<string | undefined>;
  readonly readAggregate: (variables: Variables) => Awaitable<string | undefined>;
  /** With `the`: the conditions of the records that this kind may run it on, and may see. */
  readonly the: { readonly allowed?: TypedExpression; readonly visible?: TypedExpression } | undefined;
  /** The same reads in another view. Each call prepares its own. */
  readsIn(view: View): Pick<ForKind, "read" | "list">;
  /** A list query by its shape, prepared once. */
  list(shape: ListShape): (page: PageArguments, variables: Variables) => Awaitable<Page>;
}

export interface ListShape extends Pick<ListQuery, "sort" | "filters" | "search" | "from"> {
  /** The filters that the document words, by their names. */
  readonly conditions: readonly string[];
}

/** The responses of an operation, with validators of their headers and bodies. */
export interface CompiledContract {
  readonly answers: readonly CompiledResponse[];
  readonly schemas: ResourcesPart["schemas"];
  /** The media types of all answers. */
  readonly offers: readonly string[] | undefined;
}

export interface CompiledResponse extends ContractResponsePlan {
  readonly validate: Validator | undefined;
  readonly strip: Strip | undefined;
  readonly validators: ReadonlyMap<string, Validator>;
}

export interface ResourceView {
  readonly view: View;
  /** Members that this kind of caller sees of every record; what it may filter and sort by (R4.13). */
  readonly readable: ReadonlySet<string>;
  /** Every member that it may see of some record: what may be named to it at all. */
  readonly known: ReadonlySet<string>;
  /** Whether the text can change without the record's revision: then the entity tag is taken from the text. */
  readonly derived: boolean;
  /** Distinguishes the entity tags of different views of one revision (R4.15). */
  readonly tag: string;
}

/** The id of the last parent, `null` where the path names none, undefined where one is absent or hidden. */
export type ParentFinder = (values: readonly (Value | undefined)[], variables: Variables) => Promise<Value | undefined>;

/** Removes the write-only members of a value. */
export type Strip = (value: Json) => Json;

export interface Extension {
  /** Columns of the record, beside those of the operation; `row` is the record before it. May refuse. */
  fill?(call: Call, next: Values, row: Row | undefined): Values;
  /** Changes the body of the response, also of a replayed one; the changed body is never stored (R4.20). */
  transformBody?(body: string): string;
  /** Responds in place of the action: no table has what is requested. */
  perform?(call: Call): Promise<HttpResponse>;
  /** The media types of its answers, where JSON is not the only one. */
  readonly offers?: readonly string[];
}

export type Extensions = Readonly<Record<string, Extension>>;

export type Decision = DecisionOf<TypedExpression>;
