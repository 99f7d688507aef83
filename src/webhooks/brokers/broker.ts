/** The interface of message brokers; `nats.ts` and `kafka.ts` implement it. */

export interface Message {
  /** The event's id, the same in repeated messages, so that receivers can deduplicate. */
  readonly id: string;
  /** The name of the event. */
  readonly type: string;
  /** The record that the event is about: messages of one record stay in order. */
  readonly record: string;
  readonly body: string;
  /** The media type of the body. */
  readonly media: string;
}

export interface Broker {
  /**
   * Resolves when the broker has stored all messages. After an error it may have stored some, for each record the first ones.
   * @throws an error with a message for the operator
   */
  publish(messages: readonly Message[]): Promise<void>;
  close(): Promise<void>;
}

/** The timeout for responses of the broker, in milliseconds. */
export const patienceMilliseconds = 10_000;
