/** The plan and the description of a world, built once for all seeds that share it. */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { readDocument } from "../../src/document/read.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { typeExpressions } from "../../src/language/analysis/expressions.ts";
import { readModel } from "../../src/language/read.ts";
import { buildPlan } from "../../src/plan/build.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { HttpResponse } from "../../src/http/message.ts";
import { type Recording, recordInto } from "../export/recorded.ts";
import type { Sent } from "./clients.ts";
import { documentText } from "./document.ts";
import type { Headers } from "./expected-responses.ts";
import { type World, worldOf } from "./world.ts";

export interface Prepared {
  readonly world: World;
  readonly text: string;
  readonly plan: Plan;
  /** What of an answer the description does not declare. */
  undeclared(sent: Sent, answer: HttpResponse, headers: Headers, body: string): string | undefined;
}

let last: Prepared | undefined;

/**
 * Each process of a simulated service compiles its schemas anew, which would be a third of a run, and gives the same
 * functions: within a world they are compiled once. The product knows nothing of it.
 */
const compiled = new Map<string, ValidateFunction>();
const compile = Reflect.get(Ajv2020.prototype, "compile") as (this: Ajv2020, schema: object) => ValidateFunction;
Object.defineProperty(Ajv2020.prototype, "compile", {
  value(this: Ajv2020, schema: object): ValidateFunction {
    const text = JSON.stringify(schema);
    const known = compiled.get(text) ?? compile.call(this, schema);
    compiled.set(text, known);
    return known;
  },
});

export function prepared(number: number): Prepared {
  if (last?.world.number !== number) {
    compiled.clear();
    last = prepare(worldOf(number));
  }
  return last;
}

function prepare(world: World): Prepared {
  const text = documentText(world);
  const { diagnostics, document } = readDocument("world.md", text);
  const { diagnostics: more, model, places } = readModel(document);
  const wrong = [...diagnostics, ...more].filter(({ severity }) => severity === "error");
  if (wrong.length > 0) throw new Error(`world ${world.number}: ${wrong.map(({ message }) => message).join("; ")}`);
  const plan = buildPlan(model, places, typeExpressions(model));
  let recording: Recording | undefined;
  return {
    world,
    text,
    plan,
    undeclared({ asked, method, target }, { status }, headers, body) {
      // Older callers have a description of their own.
      if (asked.older) return undefined;
      recording ??= recordInto(openapi(plan, "http://things.example"));
      const faults = recording.check({ method, path: target }, { status, headers, body });
      return faults.length === 0 ? undefined : `it is not declared: ${faults.join("; ")}`;
    },
  };
}
