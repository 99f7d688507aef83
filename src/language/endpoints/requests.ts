/**
 * Reads and prints `requests` of part 4: which bodies and parameters the operations accept.
 *
 *     requests   { media, unknown, texts, empty }
 *       media    media types, as a list or in one line; each: type ["as" type]
 *       unknown  rejected | ignored
 *       texts    exact | converted
 *       empty    kept | removes
 *
 * A media type is a JSON type, `application/*+json` for all types with this suffix, a type of XML, the type of HTML forms, or
 * `text/plain` for responses that are one text. `as` names the
 * media type of responses to callers who accept the first type, which then may have any name. `application/json` is always
 * accepted, also if it is not listed.
 */
import { form } from "../grammar/form.ts";
import { complain, type Grammar } from "../grammar/grammar.ts";
import { shared } from "../grammar/schema.ts";
import { choice } from "../grammar/words.ts";
import type { SourceText } from "../grammar/source-text.ts";
import type { Effect } from "../grammar/changes.ts";
import type { Path, Reader } from "../grammar/reader.ts";
import { namesAt } from "../grammar/values.ts";
import { type AcceptedMedia, emptyStyles, type RequestStyle, textStyles, unknownStyles } from "./model.ts";
import { formMedia, isJson, plainMedia, xmlMedia } from "./wire-media.ts";

const media: Grammar<readonly AcceptedMedia[]> = {
  schema: shared("names"),
  read: (reader, path, { value }) => {
    const read = namesAt(reader, path, value, "The list of media types").map((one) => mediaType(reader, path, one));
    const accepted = read.filter((one) => one !== undefined);
    return accepted.length === 0 ? undefined : accepted;
  },
  print: (value) => value.map(({ type, as }) => (as === undefined ? type : `${type} as ${as}`)),
};

const mediaForm = /^([a-z0-9!#$&^_.+*-]+\/[a-z0-9!#$&^_.+*-]+)(?:\s+as\s+([a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+))?$/;

function mediaType(reader: Reader, path: Path, found: SourceText): AcceptedMedia | undefined {
  const [, type = "", as] = mediaForm.exec(found.text) ?? [];
  if (as === undefined && (xmlMedia.includes(type) || type === plainMedia)) return { type };
  const isRange = type === "application/*+json";
  const isRead = isRange || (!type.includes("*") && (isJson(type) || as !== undefined));
  if ((as === undefined && type === formMedia) || (isRead && (as === undefined || isJson(as)) && type !== formMedia))
    return { type, ...(as === undefined ? {} : { as }) };
  return complain(reader, path, found, [
    "bad-request-media",
    (text) => `\`${text}\` is not a media type that requests can have here`,
    {
      why: "Nonet reads JSON, XML and HTML forms; responses are JSON, XML or a plain text.",
      help: `write \`application/vnd.example+json\`, \`application/*+json as application/json\`, \`application/xml\` or \`${formMedia}\``,
    },
  ]);
}

/** Every request that was accepted stays accepted if each old media type is still listed with the same response type. */
function mediaEffect(old: unknown, now: unknown): Effect {
  const [before, after] = [old, now].map((value) => (value ?? []) as readonly AcceptedMedia[]);
  const kept = before?.every(({ type, as }) => after?.some((one) => one.type === type && one.as === as));
  return kept === true && before?.[0]?.type === after?.[0]?.type ? "additive" : "breaking";
}

/** A caller notices only if something that was accepted is now rejected. */
function leniencyEffect(_: unknown, now: unknown): Effect {
  return now === "ignored" || now === "converted" ? "additive" : "breaking";
}

export const requests: Grammar<RequestStyle> = form<RequestStyle>({
  what: "What requests may contain",
  example: "{ unknown: ignored }",
  changes: {
    media: { what: "The media types of requests", subject: "requests.media", effect: mediaEffect },
    unknown: { what: "The treatment of unknown members", subject: "requests.unknown", effect: leniencyEffect },
    texts: { what: "The treatment of texts", subject: "requests.texts", effect: leniencyEffect },
    empty: { what: "The meaning of empty texts", subject: "requests.empty", effect: () => "breaking" },
  },
  members: {
    media,
    unknown: choice(unknownStyles, "The treatment of unknown members and parameters"),
    texts: choice(textStyles, "The treatment of texts in place of numbers and booleans"),
    empty: choice(emptyStyles, "The meaning of empty texts"),
  },
});
