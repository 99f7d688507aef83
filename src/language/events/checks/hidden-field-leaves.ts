/** An event that carries a field which not everybody who receives it may see. */
import { hiddenFrom } from "../../authentication/hidden.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "events/hidden-field-leaves",
  severity: "warning",
  why: "What `carries` names is sent to every receiver, whoever may see it elsewhere.",
  *run(documentIndex) {
    const { webhook, stream } = documentIndex.model.events.delivery ?? {};
    const receivers = [...(webhook?.for ?? []), ...(stream?.for ?? [])];
    for (const [name, { event, resource }] of documentIndex.outEvents) {
      for (const field of event.carries ?? []) {
        const who = hiddenFrom(documentIndex, `${resource}.${field}`, receivers);
        if (who === undefined) continue;
        yield {
          at: `events/out/${name}#key`,
          message: `\`${name}\` tells \`${who}\` the field \`${field}\`, which is hidden from them`,
          help: `leave \`${field}\` out of \`carries\`, or silence this with the reason`,
        };
      }
    }
  },
};
