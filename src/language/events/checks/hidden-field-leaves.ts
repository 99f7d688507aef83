/** An event with a field that some of its receivers may not see. */
import { hiddenFrom } from "../../authentication/hidden.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
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
