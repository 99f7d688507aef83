/** Reports fields that an event may not carry. */
import type { Check } from "../../analysis/finding.ts";
import { hiddenFrom } from "../../authentication/hidden.ts";
import { fieldsOf, lookup } from "../../resources/fields.ts";

/** Reports an event with a field that some of its receivers may not see. */
const hiddenFieldLeaves: Check = {
  code: "events/hidden-field-leaves",
  severity: "warning",
  why: "Every receiver gets the fields in `carries`, also receivers who may not see them elsewhere.",
  *run(documentIndex) {
    const { webhook, stream } = documentIndex.model.events.delivery ?? {};
    const receivers = [...(webhook?.for ?? []), ...(stream?.for ?? [])];
    for (const [name, { event, resource }] of documentIndex.outEvents) {
      for (const field of event.carries ?? []) {
        const who = hiddenFrom(documentIndex, `${resource}.${field}`, receivers);
        if (who === undefined) continue;
        yield {
          at: `events/out/${name}#key`,
          message: `\`${name}\` sends the field \`${field}\` to \`${who}\`, who may not see it`,
          help: `leave \`${field}\` out of \`carries\`, or suppress this finding with a reason`,
        };
      }
    }
  },
};

/** Reports an event that carries a field whose value is never returned. */
const secretLeaves: Check = {
  code: "events/secret-leaves",
  severity: "error",
  why: "The service never sends the value of a `secret` or `write-only` field.",
  *run({ outEvents, model }) {
    for (const [name, { event, resource }] of outEvents) {
      for (const field of event.carries ?? []) {
        const marks = lookup(fieldsOf(model, resource ?? ""), field)?.marks ?? [];
        const modifier = marks.find((one) => one === "secret" || one === "write-only");
        if (modifier === undefined) continue;
        yield {
          at: `events/out/${name}/carries`,
          message: `\`${name}\` carries \`${field}\`, which is \`${modifier}\``,
          help: "leave it out",
        };
      }
    }
  },
};

/** Reports an event that carries a view that does not exist, or that is of another resource. */
const unknownView: Check = {
  code: "events/unknown-view",
  severity: "error",
  why: "The payload of an event is a view of the record that the event is about.",
  *run({ outEvents, model }) {
    for (const [name, { event, resource }] of outEvents) {
      if (event.view === undefined || resource === undefined) continue;
      const view = lookup(model.resources.views ?? {}, event.view);
      if (view?.of === resource) continue;
      const near = Object.entries(model.resources.views ?? {}).flatMap(([other, { of }]) =>
        of === resource ? [`\`${other}\``] : [],
      );
      yield {
        at: `events/out/${name}/carries`,
        message:
          view === undefined
            ? `There is no view \`${event.view}\``
            : `\`${event.view}\` is a view of ${view.of}, not of ${resource}`,
        help:
          near.length === 0
            ? `declare a view of ${resource}, or list fields: \`[id]\``
            : `views of ${resource}: ${near.join(", ")}`,
      };
    }
  },
};

export const checks: readonly Check[] = [hiddenFieldLeaves, secretLeaves, unknownView];
