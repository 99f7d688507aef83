/** Operations of handlers that say all that goes over the wire: what callers send, and what they are answered. */
import type { Json, JsonObject } from "../base/json.ts";
import { meaningOf } from "../parts/endpoints/meaning.ts";
import {
  type Parameter,
  parameterPlaces,
  type Wire,
  type WireAnswer,
  type WireBody,
} from "../parts/endpoints/model.ts";
import { essenceOf, isJson, isRead, resolved } from "../parts/endpoints/wire-media.ts";
import type { Model } from "../parts/model.ts";
import { own } from "../parts/resources/fields.ts";
import { closedObject, jsonSchemaOf, namedSchemas } from "../parts/resources/json-schema.ts";
import { handlerOperation } from "./handlers.ts";
import { allowOf } from "./permissions.ts";
import type {
  BodyPlan,
  Operation,
  Plan,
  Table,
  Unenforced,
  WiredAnswer,
  WiredBody,
  WiredOperation,
  WiredParameter,
  WirePlan,
} from "./plan.ts";
import type { Sources } from "./sources.ts";

export { essenceOf, formMedia, isJson, resolved, typesOf } from "../parts/endpoints/wire-media.ts";

/** The plan with the operations that only functions can do: of a service that has some. */
export function servedPlan(plan: Plan): Plan {
  const { operations, versions, wired } = plan;
  const list = versions?.list.map((version) => {
    const { older } = version;
    return older === undefined ? version : { ...version, older: { ...older, asked: servedPlan(older.asked) } };
  });
  return {
    ...plan,
    operations: [...operations, ...wired.map(({ operation }) => operation)],
    ...(versions === undefined || list === undefined ? {} : { versions: { ...versions, list } }),
  };
}

/** What a service serves: operations with a wire where it has functions, which is when they are enforced. */
export function servedOperations({ operations, wired, unenforced }: Plan): readonly Operation[] {
  const open = new Set(unenforced.map(({ path }) => path));
  const run = wired.filter(({ name }) => !open.has(`endpoints/endpoints/${name}`));
  return [...operations, ...run.map(({ operation }) => operation)];
}

/** What is still not enforced where they are served. */
export function withoutWired({ wired, unenforced }: Plan): readonly Unenforced[] {
  const paths = new Set(wired.map(({ name }) => `endpoints/endpoints/${name}`));
  return unenforced.filter(({ path }) => !paths.has(path));
}

export function wiredOperations(sources: Sources, tables: readonly Table[]): readonly WiredOperation[] {
  const { model } = sources;
  return Object.entries(model.endpoints.endpoints).flatMap(([name, { wire, method, path }]): WiredOperation[] => {
    const meaning = meaningOf(model, name);
    if (wire === undefined || meaning?.kind !== "free" || meaning.deed !== "handler") return [];
    const plan = wirePlan(model, wire);
    return [
      {
        name,
        sentence: own(model.purpose.operations, name) ?? "",
        method,
        path: meaning.segments,
        template: path,
        allow: allowOf(sources, name),
        ...plan,
        ...(meaning.resource === undefined ? {} : { resource: meaning.resource }),
        operation: wiredOperation(handlerOperation(sources, meaning, tables), plan, namedSchemas(model)),
      },
    ];
  });
}

/** The members of what a function is given: one for each place of a request that says something. */
function wiredOperation(bare: Operation, wire: WirePlan, schemas: Schemas): Operation {
  const success = wire.answers.map(({ status }) => Number(status)).find((status) => status >= 200 && status < 300);
  // What is remembered of an answer is its text.
  const bytes = wire.answers.some(({ media }) => media.some((one) => !isJson(one) && !/^text\/|[/+]xml\b/.test(one)));
  const { repeats, ...rest } = bare;
  const repeated = repeats === undefined || bytes ? {} : { repeats };
  return {
    ...rest,
    ...repeated,
    wire,
    body: groupedBody(wire, schemas),
    answer: { ...bare.answer, status: success ?? 200, kind: "none" },
  };
}

type Schemas = Readonly<Record<string, JsonObject>>;

function groupedBody({ parameters, body }: WirePlan, schemas: Schemas): BodyPlan {
  const groups = parameterPlaces.flatMap((place): [string, JsonObject][] => {
    const own = parameters.filter((one) => one.in === place);
    if (own.length === 0) return [];
    const present = own.filter(({ required, schema }) => required || defaultOf(schema, schemas) !== undefined);
    const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
    return [
      [
        place,
        closedObject(
          properties,
          present.map(({ name }) => name),
        ),
      ],
    ];
  });
  const required = [...groups.map(([place]) => place), ...(body?.required === true ? ["body"] : [])];
  const all = [...groups, ...(body === undefined ? [] : [["body", body.schema ?? {}] as const])];
  return {
    schema: closedObject(Object.fromEntries(all), required),
    mediaTypes: body === undefined ? [] : readMedia(body, schemas),
    required: body?.required ?? false,
    own: true,
    fields: [],
    others: all.map(([name]) => ({ name, type: "json" })),
    fixed: [],
  };
}

/** What a parameter has that is left out. */
export function defaultOf(schema: JsonObject, schemas: Schemas): Json | undefined {
  return resolved(schema, schemas)["default"];
}

function readMedia({ media, schema }: WiredBody, schemas: Schemas): readonly string[] {
  return media.filter((one) => isRead(one, schema, schemas)).map(essenceOf);
}

function wirePlan(model: Model, wire: Wire): WirePlan {
  const { body, answers = {} } = wire;
  return {
    parameters: parameterPlaces.flatMap((place) =>
      parametersOf(model, wire[place]).map((one) => ({ in: place, ...one })),
    ),
    ...(body === undefined ? {} : { body: bodyOf(model, body) }),
    answers: Object.entries(answers).map(([status, answer]) => answerOf(model, status, answer)),
  };
}

function parametersOf(model: Model, parameters: Wire["query"] = {}): readonly Omit<WiredParameter, "in">[] {
  return Object.entries(parameters).map(([name, { optional, type, note, example }]: [string, Parameter]) => ({
    name,
    required: !optional,
    schema: jsonSchemaOf(model, type, "input"),
    ...(note === undefined ? {} : { note }),
    ...(example === undefined ? {} : { example }),
  }));
}

function bodyOf(model: Model, { optional, type, media, note }: WireBody): WiredBody {
  return {
    required: !optional,
    media: media ?? [json],
    ...(type === undefined ? {} : { schema: jsonSchemaOf(model, type, "input") }),
    ...(note === undefined ? {} : { note }),
  };
}

function answerOf(model: Model, status: string, { type, media, headers, note }: WireAnswer): WiredAnswer {
  const schema: JsonObject | undefined = type === undefined ? undefined : jsonSchemaOf(model, type, "output");
  return {
    status,
    media: media ?? (type === undefined ? [] : [json]),
    ...(schema === undefined ? {} : { schema }),
    headers: parametersOf(model, headers),
    ...(note === undefined ? {} : { note }),
  };
}

const json = "application/json";
