/** The relay with a hall, a slot and jobs, and its workers. */
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Reply } from "./client.ts";
import { by, documentText } from "./scenario.ts";
import type { Subject } from "./scenario.ts";

export const relay: string = documentText("relay");

export type Runner = "cleo" | "carl" | "chief" | "both" | "guest" | "nobody";

export interface Crew {
  readonly send: (
    who: Runner,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Reply>;
  readonly get: (path: string) => Promise<Readonly<Record<string, unknown>>>;
  readonly add: (who: Runner, path: string, body: object) => Promise<string>;
  /** A hall, a slot in it, and a job of cleo's for that slot. */
  readonly job: (
    fields?: object,
  ) => Promise<{ readonly hall: string; readonly slot: string; readonly id: string; readonly path: string }>;
}

export function crew(subject: Subject): Crew {
  const keys: Record<Runner, Readonly<Record<string, string>>> = {
    cleo: {},
    carl: {},
    chief: {},
    both: {},
    guest: {},
    nobody: {},
  };
  before(async () => {
    keys.cleo = by(await subject.running.key("cleo", "crew"));
    keys.carl = by(await subject.running.key("carl", "crew"));
    keys.chief = by(await subject.running.key("chief", "chief"));
    keys.both = by(await subject.running.key("cleo", "crew", "chief"));
    keys.guest = by(await subject.running.key("guest"));
  });
  const send: Crew["send"] = (who, method, path, body, headers = {}) =>
    subject.client.send({
      method,
      path,
      headers: { ...keys[who], ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const add: Crew["add"] = async (who, path, body) => {
    const reply = await send(who, "POST", path, body);
    assert.equal(reply.status, 201, reply.text);
    return (reply.json as { id: string }).id;
  };
  return {
    send,
    add,
    get: async (path) => (await send("cleo", "GET", path)).json as Record<string, unknown>,
    job: async (fields = {}) => {
      const hall = await add("chief", "/halls", { name: "hall" });
      const slot = await add("chief", "/slots", { hall });
      const id = await add("cleo", "/jobs", { hall, slot, title: "job", ...fields });
      return { hall, slot, id, path: `/jobs/${id}` };
    },
  };
}
