/** Checks the marks of fields: `read-only`, `unique` and others. */
import type { Check } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";
import { revealingOperations } from "../../authentication/visible.ts";
import { type FieldSite, bareType, fieldSites, isNullable, lookup, nestedView, referenceOf } from "../fields.ts";
import type { Field, Modifier } from "../model.ts";

/** Reports a mark that has no meaning for the type of its field. */
const modifierMisplaced: Check = {
  code: "resources/mark-misplaced",
  severity: "error",
  why: "The service enforces every mark, and it cannot enforce this one.",
  *run({ model }) {
    for (const { at, enclosing, name, field } of fieldSites(model)) {
      for (const modifier of field.marks) {
        const problem =
          modifier === "expand" || modifier === "on request"
            ? expandProblem(model, enclosing, field, modifier)
            : ((isForParameters(modifier) ? "only a query parameter is sent in parts" : elsewhere[enclosing]) ??
              (modifier === "tree" ? treeProblem(model, at, field) : problemOf(model, field, modifier)));
        if (problem !== undefined)
          yield { at: `${at}/marks/${modifier}`, message: `\`${name}\` cannot be \`${modifier}\`: ${problem}` };
      }
    }
  },
};

/** Whether the modifier declares how a request sends the items of a list in a query. */
export function isForParameters(modifier: Modifier): boolean {
  return modifier === "repeated" || modifier === "brackets";
}

/** Why a field that is not a record's cannot have marks, by where it is declared. */
const elsewhere: Readonly<Record<FieldSite["enclosing"], string | undefined>> = {
  resource: undefined,
  type: "it is part of an embedded value, which is stored as one value",
  view: "it is a member of a response; marks belong to the field of the resource",
  takes: "it is a member of a request body; marks belong to the field of the resource",
};

/** The types of fields that `search` can read. */
const texts: readonly string[] = ["string", "text", "email", "url", "phone"];

function problemOf(model: Model, field: Field, modifier: Modifier): string | undefined {
  if (modifier === "delete with" || modifier === "clear") {
    const reference = referenceOf(model, field.type);
    // Another check reports an unknown type.
    const bare = bareType(field.type);
    const unknown = bare.kind === "named" && lookup(model.resources.types, bare.name) === undefined;
    if (reference === undefined) return unknown ? undefined : "it refers to no record that could be deleted";
    return modifier === "clear" && !isNullable(field)
      ? "it is required, so it cannot be cleared; write `?`"
      : undefined;
  }
  if (modifier === "secret" && bareType(field.type).kind === "file") return "only a hash of a secret is stored";
  if (field.computed !== undefined && ["read-only", "create-only", "write-only", "secret"].includes(modifier)) {
    return "it is computed, so no caller sets it";
  }
  return ["filter", "sort", "unique", "search"].includes(modifier) ? valueProblem(model, field, modifier) : undefined;
}

/**
 * Returns why a field cannot be marked `tree`: a tree consists of one optional reference from a resource to itself, which the
 * root of the tree omits.
 */
function treeProblem(model: Model, at: string, field: Field): string | undefined {
  const resource = at.split("/")[1];
  if (referenceOf(model, field.type) !== resource) return `it does not refer to another ${resource}, as a parent does`;
  return isNullable(field) ? undefined : "the root of a tree has no parent; write `?`";
}

/** Why a response cannot have the record in place of the field's id. */
function expandProblem(
  model: Model,
  enclosing: FieldSite["enclosing"],
  field: Field,
  modifier: "expand" | "on request",
): string | undefined {
  if (enclosing === "type" || enclosing === "takes") return elsewhere[enclosing];
  const { computed, type } = field;
  const isLeftOut = modifier === "on request";
  if (isLeftOut && enclosing === "resource") return "it is a field of the resource; only a view can leave it out";
  const nested = enclosing === "view" ? nestedView(model, type) : undefined;
  const isRecord = isLeftOut ? computed !== undefined : nested?.list !== true;
  const target = enclosing === "view" ? (isRecord ? nested?.of : undefined) : referenceOf(model, type);
  // Another check reports an unknown type.
  const bare = bareType(type);
  if (target === undefined && bare.kind === "named" && lookup(model.resources.types, bare.name) === undefined)
    return enclosing === "view" && referenceOf(model, type) !== undefined
      ? `in a view its type must be a view of ${bare.name}, such as \`${bare.name}Out\``
      : undefined;
  if (target === undefined)
    return isLeftOut
      ? "it is not computed as a record or a list of records"
      : "it is not the record to which a reference refers";
  if (enclosing === "resource" && computed !== undefined) return "it is computed; expand it in a view";
  const isRead = revealingOperations(model, target).some(({ action }) => action === "read" || action === "list");
  return isRead ? undefined : `no operation reads a ${target}, so no caller may see one`;
}

function valueProblem(model: Model, { type }: Field, modifier: Modifier): string | undefined {
  const bare = bareType(type);
  const structure = ["map", "file", "schema"].includes(bare.kind) || (bare.kind === "scalar" && bare.name === "json");
  const embedded = bare.kind === "named" && lookup(model.resources.types, bare.name) !== undefined;
  if (structure || embedded) return "its value is a structure, which has no order";
  if (bare.kind === "list") return "a list has no order; write `filters: { tag: tag in tags }` at the operation";
  if (bare.kind === "scalar" && bare.name === "money" && modifier !== "unique") {
    return "amounts in several currencies have no order; store the amount in a separate field";
  }
  const isText = bare.kind === "one-of" || (bare.kind === "scalar" && texts.includes(bare.name));
  return modifier === "search" && !isText ? "only text can be searched" : undefined;
}

const contradictions: readonly (readonly [one: Modifier, other: Modifier, why: string])[] = [
  ["read-only", "create-only", "no caller may set it, and callers who create may"],
  ["read-only", "write-only", "callers could neither set nor see it"],
  ["write-only", "filter", "a filter would reveal a value that is never returned"],
  ["write-only", "sort", "sorting would reveal a value that is never returned"],
  ["write-only", "search", "a search would reveal a value that is never returned"],
  ["secret", "filter", "a filter would reveal a value that is never returned"],
  ["secret", "sort", "sorting would reveal a value that is never returned"],
  ["secret", "search", "a search would reveal a value that is never returned"],
  ["write-only", "expand", "no response has the field"],
  ["secret", "expand", "no response has the field"],
  ["expand", "on request", "a response either has the id or leaves the member out"],
  ["delete with", "clear", "the record cannot be both deleted and retained"],
];

/** Reports two marks of one field that contradict each other. */
const modifiersContradict: Check = {
  code: "resources/marks-contradict",
  severity: "error",
  *run({ model }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const [name, { marks }] of Object.entries(fields)) {
        const found = contradictions.find(([one, other]) => marks.includes(one) && marks.includes(other));
        if (found === undefined) continue;
        const [one, other, why] = found;
        yield {
          at: `resources/${resource}/${name}/marks/${other}`,
          message: `\`${name}\` is \`${one}\` and \`${other}\`: ${why}`,
          help: "leave one of the two out",
        };
      }
    }
  },
};

export const checks: readonly Check[] = [modifierMisplaced, modifiersContradict];
