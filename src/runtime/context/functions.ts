/** The interface to the functions of a request; `functions/request.ts` implements it. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import type { Call, Context } from "./context.ts";

/** The functions of one call. */
export interface CallFunctions {
  /** Runs the handler and returns its result. */
  handle(call: Call, tx: Transaction, about: About): Promise<unknown>;
  /** Runs the `before` function; returns its input and the call with it. */
  before(call: Call, tx: Transaction, input: JsonObject): Promise<Before>;
  after(call: Call, tx: Transaction, about: About): Promise<void>;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  /** Random values that repeat in each transaction of the call. */
  readonly chance: Pick<Context, "newId" | "random">;
  /** Call before another transaction. */
  rewind(): void;
  /** Call after the last transaction: aborts running functions. */
  end(reason: unknown): void;
}

export interface Before {
  readonly call: Call;
  readonly input: JsonObject;
}

export interface About {
  readonly input?: JsonObject;
  readonly row?: Row | undefined;
  readonly answer?: Json;
}
