/** What further writes do to the records that the test knows, in their order, as far as the test can compute it. */
import type { Json } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { FurtherWriteSite } from "../../language/states/further-writes.ts";
import type { Caller } from "../caller.ts";
import type { Contract } from "../contract.ts";
import { evaluate, type Scope, truth } from "../expressions.ts";
import { solve } from "../solve.ts";
import type { KnownRecord } from "../trial/known.ts";

/** A record that a further write may select, as it is before the request. */
export interface Candidate {
  readonly record: KnownRecord;
  readonly before: ReadonlyMap<string, Json>;
  /** Its place among the records that the test created; undefined for one of somebody else. */
  readonly age: number | undefined;
  /** Its values after the writes; a field without an entry is not known. */
  readonly after: Map<string, Json>;
  /** Undefined: not known. */
  isDeleted: boolean | undefined;
}

/** The records of a resource before the request. */
export interface Candidates {
  readonly all: readonly Candidate[];
  /** Whether these are all that there are. */
  readonly isComplete: boolean;
  /** The caller in whose list they are all, if no list shows all that there are. */
  readonly reader?: Caller;
}

/** Of these records, a write changes or deletes only the first ones. */
export interface Group {
  readonly site: FurtherWriteSite;
  readonly count: number;
  readonly members: readonly { readonly candidate: Candidate; readonly values: ReadonlyMap<string, Json> }[];
  readonly isComplete: boolean;
}

/** A record that a write creates, with the values that the test knows. */
interface Creation {
  readonly site: FurtherWriteSite;
  readonly values: Map<string, Json>;
  /** Whether a later write may delete it. */
  isLasting: boolean;
}

export interface Prediction {
  /** The write that selects nothing, so that the request gets its error. */
  readonly fails: FurtherWriteSite | undefined;
  readonly created: readonly Creation[];
  readonly groups: readonly Group[];
  /** The resources of which the test does not know how many records are created. */
  readonly uncounted: ReadonlySet<string>;
  /** The writes that certainly select a record. */
  readonly selecting: ReadonlySet<FurtherWriteSite>;
}

/** Returns the items for which a write happens: one without `each`; undefined if the test does not know. */
export function itemsOf(
  { typed }: Contract,
  { at, write }: FurtherWriteSite,
  scope: Scope,
): readonly Scope[] | undefined {
  const list = typed.get(`${at}/each`);
  if (write.each !== undefined && list === undefined) return undefined;
  const items = list === undefined ? [undefined] : evaluate(list, scope)?.value;
  if (items === undefined) return undefined;
  const { name = "" } = write.each ?? {};
  const scopes = ((items ?? []) as readonly (Value | undefined)[]).map((item) =>
    item === undefined ? scope : { ...scope, variables: { [name]: item } },
  );
  const condition = typed.get(`${at}/if`);
  if (write.if === undefined) return scopes;
  const truths = scopes.map((one) => (condition === undefined ? undefined : truth(condition, one)));
  return truths.includes(undefined) ? undefined : scopes.filter((_, index) => truths[index]);
}

/** Returns the values that a write gives a record, so far as the test can compute them. */
export function valuesOf({ typed }: Contract, { at, write }: FurtherWriteSite, around: Scope): Map<string, Json> {
  const { kind, set, with: values } = write;
  const member = kind === "create" ? "with" : "set";
  return new Map(
    Object.keys((kind === "create" ? values : set) ?? {}).flatMap((name) => {
      const expression = typed.get(`${at}/${member}/${name}`);
      const found = expression === undefined ? undefined : evaluate(expression, around);
      return found === undefined ? [] : [[name, found.value as Json] as const];
    }),
  );
}

/** Returns what a write reads of a record that it may select. */
export function selecting(scope: Scope, resource: string, values: ReadonlyMap<string, Json>): Scope {
  return { ...scope, resource, record: values };
}

/** Computes the writes, and sets what becomes of the candidates. */
export function predict(
  contract: Contract,
  sites: readonly FurtherWriteSite[],
  scope: Scope,
  candidates: ReadonlyMap<string, Candidates>,
): Prediction {
  const { typed } = contract;
  const created: Creation[] = [];
  const groups: Group[] = [];
  const uncounted = new Set<string>();
  const certain = new Set<FurtherWriteSite>();
  const result = (fails?: FurtherWriteSite): Prediction => ({ fails, created, groups, uncounted, selecting: certain });
  for (const site of sites) {
    const { at, write } = site;
    const { kind, resource, set = {} } = write;
    const scopes = itemsOf(contract, site, scope);
    const { all, isComplete } = candidates.get(resource) ?? { all: [], isComplete: false };
    const forget = ({ after }: Candidate): void => Object.keys(set).forEach((name) => after.delete(name));
    const apply = (candidate: Candidate, values: ReadonlyMap<string, Json>): void => {
      if (kind === "delete") candidate.isDeleted = true;
      else forget(candidate);
      for (const [name, value] of values) candidate.after.set(name, value);
    };
    const forgetState = (candidate: Candidate): void => {
      if (kind === "delete") candidate.isDeleted = undefined;
      else forget(candidate);
    };
    if (scopes === undefined) {
      if (kind === "create") uncounted.add(resource);
      else all.forEach(forgetState);
      continue;
    }
    // Writes also select the records that those before them create, of which the test knows little.
    const earlier = kind === "create" ? [] : created.filter((one) => one.site.write.resource === resource);
    if (scopes.length > 0)
      for (const one of earlier) {
        if (kind === "delete") one.isLasting = false;
        for (const name of Object.keys(set)) one.values.delete(name);
      }
    for (const around of scopes) {
      if (kind === "create") {
        created.push({ site, values: valuesOf(contract, site, around), isLasting: true });
        continue;
      }
      const condition = typed.get(`${at}/where`);
      const truthOf = ({ after, isDeleted }: Candidate): boolean | undefined => {
        if (isDeleted === true) return false;
        const found =
          write.where === undefined ? true : condition && truth(condition, selecting(around, resource, after));
        return isDeleted === undefined && found === true ? undefined : found;
      };
      const truths = new Map(all.map((one) => [one, truthOf(one)]));
      const unknown = all.filter((one) => truths.get(one) === undefined);
      const selected = all.filter((one) => truths.get(one) === true);
      const isKnown =
        unknown.length === 0 && earlier.length === 0 && (isComplete || namesKnown(contract, site, around, all));
      if (selected.length === 0 && isKnown && write.else !== undefined) return result(site);
      if (selected.length > 0) certain.add(site);
      unknown.forEach(forgetState);
      const members = selected.map((candidate) => ({
        candidate,
        values: valuesOf(contract, site, selecting(around, resource, candidate.after)),
      }));
      if (write.first === undefined || (isKnown && selected.length <= write.first)) {
        for (const { candidate, values } of members) apply(candidate, values);
        continue;
      }
      const isOnlySite =
        write.each === undefined && !sites.some((one) => one !== site && one.write.resource === resource);
      if (isOnlySite) groups.push({ site, count: write.first, members, isComplete: isKnown });
      for (const candidate of selected) forgetState(candidate);
    }
  }
  return result();
}

/** Whether a write can select one record alone, by its id, and the test knows that record. */
function namesKnown(
  { typed }: Contract,
  { at, write: { resource } }: FurtherWriteSite,
  scope: Scope,
  all: readonly Candidate[],
): boolean {
  const condition = typed.get(`${at}/where`);
  const id = condition === undefined ? undefined : solve(condition, { ...scope, resource }).fields.get("id");
  return id !== undefined && all.some(({ record }) => record.values.get("id") === id);
}

/** Whether a write selects one record before another one: by its field, or by age; undefined if the test does not know. */
export function comesFirst(
  { write: { sort } }: Pick<FurtherWriteSite, "write">,
  one: Candidate,
  other: Candidate,
): boolean | undefined {
  if (sort === undefined) return one.age === undefined || other.age === undefined ? undefined : one.age < other.age;
  const name = sort.replace(/^-/, "");
  const [first, second] = [one, other].map(({ before }) => rankOf(before.get(name)));
  if (first === undefined || second === undefined || first === second) return undefined;
  return sort.startsWith("-") ? first > second : first < second;
}

/** Returns a number in the order of the values; undefined for texts, whose order depends on the implementation. */
export function rankOf(value: Json | undefined): number | undefined {
  if (typeof value === "number") return value;
  const isTime = typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value);
  return isTime ? Date.parse(value) : undefined;
}

/** Returns the fields that any of the writes sets in records of a resource. */
export function fieldsSet(sites: readonly FurtherWriteSite[], resource: string): readonly string[] {
  return [...new Set(sites.flatMap(({ write }) => (write.resource === resource ? Object.keys(write.set ?? {}) : [])))];
}
