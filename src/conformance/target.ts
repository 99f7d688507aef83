/** The implementation under test, and what its owner lends the test. */
import type { Caller } from "./caller.ts";
import type { EventStream, FollowOptions } from "./event-stream.ts";
import type { Send } from "./interaction.ts";
import type { Receiver } from "./receiver.ts";
import type { TestClock } from "./test-clock.ts";

/** Revokes all that was obtained for a user with a credential of part 5. */
export type Revoke = (user: string, credential: string) => Promise<void>;

export interface Target {
  /** The address of the implementation, which replaces `{base_url}`. */
  readonly address: string;
  readonly send: Send;
  /** The present of this machine, in milliseconds since 1970. */
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /**
   * Returns a caller with exactly these roles, or undefined if there is none. Callers with the same roles and another number are
   * other users. `credential`: the credential of part 5 that the caller sends; by default any.
   */
  readonly caller: (roles: readonly string[], number: number, credential?: string) => Promise<Caller | undefined>;
  /** Revokes the credentials of a user, as the owner of the implementation does. */
  readonly revoke?: Revoke;
  /** The secrets of the document, by the name of their environment variable. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The operations that the test must not call. */
  readonly skipped: ReadonlySet<string>;
  /** The clock of the implementation, if the test may move it. */
  readonly clock?: TestClock;
  /** A receiver of webhooks that the implementation can reach. */
  readonly receiver?: Receiver;
  /** Opens a stream of server-sent events. */
  readonly follow?: (
    url: string,
    headers: Readonly<Record<string, string>>,
    options?: FollowOptions,
  ) => Promise<EventStream>;
  /** How long an event may take to arrive, in milliseconds; default: 10 s. */
  readonly eventMilliseconds?: number;
}
