/**
 * Publishes events to Kafka: all in one topic with the record as key, so that the events of a record are in order in one
 * partition.
 */
import { Producer, stringSerializers } from "@platformatic/kafka";
import { type Broker, patienceMilliseconds } from "./broker.ts";
import type { BrokerUrl } from "./address.ts";

export function kafkaBroker({ servers, target, tls, credentials }: BrokerUrl): Broker {
  const producer = new Producer({
    clientId: "nonet",
    bootstrapBrokers: [...servers],
    serializers: stringSerializers,
    // The message is confirmed when all in-sync replicas have stored it. A retry may duplicate it; receivers deduplicate by
    // id.
    acks: -1,
    // For the order there is one request per partition, and the next request starts after the previous one has ended, so the
    // client must not retry by itself.
    retries: 0,
    connectTimeout: patienceMilliseconds,
    timeout: patienceMilliseconds,
    ...(tls ? { tls: {} } : {}),
    ...(credentials === undefined
      ? {}
      : { sasl: { mechanism: "PLAIN", username: credentials.user, password: credentials.password ?? "" } }),
  });
  return {
    async publish(messages) {
      try {
        await producer.send({
          messages: messages.map(({ id, record, body, media }) => ({
            topic: target,
            key: record,
            value: body,
            headers: { "content-type": media, id },
          })),
        });
      } catch (thrown) {
        throw new Error(`the topic ${target} did not take the events (${reasonOf(thrown)})`, { cause: thrown });
      }
    },
    async close() {
      await producer.close();
    },
  };
}

/** Returns the broker's error, which the client wraps in its own. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return reasonOf(thrown.errors[0]);
  return thrown instanceof Error ? thrown.message : String(thrown);
}
