/** Differences of operations with a `wire`, the complete description of their requests and responses. */
import type { Json } from "../base/json.ts";
import {
  type ContractBody,
  type ContractResponse,
  type EndpointContract,
  type Parameter,
  parameterLocations,
} from "../language/endpoints/model.ts";
import { mapValues } from "../language/versioning/rename.ts";
import { type Difference, difference, restated, same, type Site } from "./difference.ts";

/** Yields differences in the requests and responses of a handler, without notes and examples. */
export function* contractDifferences(
  site: Site,
  old: EndpointContract | undefined,
  now: EndpointContract | undefined,
): Iterable<Difference> {
  const what = `\`wire\` of \`${site.subject}\``;
  const [former, after] = [old && withoutWords(old), now && withoutWords(now)];
  let before = former;
  for (const location of parameterLocations) {
    const removed = Object.keys(before?.[location] ?? {}).filter(
      (name) => after && !Object.hasOwn(after[location] ?? {}, name),
    );
    for (const name of removed) {
      const parameter = { subject: `${site.subject}.${name}`, at: `${site.at}/${location}/${name}` };
      yield difference("breaking", "parameter-removed", parameter, `\`${parameter.subject}\` (${location}) is removed`);
    }
    if (before !== undefined && removed.length > 0) before = withoutParameters(before, location, removed);
  }
  if (!same(before, after)) yield* restated("breaking", "statement-changed", site, what, [before, after]);
  else if (before === former && !same(old, now))
    yield difference("neutral", "operation-described", site, `${what} is described differently`);
}

function withoutParameters(
  wire: EndpointContract,
  location: (typeof parameterLocations)[number],
  names: readonly string[],
): EndpointContract {
  const { [location]: all = {}, ...others } = wire;
  const rest = Object.entries(all).filter(([name]) => !names.includes(name));
  return rest.length === 0 ? others : { ...others, [location]: Object.fromEntries(rest) };
}

function withoutWords({ body, answers, ...parameters }: EndpointContract): EndpointContract {
  const bare = <Declared extends { readonly note?: string; readonly example?: Json }>(
    declared: Declared,
  ): Omit<Declared, "note" | "example"> => {
    const { note: _, example: __, ...rest } = declared;
    return rest;
  };
  const bareAll = (declared: Readonly<Record<string, Parameter>>): Readonly<Record<string, Parameter>> =>
    mapValues(declared, (one): Parameter => bare(one) as Parameter);
  const declared = Object.entries(parameters).filter(([, all]) => Object.keys(all).length > 0);
  return {
    ...mapValues(Object.fromEntries(declared), bareAll),
    ...(body === undefined ? {} : { body: bare(body) as ContractBody }),
    ...(answers === undefined
      ? {}
      : {
          answers: mapValues(answers, (one) => {
            const { headers, ...rest } = bare(one) as ContractResponse;
            return headers === undefined ? rest : { ...rest, headers: bareAll(headers) };
          }),
        }),
  };
}
