/** Generates methods that wait for a state, for each resource with states and an operation that reads one record. */
import { capital } from "../../base/case.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { componentOf } from "../described.ts";
import { reachable } from "../transitions.ts";
import type { Exported } from "./client.ts";
import { type Method, resolved } from "./methods.ts";
import { comment, typeText } from "./types.ts";

export interface Wait {
  readonly name: string;
  readonly signature: string;
  readonly row: JsonObject;
}

export function waitsOf(exported: Exported, methods: readonly Method[]): readonly Wait[] {
  const usedNames = new Set(methods.map(({ name }) => name));
  return exported.plan.tables.flatMap(({ resource, lifecycle }) => {
    if (lifecycle === undefined) return [];
    const found = readOf(exported, methods, resource, lifecycle.states);
    if (found === undefined) return [];
    let name = `waitFor${capital(resource)}`;
    while (usedNames.has(name)) name = `${name}_`;
    usedNames.add(name);
    return [waitOf(exported, methods, { ...found, resource, name })];
  });
}

interface Read {
  readonly method: Method;
  /** The path of the state in the response. */
  readonly state: readonly string[];
  /** The schema of the state. */
  readonly schema: Json;
}

/** Returns the operation that reads one record and always returns its state. */
function readOf(
  { described }: Exported,
  methods: readonly Method[],
  resource: string,
  states: readonly string[],
): Read | undefined {
  for (const method of methods) {
    const { operation, successes } = method.operation;
    const schema = successes[0]?.schema;
    if (operation.action !== "read" || operation.resource !== resource || schema === undefined) continue;
    const state = pathOfState(described.schemas, resolved(described.schemas, schema), states);
    if (state !== undefined) return { method, ...state };
  }
  return undefined;
}

/**
 * Returns the path to the state, in the response or in its only member; a member `state` with other values is not the state.
 */
function pathOfState(
  schemas: Exported["described"]["schemas"],
  schema: JsonObject,
  states: readonly string[],
): Pick<Read, "state" | "schema"> | undefined {
  const stateOf = (of: JsonObject): Json | undefined => {
    const required = (of["required"] ?? []) as readonly string[];
    const member = required.includes("state") ? ((of["properties"] ?? {}) as JsonObject)["state"] : undefined;
    const values = member === undefined ? [] : ((resolved(schemas, member)["enum"] ?? []) as readonly Json[]);
    return values.length > 0 && values.every((value) => states.includes(value as string)) ? member : undefined;
  };
  const currentState = stateOf(schema);
  if (currentState !== undefined) return { state: ["state"], schema: currentState };
  const [only, ...others] = Object.entries((schema["properties"] ?? {}) as JsonObject);
  if (only === undefined || others.length > 0) return undefined;
  const inner = stateOf(resolved(schemas, only[1]));
  return inner === undefined ? undefined : { state: [only[0], "state"], schema: inner };
}

function waitOf(
  { plan, named }: Exported,
  methods: readonly Method[],
  { method, state, schema, resource, name }: Read & { readonly resource: string; readonly name: string },
): Wait {
  const { stream } = plan.events;
  const isStreamed = Object.values(plan.events.out).some(
    (event) => event.resource === resource && event.stream.length > 0,
  );
  const follow =
    stream === undefined || !isStreamed
      ? undefined
      : methods.find(({ operation, row }) => operation.name === stream.follow.name && row["stream"] !== undefined);
  const states = typeText(schema, { named: (reference) => named(componentOf(reference) ?? "") });
  const reached = state.reduceRight((inner, member) => `{ readonly ${member}: ${inner} }`, "State");
  const words = `Waits until the ${resource} is in a state, or in one of several, and returns it.${
    follow === undefined ? "" : " If the caller may follow events, they end the wait early."
  }\n\n@throws WaitError if it cannot reach the state, or not in time.`;
  const parameters = [...method.keys, "state: State | readonly State[]", `options?: WaitOptions`].join(", ");
  return {
    name,
    signature: `${comment(words, "  ")}  ${name}<const State extends ${states}>(${parameters}): Promise<${method.resultType} & ${reached}>;\n`,
    row: {
      operation: method.name,
      state,
      reaches: reachable(plan, resource),
      ...(follow === undefined ? {} : { follow: follow.name }),
    },
  };
}
