/** Reports the health of a service to its operator (R1.2), in the format of draft-inadarei-api-health-check-06. */
import type { JsonObject } from "../base/json.ts";
import type { Health, HealthStatus } from "../runtime/health.ts";
import { type Backlog, overdueSeconds, type ServiceSnapshot } from "./service-metrics.ts";
import { hash, timingSafeEqual } from "node:crypto";

/** The delay in seconds from which late deliveries are reported as a warning; requests are still served. */
const lateDeliverySeconds = 900;
const lateTimerSeconds = 60;

export interface HealthDependencies {
  readonly current: () => ServiceSnapshot;
  readonly now: () => number;
  readonly backlog: (snapshot: ServiceSnapshot) => Promise<Backlog | undefined>;
  readonly version: string;
}

/** Returns a function that creates the report; a failing query counts as a failure of the store. */
export function createHealthReport({
  current,
  now,
  backlog,
  version,
}: HealthDependencies): (status: HealthStatus) => Promise<Health> {
  return async (storeStatus) => {
    const ready = storeStatus !== "fail";
    const snapshot = current();
    const checks: Record<string, JsonObject> = {
      "store:ready": { componentType: "datastore", status: storeStatus },
    };
    // If the store is unavailable, the other checks are skipped, since they would time out.
    if (ready) Object.assign(checks, await lateChecks(snapshot, now(), backlog));
    const statuses = Object.values(checks).map((check) => check["status"] as HealthStatus);
    const status = (["fail", "warn"] as const).find((one) => statuses.includes(one)) ?? "pass";
    return {
      status,
      serviceId: snapshot.plan.service,
      releaseId: version,
      checks: Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, [check]])),
    };
  };
}

async function lateChecks(
  snapshot: ServiceSnapshot,
  now: number,
  backlog: HealthDependencies["backlog"],
): Promise<Record<string, JsonObject>> {
  try {
    const overdue = await overdueSeconds(snapshot, now);
    const waiting = await backlog(snapshot);
    return {
      "timers:overdue": measured(overdue, lateTimerSeconds),
      ...(waiting === undefined
        ? {}
        : {
            "deliveries:oldest": measured(waiting.oldestSeconds, lateDeliverySeconds),
            "deliveries:waiting": { componentType: "system", observedValue: waiting.waiting, status: "pass" },
          }),
    };
  } catch {
    return { "store:ready": { componentType: "datastore", status: "fail" } };
  }
}

function measured(seconds: number, late: number): JsonObject {
  const observedValue = Math.round(seconds * 1000) / 1000;
  return { componentType: "system", observedValue, observedUnit: "s", status: seconds > late ? "warn" : "pass" };
}

/**
 * Whether a request is from an operator. `authorization`: the header field. Without a configured token nobody is an operator.
 */
export function isOperator(token: string | undefined, authorization: string | undefined): boolean {
  const sent = /^Bearer +([^\s]+) *$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || token === "" || sent === undefined) return false;
  // Hashes are compared: they have equal lengths, so the comparison does not reveal the token's length.
  return timingSafeEqual(hash("sha256", sent, "buffer"), hash("sha256", token, "buffer"));
}
