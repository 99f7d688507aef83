/** Reports fields that reveal a secret or a copy of a hidden field. */
import type { Check } from "../../analysis/finding.ts";
import { fieldsReadIn, isHidden } from "../../authentication/hidden.ts";
import { bareType } from "../fields.ts";

const secretName =
  /(?:^|_|(?<=[a-z]))(?:password|passwd|secret|apikey|api_key|accesstoken|access_token|privatekey|private_key|Password|Secret|ApiKey|AccessToken|PrivateKey)s?$/;

/** Reports a field with the name of a secret that every caller who sees the record can read. */
const secretInTheOpen: Check = {
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

/** Reports a computed field that reveals a hidden field to callers who may not see it. */
const hiddenFieldLeaves: Check = {
  code: "resources/hidden-field-leaves",
  severity: "warning",
  why: "Everybody would see the computed value of a hidden field.",
  *run(documentIndex) {
    const { model, typed } = documentIndex;
    const { show } = model.authentication;
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const name of Object.keys(fields)) {
        const at = `resources/${resource}/${name}`;
        const expression = typed.get(`${at}/computed`);
        if (expression === undefined || Object.hasOwn(show, `${resource}.${name}`)) continue;
        const hidden = fieldsReadIn(expression, resource).find((field) => isHidden(documentIndex, field));
        if (hidden === undefined) continue;
        yield {
          at: `${at}#key`,
          message: `\`${name}\` is computed from \`${hidden}\`, which not everybody sees`,
          help: `write in \`show\` of part 5 who sees \`${resource}.${name}\``,
        };
      }
    }
  },
};

export const checks: readonly Check[] = [secretInTheOpen, hiddenFieldLeaves];
