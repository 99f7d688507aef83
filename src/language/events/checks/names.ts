/** Checks the names of events. */
import type { Check } from "../../analysis/finding.ts";
import { deliveryResource, webhookOperations, webhookResource } from "../decide.ts";

/** Reports an event that is not named after a resource and what happened to it. */
const nameStyle: Check = {
  code: "events/name-style",
  severity: "hint",
  why: "Receivers select events by name, and a common prefix groups the events of one resource.",
  *run({ model }) {
    for (const [direction, events] of [
      ["out", model.events.out],
      ["in", model.events.in],
    ] as const) {
      for (const name of Object.keys(events ?? {})) {
        if (/^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*(?:\.[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)+$/.test(name)) continue;
        yield {
          at: `events/${direction}/${name}#key`,
          message: `\`${name}\` does not name a resource and what happened to it`,
          help: "write the resource, a dot, and what happened: `parcel.stored`",
        };
      }
    }
  },
};

/** Reports a name that an incoming and an outgoing event share. */
const nameTwice: Check = {
  code: "events/name-twice",
  severity: "error",
  why: "A transition `when` the event occurs could mean either of the two.",
  *run({ outEvents, model }) {
    for (const name of Object.keys(model.events.in ?? {})) {
      if (!outEvents.has(name)) continue;
      yield {
        at: `events/in/${name}#key`,
        message: `\`${name}\` is also an outgoing event`,
        help: "give one of the two another name",
      };
    }
  },
};

/** Reports a name that the webhooks of a document use themselves. */
const nameOfWebhooks: Check = {
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

export const checks: readonly Check[] = [nameStyle, nameTwice, nameOfWebhooks];
