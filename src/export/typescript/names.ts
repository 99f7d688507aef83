/** Chooses the type names in a client's file: component names, unless the file or TypeScript already uses the name. */
import { camelCase, pascalCase, uniqueName } from "../../base/case.ts";
import type { Described } from "../described.ts";

export interface TypeNames {
  readonly named: (component: string) => string;
  /** Returns a name, similar to `wanted`, that the file does not use yet. */
  readonly free: (wanted: string) => string;
}

/** Names in the generated code outside the common part. */
const reserved = [
  ...[
    "Client",
    "ClientOptions",
    "Credential",
    "WebhookEvent",
    "Refusals",
    "RefusedAnywhere",
    "Problems",
    "ErrorOf",
    "ErrorCode",
    "Problem",
  ],
  ...[
    "any",
    "bigint",
    "boolean",
    "never",
    "null",
    "number",
    "object",
    "string",
    "symbol",
    "undefined",
    "unknown",
    "void",
  ],
];

/**
 * Chooses type names. Names in the common part are reserved: a resource called `Record` must not change the meaning of
 * `Record` there.
 */
export function nameTypes({ schemas }: Described, runtime: string): TypeNames {
  const code = runtime.replaceAll(/\/\*[^]*?\*\/|\/\/.*$|"[^"\n]*"/gm, "");
  const usedNames = new Set([...reserved, ...(code.match(/\b[A-Z]\w*\b/g) ?? [])]);
  const free = (wanted: string): string => {
    return uniqueName(usedNames, wanted.replaceAll(/[^\w$]/g, "_").replace(/^(?=[0-9])/, "_"));
  };
  const names = new Map(Object.keys(schemas).map((component) => [component, free(component)]));
  return { named: (component) => names.get(component) ?? "unknown", free };
}

/** Returns the method name of an operation; operations of incoming events have dots in their names. */
export function methodName(operation: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(operation) ? operation : camelCase(operation);
}

/** Returns the prefix of the type names of an operation. */
export function typeName(operation: string): string {
  return pascalCase(operation);
}
