/** Kafka: all events in one topic, keyed by their record, so that a record's are in one partition and in order. */
import { Producer, stringSerializers } from "@platformatic/kafka";
import { type Broker, cloudEventMedia, patienceMilliseconds } from "./broker.ts";
import type { BrokerUrl } from "./address.ts";

export function kafkaBroker({ servers, target, tls, credentials }: BrokerUrl): Broker {
  const producer = new Producer({
    clientId: "nonet",
    bootstrapBrokers: [...servers],
    serializers: stringSerializers,
    // All replicas in step have it. What is sent again after a failure may be there twice; its id tells.
    acks: -1,
    // A partition's messages go in one request, and no request begins before the one before has ended: order holds.
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
          messages: messages.map(({ id, record, body }) => ({
            topic: target,
            key: record,
            value: body,
            headers: { "content-type": cloudEventMedia, id },
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

/** The client wraps what the broker said in what it did itself. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return reasonOf(thrown.errors[0]);
  return thrown instanceof Error ? thrown.message : String(thrown);
}
