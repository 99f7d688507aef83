/** Expects the records after further writes: the candidates as they have to be, and new ones. */
import { withArticle } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import { fieldsOf, lookup } from "../../language/resources/fields.ts";
import type { FurtherWriteOwner, FurtherWriteSite } from "../../language/states/further-writes.ts";
import { NotTried, shortText } from "../case.ts";
import type { Contract } from "../contract.ts";
import { furtherEffects, transitionsOf } from "../effects.ts";
import { brokenBy } from "../expect.ts";
import { expectNoGaps } from "../resources/counters.ts";
import { expressionValue } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { isAbout } from "../values/same.ts";
import { allListed, isListedFor } from "./listed.ts";
import { observe } from "./observed.ts";
import { type Candidate, type Candidates, comesFirst, fieldsSet, type Group, type Prediction } from "./predict.ts";

/** Expects the candidates as they have to be. */
export async function expectRecords(
  trial: Trial,
  sites: readonly FurtherWriteSite[],
  candidates: ReadonlyMap<string, Candidates>,
  groups: readonly Group[] = [],
): Promise<void> {
  const { contract } = trial;
  for (const [resource, some] of candidates) {
    const { all } = some;
    const own = sites.filter(({ write }) => write.resource === resource && write.kind !== "create");
    const [first] = own;
    if (first === undefined) continue;
    const unsure = new Set([
      ...fieldsSet(otherWrites(contract, sites), resource),
      ...fieldsOfTransitions(contract, sites, resource),
    ]);
    const maybeDeleted = otherWrites(contract, sites).some(
      ({ write }) => write.resource === resource && write.kind === "delete",
    );
    const observed = await observe(trial, resource, some);
    for (const one of all) {
      const found = observed.get(one) ?? new Map<string, Json>();
      const { at, write } = own.find(({ write: { kind } }) => (kind === "delete") === (found.size === 0)) ?? first;
      if (one.isDeleted === true && found.size > 0 && write.kind === "delete")
        throw brokenBy(trial, `no ${resource} ${idText(one)}`, "one", at);
      if (one.isDeleted === false && found.size === 0 && !maybeDeleted)
        throw brokenBy(trial, `${withArticle(resource)} ${idText(one)}`, "none", at);
      if (one.isDeleted !== false || found.size === 0) continue;
      for (const name of fieldsSet(own, resource)) {
        const expected = one.after.get(name);
        const got = valueOf(contract, resource, name, found.get(name));
        if (unsure.has(name) || expected === undefined || got === undefined || isAbout(expected, got)) continue;
        const setting = own.find(({ write: { set } }) => lookup(set ?? {}, name) !== undefined) ?? first;
        const what = `${resource} ${idText(one)} with \`${name}\` ${shortText(expected)}`;
        throw brokenBy(trial, what, shortText(found.get(name)), setting.at);
      }
    }
    for (const group of groups)
      if (group.site.write.resource === resource && unsure.size === 0 && !maybeDeleted)
        expectFirst(trial, group, observed);
  }
}

/** Expects the first records written, and no more. */
function expectFirst(
  trial: Trial,
  { count, isComplete, members, site }: Group,
  observed: ReadonlyMap<Candidate, ReadonlyMap<string, Json>>,
): void {
  const { contract } = trial;
  const { kind, resource } = site.write;
  const isWritten = ({ candidate, values }: Group["members"][number]): boolean | undefined => {
    const found = observed.get(candidate) ?? new Map<string, Json>();
    if (kind === "delete") return found.size === 0;
    const read = (from: ReadonlyMap<string, Json>, name: string): Json | undefined =>
      valueOf(contract, resource, name, from.get(name));
    const changed = [...values].filter(([name, value]) => !isAbout(value, read(candidate.before, name)));
    if (changed.length === 0 || found.size === 0) return undefined;
    return changed.some(([name, value]) => isAbout(value, read(found, name)));
  };
  const results = members.map((member) => ({ ...member, isWritten: isWritten(member) }));
  const written = results.filter((one) => one.isWritten === true);
  const left = results.filter((one) => one.isWritten === false);
  const expected = `the first ${count} ${resource} to be ${kind}d`;
  if (written.length > count) throw brokenBy(trial, expected, `${written.length}`, site.at);
  const isKnown = results.every((one) => one.isWritten !== undefined);
  if (isComplete && isKnown && written.length < count) throw brokenBy(trial, expected, `${written.length}`, site.at);
  for (const one of written) {
    for (const other of left) {
      if (comesFirst(site, other.candidate, one.candidate) !== true) continue;
      throw brokenBy(trial, `${expected}, ${idText(other.candidate)} first`, idText(one.candidate), site.at);
    }
  }
  if (written.length === 0) throw new NotTried(`the test does not know which ${resource} comes first`);
}

/** Expects the created records in the list of all of them. */
export async function expectCreated(
  trial: Trial,
  sites: readonly FurtherWriteSite[],
  { created, uncounted }: Prediction,
  candidates: ReadonlyMap<string, Candidates>,
): Promise<void> {
  const { contract } = trial;
  const creating = sites.filter(({ write }) => write.kind === "create");
  for (const [resource, own] of Map.groupBy(creating, ({ write }) => write.resource)) {
    const { all: former, isComplete, reader } = candidates.get(resource) ?? noCandidates;
    const isListed = isComplete || reader !== undefined;
    const listed = isListed ? await allListed(trial, resource, reader) : undefined;
    if (listed === undefined) throw new NotTried(`no list shows all records of ${resource}`);
    if (isComplete)
      expectNoGaps(
        trial,
        resource,
        [...listed.values()].map(({ values }) => values),
      );
    const before = new Set(former.map(({ record }) => record.values.get("id")));
    const added = [...listed].flatMap(([id, { values }]) => (before.has(id) ? [] : [values]));
    const all = created.filter(({ site }) => site.write.resource === resource);
    const expected = all.filter(
      ({ isLasting, values }) =>
        isLasting && (reader === undefined || isListedFor(trial, resource, reader, values) === true),
    );
    if (all.length > 0 && expected.length === 0 && reader !== undefined)
      throw new NotTried(`the test does not know who sees the new ${resource}`);
    for (const { site, values } of expected) {
      const index = added.findIndex((found) =>
        [...values].every(([name, value]) => {
          const got = valueOf(contract, resource, name, found.get(name));
          return got === undefined || isAbout(value, got);
        }),
      );
      const what = `a new ${resource} with ${shortText(Object.fromEntries(values))}`;
      if (index < 0) throw brokenBy(trial, what, added.length === 0 ? "none" : `${added.length} others`, site.at);
      added.splice(index, 1);
    }
    const isElsewhere = otherWrites(contract, sites).some(({ write }) => write.resource === resource);
    const [first] = own;
    if (added.length > all.length - expected.length && !uncounted.has(resource) && !isElsewhere && first !== undefined)
      throw brokenBy(trial, `${expected.length} new records of ${resource}`, `${added.length} more`, first.at);
  }
}

const noCandidates: Candidates = { all: [], isComplete: false };

/** Returns the operation whose transaction contains the further writes; undefined for those of a timer or an event. */
export function operationOf(of: FurtherWriteOwner): string | undefined {
  if (of.kind === "operation") return of.operation;
  return of.kind === "transition" && of.trigger.on.kind === "by" ? of.trigger.on.operation : undefined;
}

/** Returns the further writes that follow from the events of these. */
function otherWrites(contract: Contract, sites: readonly FurtherWriteSite[]): readonly FurtherWriteSite[] {
  const operations = sites.flatMap(({ of }) => operationOf(of) ?? []);
  return [...new Set(operations)].flatMap((name) => {
    const called = contract.operations.get(name);
    return called === undefined ? [] : furtherEffects(contract, called).writes.filter((one) => !sites.includes(one));
  });
}

/** Returns the fields of a resource that events may set besides these writes. */
function fieldsOfTransitions(
  contract: Contract,
  sites: readonly FurtherWriteSite[],
  resource: string,
): readonly string[] {
  return transitionsOf(contract).flatMap(({ path, resource: of, trigger }) =>
    of === resource && trigger.on.kind === "when" && !sites.some(({ at }) => at === path)
      ? Object.keys(trigger.set ?? {})
      : [],
  );
}

function valueOf({ model }: Contract, resource: string, name: string, value: Json | undefined): Json | undefined {
  const isField = name === "state" || lookup(fieldsOf(model, resource), name) !== undefined;
  if (!isField || value === undefined) return undefined;
  return expressionValue(model, resource, name, value) as Json;
}

function idText({ record }: Candidate): string {
  return shortText(record.values.get("id"));
}
