/** Generates any valid part 9. */
import fc from "fast-check";
import type { Change, Deprecation, ChangeTarget, Version, Versioning } from "../../src/language/versioning/model.ts";
import { dates, durations, kebabNames, methods, names, paths, records, resourceNames, sentences } from "./words.ts";

const fieldPlaces: fc.Arbitrary<ChangeTarget> = fc.record({ of: fc.oneof(resourceNames, names), field: names });
const places: fc.Arbitrary<ChangeTarget> = fc.record(
  { of: fc.oneof(resourceNames, names), field: names },
  { requiredKeys: ["of"] },
);
const types = fc.constantFrom(
  "string",
  "string(1..80)",
  "small | medium | large",
  "string(1..20)[](0..5)",
  "string /^[a-z]{1,3}$/",
  "Site",
  "decimal | null",
);
const values = fc.oneof(
  fc.constantFrom("1", "''", '"a, b"', "medium", "null", "'x' + reference", "size > 2 ? 1 : 2", "[1, 2]"),
  fc.constantFrom("that, was before", "before", "yes before", "seen as it is", "a, seen as b"),
  sentences,
);
const kind = <Kind extends string>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name);

export const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: kind("rename"), from: places, to: names }),
  fc.record({ kind: kind("add"), target: places, taken: values }, { requiredKeys: ["kind", "target"] }),
  fc.record(
    { kind: kind("remove"), target: fieldPlaces, type: types, seen: values },
    { requiredKeys: ["kind", "target", "type"] },
  ),
  fc.record({ kind: kind("remove"), target: names.map((of) => ({ of })) }),
  fc.record({ kind: kind("require"), target: places, taken: values }),
  fc.record({ kind: kind("relax"), target: places, was: types, seen: values }, { requiredKeys: ["kind", "target"] }),
  fc.record(
    { kind: kind("retype"), target: places, was: types, seen: values, taken: values },
    { requiredKeys: ["kind", "target", "was"] },
  ),
  fc.record({ kind: kind("path"), operation: names, method: methods, path: paths }),
  fc.record({ kind: kind("error"), code: kebabNames, status: fc.integer({ min: 400, max: 599 }), was: kebabNames }),
  fc.record({ kind: kind("event"), name: kebabNames, was: kebabNames }, { requiredKeys: ["kind", "name"] }),
  fc.record({ kind: kind("state"), resource: resourceNames, name: names, seen: names }),
  fc.record({ kind: kind("add-value"), target: fieldPlaces, value: fc.oneof(names, values), seen: values }),
);

const numbers = fc
  .tuple(fc.nat(99), fc.option(fc.nat(9), { nil: undefined }))
  .map(([major, minor]) => (minor === undefined ? `${major}` : `${major}.${minor}`));

function rank(name: string): number {
  return name.includes("-")
    ? Number(name.replaceAll("-", ""))
    : Number(name.split(".")[0]) * 100 + Number(name.split(".")[1] ?? 0);
}

/** The newest first; the oldest differs from none. */
function versionsOf(name: fc.Arbitrary<string>): fc.Arbitrary<readonly Version[]> {
  return fc
    .uniqueArray(fc.record({ name, changes: fc.array(changes, { maxLength: 4 }) }), {
      maxLength: 4,
      selector: (version) => rank(version.name),
    })
    .map((versions) => {
      const sorted = versions.toSorted((one, other) => rank(other.name) - rank(one.name));
      return sorted.map((version, index) =>
        index === sorted.length - 1 ? { name: version.name, changes: [] } : version,
      );
    });
}

const guides = fc.constantFrom("https://docs.example/2026-09", "https://docs.example/a,b?c=(d");

const deprecations: fc.Arbitrary<Deprecation> = fc
  .record({ since: dates, sunset: dates, guide: guides }, { requiredKeys: [] })
  .map((moments) => {
    const { since, sunset } = moments;
    return since !== undefined && sunset !== undefined && sunset < since
      ? { ...moments, since: sunset, sunset: since }
      : moments;
  });

const common = {
  sent: fc.oneof(
    fc.record({ kind: kind("header"), name: fc.constantFrom("Lockers-Version", "X-V") }),
    fc.record({ kind: kind("query"), name: names }),
    fc.record({ kind: kind("path"), template: fc.constantFrom("/v{n}", "/api/{n}", "/{n}/rest") }),
    fc.record({ kind: kind("media-type") }),
  ),
  absent: fc.constantFrom("pinned" as const, "newest" as const, "oldest" as const, "refuse" as const),
  policy: fc.record(
    {
      breaking: fc.constantFrom("new version only", "never"),
      notice: durations,
      support: fc.constantFrom("12mo", "2y"),
      afterSunset: fc.record({ status: fc.constantFrom(404, 410), error: kebabNames }),
      unknown: fc.record({ status: fc.constantFrom(400, 412), error: kebabNames }),
    },
    { requiredKeys: [] },
  ),
};

function withVersions(
  scheme: fc.Arbitrary<"dated" | "numbered">,
  name: fc.Arbitrary<string>,
): fc.Arbitrary<Versioning> {
  return versionsOf(name).chain((versions) => {
    const listed = versions.map((version) => version.name);
    const deprecated = listed.length === 0 ? fc.constant({}) : records(fc.constantFrom(...listed), deprecations);
    return fc.record(
      { scheme, ...common, versions: fc.constant(versions), deprecated },
      { requiredKeys: ["scheme", "versions"] },
    );
  });
}

export const versionings: fc.Arbitrary<Versioning> = fc.oneof(
  withVersions(fc.constant("dated"), dates),
  withVersions(fc.constant("numbered"), numbers),
  fc.record({ scheme: fc.constant("none" as const), ...common }, { requiredKeys: [] }),
);
