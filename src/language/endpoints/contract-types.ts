/** Finds the HTTP contracts of operations (`wire`), and the types in them. */
import type { FieldType } from "../resources/model.ts";
import { type ContractResponse, type EndpointContract, type Endpoints, parameterLocations } from "./model.ts";

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
    ...contentTypes(body, `${at}/body`),
    ...Object.entries(answers).flatMap(([status, { headers, ...content }]): readonly ContractType[] => [
      ...contentTypes(content, `${at}/answers/${status}`),
      ...parameterTypes(headers, `${at}/answers/${status}/headers`),
    ]),
  ];
}

function contentTypes({ type, others = {} }: ContractResponse = {}, at: string): readonly ContractType[] {
  const more = Object.entries(others).map(([media, one]) => ({ type: one, at: `${at}/others/${media}` }));
  return [...(type === undefined ? [] : [{ type, at }]), ...more];
}

function parameterTypes(parameters: EndpointContract["query"] = {}, at: string): readonly ContractType[] {
  return Object.entries(parameters).map(([name, { type }]) => ({ type, at: `${at}/${name}` }));
}
