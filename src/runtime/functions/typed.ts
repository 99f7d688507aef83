/**
 * The types of functions for one document, whose own types `nonet types` writes. What is wrong by them does not compile: an
 * operation that there is not, a member that it does not take, an answer of another shape, an error that is not declared.
 */
import type { FailDetails } from "./functions.ts";
import type { Comparisons } from "./records.ts";

/** What `nonet types` says of a document. */
export interface ServiceTypes {
  readonly resources: Readonly<Record<keyof never, ResourceTypes>>;
  readonly operations: Readonly<Record<keyof never, OperationTypes>>;
  /** By event that goes out, what it is about. */
  readonly events: Readonly<Record<keyof never, unknown>>;
  readonly errors: string;
  readonly roles: string;
}

export interface ResourceTypes {
  readonly id: string | number;
  /** As a caller may see it, and as the system does. */
  readonly record: unknown;
  readonly full: unknown;
  /** What the document's operations take that create and change one; `never` where none does. */
  readonly create: unknown;
  readonly update: unknown;
  readonly delete: boolean;
  /** What the system may give a new one, and one that there is. */
  readonly made: unknown;
  readonly changed: unknown;
  /** By operation that moves it, and by operation that creates one, what it takes. */
  readonly moves: Readonly<Record<keyof never, unknown>>;
  readonly creates: Readonly<Record<keyof never, unknown>>;
  /** By field, the type of what it is compared with. */
  readonly fields: Readonly<Record<keyof never, unknown>>;
}

export interface OperationTypes {
  readonly does: string;
  readonly input: unknown;
  /** The record at hand; undefined without one. */
  readonly record: unknown;
  /** What it answers. */
  readonly answer: unknown;
  /** What a handler's function gives. */
  readonly gives: unknown;
  readonly params: string;
}

type Awaitable<Value> = Value | Promise<Value>;

/** The functions of a service: one for each operation that a handler does, and what is done around others. */
export type Handlers<Service extends ServiceTypes> = {
  readonly [Name in HandlerNames<Service>]: (
    context: HandlerContext<Service, Name>,
  ) => Awaitable<Service["operations"][Name]["gives"]>;
} & {
  /** May change what the operation takes, or refuse it; runs when it is known to be allowed and to fit the document. */
  readonly before?: {
    readonly [Name in keyof Service["operations"]]?: (
      context: HandlerContext<Service, Name>,
      // biome-ignore lint/suspicious/noConfusingVoidType: a function that gives nothing leaves the input as it is
    ) => Awaitable<Service["operations"][Name]["input"] | undefined | void>;
  };
  /** Sees what it answers, and may write more in the same transaction, or refuse it after all. */
  readonly after?: {
    readonly [Name in keyof Service["operations"]]?: (
      context: HandlerContext<Service, Name> & { readonly answer: Service["operations"][Name]["answer"] },
    ) => Awaitable<unknown>;
  };
  /** When an event has happened, in a transaction of its own, as the system; at least once, in the order of each record. */
  readonly on?: {
    readonly [Event in keyof Service["events"]]?: (context: EventContext<Service, Event>) => Awaitable<unknown>;
  };
  /** By interval, such as `5m`: functions that run once in each, by name, as the system. */
  readonly every?: {
    readonly [interval: string]: { readonly [name: string]: (context: SystemContext<Service>) => Awaitable<unknown> };
  };
};

type HandlerNames<Service extends ServiceTypes> = {
  readonly [Name in keyof Service["operations"]]: Service["operations"][Name]["does"] extends "handler" ? Name : never;
}[keyof Service["operations"]];

interface CommonContext<Service extends ServiceTypes> {
  /** Refuses the request with an error of the document, and undoes everything. */
  readonly fail: (code: Service["errors"], details?: FailDetails) => never;
  /** One instant for all of it. */
  readonly now: Date;
  /** Told to the operator, with the request's id. */
  readonly log: (message: string, details?: unknown) => void;
  readonly request: { readonly id: string; readonly traceparent?: string };
  /** Aborted when nobody waits for the function any more. */
  readonly signal: AbortSignal;
}

export interface HandlerContext<Service extends ServiceTypes, Name extends keyof Service["operations"]>
  extends CommonContext<Service> {
  /** What the request says, judged and with its defaults. */
  readonly input: Service["operations"][Name]["input"];
  /** The record at hand as the caller sees it. */
  readonly record: Service["operations"][Name]["record"];
  /** The parameters of the path. */
  readonly params: Readonly<Record<Service["operations"][Name]["params"], string>>;
  readonly caller: {
    /** Null for anonymous callers. */
    readonly id: string | null;
    readonly roles: readonly Service["roles"][];
    readonly claims: Readonly<Record<string, unknown>>;
  };
  /** What the caller may see and do; `records.system` asks nobody. */
  readonly records: CallerRecords<Service> & { readonly system: SystemRecords<Service> };
}

export interface SystemContext<Service extends ServiceTypes> extends CommonContext<Service> {
  readonly records: SystemRecords<Service> & { readonly system: SystemRecords<Service> };
}

export interface EventContext<Service extends ServiceTypes, Event extends keyof Service["events"]>
  extends SystemContext<Service> {
  readonly event: { readonly type: Event; readonly id: string; readonly time: Date };
  /** The record as it was when it happened. */
  readonly record: Service["events"][Event];
}

type CallerRecords<Service extends ServiceTypes> = {
  readonly [Name in keyof Service["resources"]]: CallerRecordsOf<Service["resources"][Name]>;
};

type SystemRecords<Service extends ServiceTypes> = {
  readonly [Name in keyof Service["resources"]]: SystemRecordsOf<Service["resources"][Name]>;
};

type CallerRecordsOf<Of extends ResourceTypes> = Reading<Of, Of["record"]> &
  Runs<Of, Of["record"]> &
  ([Of["create"]] extends [never] ? unknown : { create(values: Of["create"]): Promise<Of["record"]> }) &
  ([Of["update"]] extends [never] ? unknown : { update(id: Of["id"], changes: Of["update"]): Promise<Of["record"]> }) &
  (Of["delete"] extends true ? { delete(id: Of["id"]): Promise<void> } : unknown);

type SystemRecordsOf<Of extends ResourceTypes> = Reading<Of, Of["full"]> &
  Runs<Of, Of["full"]> & {
    create(values: Of["made"]): Promise<Of["full"]>;
    update(id: Of["id"], changes: Of["changed"]): Promise<Of["full"]>;
    delete(id: Of["id"]): Promise<void>;
  };

interface Reading<Of extends ResourceTypes, Context> {
  get(id: Of["id"]): Promise<Context | undefined>;
  /** The newest that fits. */
  find(where: WhereOf<Of>): Promise<Context | undefined>;
  /** `sort`: `-createdAt`, `size,-door`; without it the newest first. `after`: `next` of the page before. */
  list(wanted?: {
    readonly where?: WhereOf<Of>;
    readonly sort?: string;
    readonly limit?: number;
    readonly after?: string | null;
  }): Promise<{ readonly items: readonly Context[]; readonly next: string | null }>;
}

interface Runs<Of extends ResourceTypes, Context> {
  readonly move: {
    readonly [Name in keyof Of["moves"]]: {} extends Of["moves"][Name]
      ? (id: Of["id"], input?: Of["moves"][Name]) => Promise<Context>
      : (id: Of["id"], input: Of["moves"][Name]) => Promise<Context>;
  };
  /** An operation by its name; of several that create, this says which. */
  run<Name extends keyof Of["moves"]>(operation: Name, id: Of["id"], input?: Of["moves"][Name]): Promise<Context>;
  run<Name extends keyof Of["creates"]>(operation: Name, values: Of["creates"][Name]): Promise<Context>;
}

type WhereOf<Of extends ResourceTypes> = {
  readonly [Field in keyof Of["fields"]]?: Of["fields"][Field] | Comparisons<Of["fields"][Field]>;
};

/** Gives what it is given: for its types. */
export function handlers<Service extends ServiceTypes>(functions: Handlers<Service>): Handlers<Service> {
  return functions;
}
