/** The states of a resource as `stateDiagram-v2`: where it starts and ends, and every move with what makes it and its guard. */
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

/** `any` is every state but final ones and the one that it leads to. */
function startsOf({ from, to }: Transition, names: readonly string[], final: readonly string[]): readonly string[] {
  return from === "any" ? names.filter((name) => name !== to && !final.includes(name)) : from;
}

/** `dropOff`, `after 48h`, `when a or b`, with its guard behind it. */
export function labelOf({ on, if: guard, else: otherwise }: Trigger): string {
  const condition = guard === undefined ? "" : ` if ${guard}`;
  return `${triggerLabel(on)}${condition}${otherwise === undefined ? "" : `, else ${otherwise}`}`;
}

/** Events in words, as the labels of a picture have them. */
function triggerLabel(on: Trigger["on"]): string {
  return on.kind === "when" ? `when ${on.events.join(" or ")}` : triggerText(on);
}
