/** Performs `GET /xs`: pages, filters, sort order (R4.9 to R4.13). The query contains the permissions, so pages are full. */
import { after } from "../../base/after.ts";
import { defined } from "../../base/defined.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { ListPlan } from "../../plan/endpoints/types.ts";
import type { Awaitable, Page, SortKey } from "../../store/port/store.ts";
import { textTag } from "../records/entity-tag.ts";
import type { ListShape } from "../context/compiled.ts";
import type { Call } from "../context/context.ts";
import { malformed } from "../errors/api-error.ts";
import type { HttpResponse } from "../../http/message.ts";
import { checkListed } from "./guard.ts";
import { pageHeaders, withFields } from "./headers.ts";
import { linksOf, nextPosition } from "./list-links.ts";
import {
  badCursor,
  badDirection,
  checkDirections,
  directionAt,
  type ListRequest,
  parseListRequest,
} from "./list-request.ts";
import { pageText } from "./page-text.ts";
import { parentOf, readResponse } from "./read.ts";
import { absentParent, valuesInPath } from "../records/find-and-authorise.ts";
import { positionNow } from "../versions/positions.ts";
import { withVersionedRequest, toVersionedRequest, versionedText } from "../versions/request.ts";

export function list(call: Call): Awaitable<HttpResponse> {
  const own = toVersionedRequest(call);
  const plan = own.compiled.operation.list as ListPlan;
  const received = withVersionedRequest(call, () => parseListRequest(own, plan));
  const upgraded = inOwnOrder(call, plan, received, upgradedList(call, received));
  const { shape, page: wanted } = positionedPage(call, upgraded);
  return after(parentOf(call), (parent) => {
    const pathFields = valuesInPath(call);
    if (parent === undefined || pathFields === undefined) throw absentParent(call);
    const filtered = Object.keys(upgraded.parameters).length === 0 ? {} : { filter: upgraded.parameters as Value };
    const like = call.compiled.operation.pathFields === undefined ? {} : { like: pathFields };
    const variables = { ...call.variables, ...(parent === null ? {} : { parent }), ...like, ...filtered };
    return after(checkListed(call), () =>
      after(neighbourPosition(call, received, shape, variables), (position) =>
        after(
          (call.own?.reads ?? call.kind).list(shape)(
            position === undefined ? wanted : { ...wanted, after: position },
            variables,
          ),
          (page) => responseOf(call, plan, received, page),
        ),
      ),
    );
  });
}

/** Returns the position of the record beside which the page is, in the order of the list; undefined without one. */
function neighbourPosition(
  call: Call,
  { neighbour }: ListRequest,
  { sort }: ListShape,
  variables: Variables,
): Awaitable<readonly Value[] | undefined> {
  if (neighbour === undefined) return undefined;
  const { id, parameter } = neighbour;
  const shape: ListShape = { sort, filters: [{ column: "id", operator: "eq" }], conditions: [], from: "start" };
  return after(call.kind.list(shape)({ limit: 1, filters: [id] }, variables), ({ last }) => {
    if (last !== undefined) return last;
    const detail = `\`${parameter}\` is the id of no record in this list`;
    throw malformed({ parameter, code: "bad-cursor", detail });
  });
}

function responseOf(call: Call, plan: ListPlan, received: ListRequest, page: Page): HttpResponse {
  const next = page.next === undefined ? null : nextPosition(call, plan, received, page.next);
  const { limit, skip = 0 } = received.page;
  const variables = () => ({
    ...call.variables,
    count: page.total ?? null,
    next,
    path: call.path,
    limit,
    offset: skip,
    page: Math.floor(skip / limit) + 1,
  });
  const links = linksOf(call, plan, received, { next, total: page.total });
  const text = pageText(plan, {
    items: call.own?.reads === undefined ? versionedText(call, page.text) : page.text,
    next: JSON.stringify(next),
    count: String(page.total),
    variables,
  });
  const { headers } = call.compiled.operation;
  const fields = headers === undefined ? [] : pageHeaders(headers, variables());
  const tagged = withFields(text, plan.links === undefined ? fields : [...fields, ...links]);
  return readResponse(call, text, textTag(call, tagged), fields.length === 0 ? links : [...links, ...fields]);
}

/** Puts a request that asks for no order into the list's own order. */
function inOwnOrder(call: Call, plan: ListPlan, { directions }: ListRequest, upgraded: UpgradedList): UpgradedList {
  if (directions === undefined) return upgraded;
  const { order = [] } = call.compiled.operation.list as ListPlan;
  if (order.length === 0 && directions.length > 0)
    throw badDirection(plan, "no-value", `sent with \`${plan.names.sort}\``);
  if (order.length === 0) return upgraded;
  checkDirections(plan, directions, order.length);
  const sort = order.map(({ column, descending }, index): SortKey => {
    return { column, descending: directionAt(directions, index) ?? descending };
  });
  return { ...upgraded, shape: { ...upgraded.shape, sort } };
}

type UpgradedList = Pick<ListRequest, "shape" | "page" | "parameters">;

/** Converts the list request of an older version to the newest. */
function upgradedList({ own }: Call, { shape, page, parameters }: ListRequest): UpgradedList {
  if (own === undefined) return { shape, page, parameters };
  const { list, resource } = own.compiled.operation;
  const upgradedValue = (name: string, value: Value): Value => {
    const field = list?.conditions.find((one) => one.name === name)?.field;
    if (field === undefined) return value;
    // If several newer values look like this one to older callers, a condition can use only one of them.
    const newerFilter = own.converter.filterToNewer(field.resource, { column: field.name, operator: "eq", value });
    return newerFilter.operator === "in"
      ? ((newerFilter.value as readonly Value[])[0] ?? null)
      : (newerFilter.value as Value);
  };
  const columnNow = (column: string): string => defined(own.converter.newerMember(resource, column), column);
  const filters = shape.filters.map(({ column, operator }, index) =>
    own.converter.filterToNewer(resource, { column, operator, value: page.filters[index] ?? null }),
  );
  return {
    shape: {
      ...shape,
      sort: shape.sort.map((key) => ({ ...key, column: columnNow(key.column) })),
      ...(shape.search === undefined ? {} : { search: shape.search.map(columnNow) }),
      filters: filters.map(({ column, operator }) => ({ column, operator })),
    },
    page: { ...page, filters: filters.map(({ value }) => value) },
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, upgradedValue(name, value)]),
    ),
  };
}

/** Converts the position of the cursor to the newest version. */
function positionedPage(
  call: Call,
  { shape, page }: Pick<ListRequest, "shape" | "page">,
): Pick<ListRequest, "shape" | "page"> {
  if (page.after === undefined) return { shape, page };
  const after = positionNow(call, shape.sort, page.after);
  if (after === undefined) throw badCursor((call.compiled.operation.list as ListPlan).names.cursor);
  return { shape, page: { ...page, after } };
}
