/**
 * Finds likely resources: the path of a collection, the same path with one more parameter for a record, and the schema of the
 * record's response. The import only reports them, because the service may store its data differently.
 */
import { isObject } from "../base/json.ts";
import type { Endpoint } from "../language/endpoints/model.ts";
import type { FieldType } from "../language/resources/model.ts";
import type { ImportedOperation } from "./operations.ts";

export interface Similarity {
  /** The name of the record's schema, if the response has one. */
  readonly schema?: string;
  /** The path of one record. */
  readonly path: string;
  readonly operations: readonly string[];
  /** The pointer of the first operation on a record. */
  readonly pointer: string;
}

export function likenesses(operations: readonly ImportedOperation[]): readonly Similarity[] {
  const byPath = new Map<string, { readonly operation: ImportedOperation; readonly endpoint: Endpoint }[]>();
  for (const operation of operations) {
    const { endpoint } = operation;
    if (endpoint === undefined) continue;
    const there = byPath.get(endpoint.path) ?? [];
    there.push({ operation, endpoint });
    byPath.set(endpoint.path, there);
  }
  return [...byPath].flatMap(([path, ones]): readonly Similarity[] => {
    const collection = /^(.*[^/}])\/\{[^{}]+\}$/.exec(path)?.[1];
    const many = collection === undefined ? undefined : byPath.get(collection);
    const [first] = ones;
    const read = ones.find(({ endpoint }) => endpoint.method === "GET");
    if (many === undefined || first === undefined || read === undefined) return [];
    const listed = many.filter(({ endpoint }) => endpoint.method === "GET" || endpoint.method === "POST");
    if (listed.length === 0) return [];
    const schema = schemaOf(read.endpoint);
    const names = [...listed, ...ones].map(({ operation }) => operation.name);
    return [{ path, operations: names, pointer: first.operation.pointer, ...(schema === undefined ? {} : { schema }) }];
  });
}

/** Returns the name of the schema of the successful response. */
function schemaOf({ wire }: Endpoint): string | undefined {
  const type = wire?.answers?.["200"]?.type;
  return type === undefined ? undefined : nameOf(type);
}

function nameOf(type: FieldType): string | undefined {
  if (type.kind === "named") return type.name;
  const reference = type.kind === "schema" && isObject(type.schema) ? type.schema["$ref"] : undefined;
  return typeof reference === "string" ? reference.slice(reference.lastIndexOf("/") + 1) : undefined;
}
