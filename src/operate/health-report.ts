/** What an operator is told of a service's health (R1.2), as draft-inadarei-api-health-check-06 writes it. */
import type { JsonObject } from "../base/json.ts";
import type { Health, HealthStatus } from "../serve/health.ts";
import type { Backlog } from "./service-figures.ts";
import { overdueSeconds, type Seen } from "./service-figures.ts";

/** From here on something is late; requests are served nevertheless. */
const lateDeliverySeconds = 900;
const lateTimerSeconds = 60;

export interface HealthSources {
  readonly current: () => Seen;
  readonly now: () => number;
  readonly backlog: (seen: Seen) => Promise<Backlog | undefined>;
  readonly version: string;
}

/** Gives what tells it. What cannot be found out is not passed over: it is a failure of the store. */
export function createHealthReport({
  current,
  now,
  backlog,
  version,
}: HealthSources): (status: HealthStatus) => Promise<Health> {
  return async (told) => {
    const ready = told !== "fail";
    const seen = current();
    const checks: Record<string, JsonObject> = {
      "store:ready": { componentType: "datastore", status: told },
    };
    // Of a store that is not there nothing more can be asked, and who asks is not kept waiting for it.
    if (ready) Object.assign(checks, await lateChecks(seen, now(), backlog));
    const statuses = Object.values(checks).map((check) => check["status"] as HealthStatus);
    const status = (["fail", "warn"] as const).find((one) => statuses.includes(one)) ?? "pass";
    return {
      status,
      serviceId: seen.plan.service,
      releaseId: version,
      checks: Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, [check]])),
    };
  };
}

async function lateChecks(
  seen: Seen,
  now: number,
  backlog: HealthSources["backlog"],
): Promise<Record<string, JsonObject>> {
  try {
    const overdue = await overdueSeconds(seen, now);
    const waiting = await backlog(seen);
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
