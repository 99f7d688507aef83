/** Finds the HTTP contracts of operations (`wire`), and the types in them. */
import type { FieldType } from "../resources/model.ts";
import { type Endpoints, parameterLocations, type EndpointContract } from "./model.ts";

/** Returns the contracts that callers know, by name of the operation. */
export function knownContracts({ endpoints }: Endpoints): ReadonlyMap<string, EndpointContract> {
  return new Map(
    Object.entries(endpoints).flatMap(([name, { knownContract }]) =>
      knownContract === undefined ? [] : [[name, knownContract] as const],
    ),
  );
}

export interface ContractType {
  readonly type: FieldType;
  /** The path of the type, as in `SourceLocations`. */
  readonly at: string;
}

/** Returns every type that a wire names, with its path below `at`. */
export function contractTypes(contract: EndpointContract | undefined, at: string): readonly ContractType[] {
  if (contract === undefined) return [];
  const { body, answers = {} } = contract;
  return [
    ...parameterLocations.flatMap((location) => parameterTypes(contract[location], `${at}/${location}`)),
    ...(body?.type === undefined ? [] : [{ type: body.type, at: `${at}/body` }]),
    ...Object.entries(answers).flatMap(([status, { type, headers }]): readonly ContractType[] => [
      ...(type === undefined ? [] : [{ type, at: `${at}/answers/${status}` }]),
      ...parameterTypes(headers, `${at}/answers/${status}/headers`),
    ]),
  ];
}

function parameterTypes(parameters: EndpointContract["query"] = {}, at: string): readonly ContractType[] {
  return Object.entries(parameters).map(([name, { type }]) => ({ type, at: `${at}/${name}` }));
}
