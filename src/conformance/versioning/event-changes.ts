/** Changes of events: a receiver of the older version gets an event by its old name, and no event that is new. */
import type { Change } from "../../language/versioning/model.ts";
import { Broken, type Case } from "../case.ts";
import { pathOf } from "../events/event.ts";
import { expectEvent } from "../events/observer.ts";
import { quiet } from "../trial/patience.ts";
import { withSubscriptions } from "../events/subscription.ts";
import { trigger } from "../events/trigger.ts";
import { pairOf } from "./readings.ts";
import type { Step } from "./steps.ts";

export function eventCase(step: Step, { name, was }: Extract<Change, { readonly kind: "event" }>, path: string): Case {
  const expects =
    was === undefined
      ? `a receiver of version ${step.older} gets no ${name}`
      : `a receiver of version ${step.older} gets ${name} as ${was}`;
  return {
    id: `${path}: older receiver`,
    aspects: [{ path, expects }],
    run: async (trial) => {
      const { newer, older } = pairOf(trial, step);
      await withSubscriptions(older, [{}], async ([subscription], creator) => {
        const { record } = await trigger(newer, name, creator);
        try {
          if (was !== undefined) await expectEvent(older, subscription, was, record);
          else await quiet(older);
          subscription.events();
        } catch (thrown) {
          const isAbout = thrown instanceof Broken && isOfChange(thrown, step, name, was);
          throw isAbout ? new Broken(expects, thrown.got, thrown.interaction, path) : thrown;
        }
      });
    },
  };
}

/** Whether the old name did not arrive, or in its place one that the older version does not have. */
function isOfChange({ got, path }: Broken, { changes }: Step, name: string, was: string | undefined): boolean {
  if (path === `events/out/${was ?? name}`) return true;
  const others = changes.flatMap((one) => (one.kind === "event" && one.name !== name ? [one.name] : []));
  return path === pathOf.webhook && !others.some((other) => got.endsWith(` ${other}`));
}
