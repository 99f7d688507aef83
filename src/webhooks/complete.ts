/** Stores the outcome of an attempt: the new state of the delivery (R6.7) and the health of its endpoint (R6.8). */
import { instantText } from "../base/clock.ts";
import type { Value } from "../expression/evaluate.ts";
import type { WebhookPlan } from "../plan/events/types.ts";
import type { Row, Transaction } from "../store/port/store.ts";
import type { DeliveryOptions } from "./engine.ts";
import { afterFailure, type Health, isTired } from "./health.ts";
import { deliveries, endpoints, nothing, type Rows } from "./tables.ts";
import type { Ended } from "./attempt.ts";
import type { AttemptOutcome } from "./retry-policy.ts";

/** The most attempts in a delivery's record; the last ones stay. */
const maximumAttempts = 50;

export interface CompletedDelivery {
  /** The reason why the endpoint was disabled, if it was. */
  readonly why: string | undefined;
  /** Whether a delivery that waits for this one, because it is about the same record, can start now. */
  readonly letGo: boolean;
}

export interface DeliveryCompletion {
  /** Stores the outcome; checks in the same transaction that this attempt still owns the delivery. */
  complete(tx: Transaction, ended: Ended): Promise<CompletedDelivery>;
  /** Ends the delivery as failed. */
  fail(tx: Transaction, row: Row, changes: Row, cause: string): Promise<void>;
}

export function createDeliveryCompletion(
  { transition }: Pick<DeliveryOptions, "transition">,
  webhook: WebhookPlan,
  rows: Pick<Rows, "letNextGo">,
): DeliveryCompletion {
  function fail(tx: Transaction, row: Row, changes: Row, cause: string): Promise<void> {
    return transition(tx, {
      resource: deliveries,
      row,
      to: "failed",
      changes: { ...changes, leased: false, nextAttemptAt: null },
      cause,
    });
  }

  async function complete(tx: Transaction, ended: Ended): Promise<CompletedDelivery> {
    const { attempt, endpointRow: known, made, now, row: leased, outcome } = ended;
    const row = await tx.get(deliveries, "id", leased["id"] ?? null);
    // The delivery was deleted with its endpoint, or the lease expired and another process owns the delivery.
    if (row?.["state"] !== "pending" || row["nextAttemptAt"] !== leased["nextAttemptAt"])
      return { why: undefined, letGo: false };
    const attempts = [...(row["attempts"] as readonly Value[]), attempt as Value].slice(-maximumAttempts);
    const changes: Row = { attempts, tries: made, leased: false };
    if (outcome.kind === "again") {
      const nextAttemptAt = instantText(now + outcome.waitMilliseconds);
      await tx.update(deliveries, row, { ...changes, nextAttemptAt }, nothing, {});
    } else if (outcome.kind === "delivered") {
      await tx.update(deliveries, row, { ...changes, state: "delivered", nextAttemptAt: null }, nothing, {});
    } else {
      await fail(tx, row, changes, outcome.why);
    }
    const letGo =
      outcome.kind !== "again" &&
      webhook.inOrder &&
      (await rows.letNextGo(tx, row["webhook"] as string, row["record"] as string, now));
    // The endpoint is not locked if its health does not change.
    if (outcome.kind === "delivered" && (known["failing"] ?? null) === null) return { why: undefined, letGo };
    const endpoint = await tx.get(endpoints, "id", leased["webhook"] ?? null);
    return { why: endpoint && (await recordHealth(tx, endpoint, outcome, now)), letGo };
  }

  /**
   * Stores when failures began. Disables the endpoint if they last too long, after 410, or after the last retry (`then: disable`).
   * Returns the reason if it is disabled.
   */
  async function recordHealth(
    tx: Transaction,
    endpoint: Row,
    outcome: AttemptOutcome,
    now: number,
  ): Promise<string | undefined> {
    const failing = (endpoint["failing"] ?? undefined) as Health | undefined;
    if (outcome.kind === "delivered") {
      if (failing !== undefined) await tx.update(endpoints, endpoint, { failing: null }, nothing, {});
      return undefined;
    }
    const health = afterFailure(failing, now);
    const isRemoved = outcome.kind === "failed" && outcome.why === "gone";
    const exhausted = outcome.kind === "failed" && outcome.why === "exhausted" && webhook.disableAfterRetries;
    if (endpoint["state"] === "enabled" && (isRemoved || exhausted || isTired(health, now))) {
      const why = isRemoved
        ? "the receiver is gone"
        : exhausted
          ? "a delivery was given up"
          : "nothing arrived for 5 days";
      const changes = { failing: null };
      await transition(tx, { resource: endpoints, row: endpoint, to: "disabled", changes, cause: why });
      return why;
    }
    if (health !== failing) {
      await tx.update(endpoints, endpoint, { failing: { ...health } }, nothing, {});
    }
    return undefined;
  }

  return { complete, fail };
}
