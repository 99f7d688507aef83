/** A name of the document that its webhooks bring with them. */
import type { Check } from "../../analysis/finding.ts";
import { deliveryResource, webhookOperations, webhookResource } from "../decide.ts";

export const check: Check = {
  code: "events/webhook-name-taken",
  severity: "error",
  why: "Webhooks and their deliveries are resources with operations and events of their own.",
  *run({ model, operations, outEvents }) {
    if (model.events.delivery?.webhook === undefined) return;
    const { resources, types } = model.resources;
    const help = "give it another name";
    for (const name of [webhookResource, deliveryResource]) {
      if (Object.hasOwn(resources, name)) yield { at: `resources/${name}`, message: messageOf(name), help };
      if (Object.hasOwn(types, name)) yield { at: `resources/types/${name}`, message: messageOf(name), help };
    }
    for (const name of Object.values(webhookOperations)) {
      if (!operations.has(name)) continue;
      const served = Object.hasOwn(model.endpoints.endpoints, name);
      yield {
        at: served ? `endpoints/endpoints/${name}` : `purpose/operations/${name}`,
        message: messageOf(name),
        help,
      };
    }
    for (const name of outEvents.keys()) {
      if (name.startsWith("webhook.")) yield { at: `events/out/${name}#key`, message: messageOf(name), help };
    }
    for (const name of Object.keys(model.events.in ?? {})) {
      if (name.startsWith("webhook.")) yield { at: `events/in/${name}#key`, message: messageOf(name), help };
    }
  },
};

function messageOf(name: string): string {
  return `\`${name}\` is a name that a service with webhooks uses itself`;
}
