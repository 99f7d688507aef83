/** What every step of the pipeline needs, and what one request has found out so far. */
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
import type { ForKind, CompiledOperation, ResourceView } from "./compiled.ts";
import type { CallFunctions } from "./functions.ts";
import type { Opened } from "../../plan/endpoints/envelope.ts";
import type { QuotaPlan } from "../../plan/limits/types.ts";
import type { ApiError } from "../errors/api-error.ts";

/** Made once, when the service starts. */
export interface Context {
  readonly plan: Plan;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly cursors: Cursors;
  readonly tables: ReadonlyMap<string, Table>;
  /** By resource. */
  readonly liveQuotas: ReadonlyMap<string, readonly LiveQuota[]>;
  /** Hashes the keys of counts; the same after every restart. */
  readonly secret: string;
  readonly compiled: ReadonlyMap<string, CompiledOperation>;
  /** Whose callers are records, by credential. */
  readonly logins: ReadonlyMap<string, LoginRecords>;
  readonly guard: LoginGuard;
  /** By the names of older versions. */
  readonly converters: ReadonlyMap<string, VersionConverter>;
  /** Makes an id with a prefix (R2.1). */
  newId(prefix: string): string;
  /** The validator of computed values of a column. */
  columnValidator(column: Column): Validator;
  evaluate(tx: Transaction, expression: TypedExpression, row: Row, variables: Variables): Awaitable<Value>;
  /** Where the API is mounted: absolute, without a slash at its end. */
  baseUrl(): string;
  /** The path of `baseUrl`, empty at the root. */
  readonly prefix: string;
  /** What a kind of caller sees of a resource. */
  viewFor(resource: string, kind: number): ResourceView;
  /** The functions of an operation, for one call of it; undefined where it has none. */
  functionsFor(operation: string): (() => CallFunctions) | undefined;
}

/** The table of a resource of the plan. */
export function tableOf({ tables }: Pick<Context, "tables">, resource: string): Table {
  return defined(tables.get(resource), `the table of ${resource}`);
}

export function credentialNamed({ plan }: Pick<Context, "plan">, name: string): CredentialPlan {
  const credential = plan.credentials.find((one) => one.name === name);
  return defined(credential, `the credential ${name}`);
}

/** A change of records under way. An operation's `Call` is one; time and events that come in make others. */
export interface ChangeContext {
  readonly context: Context;
  /** Epoch milliseconds: one instant for all of it. */
  readonly now: number;
  /** What expressions may name beside the record: caller, input, now, base. */
  readonly variables: Variables;
  /** For the journal: who (a caller's id, `anonymous`, `system`), by what, in which request. */
  readonly by: string;
  readonly cause: string;
  readonly request?: string | undefined;
  /** Of what an event does in turn: the call that caused it, if any did. */
  readonly call?: Call | undefined;
  /** Where time does it: the moment at which it was due. */
  readonly due?: number;
}

/** One request to an operation, after its caller is known. */
export interface Call extends ChangeContext {
  readonly httpRequest: HttpRequest;
  readonly compiled: CompiledOperation;
  readonly observation: ObservationBuilder;
  readonly caller: Caller;
  readonly kind: ForKind;
  /** The path as it was sent, undecoded. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
  /** The query parameter with the version, undecoded; it is not in `query`. */
  readonly parameter?: string;
  /** What the operation's own query parameters say. */
  readonly received: JsonObject;
  /** The parsed body; `{}` where the operation takes none. */
  readonly input: JsonObject;
  /** The envelope of the body, if it was sent in one. */
  readonly envelope?: Unwrapped;
  /** The version that the caller is served. */
  readonly version: Served;
  /** Where that is an older one: what the call is in its own words, which `input` then is in as well (versions/request.ts). */
  readonly own?: VersionedRequest;
  /** Who logs in by it. */
  readonly proved?: Proved;
  /** What came of the present secret, where one is changed by an operation that asks its owner for it. */
  readonly presentSecret?: PresentSecret;
  /** The placeholders of tokens in its response, if the document declares some. */
  readonly placeholders?: TokenPlaceholders;
  /** The hashes of its secret members. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** What the service's owner does in it. */
  readonly functions?: CallFunctions;
  /** A function asks for it as the system: nothing is hidden from it. */
  readonly system?: boolean;
}

/** The call that the work is done for, where a caller asked for it. */
export function callOf(changeContext: ChangeContext): Call | undefined {
  return "compiled" in changeContext ? (changeContext as Call) : changeContext.call;
}

export interface Cursors {
  seal(position: readonly Value[], context: string): string;
  /** The position, or undefined for a cursor that was tampered with or belongs to another list. */
  open(cursor: string, context: string): readonly Value[] | undefined;
}

/** A body taken out of its envelope. */
export interface Unwrapped extends Opened {
  /** The body as it was sent, for the fingerprint of an idempotent request. */
  readonly sent: JsonObject;
}

export type LiveQuota = QuotaPlan & { readonly kind: "live" };

export type Values = Record<string, Value>;

/** A request while the service responds to it, before its operation is known; the stages of `respond.ts` add to it. */
export interface IncomingRequest {
  readonly httpRequest: HttpRequest;
  readonly observation: ObservationBuilder;
  /** Renders an error as the response that the caller gets. */
  readonly rejected: (error: ApiError) => HttpResponse;
  /** The files that its body uploaded; at the end those that no record has are deleted. */
  readonly uploads: string[];
}
