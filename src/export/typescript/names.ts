/** Names of the types in a client's file: those of the components, unless the file or the language has that name already. */
import { camelCase, pascalCase } from "../../base/case.ts";
import type { Described } from "../described.ts";

export interface TypeNames {
  readonly named: (component: string) => string;
  /** A further name that nothing has yet. */
  readonly free: (wanted: string) => string;
}

/** Of what is generated beside the common part. */
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

/** Whatever the common part speaks of must mean there what it means to it: a resource called `Record` is not that. */
export function nameTypes({ schemas }: Described, runtime: string): TypeNames {
  const code = runtime.replaceAll(/\/\*[^]*?\*\/|\/\/.*$|"[^"\n]*"/gm, "");
  const usedNames = new Set([...reserved, ...(code.match(/\b[A-Z]\w*\b/g) ?? [])]);
  const free = (wanted: string): string => {
    const identifier = wanted.replaceAll(/[^\w$]/g, "_").replace(/^(?=[0-9])/, "_");
    let name = identifier;
    for (let count = 2; usedNames.has(name); count += 1) name = `${identifier}${count}`;
    usedNames.add(name);
    return name;
  };
  const names = new Map(Object.keys(schemas).map((component) => [component, free(component)]));
  return { named: (component) => names.get(component) ?? "unknown", free };
}

/** What the method of an operation is called; the name of an event that comes in has dots. */
export function methodName(operation: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(operation) ? operation : camelCase(operation);
}

/** The beginning of the names of an operation's types. */
export function typeName(operation: string): string {
  return pascalCase(operation);
}
