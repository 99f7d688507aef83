/** Publishes events to NATS JetStream: each event type has a subject, and the stream that stores an event acknowledges it. */
import { jetstream, type JetStreamClient } from "@nats-io/jetstream";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { type Broker, type Message, patienceMilliseconds } from "./broker.ts";
import type { BrokerUrl } from "./address.ts";

export function natsBroker({ servers, target, tls, credentials }: BrokerUrl): Broker {
  let connected: { readonly connection: NatsConnection; readonly stream: JetStreamClient } | undefined;

  async function client(): Promise<JetStreamClient> {
    if (connected === undefined || connected.connection.isClosed()) {
      const connection = await connect({
        servers: [...servers],
        name: "nonet",
        timeout: patienceMilliseconds,
        maxReconnectAttempts: -1,
        ...(tls ? { tls: {} } : {}),
        ...(credentials === undefined
          ? {}
          : credentials.password === undefined
            ? { token: credentials.user }
            : { user: credentials.user, pass: credentials.password }),
      });
      connected = { connection, stream: jetstream(connection, { timeout: patienceMilliseconds }) };
    }
    return connected.stream;
  }

  async function send(stream: JetStreamClient, { id, type, body, media }: Message): Promise<void> {
    const fields = headers();
    fields.set("content-type", media);
    const subject = `${target}.${type}`;
    try {
      // The stream deduplicates by this id within its `duplicate_window`.
      await stream.publish(subject, body, { msgID: id, headers: fields, timeout: patienceMilliseconds });
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      throw new Error(`${subject} was not kept by a stream (${why}); is there one for the subjects ${target}.>?`, {
        cause: thrown,
      });
    }
  }

  return {
    async publish(messages) {
      const stream = await client();
      // Messages of one record are sent one after another, so retries cannot reorder them.
      for (const wave of waves(messages)) await Promise.all(wave.map((message) => send(stream, message)));
    },
    async close() {
      await connected?.connection.close();
    },
  };
}

/** Splits the messages into rounds with at most one message per record, in order. */
export function waves(messages: readonly Message[]): readonly (readonly Message[])[] {
  const rounds: Message[][] = [];
  const next = new Map<string, number>();
  for (const message of messages) {
    const round = next.get(message.record) ?? 0;
    next.set(message.record, round + 1);
    const present = rounds[round];
    if (present === undefined) rounds.push([message]);
    else present.push(message);
  }
  return rounds;
}
