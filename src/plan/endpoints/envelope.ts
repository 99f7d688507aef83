/**
 * The objects that a body's members stand in on the wire, where these are not its own top: `{ "recipe": { "title": … } }`.
 * What is judged and kept is flat; a body is taken out of its envelope when it comes in, and put into it where one is made.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";

export interface Envelope {
  /** The members of the body that stand here. */
  readonly members: readonly string[];
  readonly objects: Readonly<Record<string, Envelope>>;
  /** It may be left out where none of its members is sent. */
  readonly optional?: true;
}

/** What is wrong with an envelope; `path` is where. */
export interface EnvelopeViolation {
  readonly path: readonly string[];
  readonly code: "required" | "unknown-field" | "wrong-type";
}

export interface Opened {
  readonly input: JsonObject;
  readonly violations: readonly EnvelopeViolation[];
  /** By a name of the flat body the objects around it. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
}

/** Where each member stands, and where what has no place of its own would: beside the first that has one. */
export function pathsOf(envelope: Envelope): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>();
  const walk = ({ members, objects }: Envelope, path: readonly string[]): void => {
    for (const name of members) paths.set(name, path);
    for (const [name, inner] of Object.entries(objects)) walk(inner, [...path, name]);
  };
  walk(envelope, []);
  return paths;
}

/**
 * The flat body. A member that has no place is kept under its name where others stand beside it, for it may be a field that
 * can be sent only as it is (R2.4); whoever judges the flat body says so, or that it is unknown.
 */
export function openEnvelope(envelope: Envelope, body: JsonObject): Opened {
  const localPaths = pathsOf(envelope);
  const paths = new Map(localPaths);
  const input: [string, Json][] = [];
  const violations: EnvelopeViolation[] = [];
  const walk = ({ members, objects }: Envelope, from: JsonObject, path: readonly string[]): void => {
    for (const [name, value] of Object.entries(from)) {
      const inner = Object.hasOwn(objects, name) ? objects[name] : undefined;
      if (inner !== undefined) {
        if (isObject(value)) walk(inner, value, [...path, name]);
        else violations.push({ path: [...path, name], code: "wrong-type" });
      } else if (members.includes(name)) input.push([name, value]);
      else if (members.length > 0 && !paths.has(name)) {
        paths.set(name, path);
        input.push([name, value]);
      } else violations.push({ path: [...path, name], code: "unknown-field" });
    }
    for (const [name, inner] of Object.entries(objects)) {
      if (inner.optional !== true && !Object.hasOwn(from, name))
        violations.push({ path: [...path, name], code: "required" });
    }
  };
  walk(envelope, body, []);
  return { input: Object.fromEntries(input), violations, paths };
}

/** The body as it is sent. */
export function inEnvelope(envelope: Envelope | undefined, body: JsonObject): JsonObject {
  if (envelope === undefined) return body;
  const { members, objects } = envelope;
  const here = members.flatMap((name): [string, Json][] => {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  const inner = Object.entries(objects).map(([name, one]) => [name, inEnvelope(one, body)] as const);
  return Object.fromEntries([...here, ...inner]);
}

/** JSON Schema of the body as it is sent, from that of the flat one. */
export function envelopeSchema(envelope: Envelope | undefined, flat: JsonObject): JsonObject {
  if (envelope === undefined) return flat;
  const {
    properties = {},
    required = [],
    ...rest
  } = flat as {
    readonly properties?: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
  };
  const write = ({ members, objects }: Envelope): JsonObject => {
    const inner = Object.entries(objects).map(([name, one]) => [name, write(one)] as const);
    const needed = [
      ...members.filter((name) => required.includes(name)),
      ...Object.entries(objects).flatMap(([name, one]) => (one.optional === true && !isNeeded(one) ? [] : [name])),
    ];
    const localPaths = members.flatMap((name): [string, JsonObject][] => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return schema === undefined ? [] : [[name, schema]];
    });
    return {
      ...(rest as JsonObject),
      properties: Object.fromEntries([...localPaths, ...inner]),
      ...(needed.length === 0 ? {} : { required: needed }),
    };
  };
  const isNeeded = ({ members, objects }: Envelope): boolean =>
    members.some((name) => required.includes(name)) || Object.values(objects).some(isNeeded);
  return write(envelope);
}
