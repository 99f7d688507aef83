/** Finds the kind of an incoming event, where a provider sends several kinds to one address (part 6, `is`). */
import { fragmentTo } from "../../base/json-pointer.ts";
import { isObject, type Json } from "../../base/json.ts";
import type { KindValue } from "../../plan/events/types.ts";
import type { HttpRequest } from "../../http/message.ts";
import { parseJson } from "../../http/json.ts";
import type { OperationEndpoint } from "../context/endpoint.ts";
import { type ApiError, invalid, type Violation } from "../errors/api-error.ts";
import type { SentBody } from "../validation/read-body.ts";

type RequestValue = KindValue["at"];

/** Returns the value of a request as text; undefined if the request has none. */
export function valueAt(at: RequestValue, { headers }: HttpRequest, body: Json): string | undefined {
  if (at.kind === "header") return headers.get(at.name);
  const value = at.path.reduce<Json | undefined>(
    (around, name) => (isObject(around) && Object.hasOwn(around, name) ? around[name] : undefined),
    body,
  );
  return value === undefined || value === null || typeof value === "object" ? undefined : String(value);
}

/**
 * Returns the endpoint of the request's kind; undefined for a body that is no JSON, which `readInput` rejects.
 *
 * @throws ApiError 422 for an unknown kind, if no endpoint receives all other kinds
 */
export async function endpointOfKind(
  kinds: readonly OperationEndpoint[],
  httpRequest: HttpRequest,
  body: SentBody,
): Promise<OperationEndpoint | undefined> {
  const parsed = parseJson(await body.read());
  if (parsed.kind !== "value") return undefined;
  const valuesOf = ({ compiled }: OperationEndpoint) => compiled.operation.inbound?.is ?? [];
  const found = kinds.find((endpoint) => {
    const values = valuesOf(endpoint);
    return values.length > 0 && values.every(({ at, value }) => valueAt(at, httpRequest, parsed.value) === value);
  });
  const endpoint = found ?? kinds.find((one) => valuesOf(one).length === 0);
  if (endpoint !== undefined) return endpoint;
  throw unknownKind(kinds.flatMap(valuesOf).map(({ at }) => at));
}

function unknownKind(places: readonly RequestValue[]): ApiError {
  const detail = "This address does not receive events of this kind";
  const violations = new Map(
    places.map((at): [string, Violation] => {
      const violation = { ...locationOf(at), code: "not-one-of", detail };
      return [JSON.stringify(violation), violation];
    }),
  );
  return invalid([...violations.values()]);
}

/** Where an error says that a value of a request is. */
export function locationOf(at: RequestValue): Pick<Violation, "header" | "pointer"> {
  return at.kind === "header" ? { header: at.name } : { pointer: fragmentTo(at.path) };
}
