/** Reports resources, types and views that need, contain or delete themselves. */
import { capital, withArticle } from "../../../base/case.ts";
import { onCircles } from "../../analysis/circles.ts";
import type { Check } from "../../analysis/finding.ts";
import { isNullable, isServerSet, referenceOf, nestedView, isChangeable, unexpandedType } from "../fields.ts";
import { namedTypes } from "../type-names.ts";

/** Reports resources that need each other, so that no first record can be created. */
const createCycle: Check = {
  code: "resources/create-cycle",
  severity: "error",
  why: "Each record needs the other to exist first, so no caller can create any of them.",
  *run({ model }) {
    const needs = new Map<string, { readonly field: string; readonly target: string }[]>();
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const references = Object.entries(fields).flatMap(([name, field]) => {
        const target = referenceOf(model, field.type);
        const needed = target !== undefined && !isNullable(field) && !isServerSet(field) && field.default === undefined;
        return needed ? [{ field: name, target }] : [];
      });
      needs.set(resource, references);
    }
    const targets = [...needs].map(([name, references]) => [name, references.map(({ target }) => target)] as const);
    const circles = onCircles(new Map(targets));
    for (const [resource, references] of needs) {
      for (const { field, target } of references) {
        if (!circles.has(target) || circles.get(resource) !== circles.get(target)) continue;
        const round =
          target === resource ? `another ${resource}` : `${withArticle(target)}, which needs ${withArticle(resource)}`;
        yield {
          at: `resources/${resource}/${field}`,
          message: `${capital(withArticle(resource))} needs ${round}, before it can be created`,
          help: `write \`${field}?\` so that the first record can be created without it`,
        };
      }
    }
  },
};

/** Reports an embedded type that contains itself. */
const typeInsideItself: Check = {
  code: "resources/type-inside-itself",
  severity: "error",
  why: "A value that contains itself has no end, so it can be neither stored nor described.",
  *run({ model }) {
    const { types } = model.resources;
    const uses = namedTypes(model).filter(({ name, enclosing }) => {
      return enclosing !== undefined && Object.hasOwn(types, enclosing) && Object.hasOwn(types, name);
    });
    const inside = new Map(Object.keys(types).map((name) => [name, [] as string[]]));
    for (const { name, enclosing = "" } of uses) inside.get(enclosing)?.push(name);
    const circles = onCircles(inside);
    for (const { name, enclosing = "", at } of uses) {
      if (!circles.has(name) || circles.get(enclosing) !== circles.get(name)) continue;
      yield {
        at,
        message: `A \`${enclosing}\` would contain a \`${enclosing}\``,
        help: "make it a resource and refer to it, or describe it with `schema:`",
      };
    }
  },
};

/** Reports a view that contains itself, directly or through others. */
const viewInsideItself: Check = {
  code: "resources/view-inside-itself",
  severity: "error",
  why: "A response with this view would have no end.",
  *run({ model }) {
    const { views = {} } = model.resources;
    const uses = Object.entries(views).flatMap(([enclosing, { members = {} }]) =>
      Object.entries(members).flatMap(([member, field]) => {
        // An expandable member is an id unless a request expands it, so it makes no circle.
        const nested = nestedView(model, unexpandedType(model, field));
        return nested === undefined ? [] : [{ enclosing, member, name: nested.view }];
      }),
    );
    const inside = new Map(Object.keys(views).map((name) => [name, [] as string[]]));
    for (const { name, enclosing } of uses) inside.get(enclosing)?.push(name);
    const circles = onCircles(inside);
    for (const { enclosing, member, name } of uses) {
      if (!circles.has(name) || circles.get(enclosing) !== circles.get(name)) continue;
      yield {
        at: `resources/views/${enclosing}/${member}`,
        message: `A \`${enclosing}\` would contain a \`${enclosing}\``,
        help: `write a smaller view for \`${member}\``,
      };
    }
  },
};

/**
 * Reports a reference to the same resource that can form a cycle of records, in which the deletion of any record deletes all
 * of them.
 */
const circleDeletesItself: Check = {
  code: "resources/circle-deletes-itself",
  severity: "warning",
  why: "If a record becomes its own ancestor, deleting any record of the circle deletes all of them.",
  *run({ model, endpointsOf, lifeOf }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const edits = (endpointsOf.get(resource) ?? []).some(({ action }) => action === "update" || action === "replace");
      const transitions = lifeOf.get(resource)?.transitions ?? [];
      for (const [name, field] of Object.entries(fields)) {
        if (!field.marks.includes("delete with") || field.marks.includes("tree")) continue;
        if (referenceOf(model, field.type) !== resource) continue;
        const isSet = transitions.some(({ trigger }) => Object.hasOwn(trigger.set ?? {}, name));
        if (!isSet && !(edits && isChangeable(name, field))) continue;
        yield {
          at: `resources/${resource}/${name}`,
          message: `${capital(withArticle(resource))} can become its own ancestor by \`${name}\`, and is then deleted with itself`,
          help: "add the mark `tree`, which rejects such a write",
        };
      }
    }
  },
};

export const checks: readonly Check[] = [createCycle, typeInsideItself, viewInsideItself, circleDeletesItself];
