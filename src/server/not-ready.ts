/**
 * Responds while a service is starting, for example during a migration of its data: live, but not ready (R1.2); all other
 * requests get 503 with Retry-After.
 */
import type { EndpointsPart } from "../plan/endpoints/types.ts";
import type { ErrorsPart } from "../plan/errors/types.ts";
import type { EventsPart } from "../plan/events/types.ts";
import type { HttpRequest, Responder } from "../http/message.ts";
import { healthResponse } from "../runtime/health.ts";
import { createProblems } from "../runtime/errors/problem.ts";
import { requestIds } from "../runtime/random.ts";
import { finish } from "../runtime/response-headers.ts";

export function startingService(
  plan: EndpointsPart & ErrorsPart & EventsPart,
  random: (bytes: number) => Uint8Array,
  baseUrl: () => string,
): Responder {
  const nextRequestId = requestIds(random);
  const problems = createProblems(plan, (code) => `${baseUrl()}/errors/${code}`);
  const later = (requestId: string, close = false) =>
    problems.response("overloaded", { headers: ["Retry-After", "1"], ...(close ? { close } : {}) }, requestId);
  return {
    response(httpRequest) {
      const requestId = nextRequestId();
      const result = healthOf(httpRequest) ?? later(requestId);
      return Promise.resolve(finish(result, requestId, httpRequest.secure));
    },
    reject(code, { status } = {}) {
      const requestId = nextRequestId();
      const later = code === "overloaded" ? { headers: ["Retry-After", "1"] } : {};
      const details = { ...(status === undefined ? {} : { status }), ...later, close: true };
      return finish(problems.response(code, details, requestId), requestId);
    },
    fail() {
      const requestId = nextRequestId();
      return finish(later(requestId, true), requestId);
    },
    drain: () => Promise.resolve(),
  };
}

function healthOf({ method, target }: HttpRequest) {
  if (method !== "GET" && method !== "HEAD") return undefined;
  const [path = ""] = target.split("?", 1);
  if (path === "/livez") return healthResponse({ status: "pass" });
  return path === "/readyz" ? healthResponse({ status: "fail" }) : undefined;
}
