/** Compares responses and effects with the expected ones. Each function returns a sentence about the error, or undefined. */
import { isDeepStrictEqual } from "node:util";
import { instantText } from "../../src/base/clock.ts";
import type { Json } from "../../src/base/json.ts";
import type { HttpResponse } from "../../src/http/message.ts";
import { isOwn } from "./hooks.ts";
import { olderName } from "./clients.ts";
import { type Asked, type Effects, type Entry, keyOf, type Oracle, type Rec, type AttemptOutcome } from "./oracle.ts";
import { hashOf } from "./sessions.ts";
import { detail, type Log } from "./store.ts";

export type Headers = ReadonlyMap<string, string>;

export function headersOf(answer: Pick<HttpResponse, "headers">): Headers {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < answer.headers.length; index += 2)
    headers.set((answer.headers[index] as string).toLowerCase(), answer.headers[index + 1] as string);
  return headers;
}

/** What is given to this caller, in the words of the version that it asked for. */
export function told(oracle: Oracle, asked: Asked, rec: Rec): Readonly<Record<string, Json>> {
  const seen = oracle.view(rec, asked.actor);
  if (!asked.older) return seen;
  return Object.fromEntries(
    Object.entries(seen).map(([name, value]) => [olderName(oracle.world, rec.resource, name), value]),
  );
}

export function wrongAnswer(
  oracle: Oracle,
  asked: Asked,
  verdict: AttemptOutcome,
  { status, headers, body }: { readonly status: number; readonly headers: Headers; readonly body: string },
): string | undefined {
  const isReplayed = headers.get("idempotent-replayed") === "true";
  if (verdict.kind === "replayed") {
    const { kept } = verdict.first;
    if (!isReplayed) return "the first answer was not given again";
    if (status !== kept.status) return `status ${status} in place of the first answer's ${kept.status}`;
    return body === kept.body ? undefined : `another body than the first answer's: ${body} was ${kept.body}`;
  }
  if (isReplayed) return "an answer was given again that there had not been";
  switch (verdict.kind) {
    case "webhook":
      return [200, 201, 204, 403, 404, 409, 410, 422, 428].includes(status) ||
        (status === 503 && body.includes('"timed-out"'))
        ? undefined
        : `status ${status}: ${body}`;
    case "refused":
      if (verdict.within !== undefined && Number(headers.get("retry-after") ?? 0) > verdict.within)
        return `Retry-After is ${headers.get("retry-after")}`;
      return wrongRefusal(oracle, asked, verdict, status, body);
    case "tokens": {
      if (status !== 200) return `status ${status} in place of 200: ${body.slice(0, 300)}`;
      const { expiresAt, refreshToken, token = "" } = JSON.parse(body) as Readonly<Record<string, string>>;
      const { access, expires, renew } = verdict.pair;
      const given = [hashOf(token), refreshToken && hashOf(refreshToken), expiresAt];
      return unlike(JSON.stringify(given), [access, ...(renew === undefined ? [null] : [renew]), instantText(expires)]);
    }
    case "unchanged":
      return status === 304 && body === "" ? undefined : `status ${status} in place of 304`;
    case "given": {
      if (status !== verdict.status) return `status ${status} in place of ${verdict.status}: ${body.slice(0, 300)}`;
      if (verdict.record === undefined) return body === "" ? undefined : `a body with ${status}: ${body}`;
      if (verdict.made === true && headers.get("location") !== `/${asked.resource.plural}/${verdict.record.id}`)
        return `Location is ${headers.get("location")}`;
      if (!/^"[^"]+"$/.test(headers.get("etag") ?? "")) return `ETag is ${headers.get("etag")}`;
      return unlike(body, told(oracle, asked, verdict.record));
    }
    case "file": {
      const { bytes, sha256 } = verdict.photo;
      const given = [status, headers.get("etag"), headers.get("content-length"), headers.get("content-type")];
      return unlike(JSON.stringify(given), [200, `"${sha256}"`, String(bytes), "text/plain"]);
    }
    case "page": {
      if (status !== 200) return `status ${status} in place of 200: ${body.slice(0, 300)}`;
      const { items, next } = JSON.parse(body) as { items: Json; next: string | null };
      if ((next !== null) !== verdict.more) return `next is ${next}, and there is ${verdict.more ? "" : "no "}more`;
      return unlike(JSON.stringify(items), verdict.items.map((rec) => told(oracle, asked, rec))); // biome-ignore format: short
    }
    case "history": {
      if (status !== 200) return `status ${status} in place of 200: ${body.slice(0, 300)}`;
      const { items } = JSON.parse(body) as { items: readonly Record<string, Json>[] };
      const moves = verdict.moves.slice(0, items.length < 3 ? verdict.moves.length : items.length);
      const given = items.map(({ request: _, ...item }) => item);
      return unlike(JSON.stringify(given), moves.map(({ at, from, to, by, cause }) => ({ at: instantText(at), ...(from === undefined ? {} : { from }), to: to as string, by, cause }))); // biome-ignore format: short
    }
  }
}

function wrongRefusal(
  { world }: Oracle,
  { older }: Asked,
  { code, moves, state, status: expected }: AttemptOutcome & { kind: "refused" },
  status: number,
  body: string,
): string | undefined {
  const then = older && world.older?.error?.code === code ? world.older.error.was : code;
  const problem = JSON.parse(body === "" ? "{}" : body) as { code?: string; moves?: Json; state?: string };
  if (status !== expected || problem.code !== then)
    return `${status} ${problem.code ?? body.slice(0, 300)} in place of ${expected} ${then}`;
  if (moves !== undefined && !isDeepStrictEqual(problem.moves, moves))
    return `the moves ${JSON.stringify(problem.moves)} in place of ${JSON.stringify(moves)}`;
  if (state !== undefined && problem.state !== state) return `the state ${problem.state} in place of ${state}`;
  return undefined;
}

function unlike(text: string, expected: unknown): string | undefined {
  const given = JSON.parse(text) as unknown;
  return isDeepStrictEqual(given, expected) ? undefined : `${text} in place of ${JSON.stringify(expected)}`;
}

/** What no answer may be, whatever was asked. */
export function alwaysWrong(status: number, headers: Headers, body: string): string | undefined {
  if (!/^req_[0-9a-z]{26}$/.test(headers.get("request-id") ?? "")) return "R1.3: it has no Request-Id";
  if (body.includes(detail) || /node_modules|\.ts:\d|StoreError/.test(body)) return `R7.4: it tells how: ${body}`;
  if (status >= 500 && !/no-store/.test(headers.get("cache-control") ?? "")) return "a failure may be kept";
  if (status === 503 && headers.get("retry-after") === undefined) return "R7.4: 503 does not say when to come back";
  if (status === 429 && headers.get("retry-after") === undefined) return "R8.2: 429 does not say when to come back";
  return undefined;
}

// ── What was done ──

export function wrongEffects(effects: Effects, log: Log, cleared: boolean): string | undefined {
  const rows = new Map(log.puts.map(({ resource, row }) => [keyOf(resource, String(row["id"] as string)), row]));
  const deleted = new Set(log.deleted.map(({ resource, id }) => keyOf(resource, String(id as string))));
  // What is kept of webhooks is watched elsewhere.
  for (const key of [...rows.keys(), ...deleted]) {
    if (isOwn(key.split("/")[0] ?? "")) continue;
    rows.delete(key);
    deleted.delete(key);
  }
  for (const key of deleted) rows.delete(key);
  for (const [key, rec] of effects.records) {
    if (rec === undefined) {
      if (!deleted.delete(key)) return `${key} is not deleted`;
      continue;
    }
    const row = rows.get(key);
    rows.delete(key);
    // What a store clears by itself is seen when it is read next.
    if (row === undefined && cleared) continue;
    if (row === undefined) return `${key} is not changed`;
    const wrong = wrongRow(rec, row);
    if (wrong !== undefined) return wrong;
  }
  for (const key of [...rows.keys(), ...deleted]) return `${key} is changed`;
  if (log.counted.length !== effects.counted.size) return `${log.counted.length} quotas are counted`;
  for (const [index, [name, { until, used }]] of [...effects.counted].entries())
    if (log.counted[index]?.used !== used || log.counted[index].until !== until)
      return `the quota ${name} is ${JSON.stringify(log.counted[index])} in place of ${used} until ${until}`;
  return wrongEntries(effects.entries, log);
}

export function wrongRow(rec: Rec, row: Readonly<Record<string, unknown>>): string | undefined {
  for (const { name, type } of rec.resource.fields) {
    const [given, expected] = [row[name] ?? null, rec.values[name] ?? null];
    // What a request has of a file is more than what is said of it.
    const isSame =
      type.kind === "file" ? isDeepStrictEqual(JSON.parse(JSON.stringify(given)), expected) : given === expected;
    if (!isSame)
      return `${rec.resource.name}/${rec.id}: ${name} is ${JSON.stringify(given)} in place of ${JSON.stringify(expected)}`;
  }
  if (rec.state !== undefined && row["state"] !== rec.state)
    return `${rec.resource.name}/${rec.id} is ${String(row["state"])} in place of ${rec.state}`;
  return undefined;
}

function wrongEntries(expected: readonly Entry[], log: Log): string | undefined {
  const entries = log.entries.filter(({ resource }) => isOwn(resource));
  const plain = (entry: object): string => JSON.stringify(entry, ["resource", "record", "from", "to", "by", "cause", "event", "received", "at", "due"]); // biome-ignore format: short
  if (entries.length !== expected.length)
    return `${entries.length} entries in the journal in place of ${expected.length}: ${entries.map(plain).join()} in place of ${expected.map(plain).join()}`;
  for (const [index, entry] of expected.entries()) {
    const given = entries[index] as Log["entries"][number];
    for (const name of ["resource", "record", "from", "to", "by", "cause", "event", "received", "at", "due"] as const)
      if (given[name] !== entry[name]) return `${name} of the entry ${plain(given)} in place of ${plain(entry)}`;
    if (entry.payload !== undefined && !isDeepStrictEqual(given.data, entry.payload))
      return `${JSON.stringify(given.data)} has come in in place of ${JSON.stringify(entry.payload)}`;
    if (entry.data === undefined) continue;
    if (given.data === undefined) return `${plain(given)} tells nothing of the record`;
    const wrong = wrongRow(entry.data, given.data);
    if (wrong !== undefined) return `the event ${entry.event} tells what is not so: ${wrong}`;
  }
  return undefined;
}
