/** How requests carry the credentials of part 5. */
import { isObject, type Json } from "../base/json.ts";
import { responseShape, type Shape } from "../language/endpoints/shape.ts";
import type { SentIn } from "../language/authentication/model.ts";
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

/** Returns a place as reports name it. */
export function sentText(sentIn: SentIn): string {
  if ("query" in sentIn) return `the query parameter ${sentIn.query}`;
  if ("cookie" in sentIn) return `the cookie ${sentIn.cookie}`;
  return `the header ${[sentIn.header, sentIn.scheme].filter((one) => one !== undefined).join(" ")}`;
}

/** Returns the places in which the document lets clients send a credential. */
export function placesIn({ model }: Contract, credential: string): readonly SentIn[] {
  return placesOf(lookup(model.authentication.credentials, credential) ?? { kind: "api-key" });
}

/** Returns the request with a key or a token; by default in the first place that the document declares. */
export function withToken(
  contract: Contract,
  credential: string,
  token: string,
  request: Request,
  sentIn: SentIn | undefined = placesIn(contract, credential)[0],
): Request {
  const isBasic = lookup(contract.model.authentication.credentials, credential)?.kind === "basic";
  const value = isBasic && token.includes(":") ? btoa(token) : token;
  if (sentIn === undefined) return request;
  if ("query" in sentIn) {
    const url = new URL(request.url);
    url.searchParams.set(sentIn.query, value);
    return { ...request, url: url.href };
  }
  const [name, text] = fieldWith(sentIn, value) ?? ["", ""];
  // A request has one field for all cookies.
  const others = "cookie" in sentIn ? lookup(request.headers, name) : undefined;
  const all = others === undefined ? text : `${others}; ${text}`;
  return { ...request, headers: { ...request.headers, [name]: all } };
}

/** Returns the key or token in the first place that the document declares; empty if the request has none. */
export function tokenOf(contract: Contract, credential: string, { headers, url }: Request): string {
  const [sentIn = { header: "Authorization" }] = placesIn(contract, credential);
  const value =
    "query" in sentIn
      ? new URL(url).searchParams.get(sentIn.query)
      : "cookie" in sentIn
        ? cookieIn(headers["Cookie"], sentIn.cookie)
        : lookup(headers, sentIn.header)?.split(" ").at(-1);
  const isBasic = lookup(contract.model.authentication.credentials, credential)?.kind === "basic";
  return isBasic ? atob(value ?? "") : (value ?? "");
}

/** Returns the caller who sends the same key or token in another place. */
export function sending(contract: Contract, credential: string, caller: Caller, location: SentIn): Caller {
  return {
    ...caller,
    authorize: (request) =>
      withToken(contract, credential, tokenOf(contract, credential, caller.authorize(request)), request, location),
  };
}

/** Returns the value of a cookie in `Cookie` or `Set-Cookie`. */
export function cookieIn(field: string | undefined, name: string): string | undefined {
  const start = `${name}=`;
  const pair = (field ?? "").split(/[;,]\s*/).find((one) => one.startsWith(start));
  return pair?.slice(start.length);
}

/** Whether an expression of a response is a token or a refresh token, which every login has. */
export function isTokenText(text: string): boolean {
  return /^(?:token|refreshToken)\(/.test(text);
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
