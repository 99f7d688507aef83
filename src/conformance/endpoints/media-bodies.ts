/** The media types of bodies (`requests.media`): a valid body in each declared one is accepted, and in another one rejected. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { formMedia, plainMedia, xmlMedia } from "../../language/endpoints/wire-media.ts";
import type { Model } from "../../language/model.ts";
import { bareType, fieldsOf, lookup } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { type Aspect, Broken, type Case, NotTried, shortText } from "../case.ts";
import { type Contract, type Operation, requestStyle } from "../contract.ts";
import { isRejectedByGuard } from "../errors/expected.ts";
import { expectError, expectSuccess } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { isSame } from "../values/same.ts";
import { setElsewhere } from "./stored.ts";
import { operationCase, type ValidOptions, validOptions } from "./subjects.ts";

export function mediaBodyCases(contract: Contract, called: Operation): readonly Case[] {
  const { media = [] } = requestStyle(contract, called);
  const types = media.map(({ type }) => type).filter((type) => type !== plainMedia);
  // Texts alone do not tell what a value of other types is.
  const isOfTexts = membersOf(contract, called).every(({ field }) => isOfForms(contract.model, field.type));
  return [
    ...types.filter((type) => isOfTexts || !isEncoded(type)).map((type) => acceptsBody(contract, called, type)),
    ...(media.length > 0 ? rejectsOther(contract, called, types) : []),
  ];
}

/** Returns the statement about a member of `requests`: the operation's own, or the one for all operations. */
export function about(
  { places }: Contract,
  { operation }: Operation,
  member: string,
  expects: string,
): readonly [Aspect] {
  const local = `endpoints/endpoints/${operation}/requests/${member}`;
  return [{ path: places.has(local) ? local : `endpoints/requests/${member}`, expects }];
}

/** Returns a media type of a range such as `application/*+json`. */
export function concrete(type: string): string {
  return type.replace("*", "vnd.example");
}

/** Whether the response is the record with the fields that the body sets. */
export function returnsRecord({ action, endpoint }: Operation): boolean {
  return (
    ["create", "update", "replace"].includes(action) && endpoint.gives === undefined && endpoint.takes === undefined
  );
}

function isEncoded(type: string): boolean {
  return type === formMedia || xmlMedia.includes(type);
}

function encoded(called: Operation, type: string, bytes: string): string {
  if (type === formMedia) return formOf(JSON.parse(bytes) as JsonObject);
  return xmlMedia.includes(type) ? xmlOf(called.resource ?? "request", JSON.parse(bytes) as Json) : bytes;
}

function acceptsBody(contract: Contract, called: Operation, type: string): Case {
  const aspects = about(contract, called, "media", `${called.operation} accepts a body of ${type}`);
  return operationCase(called, `body of ${type}`, aspects, async (trial) => {
    const { body, bytes, options } = await validBytes(trial, called);
    const rawBody = { type: concrete(type), bytes: encoded(called, type, bytes) };
    const headers = { Accept: "application/json" };
    const interaction = await trial.call(called.operation, { ...options, rawBody, headers });
    const response = trial.responseOf(interaction);
    if (response.status === 415)
      throw new Broken("the media type to be accepted", String(response.status), interaction);
    if (!isEncoded(type)) return;
    if (isRejectedByGuard(contract, response, called)) throw new NotTried(`the guard of ${called.operation} is false`);
    expectSuccess(trial, interaction);
    if (returnsRecord(called)) expectValues(trial, called, body, interaction);
  });
}

/** Expects the fields that were sent, as far as the response shows them. */
function expectValues({ contract }: Trial, called: Operation, body: JsonObject, interaction: Interaction): void {
  const { response } = interaction;
  const observed = "json" in response && isObject(response.json) ? response.json : {};
  const fields = fieldsOf(contract.model, called.resource ?? "");
  const others = setElsewhere(contract, called);
  for (const { name, sets } of membersOf(contract, called)) {
    const [field, sent, found] = [lookup(fields, name), lookup(body, name), lookup(observed, name)];
    if (!sets || field === undefined || sent === undefined || found === undefined || others.has(name)) continue;
    // A merge patch changes only some members of an object.
    if (isObject(sent) && called.action === "update") continue;
    if (!isSame(contract.model, field.type, sent, found))
      throw new Broken(`\`${name}\` with ${shortText(sent)}`, shortText(found), interaction);
  }
}

/** A body that would be valid in a declared media type is rejected in one that is not declared. */
function rejectsOther(contract: Contract, called: Operation, types: readonly string[]): readonly Case[] {
  // `application/xml` and `text/xml` are equivalent (RFC 7303, 9.2).
  const isXml = types.some((type) => xmlMedia.includes(type));
  const others = [...(isXml ? [] : ["application/xml"]), ...(types.includes(formMedia) ? [] : [formMedia])];
  if (others.length === 0) return [];
  const aspects = about(contract, called, "media", `${called.operation} accepts no body of ${others.join(" or ")}`);
  return [
    operationCase(called, "body of another type", aspects, async (trial) => {
      const { bytes, options } = await validBytes(trial, called);
      // Without members there would be no body.
      if (bytes === "{}") throw new NotTried("the test has no body with a member");
      for (const type of others) {
        const rawBody = { type, bytes: encoded(called, type, bytes) };
        const interaction = await trial.call(called.operation, { ...options, rawBody, isInvalid: true });
        expectError(trial, interaction, { code: "unsupported-media" });
      }
    }),
  ];
}

/** Whether a form can contain every value of the type: the types of texts in `schema:` and `json` are not known. */
function isOfForms(model: Model, type: FieldType): boolean {
  const bare = bareType(type);
  if (bare.kind === "list" || bare.kind === "map") return isOfForms(model, bare.of);
  if (bare.kind === "schema" || (bare.kind === "scalar" && bare.name === "json")) return false;
  const members = bare.kind === "named" ? lookup(model.resources.types, bare.name) : undefined;
  return Object.values(members ?? {}).every((field) => isOfForms(model, field.type));
}

interface ValidBytes {
  readonly body: JsonObject;
  readonly bytes: string;
  readonly options: Omit<ValidOptions, "body">;
}

/** Returns a valid body: its members, and as the client sends it in JSON, with the objects around them. */
export async function validBytes(trial: Trial, called: Operation): Promise<ValidBytes> {
  const { body, ...options } = await validOptions(trial, called);
  const { request } = await trial.build(called.operation, { ...options, body });
  if (typeof request.body !== "string") throw new NotTried("the test has no valid body");
  return { body: body ?? {}, bytes: request.body, options };
}

/** Writes a body as a form with brackets. */
function formOf(body: JsonObject): string {
  const pairs = (value: Json, name: string): readonly (readonly [string, string])[] => {
    if (/[[\]]/.test(name.replaceAll(/\[[^[\]]*\]/g, "")) || isEmpty(value))
      throw new NotTried("a form cannot contain an empty list or a name with brackets");
    if (Array.isArray(value)) return value.flatMap((item, index) => pairs(item as Json, `${name}[${index}]`));
    if (isObject(value))
      return Object.entries(value).flatMap(([key, inner]) => pairs(inner as Json, `${name}[${key}]`));
    return [[name, typeof value === "string" ? value : value === null ? "" : JSON.stringify(value)]];
  };
  const all = Object.entries(body).flatMap(([name, value]) => pairs(value as Json, name));
  return new URLSearchParams(all.map(([name, value]) => [name, value])).toString();
}

function isEmpty(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Writes a value as an element of XML: an element for each member, and one for each item of a list. */
function xmlOf(name: string, value: Json): string {
  if (!/^[A-Za-z_][\w.-]*$/.test(name)) throw new NotTried(`\`${name}\` is no name of an element`);
  // An empty element is no value, and readers of XML may drop space around a text.
  if (isEmpty(value) || (typeof value === "string" && !xmlText.test(value)))
    throw new NotTried("the test writes no empty list and no text with space around it in XML");
  const content = isObject(value)
    ? Object.entries(value).flatMap(([key, inner]) =>
        (Array.isArray(inner) ? (inner as readonly Json[]) : [inner as Json]).map((one) => xmlOf(key, one)),
      )
    : [value === null ? "" : escaped(String(value as string | number | boolean))];
  return `<${name}>${content.join("")}</${name}>`;
}

/** A text of printable characters without space at its ends. */
const xmlText = /^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
