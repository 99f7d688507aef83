/** The header fields that the document declares for the responses of an operation. */
import { randomUUID } from "node:crypto";
import type { Json, JsonObject } from "../../base/json.ts";
import { onceFor } from "../../base/once.ts";
import { compileFunction, type Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { HeaderPlan } from "../../plan/endpoints/types.ts";
import type { Row, Transaction, View } from "../../store/port/store.ts";
import type { Call } from "../context/context.ts";

const compiled = onceFor((expression: TypedExpression) => compileFunction(expression));

const noRecord = {};

/** Evaluates expressions about a page. Returns names and values, in turn; a null value leaves its field out. */
export function pageHeaders(headers: readonly HeaderPlan[], variables: Variables): readonly string[] {
  return fieldsOf(
    Object.fromEntries(
      headers.map(({ name, expression }) => [name, compiled(expression)({ record: noRecord, variables }) as Json]),
    ),
  );
}

/** Returns the header fields about a record after a write. */
export async function recordHeaders(call: Call, tx: Transaction, row: Row): Promise<readonly string[]> {
  const { headers } = call.kind;
  if (headers === undefined) return [];
  return fieldsOf(JSON.parse(await tx.view(row, headers, call.variables)) as JsonObject);
}

// ── Reads ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The member in which a read returns the header fields, so that one query reads them with the record. The name is random, so
 * that no value can look like it.
 */
const member = `headers ${randomUUID()}`;
const start = `"${member}":`;

/** Returns the view with the header fields as its last member. */
export function withHeaders(view: View, headers: View | undefined): View {
  if (headers === undefined) return view;
  const { members } = headers;
  return {
    ...view,
    members: [...view.members, { name: member, source: { kind: "object", members }, type: "json", absent: "null" }],
  };
}

/** Separates the header fields from the text that a read returned. */
export function splitHeaders(
  headers: View | undefined,
  text: string,
): { readonly text: string; readonly fields: readonly string[] } {
  if (headers === undefined) return { text, fields: [] };
  const at = text.lastIndexOf(start);
  const fields = fieldsOf(JSON.parse(text.slice(at + start.length, -1)) as JsonObject);
  // A comma is before the member, unless it is the only one.
  return { text: `${text.slice(0, text[at - 1] === "," ? at - 1 : at)}}`, fields };
}

/** Returns the text of which the entity tag is a hash: a client with the body in a cache must not get older header fields. */
export function withFields(text: string, fields: readonly string[]): string {
  return fields.length === 0 ? text : JSON.stringify([text, fields]);
}

// ── Values ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function fieldsOf(values: JsonObject): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === null || value === undefined) return [];
    return [name, headerText(typeof value === "object" ? JSON.stringify(value) : String(value))];
  });
}

/**
 * Returns a text as the value of a header field: anything but visible ASCII and blanks is percent-encoded, so that a value
 * cannot end its field (RFC 9110, 5.5).
 */
function headerText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character))
    .trim();
}
