/** `/livez` and `/readyz` (R1.2): anonymous, unversioned, not limited. */
import type { Answer } from "./exchange.ts";
import { literalPath } from "./router.ts";
import type { Page } from "./service.ts";

/** Live while the event loop turns, with no look at anything else; ready while requests can be served. */
export function healthPages(ready: () => Promise<boolean>): readonly Page[] {
  return [
    { path: literalPath("/livez"), page: () => health(true) },
    { path: literalPath("/readyz"), page: async () => health(await ready().catch(() => false)) },
  ];
}

function health(pass: boolean): Answer {
  return {
    status: pass ? 200 : 503,
    headers: ["Content-Type", "application/health+json", "Cache-Control", "no-store"],
    body: pass ? '{"status":"pass"}' : '{"status":"fail"}',
  };
}
