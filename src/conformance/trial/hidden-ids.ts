/**
 * Resources whose ids no client ever gets or sends. A record of one still is the same record each time, and not another one, so a text
 * that no id has stands for its id in expressions.
 */
import { onceFor } from "../../base/once.ts";
import { fieldsIn, nodesOf, readsVariable } from "../../expression/typed.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { responseExpressions, responseShape } from "../../language/endpoints/shape.ts";
import {
  fieldsOf,
  innermost,
  isExpandable,
  lookup,
  nestedView,
  unexpandedType,
} from "../../language/resources/fields.ts";
import type { Contract, Operation } from "../contract.ts";
import { isBodiless } from "../response.ts";
import { type Returned, returnedIn } from "../returned.ts";
import { membersOf } from "./learning.ts";

/** Begins a text that stands for an unknown id. */
export const unknownId = "\0";

/** Whether the id of the resource's records is in no request and in no response. */
export function hidesId(contract: Contract, resource: string): boolean {
  return !resourcesWithId(contract).has(resource);
}

const resourcesWithId: (contract: Contract) => ReadonlySet<string> = onceFor((contract: Contract) => {
  const { model, operations } = contract;
  const all = Object.keys(model.resources.resources);
  const isOpen = model.events.delivery !== undefined || Object.keys(model.events.in ?? {}).length > 0;
  const called = [...operations.values()];
  if (isOpen || called.some(({ endpoint }) => endpoint.wire !== undefined || endpoint.shape !== undefined))
    return new Set(all);
  const found = new Set(called.flatMap((one) => [...sentBy(contract, one), ...returnedBy(contract, one)]));
  return new Set(all.filter((resource) => found.has(resource)));
});

/** Returns the resources whose ids a request of the operation contains. */
function sentBy(contract: Contract, called: Operation): readonly string[] {
  const { endpoint, key, parents, resource } = called;
  const filtered = Object.values(resource === undefined ? {} : fieldsOf(contract.model, resource)).filter(({ marks }) =>
    marks.includes("filter"),
  );
  const fields = [
    ...membersOf(contract, called).map(({ field }) => field),
    ...Object.values(endpoint.query ?? {}),
    ...filtered,
  ];
  return [
    ...(key?.column === "id" && resource !== undefined ? [resource] : []),
    ...parents.flatMap((parent) => (parent.column === "id" ? [parent.resource] : [])),
    ...fields.flatMap(({ type }) => namedBy(type)),
  ];
}

/** Returns the resources whose ids a response of the operation contains. */
function returnedBy(contract: Contract, called: Operation): readonly string[] {
  const { resource } = called;
  if (resource === undefined || isBodiless(contract, called)) return [];
  const { item = { kind: "record", resource } } = responseShape(contract.model, called);
  const gives = `endpoints/endpoints/${called.operation}/gives`;
  return [
    ...responseExpressions(item).flatMap(({ path }) => inExpression(contract, resource, [gives, ...path].join("/"))),
    ...returnedIn(contract.model, item).flatMap((one) => idsIn(contract, one)),
  ];
}

function idsIn(contract: Contract, { fields, resource, view }: Returned): readonly string[] {
  const { model } = contract;
  const { members = {} } = view === undefined ? {} : (lookup(model.resources.views ?? {}, view) ?? {});
  const computed = Object.entries(members).filter(([, { type }]) => nestedView(model, type) === undefined);
  const references = Object.values(members).flatMap((member) =>
    isExpandable(member) ? unexpandedType(model, member) : [],
  );
  return [
    ...references.flatMap(namedBy),
    ...(view === undefined || fields.includes("id") ? [resource] : []),
    ...fields.flatMap((name) => inField(contract, resource, name)),
    ...computed.flatMap(([name]) => inExpression(contract, resource, `resources/views/${view}/${name}/computed`)),
  ];
}

function inField(contract: Contract, resource: string, name: string): readonly string[] {
  const field = lookup(fieldsOf(contract.model, resource), name);
  if (field === undefined) return [];
  return [...namedBy(field.type), ...inExpression(contract, resource, `resources/${resource}/${name}/computed`)];
}

/** Returns the resources whose ids the value of an expression may contain: a number or a truth value contains none. */
function inExpression({ typed }: Contract, resource: string, path: string): readonly string[] {
  const found = typed.get(path);
  // The id in a token is sealed.
  if (
    found === undefined ||
    readsVariable(found, "tokens") ||
    ["bool", "int", "double", "timestamp", "duration"].includes(found.type.kind)
  )
    return [];
  const references = nodesOf(found).flatMap(({ type }) => (type.kind === "record" ? [type.resource] : []));
  return [...references, ...(fieldsIn(found).includes("id") ? [resource] : [])];
}

function namedBy(type: FieldType): readonly string[] {
  const { of } = innermost(type);
  return of.kind === "named" ? [of.name] : [];
}
