/** What a request has of the functions of the service's owner; `functions/request.ts` runs them. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import type { Call, Context } from "./context.ts";

/** The functions of one call. */
export interface CallFunctions {
  /** The result of the handler. */
  handle(call: Call, tx: Transaction, about: About): Promise<unknown>;
  /** The input as the function before the operation leaves it, and the call that has it. */
  before(call: Call, tx: Transaction, input: JsonObject): Promise<Before>;
  after(call: Call, tx: Transaction, about: About): Promise<void>;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  /** Randomness that is the same in each transaction of the call. */
  readonly chance: Pick<Context, "newId" | "random">;
  /** The next transaction begins. */
  rewind(): void;
  /** There is no other transaction: functions that still run are aborted. */
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
