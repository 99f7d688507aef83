/** An entry that cannot be undone: what older callers had is not said, or cannot be asked of what there is now. */
import { says } from "../../facts.ts";
import type { Check, Finding } from "../../finding.ts";
import { isServerSet, own } from "../../resources/fields.ts";
import type { Model } from "../../model.ts";
import { modelAt, removedField } from "../at.ts";
import { fieldAt } from "../conversions.ts";
import type { Change } from "../model.ts";

export const check: Check = {
  code: "versioning/not-undone",
  severity: "error",
  why: "An older caller would lose what it has, since nothing says what that was.",
  *run(facts) {
    if (!says(facts, "resources", "endpoints")) return;
    const { versions = [] } = facts.model.versioning;
    for (const [index, { name, changes }] of versions.entries()) {
      if (changes.length === 0 || versions[index + 1] === undefined) continue;
      const newer = modelAt(facts.model, name);
      for (const [at, change] of changes.entries()) {
        const finding = findingOf(newer, change);
        if (finding !== undefined) yield { at: `versioning/versions/${name}/${at}`, ...finding };
      }
    }
  },
};

type Said = Omit<Finding, "at">;

function findingOf(newer: Model, change: Change): Said | undefined {
  switch (change.kind) {
    case "remove":
      return ofRemoved(change);
    case "add":
      return ofAdded(newer, change);
    case "relax":
      return ofRelaxed(newer, change);
    default:
      return undefined;
  }
}

function ofRemoved({ place: { of, field }, type, seen }: Extract<Change, { kind: "remove" }>): Said | undefined {
  const removed = type === undefined ? undefined : removedField(type, seen);
  const asked = (["filter", "sort"] as const).find((mark) => removed?.marks.includes(mark));
  if (asked === undefined) return undefined;
  return {
    message: `\`${of}.${field}\` was marked \`${asked}\`, and no record has a value to ${asked} by any more`,
    help: `keep the field, or say that the older version ends first`,
  };
}

/** What is required now, and nobody sent before. */
function ofAdded(newer: Model, { place, taken }: Extract<Change, { kind: "add" }>): Said | undefined {
  const field = fieldAt(newer, place);
  if (field === undefined || taken !== undefined || field.optional || field.default !== undefined) return undefined;
  if (isServerSet(field) || field.type.kind === "nullable") return undefined;
  const sent = own(newer.resources.resources, place.of) === undefined || !isBound(newer, place.of, place.field ?? "");
  if (!sent) return undefined;
  return {
    message: `Callers before do not send \`${place.of}.${place.field}\`, which is required`,
    help: `write \`add ${place.of}.${place.field}, taken as … before\`, or let it be absent (\`?\`) or have a default`,
  };
}

/** Whether the path or `choose` gives the field its value. */
function isBound({ endpoints }: Model, resource: string, field: string): boolean {
  return Object.values(endpoints.endpoints).some(
    ({ choose = {}, path, of }) => Object.hasOwn(choose, field) || (of === resource && path.includes(`{${field}}`)),
  );
}

function ofRelaxed(newer: Model, { place, was, seen }: Extract<Change, { kind: "relax" }>): Said | undefined {
  const field = fieldAt(newer, place);
  const given = own(newer.endpoints.endpoints, place.of) === undefined && !field?.marks.includes("write-only");
  if (field === undefined || !field.optional || !given || seen !== undefined || was !== undefined) return undefined;
  return {
    message: `Callers before always got \`${place.of}.${place.field}\`, which may now be absent`,
    help: `write \`relax ${place.of}.${place.field}, seen as … before\``,
  };
}
