/**
 * What is seen of a service that runs, brought to its log and its figures: requests, what the store does, deliveries, time.
 * Whoever has neither log nor figures has nothing of this between the service and its work.
 */
import type { DeliveryTold } from "../deliver/engine.ts";
import type { TimeTold } from "../serve/time.ts";
import type { Store } from "../store/store.ts";
import type { Figures } from "./figures.ts";
import type { Log } from "./log.ts";
import { requestFigures } from "./request-figures.ts";
import { requestLog } from "./request-log.ts";
import { createRedact } from "./redact.ts";
import { createStoreTrouble } from "./store-trouble.ts";
import { timedStore } from "./timed-store.ts";
import type { Watch } from "./watching.ts";

export interface OversightOptions {
  readonly log: Log;
  readonly figures: Figures | undefined;
  /** Work of the store that takes longer is told of in the log; absent: none is. */
  readonly slowMilliseconds: number | undefined;
}

export interface Oversight {
  readonly watches: readonly Watch[];
  readonly deliveries: (told: DeliveryTold) => void;
  readonly time: TimeTold;
  /** The same store, seen at its work. */
  store(store: Store): Store;
}

export function createOversight({ log, figures, slowMilliseconds }: OversightOptions): Oversight {
  const slow = log.writes("warn") ? slowMilliseconds : undefined;
  return {
    watches: [
      ...(log.writes("error") ? [requestLog(log)] : []),
      ...(figures === undefined ? [] : [requestFigures(figures)]),
    ],
    deliveries(told) {
      logDelivery(log, told);
      if (told.kind === "disabled") figures?.add("nonet.webhooks.disabled");
      else figures?.record("nonet.delivery.duration", told.seconds, [told.outcome]);
    },
    time(outcome, lateMilliseconds) {
      figures?.record("nonet.timer.delay", lateMilliseconds / 1000, [outcome]);
    },
    store(store) {
      if (figures === undefined && !log.writes("warn")) return store;
      const trouble = log.writes("warn")
        ? createStoreTrouble(log, createRedact([]), () => performance.now())
        : undefined;
      return timedStore(store, {
        done(operation, subject, milliseconds) {
          trouble?.worked();
          figures?.record("nonet.store.operation.duration", milliseconds / 1000, [operation]);
          if (slow !== undefined && milliseconds > slow) {
            log.write("warn", "slow store", { operation, subject, milliseconds: Math.round(milliseconds) });
          }
        },
        failed(kind, thrown) {
          trouble?.failed(thrown);
          figures?.add("nonet.store.failures", [kind]);
        },
      });
    },
  };
}

/** The address of an endpoint is not shown: some carry a token. */
function logDelivery(log: Log, told: DeliveryTold): void {
  if (told.kind === "disabled") {
    log.write("warn", "webhook disabled", { webhook: told.webhook, why: told.why });
    return;
  }
  const { outcome, webhook, delivery, attempt, status } = told;
  const milliseconds = Math.round(told.seconds * 1000);
  const members = { webhook, delivery, attempt, status, milliseconds };
  log.write(outcome === "failed" ? "warn" : "debug", `delivery ${outcome}`, members);
}
