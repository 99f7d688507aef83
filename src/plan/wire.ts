/** Operations of handlers that say all that goes over the wire: what callers send, and what they are answered. */
import type { JsonObject } from "../base/json.ts";
import { meaningOf } from "../parts/endpoints/meaning.ts";
import {
  type Parameter,
  parameterPlaces,
  type Wire,
  type WireAnswer,
  type WireBody,
} from "../parts/endpoints/model.ts";
import type { Model } from "../parts/model.ts";
import { own } from "../parts/resources/fields.ts";
import { jsonSchemaOf } from "../parts/resources/json-schema.ts";
import { allowOf } from "./permissions.ts";
import type { WiredAnswer, WiredBody, WiredOperation, WiredParameter } from "./plan.ts";
import type { Sources } from "./sources.ts";

export function wiredOperations(sources: Sources): readonly WiredOperation[] {
  const { model } = sources;
  return Object.entries(model.endpoints.endpoints).flatMap(([name, { wire, method, path }]): WiredOperation[] => {
    const meaning = meaningOf(model, name);
    if (wire === undefined || meaning?.kind !== "free" || meaning.deed !== "handler") return [];
    return [
      {
        name,
        sentence: own(model.purpose.operations, name) ?? "",
        method,
        path: meaning.segments,
        template: path,
        allow: allowOf(sources, name),
        ...wirePlan(model, wire),
        ...(meaning.resource === undefined ? {} : { resource: meaning.resource }),
      },
    ];
  });
}

function wirePlan(model: Model, wire: Wire): Pick<WiredOperation, "parameters" | "body" | "answers"> {
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
