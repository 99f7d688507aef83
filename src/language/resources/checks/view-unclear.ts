/** Reports a view of an unknown resource, with an unknown field, or with a member that has neither type nor expression. */
import { isWritten } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";
import { fieldsOf, isAroundItself, nestedView, lookup, referenceOf } from "../fields.ts";
import type { Field, ViewDefinition } from "../model.ts";

export const check: Check = {
  code: "resources/view-unclear",
  severity: "error",
  why: "A view selects fields of one resource.",
  *run(documentIndex) {
    const { resources, views = {} } = documentIndex.model.resources;
    for (const [name, view] of Object.entries(views)) {
      const at = `resources/views/${name}`;
      if (lookup(resources, name) !== undefined || lookup(documentIndex.model.resources.types, name) !== undefined) {
        yield {
          at: `${at}#key`,
          message: `\`${name}\` is already the name of a resource or a type`,
          help: "give the view another name",
        };
      }
      if (lookup(resources, view.of) === undefined) {
        if (isWritten(documentIndex, `resources/${view.of}`)) continue;
        const known = Object.keys(resources);
        yield { at: `${at}/of`, message: `There is no resource \`${view.of}\``, unknown: { name: view.of, known } };
        continue;
      }
      yield* membersOf(documentIndex.model, name, view);
    }
  },
};

function* membersOf(model: Model, name: string, { of, fields = [], members = {} }: ViewDefinition): Iterable<Finding> {
  const at = `resources/views/${name}`;
  const known = fieldsOf(model, of);
  const hasState = model.states[of] !== undefined && model.states[of] !== "none";
  for (const field of fields) {
    const found = lookup(known, field);
    const path = `${at}/fields/${field}`;
    if (found === undefined) {
      if (field === "state" && hasState) continue;
      yield {
        at: path,
        message: `${of} has no field \`${field}\``,
        unknown: { name: field, known: Object.keys(known) },
      };
    } else if (found.marks.includes("write-only") || found.marks.includes("secret"))
      yield { at: path, message: `\`${field}\` is hidden from everybody`, help: "leave it out of the view" };
    if (lookup(members, field) !== undefined)
      yield {
        at: `${at}/${field}#key`,
        message: `\`${name}\` has \`${field}\` twice`,
        help: "leave it out of `fields`",
      };
  }
  for (const [member, field] of Object.entries(members))
    if (!isAroundItself(model, name, member)) yield* memberFindings(model, of, at, member, field);
}

function* memberFindings(model: Model, of: string, at: string, member: string, field: Field): Iterable<Finding> {
  const path = `${at}/${member}#key`;
  if (field.default !== undefined)
    yield { at: path, message: `\`${member}\` has a default`, help: "write `:=` and an expression" };
  if (field.computed !== undefined) return;
  const nested = nestedView(model, field.type);
  if (nested === undefined) {
    const known = lookup(fieldsOf(model, of), member) !== undefined;
    const help = known ? `name it in \`fields\`: \`fields: [${member}]\`` : "write `:=` and its expression";
    yield { at: path, message: `\`${member}\` needs an expression`, help };
    return;
  }
  const reference = lookup(fieldsOf(model, of), member);
  if (!nested.list && reference !== undefined && referenceOf(model, reference.type) === nested.of) return;
  const what = nested.list ? `a list of ${nested.of}` : `a ${nested.of}`;
  yield {
    at: path,
    message: `\`${member}\` is no field of ${of} that refers to ${what}`,
    help: nested.list
      ? `write \`:= ${nested.of}.filter(x, …)\``
      : `write \`:=\` and an expression that is a reference to a ${nested.of}`,
  };
}
