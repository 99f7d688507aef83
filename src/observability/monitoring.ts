/**
 * Connects a running service to its log and metrics: requests, store operations, deliveries, timers. Without log and metrics it
 * adds nothing.
 */
import type { DeliveryReport } from "../webhooks/engine.ts";
import type { TimerObserver } from "../runtime/scheduler/timers.ts";
import type { Store } from "../store/port/store.ts";
import type { Metrics } from "./metrics.ts";
import type { Log } from "./log.ts";
import { requestLog, methodName, other } from "./request-log.ts";
import { createRedact } from "./redact.ts";
import { createStoreTrouble } from "./store-failures.ts";
import { timedStore } from "./timed-store.ts";
import type { Watch } from "./observers.ts";

export interface RecordingOptions {
  readonly log: Log;
  readonly serviceMetrics: Metrics | undefined;
  /** The duration in milliseconds from which a store operation is logged; absent: none is. */
  readonly slowMilliseconds: number | undefined;
}

export interface Monitoring {
  readonly watches: readonly Watch[];
  readonly deliveries: (observed: DeliveryReport) => void;
  readonly time: TimerObserver;
  /** Returns the same store with measurements. */
  store(store: Store): Store;
}

export function createMonitoring({ log, serviceMetrics, slowMilliseconds }: RecordingOptions): Monitoring {
  const slow = log.writes("warn") ? slowMilliseconds : undefined;
  return {
    watches: [
      ...(log.writes("error") ? [requestLog(log)] : []),
      ...(serviceMetrics === undefined ? [] : [requestMetrics(serviceMetrics)]),
    ],
    deliveries(observed) {
      logDelivery(log, observed);
      if (observed.kind === "disabled") serviceMetrics?.add("nonet.webhooks.disabled");
      else serviceMetrics?.record("nonet.delivery.duration", observed.seconds, [observed.outcome]);
    },
    time(outcome, lateMilliseconds) {
      serviceMetrics?.record("nonet.timer.delay", lateMilliseconds / 1000, [outcome]);
    },
    store(store) {
      if (serviceMetrics === undefined && !log.writes("warn")) return store;
      const trouble = log.writes("warn")
        ? createStoreTrouble(log, createRedact([]), () => performance.now())
        : undefined;
      return timedStore(store, {
        done(operation, subject, milliseconds) {
          trouble?.recovered();
          serviceMetrics?.record("nonet.store.operation.duration", milliseconds / 1000, [operation]);
          if (slow !== undefined && milliseconds > slow) {
            log.write("warn", "slow store", { operation, subject, milliseconds: Math.round(milliseconds) });
          }
        },
        failed(kind, thrown) {
          trouble?.failed(thrown);
          serviceMetrics?.add("nonet.store.failures", [kind]);
        },
      });
    },
  };
}

/** Logs a delivery without the endpoint's URL, because some URLs contain a token. */
function logDelivery(log: Log, observed: DeliveryReport): void {
  if (observed.kind === "disabled") {
    log.write("warn", "webhook disabled", { webhook: observed.webhook, why: observed.why });
    return;
  }
  const { outcome, webhook, delivery, attempt, status } = observed;
  const milliseconds = Math.round(observed.seconds * 1000);
  const members = { webhook, delivery, attempt, status, milliseconds };
  log.write(outcome === "failed" ? "warn" : "debug", `delivery ${outcome}`, members);
}

function requestMetrics(serviceMetrics: Metrics): Watch {
  let active = 0;
  serviceMetrics.observe("http.server.active_requests", () => [{ labels: [], value: active }]);
  return ({ httpRequest: { method } }) => {
    active += 1;
    return ({ code, route = other, seconds, status }) => {
      active -= 1;
      const labels = [methodName(method), route, `${Math.floor(status / 100)}xx`];
      serviceMetrics.record("http.server.request.duration", seconds, labels);
      if (code !== undefined) serviceMetrics.add("nonet.requests.refused", [code]);
    };
  };
}
