/** `/livez` and `/readyz` (R1.2): anonymous, unversioned, not limited. */
import type { Answer } from "./exchange.ts";
import { literalPath } from "./router.ts";
import type { Page } from "./service.ts";

/** Live while the event loop turns, with no look at anything else; ready while requests can be served. */
export function healthPages(ready: () => Promise<boolean>, impaired: () => boolean): readonly Page[] {
  return [
    { path: literalPath("/livez"), page: () => health("pass") },
    {
      path: literalPath("/readyz"),
      page: async () => {
        if (!(await ready().catch(() => false))) return health("fail");
        return health(impaired() ? "warn" : "pass");
      },
    },
  ];
}

/**
 * `warn`: nothing can be written, or not everything read. Somebody has to see to it, and who sends its requests elsewhere
 * would lose what is still served.
 */
function health(status: "pass" | "warn" | "fail"): Answer {
  return {
    status: status === "fail" ? 503 : 200,
    headers: ["Content-Type", "application/health+json", "Cache-Control", "no-store"],
    body: `{"status":"${status}"}`,
  };
}
