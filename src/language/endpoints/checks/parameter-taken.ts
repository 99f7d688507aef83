/** A query parameter with a name that means something else there. */
import type { Check } from "../../analysis/finding.ts";
import { inputOf } from "../input.ts";
import type { ResourceEndpoint } from "../resolve.ts";
import type { Endpoints } from "../model.ts";

export const check: Check = {
  code: "endpoints/parameter-taken",
  severity: "error",
  why: "The service could not tell which of the two a request means.",
  *run({ endpoints, model }) {
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource") continue;
      const { operation, endpoint } = resolved;
      const localNames = new Set(resolved.action === "list" ? listParameters(model.endpoints, resolved) : []);
      const inputNames = new Set(endpoint.query === undefined ? [] : inputOf(model, resolved).map(({ name }) => name));
      for (const name of Object.keys(endpoint.filters ?? {}))
        if (localNames.has(name))
          yield { at: `endpoints/endpoints/${operation}/filters/${name}#key`, ...isReserved(name) };
      for (const name of Object.keys(endpoint.query ?? {})) {
        const other = localNames.has(name) || Object.hasOwn(endpoint.filters ?? {}, name);
        const at = `endpoints/endpoints/${operation}/query/${name}#key`;
        if (other) yield { at, ...isReserved(name) };
        else if (inputNames.has(name))
          yield {
            at,
            message: `\`input.${name}\` is already a member of the body`,
            help: "give one of them another name",
          };
      }
    }
  },
};

function isReserved(name: string) {
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
