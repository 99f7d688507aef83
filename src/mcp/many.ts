/**
 * Two tools in place of one for each operation, for callers who may run more operations than a model chooses from well: one
 * describes operations, the other calls one.
 */
import type { JsonObject } from "../base/json.ts";
import type { Tool, ToolDescription } from "./tools.ts";

/** The most operations that are tools by themselves. */
export const mostTools = 25;

export const describeName = "describe";
export const callName = "call";

const operationName = { type: "string", description: "The name of an operation, as `describe` returns it." };

export function twoTools(service: string): readonly ToolDescription[] {
  return [
    {
      name: describeName,
      title: `Describe the operations of ${service}`,
      description:
        "Returns the operations that you may run: their names and what they do, or with `operations` the arguments and results of these.",
      inputSchema: {
        type: "object",
        properties: { operations: { type: "array", items: operationName, maxItems: mostTools } },
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { operations: { type: "array", items: { type: "object" } } },
        required: ["operations"],
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    {
      name: callName,
      title: `Run an operation of ${service}`,
      description: "Runs one operation. `describe` returns its arguments, and whether it only reads or is destructive.",
      inputSchema: {
        type: "object",
        properties: {
          operation: operationName,
          arguments: { type: "object", description: "The arguments of the operation." },
        },
        required: ["operation"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
  ];
}

/** Returns the result of `describe`. */
export function describing(allowed: readonly Tool[], supplied: JsonObject): JsonObject {
  const { operations: names } = supplied;
  if (!Array.isArray(names))
    return { operations: allowed.map(({ description: { name, title } }) => ({ name, title })) };
  const wanted = allowed.filter(({ description }) => names.includes(description.name));
  return { operations: wanted.map(({ description }) => description as unknown as JsonObject) };
}
