/** The type of compiled operations; `operations/compile.ts` creates them. */
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Operation, ContractResponsePlan } from "../../plan/endpoints/types.ts";
import type { Column, ResourcesPart, Table } from "../../plan/resources/types.ts";
import type { Awaitable, Found, ListQuery, Page, PageArguments, View, Row } from "../../store/port/store.ts";
import type { OperationValidators, Validator } from "../validation/validator.ts";
import type { Json } from "../../base/json.ts";
import type { HttpResponse } from "../../http/message.ts";
import type { Values, Call } from "./context.ts";
import type { Decision as DecisionOf } from "../../language/authentication/decide.ts";

export interface CompiledOperation extends OperationValidators {
  readonly operation: Operation;
  readonly table: Table;
  /** Validates the result of a function. */
  readonly validateResponse: Validator | undefined;
  /** Removes the write-only members from the response of a function; undefined if there are none. */
  readonly strip?: Strip | undefined;
  /** For handlers with a wire: the compiled responses. */
  readonly wire: CompiledContract | undefined;
  /** Columns that are stored as a hash. */
  readonly secrets: readonly Column[];
  /** Columns with `writeOnly` members inside their values. */
  readonly partlyHidden: ReadonlySet<string>;
  /** The operation that reads a record of the resource, for `Location`. */
  readonly reading: Operation | undefined;
  /** All operations with transitions of the resource, among which an error lists the allowed ones. */
  readonly siblings: readonly Operation[];
  /** Behaviour that the service itself adds to some operations. */
  readonly extension: Extension | undefined;
  forKind(kind: number): ForKind;
}

/** The names of a path in a response: `latest_charge`, `customer`. */
export type MemberPath = readonly string[];

/** What a request asks for in a response. */
export interface MemberSelection {
  /** References in place of which it asks for the records. */
  readonly expand: readonly MemberPath[];
  /** The only members for which it asks; absent: all. */
  readonly fields?: readonly MemberPath[];
}

/** A path at which there is no such member, and the parameter that has it. */
export interface UnknownPath {
  readonly unknown: MemberPath;
  readonly parameter: keyof MemberSelection;
}

/** The permissions and views of one kind of caller. */
export interface ForKind {
  readonly allowed: Decision;
  readonly visible: Decision;
  readonly record: ResourceView;
  /** The view of the operation's custom response, if declared. */
  readonly own: View | undefined;
  /** The view of the header fields of the operation's responses, if declared; not for lists. */
  readonly headers: View | undefined;
  /** The fields that this kind of caller may not set, or only in some records; absent: none. */
  readonly restricted?: ReadonlyMap<string, Exclude<Decision, "allowed">>;
  readonly parents: ParentFinder;
  /** Reads a record on which this kind of caller may run the operation. */
  readonly read: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Reads a record that this kind of caller may see, if it may not run the operation on it. */
  readonly visibleRecord: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Reads the record if the operation's guard is true. */
  readonly passes: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Reads an aggregate's response for this kind of caller; undefined if the guard is not true. */
  readonly aggregate: (variables: Variables) => Awaitable<string | undefined>;
  readonly readAggregate: (variables: Variables) => Awaitable<string | undefined>;
  /** For `the`: the conditions of records on which this kind may run the operation, and of records that it may see. */
  readonly the: { readonly allowed?: TypedExpression; readonly visible?: TypedExpression } | undefined;
  /** Returns the same kind with responses that contain what a request asks for; or a path of something else. */
  selected(selection: MemberSelection): ForKind | UnknownPath;
  /** Returns the same reads with another view; each call prepares new queries. */
  readsIn(view: View): Pick<ForKind, "read" | "list">;
  /** Returns a list query for a shape, prepared once. */
  list(shape: ListShape): (page: PageArguments, variables: Variables) => Awaitable<Page>;
}

export interface ListShape extends Pick<ListQuery, "sort" | "filters" | "search" | "from" | "reversed"> {
  /** The names of the requested filters that the document declares with a condition. */
  readonly conditions: readonly string[];
}

/** The content of a response in one media type. */
export interface CompiledContent {
  readonly schema?: ContractResponsePlan["schema"] | undefined;
  readonly validate: Validator | undefined;
  readonly strip: Strip | undefined;
}

/** The responses of an operation with a wire, with their validators. */
export interface CompiledContract {
  readonly answers: readonly CompiledResponse[];
  readonly schemas: ResourcesPart["schemas"];
  /** The media types of all declared responses. */
  readonly offers: readonly string[] | undefined;
}

export interface CompiledResponse extends Omit<ContractResponsePlan, "schema">, CompiledContent {
  /** The content of media types with another schema, by their essence. */
  readonly further: ReadonlyMap<string, CompiledContent>;
  readonly validators: ReadonlyMap<string, Validator>;
}

export interface ResourceView {
  readonly view: View;
  /** The members that this kind sees in every record; only by these may it filter and sort (R4.13). */
  readonly readable: ReadonlySet<string>;
  /** The members that this kind sees in some record; error messages may name only these. */
  readonly known: ReadonlySet<string>;
  /** Whether the text of a record can change without its revision; then the entity tag is a hash of the text. */
  readonly derived: boolean;
  /** A text that distinguishes the entity tags of different views of one revision (R4.15). */
  readonly tag: string;
}

/** Returns the id of the last parent; null without one, undefined if a parent is absent or hidden. */
export type ParentFinder = (
  names: readonly (Readonly<Record<string, Value>> | undefined)[],
  variables: Variables,
) => Promise<Value | undefined>;

/** Removes the write-only members of a value. */
export type Strip = (value: Json) => Json;

export interface Extension {
  /** Returns further column values; `row` is the record before the write. May throw an ApiError. */
  fill?(call: Call, next: Values, row: Row | undefined): Values;
  /** Changes the response body, also of a replayed response; the result is never stored (R4.20). */
  transformBody?(body: string): string;
  /** Replaces the operation's action, for resources without a table. */
  perform?(call: Call): Promise<HttpResponse>;
  /** The media types of the operation's responses, if not only JSON. */
  readonly offers?: readonly string[];
}

export type Extensions = Readonly<Record<string, Extension>>;

export type Decision = DecisionOf<TypedExpression>;
