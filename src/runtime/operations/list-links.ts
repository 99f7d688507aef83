/** The addresses of the other pages of a list, in the `Link` header field (RFC 8288). */
import type { Value } from "../../expression/evaluate.ts";
import type { ListPlan, PageLink } from "../../plan/endpoints/types.ts";
import type { Call } from "../context/context.ts";
import { storedPosition } from "../versions/positions.ts";
import type { ListRequest } from "./list-request.ts";

/** The value that selects a page: a cursor, the number of records before it, or its number. */
export type Position = string | number;

/** Returns the value that selects the next page. `last`: the position of the last record of this page. */
export function nextPosition(
  call: Call,
  plan: ListPlan,
  { page, context }: ListRequest,
  last: readonly Value[],
): Position {
  const { limit, skip = 0 } = page;
  if (plan.kind === "offset") return skip + limit;
  if (plan.kind === "page") return skip / limit + 2;
  return call.context.cursors.seal(storedPosition(call, last), context);
}

const usual: readonly PageLink[] = ["next"];

/** Returns the `Link` field, or nothing. `total`: the number of records on all pages, for the last one. */
export function linksOf(
  call: Call,
  plan: ListPlan,
  received: ListRequest,
  { next, total }: { readonly next: Position | null; readonly total: number | undefined },
): readonly string[] {
  const { limit, skip = 0 } = received.page;
  const isNumbered = plan.kind === "page";
  const positionOf = (offset: number): number => (isNumbered ? Math.floor(offset / limit) + 1 : offset);
  const positions: Readonly<Record<PageLink, Position | null | undefined>> = {
    first: plan.kind === "cursor" ? undefined : positionOf(0),
    prev: skip > 0 ? positionOf(Math.max(0, skip - limit)) : null,
    next,
    last: total === undefined ? null : positionOf(lastOffset(total, limit, isNumbered ? 0 : skip % limit)),
  };
  const links = (plan.links ?? usual).flatMap((relation) => {
    const position = positions[relation];
    return position === null ? [] : [`<${pageAddress(call, plan, limit, position)}>; rel="${relation}"`];
  });
  return links.length === 0 ? [] : ["Link", links.join(", ")];
}

/** Returns the offset of the last page, among pages that begin `start` records after a multiple of the limit. */
function lastOffset(total: number, limit: number, start: number): number {
  if (total <= start) return 0;
  return start + Math.floor((total - start - 1) / limit) * limit;
}

/** Returns the address of a page, with the other parameters of the request; `undefined`: of the first page. */
function pageAddress(call: Call, { kind, names }: ListPlan, limit: number, position: Position | undefined): string {
  const query = new URLSearchParams();
  for (const [name, text] of call.query)
    for (const value of call.repeated?.get(name) ?? [text]) query.append(name, value);
  const name = kind === "offset" ? names.offset : kind === "page" ? names.page : names.cursor;
  for (const neighbour of [names.after, names.before]) if (neighbour !== undefined) query.delete(neighbour);
  if (position === undefined) query.delete(name);
  else query.set(name, String(position));
  if (names.end !== undefined && query.has(names.end)) query.set(names.end, String(Number(position) + limit));
  return addressOf(call, query);
}

/** Returns the `Link` field of a list that pages by cursor alone, or nothing on the last page. */
export function nextLink(call: Call, parameter: string, next: string | null): readonly string[] {
  if (next === null) return [];
  const query = new URLSearchParams([...call.query]);
  query.set(parameter, next);
  return ["Link", `<${addressOf(call, query)}>; rel="next"`];
}

/** Returns the address of the request's path with another query, and the parameter that chose the version. */
function addressOf({ context, path, parameter }: Call, query: URLSearchParams): string {
  const address = `${context.baseUrl()}${path.slice(context.prefix.length)}`;
  const parts = [parameter ?? "", query.toString()].filter((part) => part !== "");
  return parts.length === 0 ? address : `${address}?${parts.join("&")}`;
}
