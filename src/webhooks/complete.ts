/** What came of an attempt, written down: what becomes of the delivery (R6.7), and how its endpoint does (R6.8). */
import { instantText } from "../base/clock.ts";
import type { Value } from "../expression/evaluate.ts";
import type { WebhookPlan } from "../plan/events/types.ts";
import type { Row, Transaction } from "../store/port/store.ts";
import type { DeliveryOptions } from "./engine.ts";
import { afterFailure, type Health, isTired } from "./health.ts";
import { deliveries, endpoints, nothing, type Rows } from "./tables.ts";
import type { Ended } from "./attempt.ts";
import type { AttemptOutcome } from "./retry-policy.ts";

/** A delivery says of so many attempts what came of them, the last ones. */
const maximumAttempts = 50;

export interface CompletedDelivery {
  /** Why the endpoint was disabled, if it was. */
  readonly why: string | undefined;
  /** Whether another delivery waited for this one. */
  readonly letGo: boolean;
}

export interface DeliveryCompletion {
  /** In the transaction in which it is known that the delivery is still this attempt's. */
  complete(tx: Transaction, ended: Ended): Promise<CompletedDelivery>;
  /** Nothing more is sent of the delivery. */
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
    // Deleted with its endpoint; or the lease was over, and what becomes of it is for whoever has it now.
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
    // Where there is nothing to note nobody is made to wait for the endpoint.
    if (outcome.kind === "delivered" && (known["failing"] ?? null) === null) return { why: undefined, letGo };
    const endpoint = await tx.get(endpoints, "id", leased["webhook"] ?? null);
    return { why: endpoint && (await recordHealth(tx, endpoint, outcome, now)), letGo };
  }

  /**
   * Since when nothing has succeeded is kept with the endpoint; after too long, or when it says so, it is disabled. Gives why,
   * where that is so.
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
    const exhausted = outcome.kind === "failed" && outcome.why === "exhausted" && webhook.disable;
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
