/** Draws resources and the references between them as `erDiagram`. */
import type { Model } from "../../language/model.ts";
import type { Field, FieldType } from "../../language/resources/model.ts";
import { idOf } from "./text.ts";

export function relations({ resources: { resources } }: Pick<Model, "resources">): string | undefined {
  const names = Object.keys(resources);
  if (names.length === 0) return undefined;
  const entity = (name: string): string => `${idOf("r", name)}["${name}"]`;
  const lines = Object.entries(resources).flatMap(([name, { fields }]) => [
    `${entity(name)} {`,
    ...Object.entries(fields).map(([field, declared]) => `  ${attribute(names, field, declared)}`),
    "}",
  ]);
  const links = Object.entries(resources).flatMap(([name, { fields }]) =>
    Object.entries(fields).flatMap(([field, declared]) => {
      const found = referenceOf(names, declared.type);
      if (found === undefined) return [];
      const unique = declared.marks.includes("unique");
      const many = found.many ? "o{" : declared.optional || found.nullable ? "o|" : "||";
      return [`${idOf("r", name)} ${unique ? "|o" : "}o"}--${many} ${idOf("r", found.resource)} : "${field}"`];
    }),
  );
  return `erDiagram\n${[...lines, ...links].map((line) => `  ${line}\n`).join("")}`;
}

/**
 * Returns the line of a field: `string name UK`, `id id PK`. Mermaid accepts any type name, so the type is that of the
 * document, without bounds.
 */
function attribute(names: readonly string[], name: string, { type, marks, optional }: Field): string {
  const keys = [
    ...(name === "id" ? ["PK"] : []),
    ...(referenceOf(names, type) === undefined ? [] : ["FK"]),
    ...(marks.includes("unique") ? ["UK"] : []),
  ];
  // The prefix distinguishes the name from Mermaid's keywords.
  const attributeName = /^[A-Za-z_][\w-]*$/.test(name) ? name : idOf("f", name);
  return [wordOf(type), attributeName, keys.join(", "), optional ? '"optional"' : ""]
    .filter((one) => one !== "")
    .join(" ");
}

function wordOf(type: FieldType): string {
  switch (type.kind) {
    case "scalar":
    case "named":
      return type.name;
    case "id":
      return "id";
    case "one-of":
      return type.open ? "string" : "choice";
    case "list":
      return `${wordOf(type.of)}[]`;
    case "map":
      return `map(${wordOf(type.of)})`;
    case "nullable":
      return wordOf(type.of);
    case "schema":
      return "json";
    default:
      return "value";
  }
}

interface Reference {
  readonly resource: string;
  readonly many: boolean;
  readonly nullable: boolean;
}

function referenceOf(names: readonly string[], type: FieldType): Reference | undefined {
  switch (type.kind) {
    case "named":
      return names.includes(type.name) ? { resource: type.name, many: false, nullable: false } : undefined;
    case "nullable": {
      const found = referenceOf(names, type.of);
      return found === undefined ? undefined : { ...found, nullable: true };
    }
    case "list":
    case "map": {
      const found = referenceOf(names, type.of);
      return found === undefined ? undefined : { ...found, many: true };
    }
    default:
      return undefined;
  }
}
