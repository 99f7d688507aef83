/** Reports entries of a version that rename, remove or add something that they cannot. */
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf, bareType, lookup } from "../../resources/fields.ts";

/** Reports an entry that renames an id. */
const idRenamed: Check = {
  code: "versioning/id-renamed",
  severity: "error",
  why: "A definition with `id` is a resource; without it the older version would not have this resource.",
  *run({ model }) {
    for (const { name, changes } of model.versioning.versions ?? []) {
      for (const [index, change] of changes.entries()) {
        if (change.kind !== "rename" || change.from.field === undefined) continue;
        if (change.to !== "id" && change.from.field !== "id") continue;
        yield {
          at: `versioning/versions/${name}/${index}`,
          message: `The id of ${change.from.of} is called \`id\` in every version`,
          help: `for another name that older callers read, add a field: \`${change.to === "id" ? change.from.field : change.to} := id\``,
        };
      }
    }
  },
};

/** Reports a renaming from a name that the newest version still has. */
const renameCollides: Check = {
  code: "versioning/rename-collides",
  severity: "error",
  why: "The service could not tell which field an older caller's value belongs to.",
  *run({ model }) {
    const [newest] = model.versioning.versions ?? [];
    const changes = newest?.changes ?? [];
    // Names may change places: then the field of the old name is another renamed field.
    const isNewName = (of: string, name: string): boolean =>
      changes.some(
        (one) => one.kind === "rename" && one.from.of === of && one.from.field !== undefined && one.to === name,
      );
    for (const [index, change] of changes.entries()) {
      if (change.kind !== "rename" || change.from.field === undefined) continue;
      const { of, field } = change.from;
      if (!Object.hasOwn(fieldsOf(model, of), field) || isNewName(of, field)) continue;
      yield {
        at: `versioning/versions/${newest?.name}/${index}`,
        message: `\`${of}.${field}\` is renamed, but ${of} still has a field of that name`,
        help: `remove \`${field}\` from ${of}; or, if \`${change.to}\` is another field, write \`add ${of}.${change.to}\``,
      };
    }
  },
};

/** Reports an operation or resource that a version removed, while the older version with it is still served. */
const removedEntirely: Check = {
  code: "versioning/removed-whole",
  severity: "warning",
  why: "The document no longer describes it, so older callers get 404.",
  *run({ model }) {
    for (const { name, changes } of model.versioning.versions ?? []) {
      for (const [index, change] of changes.entries()) {
        if (change.kind !== "remove" || change.target.field !== undefined) continue;
        yield {
          at: `versioning/versions/${name}/${index}`,
          message: `Callers of the version before ${name} lose \`${change.target.of}\``,
          help: `keep \`${change.target.of}\` until that version is past its sunset, then remove both`,
        };
      }
    }
  },
};

/** Reports an entry with a value that its field does not have. */
const unknownValue: Check = {
  code: "versioning/unknown-value",
  severity: "error",
  why: "Older callers would get a value that they do not know.",
  *run({ model }) {
    for (const { name, changes } of model.versioning.versions ?? []) {
      for (const [index, change] of changes.entries()) {
        if (change.kind !== "add-value" || change.target.field === undefined) continue;
        const type = lookup(fieldsOf(model, change.target.of), change.target.field)?.type;
        const bare = type && bareType(type);
        if (bare?.kind !== "one-of") continue;
        for (const [member, value] of [
          ["value", change.value],
          ["seen", change.seen],
        ] as const) {
          if (bare.values.includes(value) || (member === "seen" && !/^[\w-]+$/.test(value))) continue;
          yield {
            at: `versioning/versions/${name}/${index}/${member}`,
            message: `\`${change.target.of}.${change.target.field}\` has no value \`${value}\``,
            unknown: { name: value, known: bare.values },
          };
        }
      }
      // Part 2 declares the values of the newest version only, so entries of older versions are not checked.
      return;
    }
  },
};

export const checks: readonly Check[] = [idRenamed, renameCollides, removedEntirely, unknownValue];
