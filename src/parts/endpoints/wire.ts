/** What several phases ask about the wire of a handler. */
import type { FieldType } from "../resources/model.ts";
import { parameterPlaces, type Wire } from "./model.ts";

export interface WireType {
  readonly type: FieldType;
  /** A path as in `Places`. */
  readonly at: string;
}

/** Every type that a wire names, with its place below `at`. */
export function wireTypes(wire: Wire | undefined, at: string): readonly WireType[] {
  if (wire === undefined) return [];
  const { body, answers = {} } = wire;
  return [
    ...parameterPlaces.flatMap((place) => parameterTypes(wire[place], `${at}/${place}`)),
    ...(body?.type === undefined ? [] : [{ type: body.type, at: `${at}/body` }]),
    ...Object.entries(answers).flatMap(([status, { type, headers }]): readonly WireType[] => [
      ...(type === undefined ? [] : [{ type, at: `${at}/answers/${status}` }]),
      ...parameterTypes(headers, `${at}/answers/${status}/headers`),
    ]),
  ];
}

function parameterTypes(parameters: Wire["query"] = {}, at: string): readonly WireType[] {
  return Object.entries(parameters).map(([name, { type }]) => ({ type, at: `${at}/${name}` }));
}
