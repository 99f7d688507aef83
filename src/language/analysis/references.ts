/** Finds and renames the names in a model. The grammar declares which texts are names (`grammar/references.ts`). */
import { parts, type TypedExpression } from "../../expression/typed.ts";
import { resolveEndpoint } from "../endpoints/resolve.ts";
import type { MapNames, Reference, ReferenceKind, Scope, Walk } from "../grammar/references.ts";
import { grammars } from "../grammars.ts";
import { type Model, type PartName, partNames } from "../model.ts";
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

interface MapOptions {
  /** The parts whose names are mapped. */
  readonly parts?: readonly PartName[];
  /** Whether names of states in texts of expressions (`state == 'open'`) are mapped too. */
  readonly values?: boolean;
}

/**
 * Returns a copy of the model with other names. If `edit` returns undefined for a name, the statement with the name is
 * removed.
 */
export function mapReferences(
  model: Model,
  edit: Walk["name"],
  typed: Typed = new Map(),
  { values = false, parts: mapped = partNames }: MapOptions = {},
): Model {
  const resourceOf: Walk["resourceOf"] = (kind, name) => {
    if (kind === "event") return eventResource(model, name);
    const resolved = resolveEndpoint(model, name);
    return resolved === undefined || resolved.kind === "unclear" ? undefined : resolved.resource;
  };
  const walk: Walk = {
    name: edit,
    values,
    resourceOf,
    expression: (text, scope) => {
      const expression = typed.get(scope.path);
      return expression === undefined ? text : mapExpression(text, expression, subjects(model, scope), scope);
    },
  };
  const changed = mapped.flatMap((part) => {
    const { mapNames } = grammars[part];
    const before = model[part];
    const after = (mapNames as MapNames<unknown> | undefined)?.(before, { path: part, walk }) ?? before;
    return after === before ? [] : [[part, after]];
  });
  return changed.length === 0 ? model : { ...model, ...(Object.fromEntries(changed) as object) };
}

// ── Expressions ────────────────────────────────────────────────────────────────────────────────────────────────────

/** What an expression's names belong to: the resource of bare names, of `old` and `this`, and the operation or record of `input`. */
interface Subjects {
  readonly record: string | undefined;
  readonly around: string | undefined;
  readonly input: string | undefined;
  /** Members of `input` that neither the operation's body nor the record has: the query parameters. */
  readonly queryNames: readonly string[];
  readonly inputKind: ReferenceKind;
}

function subjects(model: Model, { around, event, operation, record, walk }: Scope): Subjects {
  const endpoint = operation === undefined ? undefined : lookup(model.endpoints.endpoints, operation);
  const [emitted] = Object.keys(model.events.out ?? {});
  const common = {
    around: around ?? record,
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
  { around, input, inputKind, queryNames, record }: Subjects,
  { path, walk }: Scope,
): string | undefined {
  const cuts = new Map<number, Cut>();
  let isRemoved = false;
  const visit = (node: TypedExpression): void => {
    const [name, kind, of] = named(node);
    if (name !== undefined && kind !== undefined) cut(kind, name, of, node.at.end - name.length);
    if (walk.values === true) for (const [value, of, start] of stateTexts(node)) cut("state", value, of, start);
    for (const part of parts(node)) visit(part);
  };
  const cut = (kind: ReferenceKind, name: string, of: string | undefined, start: number): void => {
    if (cuts.has(start) || text.slice(start, start + name.length) !== name) return;
    const to = walk.name({ kinds: [kind], name, of, at: path, form: "expression", declares: false, start });
    if (to === undefined) isRemoved = true;
    else cuts.set(start, { from: name, to });
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
        if (variable === "old" || variable === "this") return [name, "field", around];
        return variable !== "input" || queryNames.includes(name) ? [] : [name, inputKind, input];
      }
      default:
        return [];
    }
  };
  /** The names of states in texts that are compared with the state of a record: `state == 'open'`. */
  const stateTexts = (
    node: TypedExpression,
  ): readonly (readonly [name: string, of: string | undefined, start: number])[] => {
    if (node.kind !== "compare" && node.kind !== "within") return [];
    const [left, right] = parts(node) as readonly [TypedExpression, TypedExpression];
    return [[left, right] as const, [right, left] as const].flatMap(([state, value]) => {
      const [name, kind, of] = named(state);
      if (name !== "state" || kind !== "field") return [];
      const texts = value.kind === "list" ? value.items : [value];
      return texts.flatMap((one) =>
        one.kind === "constant" && typeof one.value === "string" ? [[one.value, of, one.at.start + 1] as const] : [],
      );
    });
  };
  visit(expression);
  if (isRemoved) return undefined;
  const ordered = [...cuts].toSorted(([a], [b]) => b - a);
  return ordered.reduce((all, [at, { from, to }]) => all.slice(0, at) + to + all.slice(at + from.length), text);
}
