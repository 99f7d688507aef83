/** Checks the deprecations of versions, operations and fields, and their dates. */
import { dateOf } from "../../../base/unix-time.ts";
import { addDuration, parseDuration } from "../../../base/duration.ts";
import { declares, type DocumentIndex } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { inputOf } from "../../endpoints/input.ts";
import type { EndpointContract } from "../../endpoints/model.ts";
import { resourceEndpoints } from "../../endpoints/resolve.ts";
import { responseMembers } from "../../endpoints/shape.ts";
import { lookup } from "../../resources/fields.ts";
import type { Field } from "../../resources/model.ts";
import { deprecatedTargets } from "../deprecated.ts";
import { deprecatedTarget, targetName } from "../model.ts";

/** Reports a deprecated version or operation without a sunset date. A field may stay deprecated. */
const deprecatedWithoutSunset: Check = {
  code: "versioning/deprecated-without-sunset",
  severity: "warning",
  why: "Callers migrate when they know the deadline.",
  *run({ model, gaps }) {
    for (const [version, { sunset }] of Object.entries(model.versioning.deprecated ?? {})) {
      const at = `versioning/deprecated/${version}`;
      if (sunset !== undefined || gaps.has(`${at}/sunset`)) continue;
      if (deprecatedTarget(version)?.field !== undefined) continue;
      yield {
        at,
        message: `\`${version}\` is deprecated but has no sunset date`,
        help: "add `, sunset 2027-03-01`",
      };
    }
  },
};

/** Reports a newest version that is deprecated. */
const newestDeprecated: Check = {
  code: "versioning/newest-deprecated",
  severity: "warning",
  why: "Its callers would have no version to migrate to.",
  *run({ model }) {
    const newest = model.versioning.versions?.[0]?.name;
    if (newest === undefined || !Object.hasOwn(model.versioning.deprecated ?? {}, newest)) return;
    yield {
      at: `versioning/deprecated/${newest}`,
      message: `\`${newest}\` is deprecated, but it is the newest version`,
      help: "list a newer version, or remove the deprecation",
    };
  },
};

/** Reports a deprecated operation without the date since when. */
const deprecatedWithoutSince: Check = {
  code: "versioning/deprecated-without-since",
  severity: "warning",
  why: "The header field `Deprecation` is a date (RFC 9745), so responses cannot have it.",
  *run({ model, gaps }) {
    for (const [{ of, field }, { since }] of deprecatedTargets(model)) {
      const at = `versioning/deprecated/${of}`;
      if (field !== undefined || since !== undefined || gaps.has(`${at}/since`)) continue;
      yield { at, message: `\`${of}\` is deprecated, but not since when`, help: "add `since 2026-09-01`" };
    }
  },
};

/** Reports a deprecation of something that the document does not have. */
const deprecatedUnknown: Check = {
  code: "versioning/deprecated-unknown",
  severity: "error",
  why: "Nobody would learn of the deprecation.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources", "endpoints")) return;
    const known = namesOf(documentIndex);
    for (const [target] of deprecatedTargets(documentIndex.model)) {
      const name = targetName(target);
      if (known.has(name)) continue;
      const message = `There is no operation, field or member \`${name}\``;
      yield { at: `versioning/deprecated/${name}#key`, message, unknown: { name, known } };
    }
  },
};

/** Returns the names of operations, fields of resources and types, and members of views, requests and responses. */
function namesOf({ model, operations, endpoints }: DocumentIndex): ReadonlySet<string> {
  const { resources, types, views = {} } = model.resources;
  const owners: readonly (readonly [string, object])[] = [
    ...Object.entries(types),
    ...Object.entries(views).map(([name, { fields = [], members }]) => {
      return [name, { ...Object.fromEntries(fields.map((field) => [field, true])), ...members }] as const;
    }),
    ...Object.entries(resources).map(([name, { fields }]) => [name, fields] as const),
    ...[...endpoints].map(
      ([
        name,
        {
          endpoint: { takes, query, filters, gives, shape, wire },
        },
      ]) => {
        const members = { ...takes, ...query, ...filters, ...responseMembers(gives), ...shape, ...parametersOf(wire) };
        return [name, members] as const;
      },
    ),
  ];
  return new Set([
    ...operations,
    ...owners.flatMap(([name, members]) => Object.keys(members).map((member) => `${name}.${member}`)),
  ]);
}

/** Returns the parameters of a wire by name, in all places of a request. */
function parametersOf(
  wire: EndpointContract | undefined,
): Readonly<Record<string, Pick<Field, "optional" | "default">>> {
  return { ...wire?.path, ...wire?.query, ...wire?.header, ...wire?.cookie };
}

/** Reports a deprecated member that requests have to send. */
const deprecatedRequired: Check = {
  code: "versioning/deprecated-required",
  severity: "warning",
  why: "Callers who want to do without it cannot.",
  *run({ model }) {
    const endpoints = resourceEndpoints(model);
    for (const [{ of, field }] of deprecatedTargets(model)) {
      if (field === undefined) continue;
      const { query, wire } = lookup(model.endpoints.endpoints, of) ?? {};
      const parameter = lookup({ ...query, ...parametersOf(wire) }, field);
      const isNeeded = endpoints.some((one) =>
        inputOf(model, one).some((member) => {
          const isIts = one.operation === of || (one.resource === of && member.sets);
          return member.name === field && member.required && isIts;
        }),
      );
      if (!isNeeded && (parameter === undefined || parameter.optional || parameter.default !== undefined)) continue;
      yield {
        at: `versioning/deprecated/${of}.${field}`,
        message: `\`${of}.${field}\` is deprecated, but requests have to send it`,
        help: `write \`${field}?\`, or give it a default`,
      };
    }
  },
};

/** Reports a version, an operation or a field that ends earlier than the policy promises. */
const noticeTooShort: Check = {
  code: "versioning/notice-too-short",
  severity: "error",
  why: "Callers rely on the dates that the policy promises.",
  *run({ model }) {
    const { policy, deprecated = {} } = model.versioning;
    for (const [version, { since, sunset }] of Object.entries(deprecated)) {
      if (sunset === undefined) continue;
      const promises = [
        { from: since, length: policy?.notice, what: "notice" },
        // The support of versions says nothing of operations and fields.
        ...(deprecatedTarget(version) === undefined
          ? [{ from: version, length: policy?.support, what: "support" }]
          : []),
      ];
      for (const { from, length, what } of promises) {
        const earliest = endOf(from, length);
        if (earliest === undefined || Date.parse(sunset) >= earliest) continue;
        yield {
          at: `versioning/deprecated/${version}`,
          message: `\`${version}\` ends on ${sunset}, before the ${length} of ${what} that the policy promises`,
          help: `write \`sunset ${dateOf(earliest)}\` or later`,
        };
      }
    }
  },
};

function endOf(from: string | undefined, length: string | undefined): number | undefined {
  const start = from === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(from) ? Number.NaN : Date.parse(from);
  const duration = length === undefined ? undefined : parseDuration(length);
  if (duration === undefined || Number.isNaN(start)) return undefined;
  const end = addDuration(start, duration);
  return Number.isNaN(new Date(end).getTime()) ? undefined : end;
}

export const checks: readonly Check[] = [
  deprecatedWithoutSunset,
  deprecatedWithoutSince,
  newestDeprecated,
  noticeTooShort,
  deprecatedUnknown,
  deprecatedRequired,
];
