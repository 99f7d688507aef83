/** A document as a conformance test reads it: the model of one version, its typed expressions and its operations. */
import { listingActions } from "../language/endpoints/model.ts";
import { camelCase } from "../base/case.ts";
import type { TypedExpression } from "../expression/check.ts";
import { typeExpressions } from "../language/analysis/expressions.ts";
import type { RequestStyle } from "../language/endpoints/model.ts";
import {
  type ResolvedEndpoint,
  resolveEndpoint,
  styleOf,
  type UnclearEndpoint,
} from "../language/endpoints/resolve.ts";
import { innermost, lookup } from "../language/resources/fields.ts";
import type { FieldType } from "../language/resources/model.ts";
import { olderOf } from "../language/versioning/conversions.ts";
import { deprecationOf } from "../language/versioning/deprecated.ts";
import { type Change, type ChangeTarget, targetName } from "../language/versioning/model.ts";
import type { Model, SourceLocations } from "../language/model.ts";
import { modelAt } from "../language/versioning/model-at-version.ts";

export type Operation = Exclude<ResolvedEndpoint, UnclearEndpoint>;

export interface Contract {
  /** The model of the version that the test calls. */
  readonly model: Model;
  /** The locations of the statements of the newest version. */
  readonly places: SourceLocations;
  /** The version that the requests name; absent if the document has no versions. */
  readonly version?: string;
  /** Whether the version is the newest. */
  readonly isNewest: boolean;
  /** The typed expressions of the version, by path. An expression that the version cannot type is absent. */
  readonly typed: ReadonlyMap<string, TypedExpression>;
  /** The operations that the document serves, by name, in its order. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The operations that the document describes and the service does not serve. */
  readonly unserved: readonly Operation[];
  /**
   * The members, such as `Parcel.weightKg`, whose values in responses the service computes from those of a newer version. What an
   * entry of part 9 gives need not be within the limits that the older version had.
   */
  readonly converted: ReadonlySet<string>;
  /** By the name that an outgoing event has in the version, its name in the newest one. */
  readonly newestEventNames: ReadonlyMap<string, string>;
  /** The members whose value follows from an entry of part 9 if an older client leaves them out: `taken as 1 before`. */
  readonly filled: ReadonlySet<string>;
}

/** Returns the contract of a version, or without a version that of the newest. */
export function contractOf(model: Model, places: SourceLocations, version?: string): Contract {
  const newest = model.versioning.versions?.[0]?.name;
  const called = version ?? newest;
  const isNewest = called === newest;
  const at = called === undefined || isNewest ? model : modelAt(model, called);
  const described = Object.keys(at.endpoints.endpoints).flatMap((name): Operation[] => {
    const resolved = resolveEndpoint(at, name);
    return resolved === undefined || resolved.kind === "unclear" ? [] : [resolved];
  });
  const { served = [], unserved = [] } = Object.groupBy(described, ({ endpoint }) =>
    endpoint.does === "none" ? "unserved" : "served",
  );
  return {
    model: at,
    places,
    ...(called === undefined ? {} : { version: called }),
    isNewest,
    typed: typeExpressions(at).typed,
    operations: new Map(served.map((one) => [one.operation, one])),
    unserved,
    converted: called === undefined ? new Set() : membersChanged(model, called, convertingChanges),
    filled: called === undefined ? new Set() : membersChanged(model, called, fillingChanges),
    newestEventNames: new Map(Object.keys(at.events.out ?? {}).map((name) => [name, newestName(model, called, name)])),
  };
}

/** Returns the newest name of an event that a version calls by this name. */
function newestName({ versioning: { versions = [] } }: Model, called: string | undefined, name: string): string {
  const index = versions.findIndex((one) => one.name === called);
  const newer = versions.slice(0, Math.max(index, 0)).toReversed();
  return newer.reduce((found, { changes }) => {
    const renamed = changes.find((change) => change.kind === "event" && change.was === found);
    return renamed?.kind === "event" ? renamed.name : found;
  }, name);
}

const convertingChanges: readonly Change["kind"][] = ["retype", "relax", "remove"];
const fillingChanges: readonly Change["kind"][] = ["require", "add", "retype"];

/** Returns the members that changes of these kinds are about, by their names in an older version. */
function membersChanged(
  { versioning: { versions = [] } }: Model,
  called: string,
  kinds: readonly Change["kind"][],
): ReadonlySet<string> {
  let found: readonly ChangeTarget[] = [];
  for (const { changes, name } of versions) {
    if (name === called) break;
    const here = changes.flatMap((change) =>
      kinds.includes(change.kind) && "target" in change ? [change.target] : [],
    );
    found = [...found, ...here].map((target) => olderOf(changes, target));
  }
  return new Set(found.map(targetName));
}

/** Whether the value of a member, or of one inside it, comes from a newer version. */
export function isConverted(contract: Contract, of: string, name: string, type: FieldType): boolean {
  const { converted, model } = contract;
  if (converted.size === 0) return false;
  if (converted.has(`${of}.${name}`)) return true;
  const inner = innermost(type).of;
  const fields = inner.kind === "named" ? lookup(model.resources.types, inner.name) : undefined;
  return (
    inner.kind === "named" &&
    Object.entries(fields ?? {}).some(([one, field]) => isConverted(contract, inner.name, one, field.type))
  );
}

/** Returns when a version or an operation ends, in milliseconds since 1970; undefined if the document names no date. */
export function sunsetOf({ model }: Contract, name: string): number | undefined {
  const sunset = deprecationOf(model, name)?.sunset;
  return sunset === undefined ? undefined : Date.parse(sunset);
}

/** Whether an operation is past its sunset at a time, in milliseconds since 1970. */
export function hasOperationEnded(contract: Contract, operation: string, time: number): boolean {
  const sunset = sunsetOf(contract, operation);
  return sunset !== undefined && time >= sunset;
}

/** Returns the member that contains a record in bodies and responses of the operation, as `wrap` declares. */
export function wrapOf({ model }: Contract, { action, resource }: Operation): string | undefined {
  if (listingActions.has(action) || action === "history" || resource === undefined) return undefined;
  return model.endpoints.wrap?.one?.replace("{resource}", camelCase(resource));
}

/** Returns the operation that deletes any record of a resource. */
export function deletionOf({ operations }: Pick<Contract, "operations">, resource: string): Operation | undefined {
  return [...operations.values()].find(
    (one) => one.action === "delete" && one.resource === resource && one.endpoint.the === undefined,
  );
}

/** Whether the path, or `the`, identifies a record that has to exist. */
export function needsRecord(called: Operation): boolean {
  if (called.resource === undefined) return false;
  if (called.kind === "free") return called.key !== undefined;
  return !["create", "list", "summary", "clear", "login", "renew", "logout"].includes(called.action);
}

/** Returns what the requests of an operation may contain. */
export function requestStyle({ model }: Contract, { endpoint }: Operation): RequestStyle {
  return styleOf(model.endpoints, endpoint, "requests") ?? {};
}

/**
 * Whether the document states that unknown members are rejected: only a document that states all standard errors states that
 * they are one of them.
 */
export function rejectsUnknown(contract: Contract, called: Operation): boolean {
  return contract.model.errors.standard === "all" && requestStyle(contract, called).unknown !== "ignored";
}
