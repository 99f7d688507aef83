/**
 * Imports deprecations of operations: `deprecated: true`, which has no dates, and the dates and the guide of extensions. A
 * deprecated member of a schema, or a deprecated parameter, keeps these keywords in its schema.
 */
import { dateOf } from "../base/unix-time.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import type { FieldType } from "../language/resources/model.ts";
import { deprecationKeywords, deprecationText } from "../language/versioning/deprecated.ts";
import { type Deprecation, guideAddress, type Versioning } from "../language/versioning/model.ts";
import { below, type ImportNotices, textOf } from "./report.ts";
import type { Found } from "./schemas.ts";

/** Returns the deprecation of an operation; undefined if it is not deprecated. A value that is no date is reported. */
export function deprecationIn({ value, pointer }: Found, notices: ImportNotices): Deprecation | undefined {
  if (value["deprecated"] !== true) return undefined;
  const found = Object.entries(deprecationKeywords).flatMap(([key, keyword]): [string, string][] => {
    const written = value[keyword];
    if (written === undefined) return [];
    const read = key === "guide" ? addressIn(written) : dateIn(written);
    if (read === undefined)
      notices.lost(
        below(pointer, keyword),
        `\`${keyword}\` that is no ${key === "guide" ? "address" : "date"}`,
        textOf(written),
      );
    return read === undefined ? [] : [[key, read]];
  });
  const deprecation: Deprecation = Object.fromEntries(found);
  const { since, sunset } = deprecation;
  if (since === undefined || sunset === undefined || since <= sunset) return deprecation;
  notices.lost(below(pointer, deprecationKeywords.since), "the date of a deprecation that is after its sunset", since);
  const { since: _, ...rest } = deprecation;
  return rest;
}

/** Returns an operation without its deprecation, also without the text by which `nonet export` describes the deprecation. */
export function withoutDeprecation(value: JsonObject, deprecation: Deprecation | undefined): JsonObject {
  if (deprecation === undefined) return value;
  const own: ReadonlySet<string> = new Set(["deprecated", ...Object.values(deprecationKeywords)]);
  const { description, ...rest } = Object.fromEntries(Object.entries(value).filter(([key]) => !own.has(key)));
  if (typeof description !== "string") return description === undefined ? rest : { ...rest, description };
  const text = deprecationText(deprecation);
  const ends = description === text || description.endsWith(`\n\n${text}`);
  return { ...rest, description: ends ? description.slice(0, -text.length).trimEnd() : description };
}

/** Returns part 9 with the deprecations, and its gaps: the dates that the source does not have, and everything about versions. */
export function versioningOf(operations: readonly { readonly name: string; readonly deprecated?: Deprecation }[]): {
  readonly versioning: Versioning;
  readonly gaps: readonly string[];
} {
  const deprecated = operations.flatMap(({ name, deprecated: deprecation }) =>
    deprecation === undefined ? [] : [[name, deprecation] as const],
  );
  if (deprecated.length === 0) return { versioning: {}, gaps: [] };
  return {
    versioning: { deprecated: Object.fromEntries(deprecated) },
    gaps: [
      ...["scheme", "sent", "absent", "policy", "versions"].map((key) => `versioning/${key}`),
      ...deprecated.flatMap(([name, deprecation]) =>
        (["since", "sunset"] as const)
          .filter((key) => deprecation[key] === undefined)
          .map((key) => `versioning/deprecated/${name}/${key}`),
      ),
    ],
  };
}

/** Returns the type of a deprecated parameter or header: its schema, with the keywords that OpenAPI has beside the schema. */
export function deprecatedType(schema: Json, value: JsonObject): FieldType {
  const keywords = Object.values(deprecationKeywords).flatMap((keyword): [string, Json][] => {
    const written = value[keyword];
    return written === undefined ? [] : [[keyword, written]];
  });
  const base = isObject(schema) ? schema : {};
  return { kind: "schema", schema: { ...base, deprecated: true, ...Object.fromEntries(keywords) } };
}

/** Whether a member of a parameter or header is about its deprecation. */
export function isDeprecationKeyword(key: string): boolean {
  return Object.values(deprecationKeywords).some((keyword) => keyword === key);
}

/** Returns a date as a document writes it, also of a moment at midnight in UTC; undefined for anything else. */
function dateIn(value: Json): string | undefined {
  const date = /^(\d{4}-\d{2}-\d{2})(?:T00:00:00(?:\.0+)?(?:Z|[+-]00:00))?$/.exec(textOf(value))?.[1];
  const time = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) || dateOf(time) !== date ? undefined : date;
}

function addressIn(value: Json): string | undefined {
  const text = textOf(value);
  // The line form of a deprecation ends the address at a comma.
  return guideAddress.test(text) && !text.includes(",") ? text : undefined;
}
