/** A field with a secret's name that every caller who sees the record can read. */
import type { Check } from "../../analysis/finding.ts";
import { bareType } from "../fields.ts";

const secretName =
  /(?:^|_|(?<=[a-z]))(?:password|passwd|secret|apikey|api_key|accesstoken|access_token|privatekey|private_key|Password|Secret|ApiKey|AccessToken|PrivateKey)s?$/;

export const check: Check = {
  code: "resources/secret-in-the-open",
  severity: "warning",
  why: "The service would store it in plain text and return it to every caller who may read the record.",
  *run({ model }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const [name, { type, marks }] of Object.entries(fields)) {
        const bare = bareType(type);
        const text = bare.kind === "scalar" && (bare.name === "string" || bare.name === "text");
        if (!text || !secretName.test(name) || marks.includes("secret") || marks.includes("write-only")) continue;
        if (Object.hasOwn(model.authentication.show, `${resource}.${name}`)) continue;
        yield {
          at: `resources/${resource}/${name}`,
          message: `\`${name}\` looks like a secret but is not marked \`secret\``,
          help: "add `secret` (hashed, never returned), or write in `show` of part 5 who sees it",
        };
      }
    }
  },
};
