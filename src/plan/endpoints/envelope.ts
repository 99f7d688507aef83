/**
 * Wraps and unwraps bodies whose members are inside other objects: `{ "recipe": { "title": … } }`. Validation and storage use
 * the flat body without these objects; a request is unwrapped, a response wrapped.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { orNull } from "../../language/resources/json-schema.ts";

export interface Envelope {
  /** The names of the body members inside this object. */
  readonly members: readonly string[];
  readonly objects: Readonly<Record<string, Envelope>>;
  /** By member, its name in the body that clients send, if it is another one. */
  readonly names?: Readonly<Record<string, string>>;
  /** The object may be omitted if the request sends none of its members. */
  readonly optional?: true;
  /** Null in place of the object means null for each of its members. */
  readonly nullable?: true;
}

/** A violation in an enclosing object; `path`: where it is. */
export interface EnvelopeViolation {
  readonly path: readonly string[];
  readonly code: "required" | "unknown-field" | "wrong-type";
}

export interface Opened {
  readonly input: JsonObject;
  readonly violations: readonly EnvelopeViolation[];
  /** By member of the flat body, its path in the body that clients send. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
}

/** Returns the path of each member in the body that clients send. */
function pathsOf(envelope: Envelope): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>();
  const walk = ({ members, objects, names }: Envelope, path: readonly string[]): void => {
    for (const name of members) paths.set(name, [...path, sentName(names, name)]);
    for (const [name, inner] of Object.entries(objects)) walk(inner, [...path, name]);
  };
  walk(envelope, []);
  return paths;
}

/** Returns the names of the body members inside an object, also in inner objects. */
function membersOf({ members, objects }: Envelope): readonly string[] {
  return [...members, ...Object.values(objects).flatMap(membersOf)];
}

/** Marks the optional objects whose members may all be null. */
export function withNullable(envelope: Envelope, isNullable: (member: string) => boolean): Envelope {
  const objects = Object.entries(envelope.objects).map(([name, one]): [string, Envelope] => {
    const inner = withNullable(one, isNullable);
    const nullable = inner.optional === true && membersOf(inner).every(isNullable);
    return [name, nullable ? { ...inner, nullable } : inner];
  });
  return { ...envelope, objects: Object.fromEntries(objects) };
}

function sentName(names: Envelope["names"], member: string): string {
  return names !== undefined && Object.hasOwn(names, member) ? (names[member] ?? member) : member;
}

/**
 * Returns the flat body. An undeclared member next to declared ones is passed on, because it may be a field that can only be
 * sent unchanged (R2.4); the validator of the flat body accepts it or reports it as unknown. `ignoresUnknown`: whether
 * undeclared members of the objects around are dropped instead of reported.
 */
export function openEnvelope(envelope: Envelope, body: JsonObject, ignoresUnknown?: true): Opened {
  const localPaths = pathsOf(envelope);
  const paths = new Map(localPaths);
  const input: [string, Json][] = [];
  const violations: EnvelopeViolation[] = [];
  const walk = ({ members, objects, names }: Envelope, from: JsonObject, path: readonly string[]): void => {
    const memberOf = (sent: string): string | undefined => members.find((one) => sentName(names, one) === sent);
    for (const [name, value] of Object.entries(from)) {
      const member = memberOf(name);
      const inner = Object.hasOwn(objects, name) ? objects[name] : undefined;
      if (inner !== undefined) {
        if (isObject(value)) walk(inner, value, [...path, name]);
        else if (value === null && inner.nullable === true)
          input.push(...membersOf(inner).map((one): [string, Json] => [one, null]));
        else violations.push({ path: [...path, name], code: "wrong-type" });
      } else if (member !== undefined) input.push([member, value]);
      else if (members.length > 0 && !paths.has(name)) {
        paths.set(name, [...path, name]);
        input.push([name, value]);
      } else if (ignoresUnknown !== true) violations.push({ path: [...path, name], code: "unknown-field" });
    }
    for (const [name, inner] of Object.entries(objects)) {
      if (inner.optional !== true && !Object.hasOwn(from, name))
        violations.push({ path: [...path, name], code: "required" });
    }
  };
  walk(envelope, body, []);
  return { input: Object.fromEntries(input), violations, paths };
}

/** Puts a flat body into its enclosing objects. */
export function inEnvelope(envelope: Envelope | undefined, body: JsonObject): JsonObject {
  if (envelope === undefined) return body;
  const { members, objects, names } = envelope;
  const here = members.flatMap((name): [string, Json][] => {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    return value === undefined ? [] : [[sentName(names, name), value]];
  });
  const inner = Object.entries(objects).map(([name, one]) => [name, inEnvelope(one, body)] as const);
  return Object.fromEntries([...here, ...inner]);
}

/** Returns the JSON Schema of the wrapped body, made from the schema of the flat body. */
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
  const write = ({ members, objects, names, nullable }: Envelope): JsonObject => {
    const inner = Object.entries(objects).map(([name, one]) => [name, write(one)] as const);
    const needed = [
      ...members.filter((name) => required.includes(name)).map((name) => sentName(names, name)),
      ...Object.entries(objects).flatMap(([name, one]) => (one.optional === true && !isNeeded(one) ? [] : [name])),
    ];
    const localPaths = members.flatMap((name): [string, JsonObject][] => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return schema === undefined ? [] : [[sentName(names, name), schema]];
    });
    const schema = {
      ...(rest as JsonObject),
      properties: Object.fromEntries([...localPaths, ...inner]),
      ...(needed.length === 0 ? {} : { required: needed }),
    };
    return nullable === true ? orNull(schema) : schema;
  };
  const isNeeded = ({ members, objects }: Envelope): boolean =>
    members.some((name) => required.includes(name)) || Object.values(objects).some(isNeeded);
  return write(envelope);
}
