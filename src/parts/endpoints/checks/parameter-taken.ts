/** A query parameter with a name that means something else there. */
import type { Check } from "../../finding.ts";
import { inputOf } from "../input.ts";
import type { ResourceEndpoint } from "../meaning.ts";
import type { Endpoints } from "../model.ts";

export const check: Check = {
  code: "endpoints/parameter-taken",
  severity: "error",
  why: "Who sends it could mean the one or the other.",
  *run({ endpoints, model }) {
    for (const meaning of endpoints.values()) {
      if (meaning.kind !== "resource") continue;
      const { operation, endpoint } = meaning;
      const own = new Set(meaning.deed === "list" ? listParameters(model.endpoints, meaning) : []);
      const taken = new Set(endpoint.query === undefined ? [] : inputOf(model, meaning).map(({ name }) => name));
      for (const name of Object.keys(endpoint.filters ?? {}))
        if (own.has(name)) yield { at: `endpoints/endpoints/${operation}/filters/${name}#key`, ...isTaken(name) };
      for (const name of Object.keys(endpoint.query ?? {})) {
        const other = own.has(name) || Object.hasOwn(endpoint.filters ?? {}, name);
        const at = `endpoints/endpoints/${operation}/query/${name}#key`;
        if (other) yield { at, ...isTaken(name) };
        else if (taken.has(name))
          yield {
            at,
            message: `\`input.${name}\` is already what the body has`,
            help: "give one of them another name",
          };
      }
    }
  },
};

function isTaken(name: string) {
  return { message: `\`${name}\` is a parameter of the list already`, help: "give it another name" };
}

function listParameters({ lists }: Endpoints, { endpoint }: ResourceEndpoint): readonly string[] {
  const names = { ...lists?.names, ...endpoint.lists?.names };
  return [
    names.limit ?? "limit",
    names.cursor ?? "cursor",
    names.offset ?? "offset",
    names.page ?? "page",
    names.sort ?? "sort",
    names.search ?? "search",
  ];
}
