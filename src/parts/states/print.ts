/** Part 3, printed: the canonical, shortest form; reading it gives the same part. */
import type { Tree } from "../../document/print.ts";
import { type Below, nothingBelow } from "../grammar/grammar.ts";
import { type Cause, type Lifecycle, type Move, moveName, type States, type Trigger } from "./model.ts";

export function printStates(part: States, below: Below = nothingBelow): Tree {
  const entries = Object.entries(part).map(([name, life]): [string, Tree] => [
    name,
    life === "none" ? "none" : printLifecycle(life, (...path) => below(name, ...path)),
  ]);
  return Object.fromEntries(entries);
}

function printLifecycle(life: Lifecycle, below: Below): Tree {
  const { states, start, final, moves } = life;
  const names = Object.keys(states);
  const lines = moves.map((move): [string, Tree] => [
    moveName(move),
    printTriggers(move, (...path) => below("moves", moveName(move), ...path)),
  ]);
  return {
    ...(names.length === 0 ? {} : { states: names.some((name) => states[name] !== "") ? states : names }),
    ...(start === undefined ? {} : { start }),
    ...(final === undefined ? {} : { final: final.length === 0 ? "none" : final }),
    ...(lines.length === 0 ? {} : { moves: Object.fromEntries(lines) }),
  };
}

function printTriggers({ triggers }: Move, below: Below): Tree {
  const [first, ...more] = triggers;
  if (first !== undefined && more.length === 0) return printTrigger(first, below());
  return triggers.map((trigger, index) => printTrigger(trigger, below(String(index))));
}

function printTrigger(trigger: Trigger, map: boolean): Tree {
  const { on, set } = trigger;
  const cause = printCause(on);
  if (!map && trigger.if === undefined && trigger.else === undefined && set === undefined) return `${on.kind} ${cause}`;
  return {
    [on.kind]: cause,
    ...(trigger.if === undefined ? {} : { if: trigger.if }),
    ...(trigger.else === undefined ? {} : { else: trigger.else }),
    ...(set === undefined ? {} : { set }),
  };
}

function printCause(on: Cause): string {
  switch (on.kind) {
    case "by":
      return on.operation;
    case "after":
      return on.duration;
    case "at":
      return on.field;
    case "when":
      return on.events.join(" | ") + (on.field === undefined ? "" : ` at ${on.field}`);
  }
}
