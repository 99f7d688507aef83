/** The pages `/livez` and `/readyz` (R1.2): anonymous, unversioned, without rate limits. */
import type { JsonObject } from "../base/json.ts";
import type { HttpResponse, HttpRequest } from "../http/message.ts";
import { literalPath } from "./routing/router.ts";
import type { Page } from "./context/endpoint.ts";

/**
 * The status of the service. `warn`: some reads or all writes fail, or something is late; an operator has to act, but load
 * balancers should continue, because some requests still succeed.
 */
export type HealthStatus = "pass" | "warn" | "fail";

/** What the health pages disclose: only operators get details, because they describe the infrastructure. */
export interface HealthDisclosure {
  /** Whether the client is an operator. */
  canReadHealth(httpRequest: HttpRequest): boolean;
  /** Returns the report for operators (`application/health+json`); others get only `status`. */
  details(status: HealthStatus): Promise<Health>;
}

export interface Health extends JsonObject {
  readonly status: HealthStatus;
}

/** The timeout of the store in milliseconds; probes usually wait for one second or a few. */
const patienceMilliseconds = 900;

/** Returns the pages. Live: the event loop runs. Ready: requests can be served. */
export function healthPages(status: () => Promise<HealthStatus>, disclosure?: HealthDisclosure): readonly Page[] {
  return [
    { rate: "none", path: literalPath("/livez"), page: () => healthResponse({ status: "pass" }) },
    {
      rate: "none",
      path: literalPath("/readyz"),
      page: async (httpRequest) => {
        const present = await status();
        return healthResponse(
          disclosure?.canReadHealth(httpRequest) === true ? await disclosure.details(present) : { status: present },
        );
      },
    },
  ];
}

/** Whether the store is ready. Never rejects. */
export async function isReady(ready: () => Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, patienceMilliseconds, false)));
  return Promise.race([ready().catch(() => false), late]).finally(() => clearTimeout(timer));
}

export function healthResponse(health: Health): HttpResponse {
  return {
    status: health.status === "fail" ? 503 : 200,
    headers: ["Content-Type", "application/health+json", "Cache-Control", "no-store"],
    body: JSON.stringify(health),
  };
}
