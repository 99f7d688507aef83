/** Reads and prints a method and a path: `POST /webhooks`, or `{ method: POST, path: /webhooks }`. */
import type { JsonObject } from "../../base/json.ts";
import { form, type Spread } from "../grammar/form.ts";
import { complain, type Grammar, type Label, labelOf } from "../grammar/grammar.ts";
import { closed, either, lineSchema, oneOf, shared } from "../grammar/schema.ts";
import { words } from "../grammar/words.ts";
import { expectMap, report } from "../grammar/reader.ts";
import { type Method, methods } from "./model.ts";

export interface Address {
  readonly method: Method;
  readonly path: string;
}

const choices = methods.map((name) => `\`${name}\``).join(", ");

const method = words(
  (reader, path, found) =>
    methods.find((name) => name === found.text) ??
    complain(reader, path, found, [
      "bad-method",
      (name) => `\`${name}\` is not a method`,
      {
        help: (name) => `write ${upper(name) === undefined ? `one of ${choices}` : `\`${upper(name)}\``}`,
        write: (name) => upper(name) ?? "",
      },
    ]),
  oneOf(...methods),
  { label: "The method" },
);

function upper(name: string): Method | undefined {
  return methods.find((known) => known === name.toUpperCase());
}

const route = words(
  (reader, path, found) => {
    const problem = pathProblem(found.text);
    if (problem === undefined) return found.text;
    return complain(reader, path, found, ["bad-path", (text) => `\`${text}\` ${problem.what}`, { help: problem.help }]);
  },
  { type: "string" },
  { label: "The path" },
);

/** The schema of every address, for editors. */
export const addressSchema: JsonObject = either(
  lineSchema(`(${methods.join("|")})\\s+/\\S*`, "A method and a path: `POST /parcels/{id}/collect`."),
  closed({ method: method.schema, path: route.schema }),
);

/** `what` is the address's name in findings. */
export function address(what: Label): Grammar<Address> & Pick<Spread<Address>, "gives"> {
  const help = "write it as `POST /path`";
  const grammar = form<Address>({
    what,
    example: "POST /path",
    line: "{method} {path}",
    members: { method: { ...method, needed: true }, path: { ...route, needed: true } },
    wrong: (reader, path, line) =>
      complain(reader, path, line, [
        "bad-address",
        (text) => `${labelOf(what, path)} is a method and a path${text === "" ? "" : `, not \`${text}\``}`,
        { help },
      ]),
    missing: (reader, path, _, { span }) =>
      report(reader, `${path[0]}/bad-address`, span, `${labelOf(what, path)} is a method and a path`, { help }),
  });
  return {
    ...grammar,
    gives: ["method", "path"],
    schema: shared("address"),
    read: (reader, path, { value }) => {
      if (value.kind === "list") expectMap(reader, path, value, labelOf(what, path), "POST /path");
      return value.kind === "list" ? undefined : grammar.read(reader, path, { value });
    },
  };
}

/** Returns the problem of a path that no request can match; undefined if the path has none. */
export function pathProblem(path: string): { readonly what: string; readonly help: string } | undefined {
  if (!/^\/[^\s?#]*$/.test(path))
    return { what: "is not a path", help: "a path starts with `/` and has no query: `/parcels/{id}`" };
  if (path.includes("//")) return { what: "has an empty segment", help: "write one slash between two segments" };
  const segments = path.split("/");
  if (segments.some((segment) => /^\.{1,2}$/.test(segment)))
    return { what: "has a segment of dots, which clients remove from the URL", help: "give it a name" };
  if (path.includes("%"))
    return { what: "has a percent-encoded character", help: "write the character itself: clients encode it" };
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? "");
  const isOdd = names.some((name) => !/^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?$/.test(name));
  if (isOdd || /[{}]/.test(path.replaceAll(/\{[^{}]*\}/g, "")))
    return {
      what: "has braces without the name of a parameter",
      help: "a parameter is one name in braces: `/parcels/{id}`",
    };
  const distinct = new Set<string>();
  const twice = names.find((name) => distinct.size === distinct.add(name).size);
  if (twice !== undefined) return { what: `has \`{${twice}}\` twice`, help: "give each parameter a different name" };
  if (segments.some((segment) => segment.split("{").length > 2))
    return {
      what: "has two parameters in one segment",
      help: "put a slash between them: a segment has one parameter, and may have fixed text around it, as in `/parcels/{id}.json`",
    };
  return undefined;
}
