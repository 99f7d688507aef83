/**
 * Changes of fields and states: what the newer version writes, the older one reads, and the other way round. Both read the same
 * record, and the readings are compared by what the entry says.
 */
import { withArticle } from "../../base/case.ts";
import { isServerSet, lookup } from "../../language/resources/fields.ts";
import { removedField } from "../../language/versioning/model-at-version.ts";
import { targetName } from "../../language/versioning/model.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Contract } from "../contract.ts";
import { type Entry, type MemberChange, type Of, subjectOf } from "./entry.ts";
import { acceptedByOlder, rejectedByOlder } from "./former-type.ts";
import { readByNewer } from "./read-by-newer.ts";
import { readByOlder } from "./read-by-older.ts";
import { type Pair, pairOf, readings } from "./readings.ts";
import type { Step } from "./steps.ts";
import { about } from "./writings.ts";

/** Returns the cases of a change of a member. */
export function memberCases(contract: Contract, step: Step, change: MemberChange, path: string): readonly Case[] {
  const entry: Entry = { contract, step, change, path };
  const text = describe(change);
  const one = (id: string, expects: string, run: (pair: Pair) => Promise<void>): Case => ({
    id: `${path}: ${id}`,
    aspects: [{ path, expects }],
    run: (trial) => about(subjectOf(entry), () => run(pairOf(trial, step))),
  });
  const reads = one("newer to older", `${text}: ${step.older} reads what ${step.newer} writes`, (pair) =>
    readByOlder(entry, pair),
  );
  const writes = one("older to newer", `${text}: ${step.newer} reads what ${step.older} writes`, (pair) =>
    readByNewer(entry, pair),
  );
  const rejects = one("older rejects", `${text}: ${step.older} still rejects it`, (pair) =>
    rejectedByOlder(entry, pair),
  );
  const edges = one("older accepts", `${text}: ${step.older} accepts what it accepted`, (pair) =>
    acceptedByOlder(entry, pair),
  );
  switch (change.kind) {
    case "require":
      return [writes];
    case "relax":
      return change.was === undefined ? [reads, rejects] : [reads, rejects, edges];
    case "add-value":
      return [reads, rejects];
    case "remove": {
      const removed = change.type === undefined ? undefined : removedField(change.type, change.seen);
      return removed === undefined || isServerSet(removed) ? [reads] : [reads, writes];
    }
    default:
      return [reads, writes];
  }
}

function describe(change: MemberChange): string {
  if (change.kind === "rename") return `${targetName(change.from)} is ${change.to}`;
  const texts: Readonly<Record<typeof change.kind, string>> = {
    add: "is new",
    remove: "is removed",
    require: "is required",
    relax: "is relaxed",
    retype: "has another type",
    "add-value": "has another value",
  };
  return `${targetName(change.target)} ${texts[change.kind]}`;
}

/** A state that is new in a version has another name for older callers. */
export function stateCase(step: Step, { name, resource, seen }: Of<"state">, path: string): Case {
  return {
    id: `${path}: newer to older`,
    aspects: [{ path, expects: `in version ${step.older} the state ${name} of ${withArticle(resource)} is ${seen}` }],
    run: async (trial) => {
      const pair = pairOf(trial, step);
      const record = await pair.newer.make(resource, { state: name });
      const all = await readings(pair, record, { resource, path: [] });
      const known = all.filter(({ newer }) => lookup(newer, "state") === name);
      if (known.length === 0) throw new NotTried(`no response shows ${withArticle(resource)} in the state ${name}`);
      for (const { interaction, older } of known) {
        const state = lookup(older, "state");
        if (state !== seen)
          throw new Broken(`the state ${seen} in version ${step.older}`, shortText(state), interaction);
      }
    },
  };
}
