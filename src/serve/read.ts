/** `GET /xs/{id}` (R4.15, R4.16, R2.12). */
import type { Value } from "../expression/evaluate.ts";
import type { Table } from "../plan/plan.ts";
import { entityTag, ownAnswer, representation } from "./answers.ts";
import { revalidationFields } from "./compression.ts";
import type { Call, Context } from "./context.ts";
import type { Answer } from "./exchange.ts";
import { decodeKey } from "./keys-in-path.ts";
import { matchesWeakly } from "./preconditions.ts";
import { absent, columnOf, keyOf, tagsOf } from "./record.ts";
import { Refusal } from "./refusal.ts";

export async function read(call: Call): Promise<Answer> {
  const { prepared, kind } = call;
  const key = keyOf(call);
  const parent = await parentOf(call);
  if (key === undefined || parent === undefined) throw absent(call);
  const variables = parent === null ? call.variables : { ...call.variables, parent };
  const found = await kind.read(key, variables);
  if (found === undefined) {
    const seen = kind.visible !== kind.allowed && (await kind.seen(key, variables)) !== undefined;
    throw seen ? new Refusal("forbidden") : absent(call);
  }
  const { status } = prepared.operation.answer;
  if (kind.own !== undefined) return ownAnswer(status, found.text);
  const known = tagsOf(call, "if-none-match");
  if (known !== undefined) {
    const tag = entityTag(call, found.revision, found.text);
    if (matchesWeakly(known, tag)) return notModified(call, found.text, tag);
  }
  return representation(call, status, found.text, found.revision);
}

/** The caller has this representation (R4.16). */
function notModified({ exchange }: Call, text: string, tag: string): Answer {
  const fields = revalidationFields(text, tag, exchange.headers.get("accept-encoding"));
  return { status: 304, headers: ["Cache-Control", "private, no-cache", ...fields] };
}

/** The id of the parent that the path names, null without one, undefined where it is absent or hidden. */
export async function parentOf(call: Call): Promise<Value | undefined> {
  const { parents } = call.prepared.operation;
  if (parents.length === 0) return null;
  const values = parents.map(({ parameter, resource, column }) =>
    decodeKey(call.parameters[parameter] ?? "", columnOf(tableOf(call.context, resource), column)),
  );
  return call.kind.parents(values, call.variables);
}

function tableOf(context: Context, resource: string): Table {
  return context.tables.get(resource) as Table;
}
