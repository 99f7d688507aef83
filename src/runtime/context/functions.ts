/** The interface to the functions of a request, which `functions/request.ts` implements. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import type { Call, Context } from "./context.ts";

/** The functions of one operation's call. */
export interface CallFunctions {
  /** Runs the handler and returns its result. */
  handle(call: Call, tx: Transaction, about: About): Promise<unknown>;
  /** Runs the `before` function; returns the changed input, and the call with it. */
  before(call: Call, tx: Transaction, input: JsonObject): Promise<Before>;
  after(call: Call, tx: Transaction, about: About): Promise<void>;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  /** Random values that are the same in each transaction of the call. */
  readonly chance: Pick<Context, "newId" | "random">;
  /** Starts the functions' steps again; must be called before another transaction of the same call. */
  rewind(): void;
  /** Aborts running functions; must be called after the last transaction. */
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
