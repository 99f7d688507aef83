/** Finds the statements of an imported document in its source, so that a comparison of two descriptions names their lines. */
import { pascalCase } from "../base/case.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import type { Position, Span } from "../base/span.ts";
import type { Model, SourceLocations } from "../language/model.ts";
import { below } from "./report.ts";
import { type ImportSource, readSource } from "./source.ts";

/** Whether a text is a description of an API that can be imported: one that names its format at the top. */
export function isDescription(text: string): boolean {
  const key = /(?:openapi|swagger|asyncapi)["']?\s*:/.source;
  return new RegExp(/^\s*\{/.test(text) ? `^\\s*\\{[^]*?["']${key}` : `^["']?${key}`, "m").test(text);
}

/** Returns the positions of operations and named schemas in the source, by their paths in the imported model. */
export function locationsIn(name: string, text: string, model: Model): SourceLocations {
  const source = readSource(name, text);
  if (!("root" in source) || !isObject(source.root)) return new Map();
  return spansOf(source, new Map([...operationPointers(source.root, model), ...schemaPointers(source.root, model)]));
}

function spansOf(source: ImportSource, pointers: ReadonlyMap<string, string>): SourceLocations {
  const positions = source.positionsOf(new Set(pointers.values()));
  return new Map(
    [...pointers].flatMap(([path, pointer]): [string, Span][] => {
      const position: Position | undefined = positions.get(pointer);
      return position === undefined ? [] : [[path, { start: position, end: position }]];
    }),
  );
}

type Pointer = readonly [path: string, pointer: string];

/** An operation is found by its method and the shape of its path, since the import may have changed names. */
function operationPointers(root: JsonObject, model: Model): readonly Pointer[] {
  const routes = new Map(
    members(root["paths"]).flatMap(([path, item]) =>
      members(item).map(([method]) => [shapeOf(method, path), below("", "paths", path, method)] as const),
    ),
  );
  return Object.entries(model.endpoints.endpoints).flatMap(([name, { method, path }]): Pointer[] => {
    const pointer = routes.get(shapeOf(method, path));
    const paths = ["endpoints/endpoints", "purpose/operations", "versioning/deprecated", "authentication/allow"];
    return pointer === undefined ? [] : paths.map((at) => [`${at}/${name}`, pointer]);
  });
}

function shapeOf(method: string, path: string): string {
  return `${method.toLowerCase()} ${path.replaceAll(/\{[^{}]*\}/g, "{}")}`;
}

function schemaPointers(root: JsonObject, model: Model): readonly Pointer[] {
  // The import may have turned `pull-request` into `PullRequest`.
  const named = new Set(Object.keys(model.resources.schemas ?? {}));
  const { components, definitions } = root;
  const all = [
    ...members(isObject(components) ? components["schemas"] : undefined).map(
      ([name]) => [name, below("", "components", "schemas", name)] as const,
    ),
    ...members(definitions).map(([name]) => [name, below("", "definitions", name)] as const),
  ];
  return all.flatMap(([written, at]): Pointer[] => {
    const name = [written, pascalCase(written)].find((one) => named.has(one));
    return name === undefined ? [] : [[`resources/schemas/${name}`, at]];
  });
}

function members(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isObject(value) ? Object.entries(value) : [];
}
