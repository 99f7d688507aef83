/** Draws the states of a resource as `stateDiagram-v2`: initial and final states, and each transition with trigger and guard. */
import type { Lifecycle, Transition, Trigger } from "../../language/states/model.ts";
import { triggerText } from "../transitions.ts";
import { escaped, idOf } from "./text.ts";

export function stateDiagram({ states, start, final = [], moves }: Lifecycle): string {
  const names = Object.keys(states);
  const known = new Map(names.map((name) => [name, idOf("s", name)]));
  const id = (name: string): string => known.get(name) ?? idOf("s", name);
  const lines = [
    ...names.map((name) => `state "${escaped(name)}" as ${id(name)}`),
    ...Object.entries(states).flatMap(([name, description]) =>
      description.trim() === "" ? [] : [`${id(name)} : ${escaped(description)}`],
    ),
    ...(start === undefined ? [] : [`[*] --> ${id(start)}`]),
    ...moves.flatMap((transition) =>
      startsOf(transition, names, final).flatMap((from) =>
        transition.triggers.map((trigger) => `${id(from)} --> ${id(transition.to)} : ${escaped(labelOf(trigger))}`),
      ),
    ),
    ...final.map((state) => `${id(state)} --> [*]`),
  ];
  return `stateDiagram-v2\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

/** Returns the states in which a transition starts; `any` means every state except final ones and the target. */
function startsOf({ from, to }: Transition, names: readonly string[], final: readonly string[]): readonly string[] {
  return from === "any" ? names.filter((name) => name !== to && !final.includes(name)) : from;
}

/** Returns the label of an arrow, such as `dropOff`, `after 48h` or `when a or b`, followed by the guard. */
export function labelOf({ on, if: guard, else: otherwise }: Trigger): string {
  const condition = guard === undefined ? "" : ` if ${guard}`;
  return `${triggerLabel(on)}${condition}${otherwise === undefined ? "" : `, else ${otherwise}`}`;
}

function triggerLabel(on: Trigger["on"]): string {
  return on.kind === "when" ? `when ${on.events.join(" or ")}` : triggerText(on);
}
