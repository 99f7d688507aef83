/** Groups imported operations by their paths: a collection, its records, and parts of the collection. */
import type { Endpoint, EndpointContract } from "../../language/endpoints/model.ts";
import type { ImportedOperation } from "../operations.ts";

export interface ContractOperation {
  readonly name: string;
  readonly pointer: string;
  readonly endpoint: Endpoint;
  readonly wire: EndpointContract;
}

export interface Group {
  /** The path of the collection. */
  readonly collection: string;
  /** The path of the record that a collection belongs to: `/owners/{owner}` of `/owners/{owner}/pets`. */
  readonly parent?: string;
  /** The parameter that names one record; undefined if no path does. */
  readonly parameter?: string;
  /** The operations on the collection and on one record, by method. */
  readonly ofAll: Readonly<Partial<Record<Endpoint["method"], ContractOperation>>>;
  readonly ofOne: Readonly<Partial<Record<Endpoint["method"], ContractOperation>>>;
  /** Reads at a path below the collection: `/pets/findByStatus`. */
  readonly parts: readonly ContractOperation[];
}

export function contractOperations(operations: readonly ImportedOperation[]): readonly ContractOperation[] {
  return operations.flatMap(({ endpoint, name, pointer }) =>
    endpoint?.wire === undefined ? [] : [{ name, pointer, endpoint, wire: endpoint.wire }],
  );
}

/** Returns the groups of operations that could be about one resource, those below another one after it. */
export function groupsOf(operations: readonly ContractOperation[]): readonly Group[] {
  const byPath = Map.groupBy(operations, ({ endpoint }) => plainPath(endpoint.path));
  const byParent = Map.groupBy(byPath.keys(), (path) => path.slice(0, path.lastIndexOf("/")));
  // A collection may have no operation of its own: a `PUT` creates its records.
  const collections = [...byPath.keys()].flatMap((path) => [path, path.replace(/\/\{[^/{}]+\}$/, "")]);
  const groups = [...new Set(collections)].flatMap((path): readonly Group[] => {
    const below = byParent.get(path) ?? [];
    const [record, ...more] = below.filter((one) => one.endsWith("}") && one.startsWith(`${path}/{`));
    // Of two groups at one path only one could be a resource.
    if (path === "" || path.endsWith("}") || more.length > 0) return [];
    const parent = path.slice(0, path.lastIndexOf("}") + 1);
    const parts = below.filter((one) => one !== record).flatMap((one) => byPath.get(one) ?? []);
    return [
      {
        collection: path,
        ...(parent === "" ? {} : { parent }),
        ...(record === undefined ? {} : { parameter: record.slice(path.length + 2, -1) }),
        ofAll: byMethod(byPath.get(path) ?? []),
        ofOne: byMethod(byPath.get(record ?? "") ?? []),
        parts: parts.filter(({ endpoint }) => endpoint.method === "GET"),
      },
    ];
  });
  return groups.toSorted((one, other) => depthOf(one) - depthOf(other));
}

function depthOf({ collection }: Group): number {
  return collection.split("{").length;
}

function byMethod(operations: readonly ContractOperation[]): Group["ofAll"] {
  // Of two operations that differ only in the end of the path, such as a slash, the first one belongs to the group.
  return Object.fromEntries(operations.toReversed().map((one) => [one.endpoint.method, one]));
}

/** Returns a path without a slash or the name of a format at its end: `/pets/{id}.json` is a record of `/pets.json`. */
function plainPath(path: string): string {
  return path.replace(/\/$|\.json$/, "");
}
