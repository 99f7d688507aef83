/** The tool library with users and some tools. */
import assert from "node:assert/strict";
import { before } from "node:test";
import type { Reply } from "./client.ts";
import { by, documentText } from "./scenario.ts";
import type { Subject } from "./scenario.ts";

export const toolLibrary: string = documentText("tool-library");

export interface People {
  readonly member: { readonly Authorization: string };
  readonly other: { readonly Authorization: string };
  readonly keeper: { readonly Authorization: string };
  readonly visitor: { readonly Authorization: string };
}

/** Keys of four people, once the service runs. */
export function people(subject: Subject): People {
  const all = {} as { -readonly [Name in keyof People]: People[Name] };
  before(async () => Object.assign(all, await peopleOf(subject)));
  return all;
}

export async function peopleOf({ running }: Subject): Promise<People> {
  return {
    member: by(await running.key("mia", "member")),
    other: by(await running.key("olaf", "member")),
    keeper: by(await running.key("kim", "keeper")),
    visitor: by(await running.key("vera", "visitor")),
  };
}

let count = 0;

/** A body that `addTool` takes; every one has another name. */
export function aTool(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  count += 1;
  return { name: `tool ${count}`, kind: "hand", price: 12.5, stock: 3, note: null, ...fields };
}

/** Every write of this service has a key. */
export function once(): { readonly "Idempotency-Key": string } {
  count += 1;
  return { "Idempotency-Key": `key-${count}` };
}

export interface Tool {
  readonly id: string;
  readonly path: string;
  readonly tag: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export async function addTool(
  { client }: Subject,
  who: { readonly Authorization: string },
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Tool> {
  const reply = await client.send({
    method: "POST",
    path: "/tools",
    headers: { ...who, ...once() },
    body: aTool(fields),
  });
  assert.equal(reply.status, 201, reply.text);
  return toolOf(reply);
}

export function toolOf(reply: Reply): Tool {
  const json = reply.json as Record<string, unknown>;
  return { id: String(json["id"]), path: `/tools/${String(json["id"])}`, tag: reply.headers["etag"] ?? "", json };
}
