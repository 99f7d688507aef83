/** Reports a field that paths use as a key but whose type allows values that no path segment can have. */
import { RE2JS } from "@bufbuild/re2";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { bareType, fieldsOf, isServerSet, lookup } from "../fields.ts";
import { partsOf } from "../../endpoints/model.ts";
import type { FieldType } from "../model.ts";

export const check: Check = {
  code: "resources/key-outside-path",
  severity: "hint",
  why: "Clients drop these segments from a path, so the service rejects such a value (422), although the field's schema allows it.",
  *run(documentIndex) {
    for (const [resource, name] of keysOf(documentIndex)) {
      const field = lookup(fieldsOf(documentIndex.model, resource), name);
      if (field === undefined || isServerSet(field)) continue;
      const admitted = notSegments.filter((value) => admits(field.type, value));
      if (admitted.length === 0) continue;
      const listed = admitted.map((value) => (value === "" ? "the empty text" : `\`${value}\``)).join(", ");
      yield {
        at: `resources/${resource}/${name}/type`,
        message: `\`${name}\` is part of an address, but its type allows ${listed}`,
        help: "let the type require a character other than a dot, as `string(1..40) /[^.]/` does",
      };
    }
  },
};

/** Segments that clients drop (the empty one) or resolve as steps (`.` and `..`; WHATWG URL, path state). */
const notSegments = ["", ".", ".."];

/** Returns the fields by which paths identify records: of the operation's resource and of its parents. */
function keysOf({ endpoints }: DocumentIndex): readonly (readonly [resource: string, field: string])[] {
  const found = new Map<string, readonly [resource: string, field: string]>();
  for (const resolved of endpoints.values()) {
    if (resolved.kind === "unclear") continue;
    const { key, parents, resource } = resolved;
    const keys = [...parents, ...(key === undefined || resource === undefined ? [] : [{ ...key, resource }])];
    for (const one of keys)
      for (const { column } of partsOf(one)) found.set(`${one.resource}.${column}`, [one.resource, column]);
  }
  return [...found.values()];
}

function admits(type: FieldType, value: string): boolean {
  const bare = bareType(type);
  if (bare.kind === "id") return bare.of !== undefined && admits(bare.of, value);
  if (bare.kind === "one-of") return bare.open || bare.values.includes(value);
  if (bare.kind !== "scalar" || (bare.name !== "string" && bare.name !== "text")) return false;
  const { max = Number.POSITIVE_INFINITY, min = 0, pattern } = bare;
  return value.length >= min && value.length <= max && (pattern === undefined || RE2JS.compile(pattern).test(value));
}
