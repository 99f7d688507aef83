/** Documents operations for API callers: description, request, responses and errors of each, from the OpenAPI description. */
import type { Json } from "../../base/json.ts";
import type { DescribedOperation } from "../described.ts";
import { exampleOf } from "../example.ts";
import { type Block, code, details, joined, link, named, table, type Words } from "./content.ts";
import { membersTable, typeWords } from "./members.ts";
import type { Source } from "./source.ts";

export function operationsOf({ described }: Source, resource: string): readonly DescribedOperation[] {
  return described.operations.filter(({ operation }) => operation.resource === resource);
}

export function operationBlock(source: Source, described: DescribedOperation): Block {
  const { name, method, path, summary, description, body } = described;
  const { members } = source;
  const parameters = described.parameters.map((parameter) => [
    code(parameter.name),
    parameter.in,
    typeWords(members, parameter.schema),
    [
      `${parameter.required === true ? "Required." : ""}${parameter.deprecated === true ? " Deprecated." : ""}`,
      parameter.description ?? "",
    ]
      .join(" ")
      .trim(),
  ]);
  return {
    kind: "operation",
    name,
    method,
    path,
    sentence: summary,
    blocks: [
      ...(description ?? "")
        .split("\n\n")
        .filter((words) => words !== "")
        .map((words): Block => ({ kind: "paragraph", words })),
      example(source, described),
      details("Parameters", [named(table(`Parameters of ${name}`, ["Name", "In", "Type", "Meaning"], parameters))]),
      details("Body", [membersTable(`Body of ${name}`, members, body?.schema)]),
      ...successes(source, described),
      possibleErrors(source, described),
    ],
  };
}

function successes({ members }: Source, { name, successes: all }: DescribedOperation): readonly (Block | undefined)[] {
  return all.flatMap(({ status, description, schema }) => {
    const type = schema === undefined ? undefined : typeWords(members, schema);
    const rows = hasLink(type) ? undefined : membersTable(`Response ${status} of ${name}`, members, schema);
    const label: Words = [{ kind: "strong", text: String(status) }, " "];
    return [
      {
        kind: "paragraph",
        words:
          type === undefined || rows !== undefined
            ? [label, description]
            : [label, description.replace(/\.$/, ""), ": ", type],
      },
      details(`Response ${status}`, [rows]),
    ];
  });
}

/** Whether the type contains a link to a heading. */
function hasLink(words: Words): boolean {
  if (Array.isArray(words)) return words.some(hasLink);
  return typeof words === "object" && "kind" in words && words.kind === "link";
}

/** Returns an example request, if an example body can be generated. */
function example({ described: { schemas } }: Source, operation: DescribedOperation): Block | undefined {
  const { method, path, body, parameters } = operation;
  // Only JSON bodies have an example; forms and bytes are not text.
  if (body?.mediaTypes.every((type) => type.endsWith("json")) !== true) return undefined;
  const content = exampleOf(schemas, body.schema);
  if (content === undefined || Object.keys(content as object).length === 0) return undefined;
  const target = path.replaceAll(/\{(.+?)\}/g, (placeholder, name: string) => {
    const schema = parameters.find((one) => one.in === "path" && one.name === name)?.schema;
    const value: Json | undefined = schema === undefined ? undefined : exampleOf(schemas, schema);
    return value === undefined ? placeholder : encodeURIComponent(String(value as string | number));
  });
  const text = `${method} ${target}\nContent-Type: ${body.mediaTypes[0] ?? ""}\n\n${JSON.stringify(content, null, 2)}`;
  return { kind: "code", title: "Example", language: "http", text };
}

/**
 * Returns the errors that are specific to the operation, without those of every request and those of functions around the
 * operation.
 */
function possibleErrors({ plan }: Source, { operation, possibleErrors: all }: DescribedOperation): Block | undefined {
  const specific = all.filter(
    ({ code: name, hooked, status }) => !hooked && plan.errors[name]?.source !== "protocol" && status < 500,
  );
  const errors: Words[] = specific.map(({ code: name, status }) => [`${status} `, link("error", name)]);
  if (operation.hooked !== undefined)
    errors.push(["any other of ", { kind: "address", url: "#errors", text: "this service's errors" }]);
  if (errors.length === 0) return undefined;
  return details("Errors", [
    { kind: "paragraph", words: ["Can fail with ", joined(errors, ", ", (words) => words), "."] },
  ]);
}
