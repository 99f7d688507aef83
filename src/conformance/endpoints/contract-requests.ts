/** The requests of operations with a complete contract (`wire`): valid ones, and those with one mistake, which must not succeed. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import {
  type ContractBody,
  type EndpointContract,
  type Parameter,
  parameterLocations,
} from "../../language/endpoints/model.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Operation } from "../contract.ts";
import { neededSuccess } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { supplyFor } from "../resources/writing.ts";
import { textOf } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { invalidValues } from "../values/boundaries.ts";
import { type Extent, validValue } from "../values/valid.ts";
import { isTextual, wrongTexts } from "./queries.ts";
import { operationCase, pathOf } from "./subjects.ts";

type Texts = Readonly<Record<string, string>>;

export interface ContractRequest {
  readonly path: Texts;
  readonly query: Texts;
  readonly header: Texts;
  readonly cookie: Texts;
  /** Absent: no body. */
  readonly body?: { readonly type: string; readonly bytes: string } | undefined;
}

/** Returns a valid request. `extent`: which of the optional parameters it has. */
export async function contractRequest(
  trial: Trial,
  { path, query, header, cookie, body }: EndpointContract,
  extent: Extent,
): Promise<ContractRequest> {
  const textsOf = async (parameters: Readonly<Record<string, Parameter>> = {}): Promise<Texts> => {
    const texts: Record<string, string> = {};
    for (const [name, { optional, type }] of Object.entries(parameters)) {
      const isLeftOut = optional && (extent === "needed" || (extent === "some" && trial.random.chance(0.5)));
      if (isLeftOut) continue;
      const value = await valueOf(trial, type, extent);
      if (value !== undefined && !isObject(value))
        texts[name] = Array.isArray(value) ? value.map(textOf).join(",") : textOf(value);
      else if (!optional) throw new NotTried(`the test finds no value for \`${name}\``);
    }
    return texts;
  };
  return {
    path: await textsOf(path),
    query: await textsOf(query),
    header: await textsOf(header),
    cookie: await textsOf(cookie),
    body: await bodyOf(trial, body, extent),
  };
}

export async function sendContract(
  trial: Trial,
  { operation }: Operation,
  request: ContractRequest,
): Promise<Interaction> {
  const { path, query, header, cookie, body } = request;
  const cookies = Object.entries(cookie).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return trial.call(operation, {
    ...{ caller: await trial.callerFor(operation), path, query },
    headers: { Accept: "*/*", ...header, ...(cookies.length === 0 ? {} : { Cookie: cookies.join("; ") }) },
    ...(body === undefined ? { body: null } : { rawBody: body }),
  });
}

async function valueOf(trial: Trial, type: FieldType, extent: Extent): Promise<Json | undefined> {
  return validValue(trial.contract, type, await supplyFor(trial, type), extent);
}

async function bodyOf(trial: Trial, body: ContractBody | undefined, extent: Extent): Promise<ContractRequest["body"]> {
  if (body === undefined || (body.optional && extent === "needed")) return undefined;
  const { type, media = ["application/json"] } = body;
  const [first = "application/json"] = media;
  if (type === undefined) return { type: first.replace("*/*", "text/plain").replace("/*", "/plain"), bytes: "text" };
  const value = await valueOf(trial, type, extent);
  if (value === undefined) throw new NotTried("the test finds no valid body");
  // Another extent may show another media type.
  const bodies = media.flatMap((one) => bodyAs(one, value));
  const found = extent === "some" ? bodies.at(-1) : bodies[0];
  if (found === undefined) throw new NotTried(`the test makes no bodies of the type ${first}`);
  return found;
}

/** Returns a value in a media type; nothing if the test has no bodies of that type. */
function bodyAs(media: string, value: Json): readonly { readonly type: string; readonly bytes: string }[] {
  const json = jsonType(media);
  if (json !== undefined) return [{ type: json, bytes: JSON.stringify(value) }];
  if (media === "application/x-www-form-urlencoded" && isObject(value) && !Object.values(value).some(isNested))
    return [{ type: media, bytes: new URLSearchParams(textsIn(value)).toString() }];
  return typeof value === "string" && !media.includes("*") ? [{ type: media, bytes: value }] : [];
}

function isNested(value: Json): boolean {
  return typeof value === "object";
}

function textsIn(value: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, textOf(inner)]));
}

/** Returns the media type of JSON that is in a range of media types; undefined if none is. */
function jsonType(media: string): string | undefined {
  if (!/^(?:application\/json|[\w.+-]+\/[\w.+-]*\+json|application\/\*|\*\/\*)(?![\w.+-])/.test(media))
    return undefined;
  return media.includes("*") ? "application/json" : media;
}

// ── Invalid requests ───────────────────────────────────────────────────────────────────────────────────────────────

/** A request that is valid but for one thing. */
interface Mistake {
  readonly request: ContractRequest;
  readonly what: string;
  /** The path of the statement. */
  readonly path: string;
}

export function rejectsInvalid(called: Operation, wire: EndpointContract): readonly Case[] {
  const members = [...parameterLocations, "body" as const].filter((name) => wire[name] !== undefined);
  const [first, ...more] = members.map((name) => ({
    path: pathOf(called, `wire/${name}`),
    expects: "a request that the document does not declare is rejected",
  }));
  if (first === undefined) return [];
  return [
    operationCase(called, "contract with mistakes", [first, ...more], async (trial) => {
      const valid = await contractRequest(trial, wire, "all");
      neededSuccess(trial, await sendContract(trial, called, valid));
      const mistakes = [
        ...(await parameterMistakes(trial, called, wire, valid)),
        ...(await bodyMistakes(trial, called, wire, valid)),
      ];
      if (mistakes.length === 0) throw new NotTried("the document restricts no part of the request");
      for (const { request, what, path } of mistakes) {
        trial.startOver();
        const interaction = await sendContract(trial, called, request);
        const { status } = trial.responseOf(interaction);
        if (status < 300) throw new Broken(`${what} to be rejected`, String(status), interaction, path);
      }
    }),
  ];
}

async function parameterMistakes(
  trial: Trial,
  called: Operation,
  wire: EndpointContract,
  valid: ContractRequest,
): Promise<readonly Mistake[]> {
  const mistakes: Mistake[] = [];
  for (const location of parameterLocations) {
    for (const [name, { optional, type }] of Object.entries(wire[location] ?? {})) {
      const path = pathOf(called, `wire/${location}/${name}`);
      const { [name]: _, ...others } = valid[location];
      if (!optional && location !== "path")
        mistakes.push({ request: { ...valid, [location]: others }, what: `a request without \`${name}\``, path });
      const wrong = isTextual(type) ? wrongTexts(trial.contract, type, await supplyFor(trial, type)) : [];
      for (const { text, what } of wrong) {
        // Paths and header fields can contain some texts only.
        if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) || /^\.\.?$|\//.test(text)) continue;
        mistakes.push({
          request: { ...valid, [location]: { ...others, [name]: text } },
          what: `${what} for \`${name}\``,
          path,
        });
      }
    }
  }
  return mistakes;
}

/** How many invalid bodies the test sends. */
const mostBodies = 6;

async function bodyMistakes(
  trial: Trial,
  called: Operation,
  { body }: EndpointContract,
  valid: ContractRequest,
): Promise<readonly Mistake[]> {
  if (body === undefined) return [];
  const { type, media = ["application/json"], optional } = body;
  const path = pathOf(called, "wire/body");
  const json = media.map(jsonType).find((one) => one !== undefined);
  const invalid =
    type === undefined || json === undefined ? [] : invalidValues(trial.contract, type, await supplyFor(trial, type));
  const isAny = media.some((one) => one.includes("*") || one.startsWith(otherType));
  return [
    ...(optional ? [] : [{ request: { ...valid, body: undefined }, what: "a request without a body", path }]),
    ...invalid
      .filter(({ stated }) => stated)
      .slice(0, mostBodies)
      .map(({ value, what }) => ({
        request: { ...valid, body: { type: json as string, bytes: JSON.stringify(value) } },
        ...{ what: `a body with ${what}`, path },
      })),
    ...(isAny || valid.body === undefined
      ? []
      : [{ request: { ...valid, body: { ...valid.body, type: otherType } }, what: `a body of ${otherType}`, path }]),
  ];
}

/** A media type of bodies that few operations take. */
const otherType = "application/x-no-such-type";
