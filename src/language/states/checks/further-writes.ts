/** Checks further writes (`also`) and the selections of transitions by `when`. */
import { withArticle } from "../../../base/case.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import { fieldsOf, hasClientId, isNullable, lookup } from "../../resources/fields.ts";
import type { Field } from "../../resources/model.ts";
import { furtherWriteSites } from "../further-writes.ts";
import type { FurtherWrite } from "../model.ts";

/** Reports a member that the kind of write does not have, and one that it needs. */
const furtherWriteUnclear: Check = {
  code: "states/further-write-unclear",
  severity: "error",
  why: "The service enforces every statement, and it cannot guess which records to write.",
  *run({ model, places }) {
    for (const { at, write } of furtherWriteSites(model)) {
      // A member that is `not shown`, or has a finding of its own, is not reported again.
      const isLacking = (member: string): boolean => !places.has(`${at}/${member}`);
      yield* unclear(at, write, isLacking);
    }
  },
};

const unused: Readonly<Record<FurtherWrite["kind"], readonly (keyof FurtherWrite)[]>> = {
  create: ["where", "first", "sort", "set", "else"],
  change: ["with"],
  delete: ["with", "set"],
};

function* unclear(at: string, write: FurtherWrite, isLacking: (member: string) => boolean): Iterable<Finding> {
  const { kind, resource } = write;
  for (const member of unused[kind]) {
    if (write[member] === undefined) continue;
    const help =
      member === "set" || member === "with" ? { help: kind === "create" ? "write `with`" : "write `set`" } : {};
    yield { at: `${at}/${member}`, message: `\`${kind}\` has no \`${member}\``, ...(kind === "delete" ? {} : help) };
  }
  if (kind === "create") return;
  if (kind === "change" && Object.keys(write.set ?? {}).length === 0 && isLacking("set"))
    yield { at, message: `This changes no field of ${withArticle(resource)}`, help: "write `set: { balance: … }`" };
  if (write.where === undefined && write.first === undefined && isLacking("where")) {
    const help = "write `where: order == this.id`, or `where: true` if it means all";
    yield { at, message: `Without \`where\`, this ${kind}s every ${resource}`, help };
  }
  if (write.sort !== undefined && write.first === undefined && isLacking("first"))
    yield { at: `${at}/sort`, message: "An order matters only for the first records", help: "write `first: 1`" };
}

/** Reports a field that a further write cannot set. */
const furtherWriteNotSettable: Check = {
  code: "states/further-write-not-settable",
  severity: "error",
  why: "States change by transitions, an id never changes, a computed field has the value of its expression, and only the hash of a secret is stored.",
  *run({ lifeOf, model }) {
    for (const { at, write } of furtherWriteSites(model)) {
      const { kind, resource } = write;
      const member = kind === "create" ? "with" : "set";
      const fields = fieldsOf(model, resource);
      for (const name of Object.keys(write[member] ?? {})) {
        const field = lookup(fields, name);
        const isState = field === undefined && name === "state" && lifeOf.has(resource);
        const reason = isState
          ? "a record changes its state only by a transition"
          : field && notSettable(name, field, kind === "create" && hasClientId(model, resource));
        if (reason === undefined) continue;
        const help = isState ? { help: "write `from -> to: when event` in part 3, with `where` for its records" } : {};
        yield { at: `${at}/${member}/${name}#key`, message: `\`also\` cannot set this: ${reason}`, ...help };
      }
    }
  },
};

function notSettable(name: string, { computed, marks }: Field, isChosen: boolean): string | undefined {
  if (name === "id") return isChosen ? undefined : "the id of a record is set by the service, and never changes";
  if (computed !== undefined) return `\`${name}\` is computed`;
  return marks.includes("secret") ? `\`${name}\` is a secret, of which only a hash may be stored` : undefined;
}

/** Reports a creation that lacks a required value. */
const furtherWriteLacksField: Check = {
  code: "states/further-write-lacks-field",
  severity: "error",
  why: "The record could never be created, and the whole request would fail.",
  *run({ gaps, model, places }) {
    for (const { at, of, write } of furtherWriteSites(model)) {
      // For `set` in place of `with` there is one finding, not one for each field.
      if (write.kind !== "create" || (write.with === undefined && write.set !== undefined)) continue;
      const { resource } = write;
      const isTimed = of.kind === "transition" && (of.trigger.on.kind === "after" || of.trigger.on.kind === "at");
      for (const [name, field] of Object.entries(fieldsOf(model, resource))) {
        const isSet =
          Object.hasOwn(write.with ?? {}, name) || gaps.has(`${at}/with`) || places.has(`${at}/with/${name}`);
        if (isSet || isNullable(field) || field.computed !== undefined) continue;
        const isClientId = name === "id" && hasClientId(model, resource);
        const isMade = field.default !== undefined && !(isTimed && field.default.kind === "caller");
        if (name === "id" ? !isClientId : isMade) continue;
        yield {
          at: `${at}/create`,
          message: `\`with\` does not set \`${name}\`, which every ${resource} needs`,
          help: isTimed
            ? `set it here: a timer has no caller`
            : `set it here, or write \`${name}?\` or a default in part 2`,
        };
      }
    }
  },
};

/** Reports a selection of a transition whose trigger is no event. */
const selectionMisplaced: Check = {
  code: "states/selection-misplaced",
  severity: "error",
  why: "An operation and a timer move one record; only an event moves the records that a condition selects.",
  *run({ transitions }: DocumentIndex) {
    for (const { at, trigger } of transitions) {
      const { first, on, sort, where } = trigger;
      for (const [member, value] of Object.entries({ where, first, sort })) {
        if (value === undefined || on.kind === "when") continue;
        yield { at: `${at}/${member}`, message: `\`${member}\` is only for transitions by \`when\`` };
      }
      if (on.kind !== "when") continue;
      if (on.field !== undefined && (where ?? first ?? sort) !== undefined)
        yield {
          at: `${at}/at`,
          message: "This names one record by `at`, and selects records too",
          help: "leave `at` out, or `where`, `first` and `sort`",
        };
      if (sort !== undefined && first === undefined)
        yield { at: `${at}/sort`, message: "An order matters only for the first records", help: "write `first: 1`" };
    }
  },
};

export const checks: readonly Check[] = [
  furtherWriteUnclear,
  furtherWriteNotSettable,
  furtherWriteLacksField,
  selectionMisplaced,
];
