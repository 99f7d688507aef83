/** Makes the result of a tool call from the HTTP response of its operation. */
import { isObject, type Json } from "../base/json.ts";
import type { HttpResponse } from "../http/message.ts";
import type { Operation } from "../plan/endpoints/types.ts";

export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  /** The body of the response. */
  readonly structuredContent?: Json;
  /** Whether the response is an error; then `structuredContent` is the problem. */
  readonly isError?: true;
}

/** The header fields that later calls need, or that say what happened. */
const resultFields = ["ETag", "Location", "Link", "Retry-After", "Idempotent-Replayed", "Deprecation", "Sunset"];

export function resultOf(response: HttpResponse, { headers: declared = [] }: Pick<Operation, "headers">): ToolResult {
  const { body, headers, status, stream } = response;
  stream?.ended();
  const text = typeof body === "string" ? body : "";
  const value = isJson(headers) && text !== "" ? (JSON.parse(text) as Json) : undefined;
  const names = [...resultFields, ...declared.map(({ name }) => name)].map((name) => name.toLowerCase());
  const fields: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2)
    if (names.includes((headers[index] as string).toLowerCase()))
      fields.push(`${headers[index]}: ${headers[index + 1]}`);
  const texts = [
    text === "" ? `The status is ${status}, without a body.` : text,
    ...(fields.length === 0 ? [] : [fields.join("\n")]),
  ];
  return {
    content: texts.map((one) => ({ type: "text", text: one })),
    ...(value === undefined || (status >= 400 && !isObject(value)) ? {} : { structuredContent: value }),
    ...(status >= 400 ? { isError: true } : {}),
  };
}

function isJson(headers: readonly string[]): boolean {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "content-type");
  return at !== -1 && /^[^;]*[/+]json\s*(?:;|$)/.test(headers[at + 1] ?? "");
}
