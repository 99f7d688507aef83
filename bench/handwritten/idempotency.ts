/** One execution per Idempotency-Key: the work, its record and the answer to replay are one transaction (R4.18 to R4.20). */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "./database.ts";
import { invalid, isOutcome, Problem, problemText } from "./problem.ts";

export interface Answer {
  readonly status: 200 | 201;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const KEPT_MS = 24 * 3600 * 1000;

export type Once = (request: FastifyRequest, reply: FastifyReply, work: () => Answer) => FastifyReply;

export function executeOnce(database: Database, baseUrl: string): Once {
  const find = database.statement(
    "select fingerprint, status, headers, body from idempotency where caller = ? and key = ? and createdAt > ?",
  );
  const keep = database.statement(
    `insert into idempotency (caller, key, fingerprint, status, headers, body, createdAt) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (caller, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
       headers = excluded.headers, body = excluded.body, createdAt = excluded.createdAt`,
  );

  return (request, reply, work) => {
    const key = readKey(request.raw.headersDistinct["idempotency-key"]);
    const caller = request.caller.id;
    const now = Date.now();
    const fingerprint = key === undefined ? "" : fingerprintOf(request);
    if (key !== undefined) {
      const kept = find.get(caller, key, now - KEPT_MS) as Kept | undefined;
      if (kept !== undefined) return replay(kept, fingerprint, reply);
    }
    try {
      const text = database.transaction(() => {
        const answer = work();
        reply.code(answer.status).headers(answer.headers).type("application/json; charset=utf-8");
        const body = reply.serialize(answer.body) as string;
        if (key !== undefined) {
          keep.run(caller, key, fingerprint, answer.status, JSON.stringify(answer.headers), body, now);
        }
        return body;
      });
      return reply.send(text);
    } catch (error) {
      if (key !== undefined && error instanceof Problem && isOutcome(error)) {
        const headers = JSON.stringify({ ...error.headers, "content-type": "application/problem+json" });
        const text = problemText(error, request.id, baseUrl);
        keep.run(caller, key, fingerprint, error.status, headers, text, now);
      }
      throw error;
    }
  };
}

/** Deletes what is past its day, a bounded number at a time. */
export function forgetOldKeys(database: Database): void {
  database
    .statement("delete from idempotency where rowid in (select rowid from idempotency where createdAt < ? limit 1000)")
    .run(Date.now() - KEPT_MS);
}

interface Kept {
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

function replay(kept: Kept, fingerprint: string, reply: FastifyReply): FastifyReply {
  if (kept.fingerprint !== fingerprint) {
    const fault = { header: "Idempotency-Key", code: "reused", detail: "Used before for another request." };
    throw invalid(422, "This Idempotency-Key belongs to another request.", [fault]);
  }
  return reply
    .code(kept.status)
    .type("application/json; charset=utf-8")
    .headers(JSON.parse(kept.headers) as Record<string, string>)
    .header("idempotent-replayed", "true")
    .send(kept.body);
}

/** `k` and `"k"` are the same key; 1 to 255 printable characters. */
function readKey(sent: readonly string[] | undefined): string | undefined {
  if (sent === undefined) return undefined;
  const raw = sent[0] as string;
  const key = raw.length > 1 && raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1) : raw;
  if (sent.length > 1 || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    const fault = { header: "Idempotency-Key", code: "malformed", detail: "1 to 255 printable characters, once." };
    throw invalid(400, "The Idempotency-Key is malformed.", [fault]);
  }
  return key;
}

const fingerprintOf = (request: FastifyRequest): string =>
  hash("sha256", `${request.method} ${request.url} ${JSON.stringify(sorted(request.body)) ?? ""}`, "base64url");

/** The same value with the members of every object in order of name. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) result[name] = sorted((value as Record<string, unknown>)[name]);
  return result;
}
