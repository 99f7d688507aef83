/** Puts the imported contract of an operation beside its declaration, and keeps the types of contracts unambiguous. */
import type { ContractResponse, Endpoint, EndpointContract, Parameter } from "../language/endpoints/model.ts";
import type { FieldType } from "../language/resources/model.ts";

/** `path`: the path of the contract, whose parameters may have other names than those of the declared endpoint. */
export function withKnownContract(endpoint: Endpoint, path: string, wire: EndpointContract): Endpoint {
  const [written, declared] = [path, endpoint.path].map((one) =>
    [...one.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name),
  );
  const renamed = new Map(written?.map((name, index) => [name, declared?.[index] ?? name]));
  const parameters =
    wire.path && Object.entries(wire.path).map(([name, one]) => [renamed.get(name) ?? name, one] as const);
  return {
    ...endpoint,
    knownContract: { ...wire, ...(parameters === undefined ? {} : { path: Object.fromEntries(parameters) }) },
  };
}

/** Returns a contract in which no name of a schema means a resource. */
export function withoutClash<Contract extends EndpointContract>(
  wire: Contract,
  resources: Readonly<Record<string, unknown>>,
): Contract {
  const typed = (type: FieldType): FieldType =>
    type.kind === "named" && Object.hasOwn(resources, type.name)
      ? { kind: "schema", schema: { $ref: `#/schemas/${type.name}` } }
      : type;
  const retyped = <One extends Typed>(one: One): One => ({
    ...one,
    ...(one.type === undefined ? {} : { type: typed(one.type) }),
    ...(one.others === undefined
      ? {}
      : { others: Object.fromEntries(Object.entries(one.others).map(([media, type]) => [media, typed(type)])) }),
  });
  const all = <One extends Typed>(record: Readonly<Record<string, One>>): Record<string, One> =>
    Object.fromEntries(Object.entries(record).map(([name, one]) => [name, retyped(one)]));
  const response = (one: ContractResponse): ContractResponse => ({
    ...retyped(one),
    ...(one.headers === undefined ? {} : { headers: all<Parameter>(one.headers) }),
  });
  return {
    ...wire,
    ...Object.fromEntries(
      (["path", "query", "header", "cookie"] as const).flatMap((location) => {
        const { [location]: parameters } = wire;
        return parameters === undefined ? [] : [[location, all(parameters)]];
      }),
    ),
    ...(wire.body === undefined ? {} : { body: retyped(wire.body) }),
    ...(wire.answers === undefined
      ? {}
      : { answers: Object.fromEntries(Object.entries(wire.answers).map(([status, one]) => [status, response(one)])) }),
  };
}

interface Typed {
  readonly type?: FieldType;
  readonly others?: Readonly<Record<string, FieldType>>;
}
