/** `GET /xs/{id}` (R4.15, R4.16, R2.12). */
import type { Value, Variables } from "../expression/evaluate.ts";
import { after } from "../base/after.ts";
import type { Awaitable, Found } from "../store/store.ts";
import { emptyAnswer, entityTag, shapedTag, wrapped } from "./answers.ts";
import { revalidationFields } from "./compression.ts";
import { type Call, tableOf } from "./context.ts";
import type { Answer } from "./exchange.ts";
import { checkRead } from "./guard.ts";
import { extended } from "./extension.ts";
import { decodeKey } from "./keys-in-path.ts";
import { matchesWeakly } from "./preconditions.ts";
import { absent, absentParent, columnOf, keyOf, tagsOf } from "./record.ts";
import type { ForKind } from "./prepared.ts";
import { Refusal } from "./refusal.ts";
import { unmarked } from "./tokens.ts";
import { tell } from "./versions/terms.ts";

export function read(call: Call): Awaitable<Answer> {
  const key = keyOf(call);
  return after(parentOf(call), (parent) => {
    if (parent === undefined) throw absentParent(call);
    if (key === undefined) throw absent(call);
    return after(findVisible(call, key, parent, call.own?.reads?.read), (found) => {
      if (call.prepared.operation.guard === undefined) return given(call, found);
      return checkRead(call, key, parent).then(() => given(call, found));
    });
  });
}

function given(call: Call, found: Found): Answer {
  const { prepared, kind } = call;
  if (prepared.operation.answer.kind === "none") return emptyAnswer(prepared.operation.answer.status);
  const text = call.own?.reads === undefined ? tell(call, found.text) : found.text;
  const tag =
    kind.own === undefined
      ? entityTag(call, found.revision, text)
      : shapedTag(call, found.revision, unmarked(call, text));
  return extended(prepared.extension, readAnswer(call, wrapped(call, text), tag));
}

/** The record with a key below a parent, for callers who may run the operation on it: 403 where they may only see it. */
export function findVisible(call: Call, key: Value, parent: Value, read?: ForKind["read"]): Awaitable<Found> {
  const variables = parent === null ? call.variables : { ...call.variables, parent };
  return after((read ?? call.kind.read)(key, variables), (found) => found ?? refuseUnread(call, key, variables));
}

async function refuseUnread(call: Call, key: Value, variables: Variables): Promise<never> {
  const { kind } = call;
  const seen = kind.visible !== kind.allowed && (await kind.seen(key, variables)) !== undefined;
  throw seen ? new Refusal("forbidden") : absent(call);
}

/**
 * What was read, with its tag: private to the caller, to be revalidated (R1.6), given whole (R4.23). Or that the caller has
 * it (R4.16).
 */
export function readAnswer(call: Call, text: string, tag: string, extra: readonly string[] = none): Answer {
  const known = tagsOf(call, "if-none-match");
  if (known !== undefined && matchesWeakly(known, tag)) {
    const fields = revalidationFields(text, tag, call.exchange.headers.get("accept-encoding"));
    return { status: 304, headers: ["Cache-Control", "private, no-cache", ...fields] };
  }
  return {
    status: call.prepared.operation.answer.status,
    headers: [
      "Content-Type",
      "application/json",
      "Cache-Control",
      "private, no-cache",
      "Accept-Ranges",
      "none",
      "ETag",
      tag,
      ...extra,
    ],
    body: text,
  };
}

const none: readonly string[] = [];

/** The id of the parent that the path names, null without one, undefined where it is absent or hidden. */
export function parentOf(call: Call): Awaitable<Value | undefined> {
  const { parents } = call.prepared.operation;
  if (parents.length === 0) return null;
  const values = parents.map(({ parameter, resource, column }) =>
    decodeKey(call.parameters[parameter] ?? "", columnOf(tableOf(call.context, resource), column)),
  );
  return call.kind.parents(values, call.variables);
}
