/** The names that expressions about a page of a list can use, in `gives` around the page and in header fields. */
import type { NamedType } from "../../expression/types.ts";
import type { ListStyle } from "./model.ts";

const integer: NamedType = { type: { kind: "int" }, nullable: false, from: "variables" };

/**
 *     count    the number of records on all pages
 *     next     where the next page starts, in the form of its parameter; null on the last page
 *     path     the path of the request
 *     limit    the largest number of records of this page, as requested
 *     offset   the number of records on earlier pages; not in lists with cursors
 *     page     the number of the page, from 1; only in lists with numbered pages
 */
export function pageNames(kind: ListStyle["kind"]): Readonly<Record<string, NamedType>> {
  const next: NamedType = { ...integer, nullable: true, type: { kind: isCounted(kind) ? "int" : "string" } };
  return {
    count: integer,
    next,
    path: { type: { kind: "string" }, nullable: false, from: "variables" },
    ...(kind === "none" ? {} : { limit: integer }),
    ...(isCounted(kind) ? { offset: integer } : {}),
    ...(kind === "page" ? { page: integer } : {}),
  };
}

/** Whether the position of a page is a number. */
export function isCounted(kind: ListStyle["kind"]): kind is "offset" | "page" {
  return kind === "offset" || kind === "page";
}

/** All names of pages, for a message about a field that an expression about a page names. */
export const allPageNames: ReadonlySet<string> = new Set(Object.keys(pageNames("page")));
