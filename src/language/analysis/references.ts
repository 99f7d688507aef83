/** Finds and renames the names in a model. The grammar declares which texts are names (`grammar/references.ts`). */
import { parts, type TypedExpression } from "../../expression/typed.ts";
import { resolveEndpoint } from "../endpoints/resolve.ts";
import type { MapNames, Reference, ReferenceKind, Scope, Walk } from "../grammar/references.ts";
import { grammars } from "../grammars.ts";
import type { Model, PartName } from "../model.ts";
import { lookup } from "../resources/fields.ts";
import { eventResource, type TypedExpressions } from "./expressions.ts";
import { onceForModel } from "./per-model.ts";

type Typed = TypedExpressions["typed"];

/** All references, in the order of the model's parts, without names in expressions. */
export const references: (model: Model) => readonly Reference[] = onceForModel((model) => {
  const found: Reference[] = [];
  mapReferences(model, (reference) => {
    found.push(reference);
    return reference.name;
  });
  return found;
});

/**
 * Returns a copy of the model with other names. If `edit` returns undefined for a name, the statement with the name is
 * removed.
 */
export function mapReferences(model: Model, edit: Walk["name"], typed: Typed = new Map()): Model {
  const resourceOf: Walk["resourceOf"] = (kind, name) => {
    if (kind === "event") return eventResource(model, name);
    const resolved = resolveEndpoint(model, name);
    return resolved === undefined || resolved.kind === "unclear" ? undefined : resolved.resource;
  };
  const walk: Walk = {
    name: edit,
    resourceOf,
    expression: (text, scope) => {
      const expression = typed.get(scope.path);
      return expression === undefined ? text : mapExpression(text, expression, subjects(model, scope), scope);
    },
  };
  const changed = Object.entries(grammars).flatMap(([part, { mapNames }]) => {
    const before = model[part as PartName];
    const after = (mapNames as MapNames<unknown> | undefined)?.(before, { path: part, walk }) ?? before;
    return after === before ? [] : [[part, after]];
  });
  return changed.length === 0 ? model : { ...model, ...(Object.fromEntries(changed) as object) };
}

// ── Expressions ────────────────────────────────────────────────────────────────────────────────────────────────────

/** What an expression's names belong to: the resource of bare names and `old`, and the operation or record of `input`. */
interface Subjects {
  readonly record: string | undefined;
  readonly input: string | undefined;
  /** Members of `input` that neither the operation's body nor the record has: the query parameters. */
  readonly queryNames: readonly string[];
  readonly inputKind: ReferenceKind;
}

function subjects(model: Model, { event, operation, record, walk }: Scope): Subjects {
  const endpoint = operation === undefined ? undefined : lookup(model.endpoints.endpoints, operation);
  const [emitted] = Object.keys(model.events.out ?? {});
  const common = {
    // The receivers of an event are declared for several resources, so the resource is that of the emitted event.
    record: record ?? (emitted === undefined ? undefined : eventResource(model, emitted)),
    queryNames: Object.keys(endpoint?.query ?? {}),
  };
  if (endpoint?.takes !== undefined) return { ...common, input: operation, inputKind: "member" };
  const input =
    operation !== undefined
      ? walk.resourceOf("operation", operation)
      : event === undefined
        ? undefined
        : eventResource(model, event);
  return { ...common, input, inputKind: "field" };
}

interface Cut {
  readonly from: string;
  readonly to: string;
}

/**
 * Renames names in an expression by its typed form: the same word may be a field in one place and a member of `input` in
 * another.
 */
function mapExpression(
  text: string,
  expression: TypedExpression,
  { input, inputKind, queryNames, record }: Subjects,
  { path, walk }: Scope,
): string | undefined {
  const cuts = new Map<number, Cut>();
  let isRemoved = false;
  const visit = (node: TypedExpression): void => {
    const [name, kind, of] = named(node);
    const start = node.at.end - (name?.length ?? 0);
    if (name !== undefined && kind !== undefined && text.slice(start, node.at.end) === name && !cuts.has(start)) {
      const to = walk.name({ kinds: [kind], name, of, at: path, form: "expression", declares: false });
      if (to === undefined) isRemoved = true;
      else cuts.set(start, { from: name, to });
    }
    for (const part of parts(node)) visit(part);
  };
  const named = (node: TypedExpression): readonly [name?: string, kind?: ReferenceKind, of?: string | undefined] => {
    switch (node.kind) {
      case "field":
        return [node.name, "field", record];
      case "item-field":
      case "walk":
        return [node.name, "field", node.resource];
      case "records":
        return [node.resource, "resource"];
      case "variable": {
        const [variable, name] = node.path;
        if (name === undefined) return [];
        if (variable === "tokens") return [name, "credential"];
        if (variable === "old") return [name, "field", record];
        return variable !== "input" || queryNames.includes(name) ? [] : [name, inputKind, input];
      }
      default:
        return [];
    }
  };
  visit(expression);
  if (isRemoved) return undefined;
  const ordered = [...cuts].toSorted(([a], [b]) => b - a);
  return ordered.reduce((all, [at, { from, to }]) => all.slice(0, at) + to + all.slice(at + from.length), text);
}
