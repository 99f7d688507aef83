/** Walks through the pages of a list, and compares what they have. */
import type { Contract } from "../../contract.ts";
import { Broken, NotTried } from "../../case.ts";
import type { Caller } from "../../caller.ts";
import { recordIn } from "../../response.ts";
import { statusText } from "../../errors/expected.ts";
import { identifier, pagesOf, type ReadPage, stylePath } from "../../trial/pages.ts";
import type { Trial } from "../../trial/trial.ts";
import { type KnownRecord, textOf } from "../../trial/known.ts";
import { lookup } from "../../../language/resources/fields.ts";
import { listNames } from "../../response.ts";
import type { Query } from "../../trial/parameters.ts";
import type { Listed } from "./listed.ts";

export interface Walk {
  readonly pages: readonly ReadPage[];
  /** What identifies the items, in their order; undefined if nothing does. */
  readonly keys: readonly string[] | undefined;
  /** How many items the pages have. */
  readonly count: number;
}

/** How many pages the test reads of one list. */
export const mostPages = 40;

/**
 * Reads all pages of a list. `limit`: the size of a page, which the document admits.
 *
 * @throws Broken if the size is rejected @throws NotTried if the list has too many pages
 */
export async function walk(trial: Trial, list: Listed, limit?: number): Promise<Walk> {
  const { contract } = trial;
  const pages: ReadPage[] = [];
  try {
    for await (const page of pagesOf(trial, list.called, optionsOf(trial, list, limit), mostPages)) pages.push(page);
  } catch (thrown) {
    const last = trial.interactions.at(-1);
    const response = last === undefined ? undefined : trial.responseOf(last);
    if (!(thrown instanceof NotTried) || limit === undefined || response?.status !== 400) throw thrown;
    throw new Broken(`a page of ${limit}`, statusText(contract, response), last, stylePath(list.called));
  }
  if (pages.at(-1)?.following !== undefined) throw new NotTried(`${list.called.operation} has too many pages`);
  const keys = pages.map((page) => keysOf(contract, list, page));
  const count = pages.reduce((sum, { items }) => sum + items.length, 0);
  return { pages, keys: keys.includes(undefined) ? undefined : keys.flatMap((some) => some ?? []), count };
}

/** Returns what `call` needs to read the list. */
export function optionsOf(trial: Trial, { called, caller, query, records }: Listed, limit?: number): ReadOptions {
  const record = records[0] ?? null;
  const { limit: name } = listNames(trial.contract, called);
  return { caller, record, query: limit === undefined ? query : { ...query, [name]: String(limit) } };
}

export interface ReadOptions {
  readonly caller: Caller;
  /** A record of the list, from which the parents in the path follow. */
  readonly record: KnownRecord | null;
  readonly query: Query;
}

/** Returns what identifies the items of a page; undefined if nothing does. */
export function keysOf(
  contract: Contract,
  { called }: Listed,
  { items }: Pick<ReadPage, "items">,
): readonly string[] | undefined {
  const keys = items.map((item) => {
    const observed = recordIn(contract, called, item);
    const found = identifier(contract, called.resource as string, observed);
    return found === undefined || observed === undefined
      ? undefined
      : `${found.field} ${textOf(lookup(observed.record, found.member))}`;
  });
  return keys.includes(undefined) ? undefined : keys.flatMap((key) => key ?? []);
}

/** Returns what identifies a record in the items. */
export function keyOf(contract: Contract, { called }: Listed, page: ReadPage, record: KnownRecord): string | undefined {
  const [item] = page.items;
  const found = identifier(contract, called.resource as string, recordIn(contract, called, item));
  return found === undefined ? undefined : `${found.field} ${textOf(record.values.get(found.field))}`;
}

/** Expects that no item is twice on the pages. */
export function expectNoRepeats({ keys = [], pages }: Pick<Walk, "keys" | "pages">, path: string): void {
  const context = new Set<string>();
  for (const key of keys) {
    if (context.has(key))
      throw new Broken("each record once on all pages", `${key} twice`, pages.at(-1)?.interaction, path);
    context.add(key);
  }
}
