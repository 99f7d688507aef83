/**
 * The places in which requests carry credentials: header fields, cookies and query parameters. Browsers add cookies to the
 * requests of any page, so a cookie counts only for requests of allowed pages (cross-site request forgery).
 */
import type { SentIn } from "../../plan/authentication/places.ts";
import type { AuthenticationPart } from "../../plan/authentication/types.ts";
import type { EndpointsPart } from "../../plan/endpoints/types.ts";
import { cookiesNamed, cookieText } from "../../http/cookies.ts";
import { originMatcher } from "../../http/cors.ts";
import type { HttpRequest } from "../../http/message.ts";
import { ApiError } from "../errors/api-error.ts";
import { decode } from "../routing/target.ts";

/** What a request has in one place. */
export interface Presented {
  readonly value: string;
  /** Whether the request has more than one value there. */
  readonly twice: boolean;
}

/** Returns the key of a place: credentials in one place share it. */
export function locationKey(sentIn: SentIn): string {
  const [kind = "", name = ""] = Object.entries(sentIn)[0] ?? [];
  return kind === "header" ? `header ${(name as string).toLowerCase()}` : `${kind} ${name}`;
}

/** Returns a function that reads one place of a request; undefined if the request has nothing there. */
export function readerOf(sentIn: SentIn): (httpRequest: HttpRequest) => Presented | undefined {
  if ("header" in sentIn) {
    const name = sentIn.header.toLowerCase();
    return ({ headers }) => {
      const value = headers.get(name);
      return value === undefined ? undefined : { value, twice: headers.repeated(name) };
    };
  }
  const all =
    "cookie" in sentIn
      ? ({ headers }: HttpRequest) => cookiesNamed(headers.get("cookie"), sentIn.cookie)
      : ({ target }: HttpRequest) => parametersNamed(target, sentIn.query);
  return (httpRequest) => {
    const [value, ...more] = all(httpRequest);
    return value === undefined ? undefined : { value, twice: more.length > 0 };
  };
}

function parametersNamed(target: string, name: string): readonly string[] {
  const start = target.indexOf("?");
  if (start === -1) return [];
  const parts = target.slice(start + 1).split("&");
  return parts.flatMap((part) => {
    if (part !== name && !part.startsWith(`${name}=`)) return [];
    return [decode(part.slice(name.length + 1)) ?? ""];
  });
}

/**
 * Returns a query without credentials, so that no operation, link or error contains one; undefined if the document has none in
 * the query.
 */
export function queryCleaner({ credentials }: AuthenticationPart): ((query: string) => string) | undefined {
  const names = credentials.flatMap(({ sent }) => sent.flatMap((one) => ("query" in one ? [one.query] : [])));
  if (names.length === 0) return undefined;
  const isCredential = (part: string): boolean => names.some((name) => part === name || part.startsWith(`${name}=`));
  return (query) =>
    query === ""
      ? query
      : query
          .split("&")
          .filter((part) => !isCredential(part))
          .join("&");
}

/**
 * Returns a function that throws 403 for a write with a cookie by a page of an origin that may not use it: only pages of the
 * service itself, and those to which `cors` gives credentials, may. A program that is no browser sends no origin.
 */
export function forgeryCheck(
  { cors }: Pick<EndpointsPart, "cors">,
  baseUrl: () => string,
): (httpRequest: HttpRequest) => void {
  const isGranted = cors?.credentials === true && cors.origins !== "any" ? originMatcher(cors.origins) : () => false;
  return ({ method, headers }) => {
    if (method === "GET" || method === "HEAD" || method === "OPTIONS") return;
    const origin = headers.get("origin");
    const site = headers.get("sec-fetch-site");
    const isAllowed =
      origin === undefined
        ? site === undefined || site === "same-origin" || site === "none"
        : isGranted(origin) || isOwn(origin, headers.get("host"), baseUrl());
    if (isAllowed) return;
    throw new ApiError("forbidden", { detail: "Pages of this origin may not write with a cookie" });
  };
}

function isOwn(origin: string, host: string | undefined, baseUrl: string): boolean {
  if (origin === new URL(baseUrl).origin) return true;
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** Writes the cookies that logins set: names and values of header fields alternate. */
export function setCookies(
  { cors }: Pick<EndpointsPart, "cors">,
  sent: readonly SentIn[],
  baseUrl: string,
  token: string,
  maxAgeSeconds: number | undefined,
): readonly string[] {
  const crossSite = cors?.credentials === true;
  return sent.flatMap((one) => {
    if (!("cookie" in one) || one.set === undefined) return [];
    const age = maxAgeSeconds === undefined ? {} : { maxAgeSeconds };
    return ["Set-Cookie", cookieText(one.cookie, token, { baseUrl, crossSite, ...age })];
  });
}
