/** Invariants of every response of every service; all responses of all tests are checked here. */
import assert from "node:assert/strict";
import { parseList } from "structured-headers";
import { doesNotTell } from "../does-not-tell.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Observer, Reply, Sent } from "./client.ts";

/** Fails for an answer that breaks R1.3, R1.6, R7.1 or R7.4, or that has a code or status that the plan does not know. */
export function everyAnswer(plan: Plan): Observer {
  const requestIds = new Set<string>();
  return (sent, reply) => {
    if (reply.status === 100) return;
    const { headers, status } = reply;
    const asked = typeof sent === "string" ? JSON.stringify(sent) : `${sent.method} ${sent.path}`;
    const requestId = headers["request-id"] ?? "";
    assert.match(requestId, /^req_[0-9a-z]{26}$/, `R1.3: ${asked} has a Request-Id`);
    assert(!requestIds.has(requestId), `R1.3: ${asked} has a Request-Id of its own`);
    requestIds.add(requestId);
    assert.equal(headers["x-content-type-options"], "nosniff", `R1.6: ${asked}`);
    assert.match(headers["content-security-policy"] ?? "", /default-src 'none'/, `R1.6: ${asked}`);
    assert.equal(headers["referrer-policy"], "no-referrer", `R1.6: ${asked}`);
    assert.equal(headers["server"] ?? headers["x-powered-by"], undefined, `R1.6: ${asked}`);
    assert(headers["date"], `${asked} has a Date`);
    if (plan.cors === undefined) {
      const told = Object.keys(headers).filter((name) => name.startsWith("access-control-"));
      assert.deepEqual(told, [], `R4.22: ${asked}`);
    } else if (plan.cors.origins !== "any") {
      assert.match(headers["vary"] ?? "", /\bOrigin\b/, `R4.22: ${asked}`);
      assert.notEqual(headers["access-control-allow-origin"], "*", `R4.22: ${asked}`);
    }
    if (status === 204 || status === 304) {
      assert.equal(reply.text, "", asked);
      assert.equal(headers["content-type"], undefined, asked);
    }
    limits(reply, asked);
    if (status >= 400) aProblem(plan, sent, reply, asked);
    if (status < 400 && status !== 204) {
      assert.match(headers["cache-control"] ?? "", /^(?:no-store|private, no-cache)$/, `R1.6: ${asked}`);
    }
  };
}

/** R8.1: structured fields of strings with whole numbers; what is left is of a limit that is told, and not more than that. */
function limits({ headers, status }: Reply, asked: string): void {
  const { ratelimit = "", "ratelimit-policy": policy = "" } = headers;
  if (status >= 500 || (status >= 300 && status < 400))
    assert.equal(policy + ratelimit, "", `R8.1: ${asked} is ${status}`);
  const quotas = new Map(
    parseList(policy).map(([name, parameters]): [unknown, number] => {
      const [q, w] = [parameters.get("q"), parameters.get("w")] as [number, number];
      assert(typeof name === "string" && Number.isInteger(q) && q > 0 && Number.isInteger(w) && w > 0, policy);
      return [name, q];
    }),
  );
  assert.equal(quotas.size, parseList(policy).length, `R8.1: names are told apart: ${policy}`);
  for (const [name, parameters] of parseList(ratelimit)) {
    const [r, t] = [parameters.get("r"), parameters.get("t")] as [number, number];
    assert(Number.isInteger(r) && r >= 0 && r <= (quotas.get(name) ?? -1), `R8.3: ${policy}; ${ratelimit}`);
    assert(Number.isInteger(t) && t >= 1, `R8.1: ${ratelimit}`);
    if (status === 429 && r === 0 && headers["retry-after"] !== undefined && policy.split(",").length === 1)
      assert(Number(headers["retry-after"]) >= t, `R8.2: ${asked}`);
  }
}

function aProblem(plan: Plan, sent: Sent | string, reply: Reply, asked: string): void {
  const { headers, status, text } = reply;
  const health = headers["content-type"] === "application/health+json";
  assert.match(headers["cache-control"] ?? "", /no-store/, `R1.6: errors are not kept: ${asked}`);
  if (health) return;
  const oauth = plan.credentials.flatMap((one) => (one.oauth === undefined ? [] : Object.values(one.oauth)));
  const path = typeof sent === "string" ? (sent.split(" ")[1] ?? "") : (sent.path.split("?")[0] ?? "");
  if (
    oauth.some((one) => typeof one === "string" && path.endsWith(one)) &&
    headers["content-type"] === "application/json"
  ) {
    assert.deepEqual(Object.keys(reply.json as object), ["error", "error_description"], asked);
    return;
  }
  assert(headers["content-language"], `R7.1: ${asked}`);
  // Pages for the users of clients.
  const users = plan.credentials.flatMap(({ oauth }) => (oauth?.users === undefined ? [] : [oauth.users]));
  if (
    users.some((one) => path.includes(one.authorize) || path.includes(one.consent)) &&
    headers["content-type"]?.startsWith("text/html")
  )
    return;
  if (status === 401) assert(headers["www-authenticate"], `R5.2: ${asked}`);
  if (status === 405) assert(headers["allow"], `R4.1: ${asked}`);
  doesNotTell(text, /node_modules|\.ts:\d|sqlite|SQLITE|ERR_|at \w+ \(/, `R7.4: ${asked}`);
  const bodies = [plan.problemBody, ...Object.values(plan.problemBodies)];
  if (headers["content-type"] === "application/json" || !bodies.includes("problem+json")) {
    assert(
      bodies.some((body) => body !== "problem+json"),
      asked,
    );
    const isText = bodies.some((body) => body !== "problem+json" && typeof body.shape === "string");
    const types = ["application/json", ...(isText ? ["text/plain; charset=utf-8"] : [])];
    assert(types.includes(headers["content-type"] ?? ""), asked);
    return;
  }
  assert.equal(headers["content-type"], "application/problem+json", `R7.1: ${asked}`);
  const head = typeof sent === "string" ? sent.startsWith("HEAD ") : sent.method === "HEAD";
  if (head) return;
  const problem = reply.json as Record<string, unknown>;
  const error = plan.errors[String(problem["code"])];
  assert(error, `R7.3: the plan knows the code of ${text}`);
  assert(error.statuses.includes(status), `R7.3: ${String(problem["code"])} does not come with ${status}`);
  assert.equal(problem["status"], status, `R7.1: ${asked}`);
  assert.equal(problem["title"], error.title, `R7.1: a title is constant: ${asked}`);
  assert.match(
    String(problem["type"]),
    new RegExp(`^https?://.+/errors/${String(problem["code"])}$`),
    `R7.1: ${asked}`,
  );
  assert(typeof problem["detail"] === "string" && problem["detail"] !== "", `R7.1: detail of ${text}`);
  const replayed = headers["idempotent-replayed"] !== undefined;
  assert.equal(problem["instance"], `urn:nonet:request:${String(problem["request_id"])}`, `R7.1: ${asked}`);
  if (!replayed) assert.equal(problem["request_id"], headers["request-id"], `R1.3: ${asked}`);
  for (const fault of (problem["errors"] ?? []) as Record<string, string>[]) {
    assert.match(fault["code"] ?? "", /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, `R7.2: ${text}`);
    assert(fault["detail"], `R7.2: ${text}`);
    const places = ["pointer", "parameter", "header"].filter((place) => place in fault);
    assert(places.length <= 1, `R7.2: ${text}`);
    if (fault["pointer"] !== undefined) assert.match(fault["pointer"], /^#(?:\/|$)/, `R7.2: ${text}`);
  }
}
