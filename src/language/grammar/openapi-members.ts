/**
 * Reads `openapi`: members of an object of the exported OpenAPI description about which the document has no other statement,
 * such as `{ description: …, tags: [pets], x-order: 1 }`. Nothing else reads them.
 */
import type { JsonObject } from "../../base/json.ts";
import { toJson } from "../../document/data.ts";
import { jsonTree } from "../../document/print.ts";
import type { Grammar } from "./grammar.ts";
import { expectMap, recordLocation, report } from "./reader.ts";
import { spanOf, sourceTextOf } from "./source-text.ts";

/** `determined`: the members that follow from other statements. */
export function openapiMembers(determined: readonly string[]): Grammar<JsonObject> {
  return {
    schema: { type: "object" },
    read: (reader, path, { value }) => {
      const map = expectMap(reader, path, value, "`openapi`", "{ description: What it does. }");
      if (map === undefined) return undefined;
      for (const entry of map.entries) {
        const { key } = entry;
        recordLocation(reader, [...path, key.value], entry);
        if (determined.includes(key.value))
          report(
            reader,
            `${path[0]}/bad-openapi`,
            spanOf(sourceTextOf(key)),
            `\`${key.value}\` of the OpenAPI description follows from other statements`,
            { help: "leave it out, and change those statements" },
          );
      }
      const written = toJson(map) as JsonObject;
      return Object.fromEntries(Object.entries(written).filter(([key]) => !determined.includes(key)));
    },
    print: (members) => jsonTree(members),
  };
}
