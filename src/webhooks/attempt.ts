/** Runs one delivery attempt: sends the signed (R6.6) and traced (R1.4) request to the endpoint, and returns its outcome. */
import { createHmac } from "node:crypto";
import { instantText } from "../base/clock.ts";
import { defined } from "../base/defined.ts";
import type { Json } from "../base/json.ts";
import { keyOf, type SignatureScheme, signatureHeaders, signedPieces, typeValues } from "../base/signature-schemes.ts";
import type { WebhookPlan } from "../plan/events/types.ts";
import type { Row } from "../store/port/store.ts";
import type { DeliveryOptions, Sending } from "./engine.ts";
import { PostError } from "./post.ts";
import { deliveries, nothing } from "./tables.ts";
import { type Attempt, nextAttempt, type AttemptOutcome } from "./retry-policy.ts";

/** A delivery that this process has leased, and its endpoint. */
export interface LockedDelivery {
  readonly endpointRow: Row;
  readonly row: Row;
}

/** A completed attempt with its outcome. */
export interface Ended extends LockedDelivery {
  /** The number of attempts, including this one. */
  readonly made: number;
  /** What the delivery stores about the attempt. */
  readonly attempt: Json;
  readonly outcome: AttemptOutcome;
  /** The start of the attempt; the next member is its end, in epoch milliseconds. */
  readonly began: number;
  readonly now: number;
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined;
}

/** Runs an attempt; returns undefined if there was none: the lease expired before it, or the process is stopping. */
export type Send = (delivery: LockedDelivery) => Promise<Ended | undefined>;

export function createSend(options: DeliveryOptions, webhook: WebhookPlan, stopping: AbortSignal): Send {
  const { clock, post, random, store } = options;
  const { scheme } = webhook;

  async function send({ endpointRow, row }: LockedDelivery): Promise<Ended | undefined> {
    const began = clock.now();
    // Locking took so long that another process may have the lease now.
    if (began >= Date.parse(row["nextAttemptAt"] as string)) return;
    const body = row["body"] as string;
    const sending = await sendingOf(endpointRow, row);
    const headers = {
      ...sending?.headers,
      "content-type": row["media"] as string,
      "user-agent": "nonet",
      ...(scheme === undefined
        ? { "webhook-id": row["event"] as string, "webhook-timestamp": String(secondsOf(began)) }
        : signed(scheme, secretsOf(endpointRow, began), row, began)),
    };
    let attempt: Attempt;
    let details: Readonly<Record<string, Json>>;
    try {
      const posted = await post.send(endpointRow["url"] as string, headers, body, webhook.timeoutMilliseconds, stopping); // biome-ignore format: short
      sending?.ended(posted.status);
      attempt = { kind: "answered", ...posted };
      details = { status: posted.status, reply: posted.reply };
    } catch (thrown) {
      if (!(thrown instanceof PostError)) throw thrown;
      sending?.ended(undefined, thrown.timedOut ? "timeout" : "unanswered");
      if (stopping.aborted) {
        // The delivery is released for another attempt.
        await release(row);
        return undefined;
      }
      attempt = { kind: "unanswered", timedOut: thrown.timedOut };
      details = { error: thrown.message };
    }
    const now = clock.now();
    const made = (row["tries"] as number) + 1;
    const outcome = nextAttempt(attempt, { made, retry: webhook.retryMilliseconds, random: random(), now });
    return {
      ...{ endpointRow, row, made, outcome, began, now },
      attempt: { at: instantText(began), milliseconds: now - began, ...details },
      status: attempt.kind === "answered" ? attempt.status : undefined,
    };
  }

  /** Starts the trace span. Reads the trace from the event log only if tracing is on, so that deliveries need not store it. */
  async function sendingOf(endpoint: Row, row: Row): Promise<Sending | undefined> {
    const { startSending, renderer } = options;
    const url = endpoint["url"] as string;
    if (startSending === undefined || !URL.canParse(url)) return undefined;
    const position = renderer.ids.positionOf(row["event"] as string);
    const entry = position === undefined ? undefined : await store.journal.at(position);
    return startSending("POST", new URL(url), entry?.trace);
  }

  /** Returns the secrets that sign, which are all valid ones (R6.6). */
  function secretsOf(endpoint: Row, now: number): readonly string[] {
    const old = (endpoint["oldSecrets"] ?? []) as unknown as readonly { number: number; until: number }[];
    const good = old.filter(({ until }) => until > now).map(({ number }) => number);
    return [endpoint["secretNumber"] as number, ...good].map((number) =>
      options.secret(endpoint["id"] as string, number),
    );
  }

  async function release(row: Row): Promise<void> {
    await store.transaction(async (tx) => {
      const present = await tx.get(deliveries, "id", row["id"] ?? null);
      if (present === undefined || present["nextAttemptAt"] !== row["nextAttemptAt"]) return;
      await tx.update(deliveries, present, { nextAttemptAt: instantText(clock.now()) }, nothing, {});
    });
  }

  return send;
}

/** Returns the signed header fields of an attempt at `now`, by the document's scheme (R6.5). */
function signed(
  scheme: SignatureScheme,
  secrets: readonly string[],
  row: Row,
  now: number,
): Readonly<Record<string, string>> {
  const values = {
    ...typeValues(row["type"] as string),
    id: row["event"] as string,
    seconds: String(secondsOf(now)),
  };
  const digests = secrets.map((secret) => {
    const hmac = createHmac("sha256", defined(keyOf(scheme, secret), "the key of a secret"));
    for (const piece of signedPieces(scheme, values, row["body"] as string)) hmac.update(piece);
    const digest = hmac.digest();
    return { hex: digest.toString("hex"), base64: digest.toString("base64") };
  });
  return signatureHeaders(scheme, values, digests);
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
