/** Finds the further writes (`also`) of a model: in operations, transitions and incoming events. */
import { onceForModel } from "../analysis/per-model.ts";
import type { Model } from "../model.ts";
import { type FurtherWrite, transitionName, type Trigger } from "./model.ts";

/** The records of a resource that a write changes: those for which `where` is true, all of them or the first ones. */
export type Selection = Pick<FurtherWrite, (typeof selectionMembers)[number]>;

export const selectionMembers = ["where", "first", "sort"] as const;

/** Whether an event moves the records that the trigger selects, instead of the one to which its payload refers. */
export function isSelecting({ first, sort, where }: Selection): boolean {
  return first !== undefined || sort !== undefined || where !== undefined;
}

/** A further write with its path. */
export interface FurtherWriteSite {
  readonly at: string;
  readonly write: FurtherWrite;
  readonly of: FurtherWriteOwner;
}

/** The statement whose transaction contains the write. */
export type FurtherWriteOwner =
  | { readonly kind: "operation"; readonly operation: string }
  | { readonly kind: "transition"; readonly resource: string; readonly trigger: Trigger }
  | { readonly kind: "event"; readonly event: string };

export const furtherWriteSites: (model: Model) => readonly FurtherWriteSite[] = onceForModel((model) => {
  const sites = (
    at: string,
    writes: readonly FurtherWrite[] | undefined,
    of: FurtherWriteOwner,
  ): readonly FurtherWriteSite[] => (writes ?? []).map((write, index) => ({ at: `${at}/also/${index}`, write, of }));
  return [
    ...Object.entries(model.endpoints.endpoints).flatMap(([operation, { also }]) =>
      also === undefined ? [] : sites(`endpoints/endpoints/${operation}`, also, { kind: "operation", operation }),
    ),
    ...Object.entries(model.states).flatMap(([resource, lifecycle]) =>
      lifecycle === "none"
        ? []
        : lifecycle.moves.flatMap((transition) =>
            transition.triggers.flatMap((trigger, index) =>
              trigger.also === undefined
                ? []
                : sites(`states/${resource}/moves/${transitionName(transition)}/${index}`, trigger.also, {
                    kind: "transition",
                    resource,
                    trigger,
                  }),
            ),
          ),
    ),
    ...Object.entries(model.events.in ?? {}).flatMap(([event, { also }]) =>
      also === undefined ? [] : sites(`events/in/${event}`, also, { kind: "event", event }),
    ),
  ];
});
