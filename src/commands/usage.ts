/** Command lines: options by name, with a sentence for everything that is wrong with them. */
import type { ParseArgsConfig } from "node:util";
import { parseArgs } from "node:util";

/** Wrong usage, or a file that cannot be read: exit code 2. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig["options"]>;

type Parsed<T extends Options> = ReturnType<typeof parseArgs<{ options: T; allowPositionals: true; strict: true }>>;

export function parseOptions<const T extends Options>(args: readonly string[], options: T): Parsed<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (thrown) {
    throw new UsageError((thrown as Error).message);
  }
}

export function oneOf<const T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new UsageError(`--${name} is one of ${allowed.join(", ")}, not ${value}`);
  return found;
}

export function portNumber(value: string): number {
  const port = /^[0-9]{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port is a number from 0 to 65535, not ${value}`);
  return port;
}

export function onlyDocument(positionals: readonly string[]): string {
  const [document, ...more] = positionals;
  if (document === undefined) throw new UsageError("name the document, or - for standard input");
  if (more.length > 0) throw new UsageError(`one document at a time; what is ${more.join(" ")}?`);
  return document;
}
