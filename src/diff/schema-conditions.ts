/** Compares the conditions of schemas: `not`, `if`, parts of `allOf`, and what depends on members. */
import { type Json, type JsonObject } from "../base/json.ts";
import { quoted, same } from "./difference.ts";
import { type FlatSchema, listOf } from "./flat-schema.ts";
import { matched } from "./schema-alternatives.ts";
import { bothOf } from "./schema-members.ts";
import {
  type Changes,
  conditionChange,
  type Direction,
  type InnerWalk,
  joined,
  overall,
  type Path,
} from "./schema-walk.ts";

export function* conditionChanges(walk: InnerWalk, old: FlatSchema, now: FlatSchema, place: Path): Changes {
  yield* partChanges(walk, old.parts, now.parts, place);
  const [before, after] = [old.keywords, now.keywords];
  const [not, newNot] = [before["not"], after["not"]];
  if (not !== undefined || newNot !== undefined) {
    const direction = opposite[overall(walk, not ?? false, newNot ?? false)];
    const wording = `excludes ${direction === "wider" ? "fewer" : direction === "narrower" ? "more" : "other"} values`;
    if (direction !== "same") yield { place, kind: "condition", direction, wording };
  }
  yield* choiceChanges(walk, before, after, place);
  for (const [name, names, newNames] of bothOf(before["dependentRequired"], after["dependentRequired"])) {
    const [removed, added] = [difference(names, newNames), difference(newNames, names)];
    if (added.length > 0)
      yield {
        place,
        kind: "condition",
        direction: "narrower",
        wording: `needs ${added.join(", ")} if it has \`${name}\``,
      };
    if (removed.length > 0)
      yield {
        place,
        kind: "condition",
        direction: "wider",
        wording: `no longer needs ${removed.join(", ")} if it has \`${name}\``,
      };
  }
  for (const [name, schema, newSchema] of bothOf(before["dependentSchemas"], after["dependentSchemas"])) {
    const direction = overall(walk, schema ?? true, newSchema ?? true);
    const wording = `is another object if it has \`${name}\``;
    if (direction !== "same") yield { place, kind: "condition", direction, wording };
  }
  const [content, newContent] = [before["contentSchema"] ?? true, after["contentSchema"] ?? true];
  if (content !== newContent) yield* walk.changes(walk, content, newContent, place);
}

const opposite: Readonly<Record<Direction, Direction>> = {
  narrower: "wider",
  wider: "narrower",
  other: "other",
  same: "same",
};

/** Returns the names in backticks that only the first list has. */
function difference(names: Json | undefined, others: Json | undefined): readonly string[] {
  return listOf(names)
    .filter((name) => !listOf(others).includes(name))
    .map((name) => quoted(name));
}

function* partChanges(walk: InnerWalk, old: readonly Json[], now: readonly Json[], place: Path): Changes {
  const [before, after] = [[...old], [...now]];
  for (const [one, other] of matched(walk, before, after)) yield* walk.changes(walk, one, other, place);
  for (const [index, one] of before.entries()) {
    const other = after[index];
    if (other !== undefined) yield* walk.changes(walk, one, other, place);
    else yield conditionChange(one, undefined, "a part of `allOf`", place);
  }
  for (const one of after.slice(before.length)) yield conditionChange(undefined, one, "a part of `allOf`", place);
}

function* choiceChanges(walk: InnerWalk, old: JsonObject, now: JsonObject, place: Path): Changes {
  const { if: condition } = old;
  const { if: newCondition } = now;
  if (condition === undefined && newCondition === undefined) return;
  const directions = [["then"], ["else"]].map(([keyword = ""]) => {
    const [before, after] = [
      condition === undefined ? true : old[keyword],
      newCondition === undefined ? true : now[keyword],
    ];
    return overall(walk, before ?? true, after ?? true);
  });
  const isSame = condition === undefined || newCondition === undefined || same(condition, newCondition);
  const direction = isSame ? joined(directions) : "other";
  if (direction !== "same") yield { place, kind: "condition", direction, wording: "has other values by `if`" };
}
