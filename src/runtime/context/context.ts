/** The dependencies that all requests share, and the state of one call of an operation. */
import type { Clock } from "../../base/clock.ts";
import { defined } from "../../base/defined.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Column, Table } from "../../plan/resources/types.ts";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Awaitable, Row, Store, Transaction } from "../../store/port/store.ts";
import type { Validator } from "../validation/validator.ts";
import type { Caller } from "./caller.ts";
import type { LoginGuard, LoginRecords, Proved, PresentSecret, TokenPlaceholders } from "./login.ts";
import type { HttpRequest, HttpResponse } from "../../http/message.ts";
import type { VersionConverter, VersionedRequest, Served } from "./version.ts";
import type { ObservationBuilder } from "./observation.ts";
import type { ForKind, CompiledOperation, ResourceView, MemberPath } from "./compiled.ts";
import type { CallFunctions } from "./functions.ts";
import type { Opened } from "../../plan/endpoints/envelope.ts";
import type { QuotaPlan } from "../../plan/limits/types.ts";
import type { ApiError } from "../errors/api-error.ts";

/** The dependencies of all requests, created once at start. */
export interface Context {
  readonly plan: Plan;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly cursors: Cursors;
  readonly tables: ReadonlyMap<string, Table>;
  /** The quotas of live records, by resource. */
  readonly liveQuotas: ReadonlyMap<string, readonly LiveQuota[]>;
  /** The key of the hash for counter keys; the same after every restart. */
  readonly secret: string;
  readonly compiled: ReadonlyMap<string, CompiledOperation>;
  /** The records that can log in, by name of the credential. */
  readonly logins: ReadonlyMap<string, LoginRecords>;
  readonly guard: LoginGuard;
  /** The converters, by name of the older version. */
  readonly converters: ReadonlyMap<string, VersionConverter>;
  /** Creates an id with a prefix (R2.1). */
  newId(prefix: string): string;
  /** Returns the validator of a column's computed values. */
  columnValidator(column: Column): Validator;
  evaluate(tx: Transaction, expression: TypedExpression, row: Row, variables: Variables): Awaitable<Value>;
  /** Returns the absolute base URL of the operations, without a trailing slash. */
  baseUrl(): string;
  /** The path of `baseUrl`; empty at the root. */
  readonly prefix: string;
  /** Returns the view of a resource for a kind of caller. */
  viewFor(resource: string, kind: number): ResourceView;
  /** Returns the functions of an operation, for one call; undefined if it has none. */
  functionsFor(operation: string): (() => CallFunctions) | undefined;
}

export function tableOf({ tables }: Pick<Context, "tables">, resource: string): Table {
  return defined(tables.get(resource), `the table of ${resource}`);
}

export function credentialNamed({ plan }: Pick<Context, "plan">, name: string): CredentialPlan {
  const credential = plan.credentials.find((one) => one.name === name);
  return defined(credential, `the credential ${name}`);
}

/** A change of records in progress: by an operation's `Call`, a timer, or an event's effect. */
export interface ChangeContext {
  readonly context: Context;
  /** The time in epoch milliseconds; constant during the change. */
  readonly now: number;
  /** The variables of expressions: caller, input, now, base. */
  readonly variables: Variables;
  /** The actor in the event log: a caller's id, `anonymous` or `system`. */
  readonly by: string;
  readonly cause: string;
  readonly request?: string | undefined;
  /** For an event's effect: the call that caused it, if any. */
  readonly call?: Call | undefined;
  /** For a timer: the time at which it was due, in epoch milliseconds. */
  readonly due?: number;
}

/** A call of an operation: by a request, after authentication, or by a function of the service, without a request. */
export interface Call extends ChangeContext {
  readonly httpRequest: HttpRequest;
  readonly compiled: CompiledOperation;
  readonly observation: ObservationBuilder;
  readonly caller: Caller;
  readonly kind: ForKind;
  /** The path as sent, not decoded. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The query parameters. Of a repeated one the first value, of which `repeated` has all. */
  readonly query: ReadonlyMap<string, string>;
  readonly repeated?: ReadonlyMap<string, readonly string[]>;
  /** The query parameter of the version, not decoded; `query` does not contain it. */
  readonly parameter?: string;
  /** The values of the operation's query parameters. */
  readonly received: JsonObject;
  /** The parsed body; `{}` if there is none. */
  readonly input: JsonObject;
  /** The body as it was received; without `bytes` if it was not read as a whole. Absent for calls without a request. */
  readonly sent?: { readonly bytes: Uint8Array | undefined };
  /** The paths that the body has for `expand`; `input` does not contain them. */
  readonly bodyPaths?: readonly string[];
  /** The records of a body that creates many; `input` is then the body. */
  readonly items?: readonly ItemInput[];
  /** For older callers: the only members of the response, by their older names. */
  readonly olderFields?: readonly MemberPath[];
  /** The enclosing objects of the body, if there are any. */
  readonly envelope?: Unwrapped;
  /** The version of the caller. */
  readonly version: Served;
  /**
   * For an older version: the request in the older names. Until the request is upgraded (versions/request.ts), `input` has
   * these names too.
   */
  readonly own?: VersionedRequest;
  /** The record that logs in, after its secret was verified. */
  readonly proved?: Proved;
  /** The result of verifying the current secret, if the operation changes the secret. */
  readonly presentSecret?: PresentSecret;
  /** The placeholders of tokens in the response, if the document has tokens. */
  readonly placeholders?: TokenPlaceholders;
  /** The hashes of the secret members of the body. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The functions of the operation. */
  readonly functions?: CallFunctions;
  /** Set if the operation runs for a function as the system, without permission checks. */
  readonly system?: boolean;
}

/** Returns the call that caused a change, if there is one. */
export function callOf(changeContext: ChangeContext): Call | undefined {
  return "compiled" in changeContext ? (changeContext as Call) : changeContext.call;
}

export interface Cursors {
  seal(position: readonly Value[], context: string): string;
  /** Returns the position in a cursor; undefined for a forged cursor or one of another list. */
  open(cursor: string, context: string): readonly Value[] | undefined;
}

/** One of the records of a body that creates many. */
export interface ItemInput {
  readonly input: JsonObject;
  readonly envelope?: Unwrapped;
  /** The validator to use instead of the operation's own. */
  readonly validate?: Validator;
}

/** A body without the objects around its members. */
export interface Unwrapped extends Opened {
  /** The body as sent, for the idempotency fingerprint. */
  readonly sent: JsonObject;
}

export type LiveQuota = QuotaPlan & { readonly kind: "live" };

export type Values = Record<string, Value>;

/** A request before its operation is known; the stages of `respond.ts` extend it. */
export interface IncomingRequest {
  readonly httpRequest: HttpRequest;
  readonly observation: ObservationBuilder;
  /** Returns the response for an error. */
  readonly rejected: (error: ApiError) => HttpResponse;
  /** The ids of uploaded files; those that no record uses are deleted at the end of the request. */
  readonly uploads: string[];
}
