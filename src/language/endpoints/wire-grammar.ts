/**
 * Reads and prints `wire`, the complete HTTP contract of an operation. It describes what a handler does, and what the callers
 * of any other operation know:
 *
 *     wire     { path, query, header, cookie, body, answers, openapi }
 *       path, query, header, cookie
 *                name[?]: type     map: { type, sent, note, example, openapi } or { schema, … }; `none`: no parameters
 *                a name is exactly what callers send: `page[size]`, `X-Trace`
 *       body[?]  type              map: { type, media, others, note, openapi } or { schema, … }; `none`: any content
 *                `body?` may be omitted; without `media` it is JSON
 *                others    media type: type, for each media type whose content has another type
 *       answers  status: type      map: { type, media, others, headers, note, openapi } or { schema, … }; `none`: no body
 *                a status is three digits, a class such as `4XX`, or `default`
 *       openapi  in each of them: members of the exported description (../grammar/openapi-members.ts)
 */
import { keyed, named, noneOr } from "../grammar/collections.ts";
import { converted, form, type Members, type Spread } from "../grammar/form.ts";
import { type Grammar, type Label, soundName } from "../grammar/grammar.ts";
import { choice, names } from "../grammar/words.ts";
import { openapiMembers } from "../grammar/openapi-members.ts";
import { type Path, type Reader, report } from "../grammar/reader.ts";
import { mapMembers, type MapNames, type Scope, withMembers } from "../grammar/references.ts";
import {
  fieldType,
  jsonSchema,
  json,
  mapType,
  note,
  typeLine,
  typeOf,
  type WrittenType,
  writtenType,
} from "../resources/field.ts";
import {
  type ContractBody,
  type ContractResponse,
  type Endpoint,
  type EndpointContract,
  type Parameter,
  sentForms,
} from "./model.ts";

const type = { ...typeLine, mapNames: mapType, orNothing: true } as const;
const line = { type: "string", minLength: 1 } as const;

interface WrittenParameter extends WrittenType, Omit<Parameter, "type" | "optional"> {}

const parameter = converted<WrittenParameter, Omit<Parameter, "optional">>(
  form<WrittenParameter>({
    what: (path) => `The parameter \`${path.at(-1)}\``,
    example: "{ type: string }",
    line: "{type}",
    lineSchema: line,
    members: {
      type,
      schema: jsonSchema,
      sent: choice(sentForms, "The form of a list or an object"),
      note,
      example: json,
      openapi: openapiMembers(["name", "in", "required", "schema", "deprecated"]),
    },
  }),
  (reader, path, written, { value }) => {
    const { type: _, schema: __, ...rest } = written;
    const found = typeOf(reader, path, written);
    if (found !== undefined) return { type: found, ...rest };
    const isDeclared = value.kind === "map" && value.entries.some(({ key }) => key.value === "type");
    if (!isDeclared)
      report(reader, "endpoints/no-type", value.span, `The parameter \`${path.at(-1)}\` has no type`, {
        help: "add `type: string(1..80)`",
      });
    return undefined;
  },
  writtenType,
);

/** Reads parameters by name; a name that ends in `?` is optional. */
const parameters = converted<
  Readonly<Record<string, Omit<Parameter, "optional">>>,
  NonNullable<EndpointContract["query"]>
>(
  named(parameter, { example: "{ limit?: integer(1..100) }" }),
  (reader, path, written) => {
    const found = new Map<string, Parameter>();
    for (const [key, one] of Object.entries(written)) {
      const optional = key.endsWith("?");
      const name = optional ? key.slice(0, -1) : key;
      const isPart = optional && path.at(-1) === "path";
      if (one.sent !== undefined && path.at(-1) !== "query") reportSent(reader, [...path, key, "sent"]);
      if (name !== "" && !found.has(name) && !isPart) {
        found.set(name, { optional, ...one });
        locateLike(reader, [...path, key], [...path, name]);
      } else reportParameter(reader, [...path, key], name, isPart);
    }
    return Object.fromEntries(found);
  },
  (parameters) =>
    Object.fromEntries(
      Object.entries(parameters).map(([name, { optional, ...one }]) => [optional ? `${name}?` : name, one]),
    ),
);

function reportSent(reader: Reader, path: Path): void {
  const span = reader.places.get(path.join("/"));
  if (span === undefined) return;
  report(reader, "endpoints/bad-parameter", span, "Only a parameter of `query` can be sent in another form", {
    help: "leave `sent` out: elsewhere, commas are between the items of a list",
  });
}

/** Records the location of a member whose key ends in `?` under its name. */
function locateLike(reader: Reader, written: Path, path: Path): void {
  const span = reader.places.get(written.join("/"));
  if (span !== undefined) reader.places.set(path.join("/"), span);
}

function reportParameter(reader: Reader, path: Path, name: string, isPart: boolean): void {
  const span = reader.places.get(`${path.join("/")}#key`);
  if (span === undefined) return;
  const what = name === "" ? "A parameter needs a name" : `\`${name}\` is defined twice`;
  report(
    reader,
    "endpoints/bad-parameter",
    span,
    isPart ? `\`${name}\` is a path parameter, which cannot be optional` : what,
    { help: isPart ? `write \`${name}\`` : "write `name: type`, each name once" },
  );
}

const isMedia = soundName(/^[^\s/;]+\/[^\s/;]+(?:;.*)?$/, [
  "bad-media",
  (found) => `\`${found}\` is not a media type`,
  { help: "write `application/json`" },
]);
const media = names("`media`", isMedia);
const others = keyed(fieldType, { example: "{ text/csv: string }", isName: isMedia });

interface WrittenContent extends WrittenType, Omit<ContractResponse, "type"> {}

/** Reads the type of a body; `none` is content without a description. */
function content<Content extends object>(what: Label, hasHeaders: boolean): Grammar<Content> {
  const written = form<WrittenContent>({
    what,
    example: "{ type: string }",
    line: "{type}",
    lineSchema: line,
    members: {
      type,
      schema: jsonSchema,
      media,
      others,
      ...(hasHeaders ? { headers: parameters } : {}),
      note,
      openapi: openapiMembers(["required", "headers"]),
    } as never,
  });
  const grammar = converted<WrittenContent, ContractResponse>(
    written,
    (reader, path, { type: one, schema, ...rest }) => {
      const found = typeOf(reader, path, { ...(one && { type: one }), ...(schema === undefined ? {} : { schema }) });
      return { ...(found && { type: found }), ...rest };
    },
    writtenType,
  );
  return noneOr<Content>(grammar as unknown as Grammar<Content>, {} as Content);
}

const body = content<Omit<ContractBody, "optional">>("The body", false);
const answer = content<ContractResponse>((path) => `The response \`${path.at(-1)}\``, true);

const mapBody: MapNames<ContractBody> = ({ optional, ...rest }, scope) => ({
  optional,
  ...(body.mapNames?.(rest, scope) ?? rest),
});

/** The member `body`, or `body?` if callers may omit the body. */
function bodyMember(optional: boolean) {
  return {
    schema: body.schema,
    read: (...[reader, path, statement]: Parameters<typeof body.read>) => {
      const read = body.read(reader, path, statement, "The body");
      locateLike(reader, path, [...path.slice(0, -1), "body"]);
      return read && { body: { optional, ...read } };
    },
    print: ({ body: one }: EndpointContract, below: Parameters<typeof body.print>[1]) => {
      if (one?.optional !== optional) return undefined;
      const { optional: _, ...rest } = one;
      return body.print(rest, below);
    },
    mapNames: (value: EndpointContract, scope: Scope): EndpointContract =>
      value.body?.optional === optional
        ? mapMembers(value, { ...scope, path: scope.path.slice(0, scope.path.lastIndexOf("/")) }, { body: mapBody })
        : value,
  };
}

/** The members of a contract, for another construct that has one. */
export const contractMembers: Members<EndpointContract, "body"> = {
  path: parameters,
  query: parameters,
  header: parameters,
  cookie: parameters,
  "...body": bodyMember(false),
  "...body?": bodyMember(true),
  answers: {
    ...named(answer, {
      example: "{ 200: Pet, 404: Error }",
      pattern: "^([1-5]([0-9][0-9]|XX)|default)$",
      isName: soundName(/^(?:[1-5](?:[0-9]{2}|XX)|default)$/, [
        "bad-status",
        (status) => `\`${status}\` is not the status of a response`,
        { help: "write three digits, a class such as `4XX`, or `default`" },
      ]),
    }),
  },
  openapi: openapiMembers([
      "operationId", "summary", "security", "parameters", "requestBody", "responses", "deprecated", "callbacks",
    ]), // biome-ignore format: a table
};

const contract: Grammar<EndpointContract> = form<EndpointContract, "body">({
  what: "`wire`",
  example: "{ query: { limit?: integer }, answers: { 200: json } }",
  members: contractMembers,
});

/** Reads `wire` as the given member of the model. */
export function wireAs(member: "wire" | "knownContract"): Spread<Endpoint> {
  return {
    schema: contract.schema,
    read: (reader, path, statement, label) => {
      const read = contract.read(reader, path, statement, label);
      return read && { [member]: read };
    },
    print: ({ [member]: value }, below) => value && contract.print(value, below),
    mapNames: (endpoint, scope) => {
      const { [member]: value } = endpoint;
      const mapped = value && contract.mapNames?.(value, scope);
      return mapped === value ? endpoint : withMembers(endpoint, [[member, mapped]]);
    },
  };
}
