/** How requests carry the credentials of part 5. */
import { isObject, type Json } from "../base/json.ts";
import { responseShape, type Shape } from "../language/endpoints/shape.ts";
import { fieldWith, placesOf } from "../language/authentication/sent.ts";
import { lookup } from "../language/resources/fields.ts";
import type { Caller } from "./caller.ts";
import { type Contract, type Operation, wrapOf } from "./contract.ts";
import type { Request } from "./interaction.ts";

/** Returns a caller who sends a key or a token as the document declares it for the credential. */
export function bearer(
  contract: Contract,
  credential: string,
  token: string,
  {
    id,
    name,
    roles = [],
  }: { readonly id?: string | undefined; readonly name: string; readonly roles?: readonly string[] },
): Caller {
  return {
    ...{ name, credential, roles },
    ...(id === undefined ? {} : { id }),
    signedIn: true,
    scoped: false,
    authorize: (request) => withToken(contract, credential, token, request),
  };
}

/** Returns the request with a key or a token in the first place that the document declares. */
export function withToken({ model }: Contract, credential: string, token: string, request: Request): Request {
  const definition = lookup(model.authentication.credentials, credential);
  const basic = definition?.kind === "basic";
  const [sentIn = { header: "Authorization" }] = placesOf(definition ?? { kind: "api-key" });
  const value = basic && token.includes(":") ? btoa(token) : token;
  if ("query" in sentIn) {
    const url = new URL(request.url);
    url.searchParams.set(sentIn.query, value);
    return { ...request, url: url.href };
  }
  const field = fieldWith(sentIn, value);
  return field === undefined ? request : { ...request, headers: { ...request.headers, [field[0]]: field[1] } };
}

/** Returns the token in the response to a login, by the member that the document computes with `token(…)`. */
export function tokenIn(contract: Contract, operation: Operation, body: Json | undefined): string | undefined {
  return tokenBy(/^token\(/, contract, operation, body);
}

/** Returns the refresh token in the response to a login, which the document computes with `refreshToken(…)`. */
export function refreshTokenIn(contract: Contract, operation: Operation, body: Json | undefined): string | undefined {
  return tokenBy(/^refreshToken\(/, contract, operation, body);
}

function tokenBy(
  computed: RegExp,
  contract: Contract,
  operation: Operation,
  body: Json | undefined,
): string | undefined {
  const { item } = responseShape(contract.model, operation);
  const wrap = item?.kind === "view" ? wrapOf(contract, operation) : undefined;
  const inner = wrap === undefined ? body : isObject(body) ? lookup(body, wrap) : undefined;
  return item === undefined ? undefined : tokenAt(computed, contract, item, inner);
}

function tokenAt(computedBy: RegExp, contract: Contract, shape: Shape, value: Json | undefined): string | undefined {
  if (shape.kind === "expression") return computedBy.test(shape.text) && typeof value === "string" ? value : undefined;
  if (!isObject(value)) return undefined;
  const members: readonly (readonly [string, Shape])[] =
    shape.kind === "object"
      ? Object.entries(shape.members)
      : shape.kind === "view"
        ? Object.entries(lookup(contract.model.resources.views ?? {}, shape.view)?.members ?? {}).map(
            ([name, { computed = "" }]) => [name, { kind: "expression", text: computed }] as const,
          )
        : [];
  for (const [name, member] of members) {
    const found = tokenAt(computedBy, contract, member, lookup(value, name));
    if (found !== undefined) return found;
  }
  return undefined;
}
