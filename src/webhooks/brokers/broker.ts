/** What a sink needs of a message broker; `nats.ts` and `kafka.ts` are two. */

export interface Message {
  /** The event's id: the same each time it is sent, so that receivers can tell repeats. */
  readonly id: string;
  /** The event's name. */
  readonly type: string;
  /** What it is about: messages of one record keep their order. */
  readonly record: string;
  readonly body: string;
}

export interface Broker {
  /**
   * Resolves once the broker keeps them all. Where it does not, some may have arrived; of one record's then the first ones.
   * @throws with a sentence for the operator.
   */
  publish(messages: readonly Message[]): Promise<void>;
  close(): Promise<void>;
}

/** The media type of a CloudEvent that is one JSON object (CloudEvents 1.0, structured mode). */
export const cloudEventMedia = "application/cloudevents+json; charset=UTF-8";
/** For this long an answer of the broker is waited for. */
export const patienceMilliseconds = 10_000;
