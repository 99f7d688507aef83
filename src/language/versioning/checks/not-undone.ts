/** Reports an entry that cannot be undone: the older value is not declared, or cannot be computed from the current model. */
import { declares } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import { isServerSet, lookup } from "../../resources/fields.ts";
import type { Model } from "../../model.ts";
import { modelAt, removedField } from "../model-at-version.ts";
import { fieldAt } from "../conversions.ts";
import type { Change } from "../model.ts";

export const check: Check = {
  code: "versioning/not-undone",
  severity: "error",
  why: "The service could not restore the older form for callers of older versions.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources", "endpoints")) return;
    const { versions = [] } = documentIndex.model.versioning;
    for (const [index, { name, changes }] of versions.entries()) {
      if (changes.length === 0 || versions[index + 1] === undefined) continue;
      const newer = modelAt(documentIndex.model, name);
      for (const [at, change] of changes.entries()) {
        const finding = findingOf(newer, change);
        if (finding !== undefined) yield { at: `versioning/versions/${name}/${at}`, ...finding };
      }
    }
  },
};

type FindingText = Omit<Finding, "at">;

function findingOf(newer: Model, change: Change): FindingText | undefined {
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

function ofRemoved({
  target: { of, field },
  type,
  seen,
}: Extract<Change, { kind: "remove" }>): FindingText | undefined {
  const removed = type === undefined ? undefined : removedField(type, seen);
  const queryModifier = (["filter", "sort"] as const).find((modifier) => removed?.marks.includes(modifier));
  if (queryModifier === undefined) return undefined;
  return {
    message: `\`${of}.${field}\` was marked \`${queryModifier}\`, but the field is removed, so older callers can no longer ${queryModifier} by it`,
    help: `keep the field, or end the older version first`,
  };
}

/** Returns the problem of a member that is required now and that older callers do not send. */
function ofAdded(newer: Model, { target, taken }: Extract<Change, { kind: "add" }>): FindingText | undefined {
  const field = fieldAt(newer, target);
  if (field === undefined || taken !== undefined || field.optional || field.default !== undefined) return undefined;
  if (isServerSet(field) || field.type.kind === "nullable") return undefined;
  const sent =
    lookup(newer.resources.resources, target.of) === undefined || !isBound(newer, target.of, target.field ?? "");
  if (!sent) return undefined;
  return {
    message: `Older callers do not send \`${target.of}.${target.field}\`, which is required`,
    help: `write \`add ${target.of}.${target.field}, taken as … before\`, or make it optional (\`?\`) or give it a default`,
  };
}

/** Whether the path or `choose` provides the field's value. */
function isBound({ endpoints }: Model, resource: string, field: string): boolean {
  return Object.values(endpoints.endpoints).some(
    ({ choose = {}, path, of }) => Object.hasOwn(choose, field) || (of === resource && path.includes(`{${field}}`)),
  );
}

function ofRelaxed(newer: Model, { target, was, seen }: Extract<Change, { kind: "relax" }>): FindingText | undefined {
  const field = fieldAt(newer, target);
  const isReturned = lookup(newer.endpoints.endpoints, target.of) === undefined && !field?.marks.includes("write-only");
  if (field === undefined || !field.optional || !isReturned || seen !== undefined || was !== undefined)
    return undefined;
  return {
    message: `Older callers always got \`${target.of}.${target.field}\`, which may now be absent`,
    help: `write \`relax ${target.of}.${target.field}, seen as … before\``,
  };
}
