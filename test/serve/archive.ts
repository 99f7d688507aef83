/** The archive with three users: ada and bob, who see their own records, and kim, the keeper. */
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Reply } from "./client.ts";
import { by, documentText } from "./scenario.ts";
import type { Subject } from "./scenario.ts";

export const archive: string = documentText("archive");

export type Person = "ada" | "bob" | "kim" | "nobody";

export interface Got {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
  readonly tag: string;
}

export interface RateSnapshots {
  readonly send: (who: Person, method: string, path: string, body?: unknown) => Promise<Reply>;
  readonly sendWith: (
    who: Person,
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ) => Promise<Reply>;
  readonly get: (who: Person, path: string) => Promise<Got>;
  /** Makes a record and gives its id. */
  readonly add: (who: Person, path: string, body: object) => Promise<string>;
  /** What of two replies has to be the same: all but the request's own id and the time. */
  readonly comparable: (reply: Reply) => unknown;
}

export function snapshots(subject: Subject): RateSnapshots {
  const headers: Record<Person, Readonly<Record<string, string>>> = { ada: {}, bob: {}, kim: {}, nobody: {} };
  before(async () => {
    headers.ada = by(await subject.running.key("ada"));
    headers.bob = by(await subject.running.key("bob"));
    headers.kim = by(await subject.running.key("kim", "keeper"));
  });
  const sendWith: RateSnapshots["sendWith"] = (who, method, path, body, more) =>
    subject.client.send({
      method,
      path,
      headers: { ...headers[who], ...more },
      ...(body === undefined ? {} : { body }),
    });
  return {
    sendWith,
    send: (who, method, path, body) => sendWith(who, method, path, body, {}),
    async get(who, path) {
      const { status, json, headers: fields } = await sendWith(who, "GET", path, undefined, {});
      return { status, json: json as Got["json"], tag: fields["etag"] ?? "" };
    },
    async add(who, path, body) {
      const reply = await sendWith(who, "POST", path, body, {});
      assert.equal(reply.status, 201, reply.text);
      return (reply.json as { id: string }).id;
    },
    comparable: ({ status, headers: fields, text }) => {
      const { date: _date, "request-id": requestId = "", ...rest } = fields;
      return { status, headers: rest, text: text.replaceAll(requestId, "") };
    },
  };
}

/** An id like this one that nothing has. */
export function missing(id: string): string {
  const prefix = id.slice(0, id.indexOf("_") + 1);
  return `${prefix}${"0".repeat(25)}${id.endsWith("1") ? "2" : "1"}`;
}
