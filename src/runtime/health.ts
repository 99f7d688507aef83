/** `/livez` and `/readyz` (R1.2): anonymous, unversioned, not limited. */
import type { JsonObject } from "../base/json.ts";
import type { HttpResponse, HttpRequest } from "../http/message.ts";
import { literalPath } from "./routing/router.ts";
import type { Page } from "./context/endpoint.ts";

/**
 * `warn`: nothing can be written, or not everything read, or something is late. Somebody has to see to it, and who sends its
 * requests elsewhere would lose what is still served.
 */
export type HealthStatus = "pass" | "warn" | "fail";

/** Details are for operators alone: they say what is behind the service. */
export interface HealthDisclosure {
  /** Whether an operator asks. */
  canReadHealth(httpRequest: HttpRequest): boolean;
  /** What an operator gets, as `application/health+json` has it; everybody gets `status`. */
  details(status: HealthStatus): Promise<Health>;
}

export interface Health extends JsonObject {
  readonly status: HealthStatus;
}

/** A store that does not answer by then is not there. Who probes waits for one second, or a few. */
const patienceMilliseconds = 900;

/** Live while the event loop turns, with no look at anything else; ready while requests can be served. */
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

/** Whether requests can be served now. Never rejects. */
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
