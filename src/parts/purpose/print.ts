/** Part 1, printed: the canonical, shortest form; reading it gives the same part. */
import type { Tree } from "../../document/print.ts";
import type { Purpose } from "./model.ts";

export function printPurpose(part: Purpose): Tree {
  const { nonet, service, domain, purpose, users, outside, operations } = part;
  return {
    ...(nonet === undefined ? {} : { nonet }),
    ...(service === undefined ? {} : { service }),
    ...(domain === undefined ? {} : { domain }),
    ...(purpose === undefined ? {} : { purpose }),
    ...sentences("users", users),
    ...(outside === undefined ? {} : { outside: outside.length === 0 ? "none" : outside }),
    ...sentences("operations", operations),
  };
}

function sentences(key: string, all: Readonly<Record<string, string>>): Record<string, Tree> {
  const names = Object.keys(all);
  if (names.length === 0) return {};
  return { [key]: names.some((name) => all[name] !== "") ? all : names };
}
