/** Reports records that are deleted too early, never, or without their personal data. */
import { capital, withArticle } from "../../../base/case.ts";
import { lengthOf, parseDuration } from "../../../base/duration.ts";
import type { Check } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";
import { erasedValue } from "../../resources/erased-value.ts";
import { bareType, fieldsOf, lifecycleOf, isNullable } from "../../resources/fields.ts";

/** Reports records that retention deletes while the server may still retry deliveries about them. */
const retainedTooShort: Check = {
  code: "limits/kept-too-short",
  severity: "warning",
  why: "A receiver would get an event about a record that it can no longer read.",
  *run({ model, outEvents }) {
    const { webhook, stream } = model.events.delivery ?? {};
    const windows = [
      { what: "webhooks are retried", length: (webhook?.retry ?? []).reduce((sum, wait) => sum + spanOf(wait), 0) },
      { what: "the stream can be replayed", length: stream?.keep === undefined ? 0 : spanOf(stream.keep) },
    ];
    const emitting = new Set([...outEvents.values()].map(({ resource }) => resource));
    for (const [resource, { duration }] of Object.entries(model.limits.keep ?? {})) {
      const longer = emitting.has(resource) ? windows.find(({ length }) => length > spanOf(duration)) : undefined;
      if (longer === undefined) continue;
      yield {
        at: `limits/keep/${resource}`,
        message: `${capital(withArticle(resource))} is kept for ${duration}, and ${longer.what} for longer`,
        help: "keep it longer, or deliver for a shorter time",
      };
    }
  },
};

function spanOf(text: string): number {
  const duration = parseDuration(text);
  return duration === undefined ? 0 : lengthOf(duration);
}

/** Reports personal fields that no retention ever erases. */
const personalForever: Check = {
  code: "limits/personal-kept-forever",
  severity: "warning",
  why: "Personal data may be stored only as long as it is needed.",
  *run({ model, endpointsOf }) {
    const { keep } = model.limits;
    // If the document declares no retention, the questionnaire reports it.
    if (keep === undefined) return;
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      if (Object.hasOwn(keep, resource)) continue;
      if ((endpointsOf.get(resource) ?? []).some(({ action }) => action === "delete")) continue;
      const personal = Object.keys(fields).find((name) => fields[name]?.marks.includes("personal"));
      if (personal === undefined) continue;
      yield {
        at: `resources/${resource}/${personal}`,
        message: `\`${personal}\` is personal, but ${withArticle(resource)} is never deleted`,
        help: helpFor(model, resource),
      };
    }
  },
};

/**
 * Returns what to write: a resource without states has no `final`, so its retention must start at a field of type datetime.
 */
function helpFor(model: Model, resource: string): string {
  if (lifecycleOf(model, resource) !== undefined)
    return `write \`${resource}: 90d after final\` below \`keep\` of part 8`;
  const moment = Object.entries(fieldsOf(model, resource)).find(([, field]) => {
    const type = bareType(field.type);
    return type.kind === "scalar" && type.name === "datetime";
  });
  return moment === undefined
    ? `let an operation delete ${withArticle(resource)}, or write \`# ok personal-kept-forever\` with a reason after the field`
    : `let an operation delete ${withArticle(resource)}, or write \`${resource}: 2y after ${moment[0]}\` below \`keep\` of part 8`;
}

/** Reports personal fields whose type has no neutral value for erasure. */
const cannotErase: Check = {
  code: "limits/cannot-erase",
  severity: "error",
  why: "An erased record still has to fit the document, so each personal field needs a neutral value.",
  *run({ model }) {
    for (const [resource, { act }] of Object.entries(model.limits.keep ?? {})) {
      if (act !== "erase") continue;
      for (const [name, field] of Object.entries(fieldsOf(model, resource))) {
        if (!field.marks.includes("personal") || field.computed !== undefined) continue;
        if (erasedValue(model, resource, name, field) !== undefined) continue;
        // A field in a `unique` rule with `absent equal` cannot be absent in several records.
        const [why, help] = isNullable(field)
          ? ["two erased records would break a `unique` rule", "write `absent distinct` in its rule"]
          : ["is required", `make it optional, \`${name}?:\``];
        yield {
          at: `resources/${resource}/${name}`,
          message: `\`${name}\` is personal and ${why}, and its type has no neutral value`,
          help: `${help}, or let part 8 delete the record instead of erasing it`,
        };
      }
    }
  },
};

export const checks: readonly Check[] = [retainedTooShort, personalForever, cannotErase];
