/** Reports a shape of `takes` or `gives` for which the operation has no records. */
import { type DocumentIndex, isWritten } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";
import { lookup } from "../../resources/fields.ts";
import type { ResourceEndpoint } from "../resolve.ts";
import type { ResponseTemplate } from "../model.ts";
import { batchOf, hasItems, itemsName, viewNamed } from "../shape.ts";

export const check: Check = {
  code: "endpoints/shape-unclear",
  severity: "error",
  why: "A response contains the current record; the response of a list contains the records of its page.",
  *run(documentIndex) {
    const { endpoints, model } = documentIndex;
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource") continue;
      yield* unclearInput(documentIndex, resolved);
      const { gives } = resolved.endpoint;
      if (gives === undefined || gives === "none") continue;
      const paged = resolved.action === "list" && hasItems(model, gives);
      yield* unclearResponse(documentIndex, resolved, gives, paged, `endpoints/endpoints/${resolved.operation}/gives`);
      if (paged && countOf(model, gives) > 1) {
        const message = `\`${resolved.operation}\` returns its page twice`;
        yield { at: `endpoints/endpoints/${resolved.operation}/gives`, message, help: "leave one of them out" };
      }
    }
  },
};

function countOf(model: Model, gives: ResponseTemplate): number {
  if (typeof gives === "string") return hasItems(model, gives) ? 1 : 0;
  return Object.values(gives).reduce((sum, one) => sum + countOf(model, one), 0);
}

function* unclearResponse(
  documentIndex: DocumentIndex,
  resolved: ResourceEndpoint,
  gives: ResponseTemplate,
  paged: boolean,
  at: string,
): Iterable<Finding> {
  if (typeof gives !== "string") {
    for (const [name, inner] of Object.entries(gives))
      yield* unclearResponse(documentIndex, resolved, inner, paged, `${at}/${name}`);
    return;
  }
  const { operation, resource, action } = resolved;
  const items = itemsName(gives);
  const name = items ?? (/^[A-Z][A-Za-z0-9]*$/.test(gives) ? gives : undefined);
  if (name === undefined) {
    return;
  }
  const { resources, views = {} } = documentIndex.model.resources;
  const of = lookup(views, name)?.of ?? (lookup(resources, name) === undefined ? undefined : name);
  if (of === undefined) {
    if (isWritten(documentIndex, `resources/views/${name}`)) return;
    const known = [...Object.keys(views), resource];
    yield { at, message: `There is no view \`${name}\``, unknown: { name, known } };
  } else if (of !== resource) {
    yield {
      at,
      message: `\`${name}\` is of ${of}, and \`${operation}\` is about ${resource}`,
      help: `nest it in a view of ${resource}`,
    };
  } else if (items === undefined && action === "clear") {
    const message = `\`${operation}\` deletes many records and returns none`;
    yield { at, message, help: "leave `gives` out to respond with 204, or return values such as `{ done: true }`" };
  } else if (items !== undefined && action !== "list" && batchOf(documentIndex.model, resolved) === undefined) {
    yield {
      at,
      message: `\`${operation}\` does not return a list`,
      help: `write \`${name}\`, or an expression in a view`,
    };
  } else if (items === undefined && paged) {
    yield { at, message: `\`${operation}\` returns a page, not one record`, help: `write \`"${name}[]"\`` };
  }
}

/**
 * Reports `takes` with the view of another resource: its fields would set fields of this resource only because of equal names.
 */
function* unclearInput(
  documentIndex: DocumentIndex,
  { operation, endpoint, resource, action }: ResourceEndpoint,
): Iterable<Finding> {
  const { model } = documentIndex;
  const { takes = {}, takesView } = endpoint;
  const path = `endpoints/endpoints/${operation}`;
  const named = [
    ...(takesView === undefined ? [] : [{ name: takesView, at: `${path}/takesView` }]),
    ...Object.entries(takes).flatMap(([member, { type }]) => {
      const name = viewNamed(model, type);
      return name === undefined ? [] : [{ name, at: `${path}/takes/${member}/type` }];
    }),
  ];
  const { views = {} } = model.resources;
  for (const { name, at } of named) {
    const of = lookup(views, name)?.of;
    if (of === undefined) {
      if (isWritten(documentIndex, `resources/views/${name}`)) continue;
      const help =
        lookup(model.resources.resources, name) === undefined
          ? {}
          : { help: "leave `takes` out to accept all fields that callers may set" };
      yield { at, message: `There is no view \`${name}\``, ...help, unknown: { name, known: Object.keys(views) } };
    } else if (of !== resource && action !== "move") {
      yield {
        at,
        message: `\`${name}\` is of ${of}, and \`${operation}\` is about ${resource}`,
        help: "write its fields one by one",
      };
    }
  }
}
