/** Reads lists page by page, as the document says how they continue. */
import type { ListStyle } from "../../language/endpoints/model.ts";
import { fieldsOf, isUnique, lookup } from "../../language/resources/fields.ts";
import { Broken, NotTried } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import type { Interaction, Response } from "../interaction.ts";
import { listNames, memberOf, type Page, pageIn, recordIn, type ObservedRecord } from "../response.ts";
import type { CallOptions } from "./calls.ts";
import { type KnownRecord, textOf } from "./known.ts";
import { type Query, queryOf } from "./parameters.ts";
import type { Trial } from "./trial.ts";

export interface ReadPage extends Page {
  readonly interaction: Interaction;
  /** The parameters of the next page; undefined on the last page. */
  readonly following: Query | undefined;
  /** Whether the response itself says that there is a next page. Without it the test reads on until a page is not full. */
  readonly isAnnounced: boolean;
}

/** Returns the style of a list, as far as the document writes it. */
export function listStyle({ model }: Contract, { endpoint }: Operation): ListStyle | undefined {
  return endpoint.lists ?? model.endpoints.lists;
}

/** Returns the path of the statement about the pages of a list. */
export function stylePath({ endpoint, operation }: Operation): string {
  return endpoint.lists === undefined ? "endpoints/lists" : `endpoints/endpoints/${operation}/lists`;
}

/** Reads all pages, up to a number. @throws NotTried if the first one is no success @throws Broken if another one is none */
export async function* pagesOf(
  trial: Trial,
  called: Operation,
  options: Omit<CallOptions, "body" | "rawBody">,
  most: number,
): AsyncGenerator<ReadPage> {
  let query: Query | undefined = options.query ?? {};
  for (let count = 0; query !== undefined && count < most; count += 1) {
    const interaction = await trial.call(called.operation, { ...options, query });
    const page = pageAt(trial, called, interaction, query);
    if (page === undefined) {
      const text = statusText(trial.contract, trial.responseOf(interaction));
      if (count > 0) throw new Broken("the next page", text, interaction, stylePath(called));
      throw new NotTried(`${called.operation} answered ${text}`);
    }
    yield page;
    query = page.following;
  }
}

/** Returns the page in a response to a request with these parameters; undefined if the response is no success. */
export function pageAt(trial: Trial, called: Operation, interaction: Interaction, query: Query): ReadPage | undefined {
  const { contract } = trial;
  const response = trial.responseOf(interaction);
  const page = response.status === 200 ? pageIn(contract, called, response.json) : undefined;
  if (page === undefined) return undefined;
  const announced = announcedQuery(contract, called, { query, page, response });
  const following = announced ?? (page.next === null ? undefined : countedQuery(contract, called, { query, page }));
  return { ...page, interaction, following, isAnnounced: announced !== undefined };
}

interface Reading {
  readonly query: Query;
  readonly page: Page;
}

/** Returns the parameters of the next page that a response announces. */
function announcedQuery(
  contract: Contract,
  called: Operation,
  { query, page, response }: Reading & { readonly response: Response },
): Query | undefined {
  const { kind = "cursor" } = listStyle(contract, called) ?? {};
  if (kind === "none" || page.next === null) return undefined;
  if (page.next === undefined) return linkedQuery(response);
  return { ...query, [listNames(contract, called)[kind]]: textOf(page.next) };
}

/** Returns the parameters of the page behind a full page, if the style counts records or pages. */
function countedQuery(contract: Contract, called: Operation, { query, page: { items } }: Reading): Query | undefined {
  const { kind = "cursor", size } = listStyle(contract, called) ?? {};
  const names = listNames(contract, called);
  const full = query[names.limit] === undefined ? size : Number(query[names.limit]);
  if (items.length === 0 || (full !== undefined && items.length < full)) return undefined;
  if (kind === "page") return { ...query, [names.page]: String(Number(query[names.page] ?? "1") + 1) };
  if (kind !== "offset") return undefined;
  return { ...query, [names.offset]: String(Number(query[names.offset] ?? "0") + items.length) };
}

/** Returns the parameters of the address in `Link` with `rel="next"` (RFC 8288); undefined without one. */
export function linkedQuery({ headers }: Response): Query | undefined {
  const link = /<([^<>]*)>\s*;[^<]*\brel="?(?:[^"<]*\s)?next\b/.exec(headers["link"] ?? "")?.[1];
  if (link === undefined || !URL.canParse(link, "http://localhost")) return undefined;
  return queryOf([...new URL(link, "http://localhost").searchParams]);
}

/**
 * Returns the item of a page that is the record, by a unique field that both have. `undefined`: the page does not have it;
 * `"unknown"`: nothing in the items identifies a record.
 */
export function itemOf(
  contract: Contract,
  called: Operation,
  { items }: Pick<Page, "items">,
  record: KnownRecord,
): ObservedRecord | undefined | "unknown" {
  const observed = items.flatMap((item) => recordIn(contract, called, item) ?? []);
  const found = identifier(contract, record.resource, observed[0]);
  if (observed.length > 0 && (found === undefined || !record.values.has(found.field))) return "unknown";
  return observed.find(
    (one) => found !== undefined && lookup(one.record, found.member) === record.values.get(found.field),
  );
}

/** Returns the field that identifies records in a representation, and the member that shows it. */
export function identifier(
  contract: Contract,
  resource: string,
  observed: ObservedRecord | undefined,
): { readonly field: string; readonly member: string } | undefined {
  const { model } = contract;
  const fields = ["id", ...Object.keys(fieldsOf(model, resource))].filter((name) => isUnique(model, resource, name));
  return fields
    .map((field) => ({ field, member: memberOf(contract, field, observed?.view) }))
    .find(({ member }) => observed !== undefined && lookup(observed.record, member) !== undefined);
}
