/** The style of a list: its own declaration, with the options of all lists for those that it does not declare. */
import type { Model } from "../model.ts";
import type { Endpoint, ListStyle } from "./model.ts";

/** The default: pages of 20 items, at most 100 (R4.9, R8.8). */
export const defaultStyle: ListStyle & { readonly max: number; readonly size: number } = {
  kind: "cursor",
  size: 20,
  max: 100,
};

/**
 * Returns the style of a list. Its `lists` replaces the pages of all lists; their names, shape, header fields, parameters of filters
 * and links remain, except for those that the list itself declares.
 */
export function listStyleOf({ endpoints: { lists } }: Pick<Model, "endpoints">, { lists: own }: Endpoint): ListStyle {
  const style = own ?? lists ?? defaultStyle;
  if (own === undefined || lists === undefined) return style;
  const names = { ...lists.names, ...own.names };
  const headers = { ...lists.headers, ...own.headers };
  const operators = { ...lists.operators, ...own.operators };
  const links = own.links ?? lists.links;
  const gives = own.gives ?? (own.bare === true ? undefined : lists.gives);
  return {
    ...own,
    ...(Object.keys(names).length === 0 ? {} : { names }),
    ...(gives === undefined ? {} : { gives }),
    ...(links === undefined ? {} : { links }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(operators).length === 0 ? {} : { operators }),
  };
}
