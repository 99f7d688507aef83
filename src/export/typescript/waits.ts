/** Methods that wait for a state, for each resource with states that can be read by itself. */
import type { JsonObject } from "../../base/json.ts";
import { reachable } from "../moves.ts";
import type { Exported } from "./client.ts";
import { type Method, resolved } from "./methods.ts";
import { comment } from "./types.ts";

export interface Wait {
  readonly name: string;
  readonly signature: string;
  readonly row: JsonObject;
}

export function waitsOf(exported: Exported, methods: readonly Method[]): readonly Wait[] {
  const taken = new Set(methods.map(({ name }) => name));
  return exported.plan.tables.flatMap(({ resource, lifecycle }) => {
    if (lifecycle === undefined) return [];
    const found = readOf(exported, methods, resource);
    if (found === undefined) return [];
    let name = `waitFor${resource.slice(0, 1).toUpperCase()}${resource.slice(1)}`;
    while (taken.has(name)) name = `${name}_`;
    taken.add(name);
    return [waitOf(exported, methods, { ...found, resource, name })];
  });
}

interface Read {
  readonly method: Method;
  /** Where the state is in what it gives. */
  readonly state: readonly string[];
}

/** The operation that gives one record, its state included, to everybody to whom it gives anything. */
function readOf({ described }: Exported, methods: readonly Method[], resource: string): Read | undefined {
  for (const method of methods) {
    const { operation, successes } = method.operation;
    const schema = successes[0]?.schema;
    if (operation.deed !== "read" || operation.resource !== resource || schema === undefined) continue;
    const state = placeOfState(described.schemas, resolved(described.schemas, schema));
    if (state !== undefined) return { method, state };
  }
  return undefined;
}

/** In the answer itself, or in the one member that it stands in. */
function placeOfState(schemas: Exported["described"]["schemas"], schema: JsonObject): readonly string[] | undefined {
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const required = (schema["required"] ?? []) as readonly string[];
  if (required.includes("state")) return ["state"];
  const [only, ...others] = Object.entries(properties);
  if (only === undefined || others.length > 0) return undefined;
  const inner = resolved(schemas, only[1]);
  const within = (inner["required"] ?? []) as readonly string[];
  return within.includes("state") ? [only[0], "state"] : undefined;
}

function waitOf(
  { plan, named, described }: Exported,
  methods: readonly Method[],
  { method, state, resource, name }: Read & { readonly resource: string; readonly name: string },
): Wait {
  const { stream } = plan.events;
  const told = Object.values(plan.events.out).some((event) => event.resource === resource && event.stream.length > 0);
  const follow =
    stream === undefined || !told
      ? undefined
      : methods.find(({ operation, row }) => operation.name === stream.follow.name && row["stream"] !== undefined);
  const states = Object.hasOwn(described.schemas, `${resource}State`) ? named(`${resource}State`) : "string";
  const reached = state.reduceRight((inner, member) => `{ readonly ${member}: ${inner} }`, "State");
  const words = `Waits until the ${resource} is in a state, or in one of several, and gives it as it is then.${
    follow === undefined ? "" : " Events make it look at once, where the caller may follow them."
  }\n\n@throws WaitError where it cannot get there any more, or not in time.`;
  const given = [...method.keys, "state: State | readonly State[]", `options?: WaitOptions`].join(", ");
  return {
    name,
    signature: `${comment(words, "  ")}  ${name}<const State extends ${states}>(${given}): Promise<${method.gives} & ${reached}>;\n`,
    row: {
      operation: method.name,
      state,
      reaches: reachable(plan, resource),
      ...(follow === undefined ? {} : { follow: follow.name }),
    },
  };
}
