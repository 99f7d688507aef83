/**
 * Reads and prints `mcp` of part 4: where agents call operations as tools of the Model Context Protocol.
 *
 *     mcp    /path | none    map: { at, for }
 *       at   a path without parameters
 *       for  grants without conditions (../authentication/grants.ts): the callers who may use the address
 */
import { grants, nameOf } from "../authentication/grants.ts";
import type { Grant } from "../authentication/model.ts";
import { form } from "../grammar/form.ts";
import type { Grammar } from "../grammar/grammar.ts";
import { either, lineSchema } from "../grammar/schema.ts";
import { isNone, report } from "../grammar/reader.ts";
import { matching } from "../grammar/words.ts";
import type { Mcp } from "./model.ts";

const at = matching(
  /^(?:\/[A-Za-z0-9._~-]+)+$/,
  [
    "bad-mcp",
    (found) => `\`${found}\` is not the path of one address`,
    { help: "write `mcp: /mcp`: segments of letters, digits, `-`, `.`, `_` and `~`, without parameters" },
  ],
  { label: "The address for agents", schema: lineSchema("(/[A-Za-z0-9._~-]+)+|none", "`/mcp`") },
);

/** Grants about the caller alone, since the address is about no record. */
const callers: Grammar<readonly Grant[]> = {
  ...grants,
  read: (reader, path, statement) => {
    const read = grants.read(reader, path, statement);
    const conditional = read?.find(({ if: condition }) => condition !== undefined);
    if (conditional === undefined) return read?.length === 0 ? undefined : read;
    report(reader, "endpoints/bad-mcp", statement.value.span, "`for` cannot have a condition", {
      why: "The address is about no record; each operation checks its own permission in any case.",
      help: `write \`${nameOf(conditional)}\` alone`,
    });
    return undefined;
  },
};

const map = form<Mcp>({
  what: "`mcp`",
  example: "{ at: /mcp, for: signed-in }",
  members: { at: { ...at, needed: true }, for: callers },
  missing: (reader, _, __, { key, span }) =>
    report(reader, "endpoints/bad-mcp", key?.span ?? span, "`mcp` needs `at`", { help: "write `at: /mcp`" }),
});

export const mcp: Grammar<Mcp | "none"> = {
  schema: either(at.schema, map.schema),
  mapNames: (value, scope) => (value === "none" ? value : map.mapNames?.(value, scope)),
  read: (reader, path, statement) => {
    if (isNone(statement.value)) return "none";
    if (statement.value.kind === "map") return map.read(reader, path, statement);
    const found = at.read(reader, path, statement);
    return found === undefined ? undefined : { at: found };
  },
  print: (value, below) => {
    if (value === "none") return value;
    return value.for === undefined ? value.at : map.print(value, below);
  },
};
