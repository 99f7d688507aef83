/** Reads templates of responses: the members of a response, and the object around the pages of lists. */
import { type Grammar } from "../grammar/grammar.ts";
import { either, shared } from "../grammar/schema.ts";
import { openEntries, report } from "../grammar/reader.ts";
import { mapEntries, mapName, type MapNames } from "../grammar/references.ts";
import { readLines, readText } from "../grammar/values.ts";
import type { ResponseTemplate } from "./model.ts";

/** Reads a response, or a member of a response. */
export const response: Grammar<ResponseTemplate> = {
  schema: either(shared("given"), shared("fields")),
  read: (reader, path, { key, value }) => {
    const what = path.at(-1) === "gives" ? "`gives`" : `The member \`${path.at(-1)}\``;
    if (value.kind !== "map") return key && readText(reader, path, { key, value }, what)?.text;
    return readLines(openEntries(reader, path, value), (line) =>
      response.read(reader, [...path, line.key.value], line),
    );
  },
  print: (value) => value,
};

/** Maps the names in a response text: the name of a resource or view, with or without `[]`, or an expression. */
export const mapTemplate: MapNames<ResponseTemplate> = (value, scope) => {
  if (typeof value !== "string") return mapEntries(value, scope, undefined, mapTemplate);
  const [, name, many = ""] = /^([A-Z]\w*)(\[\])?$/.exec(value) ?? [];
  if (name === undefined) return scope.walk.expression(value, scope);
  const mapped = mapName(name, scope, { references: ["resource", "view"] });
  return mapped === undefined ? undefined : mapped + many;
};

/** Reads the object around each page of the lists in a style: `{ object: "'list'", data: items }`. */
export const pageTemplate: Grammar<ResponseTemplate> = {
  ...response,
  schema: shared("given"),
  mapNames: mapTemplate,
  read: (reader, path, statement) => {
    const template = response.read(reader, path, statement);
    if (template === undefined || hasWord(template, "items")) return template;
    report(reader, "endpoints/bad-lists", statement.value.span, "No member of this page contains its records", {
      help: "write `items` as the value of a member: `gives: { object: \"'list'\", data: items }`",
    });
    return undefined;
  },
};

/** Whether a member of a template is the word. */
function hasWord(template: ResponseTemplate, word: string): boolean {
  return typeof template === "string" ? template === word : Object.values(template).some((one) => hasWord(one, word));
}
