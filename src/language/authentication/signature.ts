/**
 * How requests are signed with HMAC-SHA256, by this service (`signed` of webhooks) or by a sender (`scheme` of a credential):
 *
 *     standard-webhooks | stripe | github | slack
 *     { over, headers, separator, key }
 *       over        the signed text, with `{body}`; default: the body alone
 *       headers     name: value   One value has the signature: `{hex}` or `{base64}`.
 *       separator   comma | blank   between the items of the signature's field
 *       key         text | base64
 */
import {
  headerPlaceholders,
  placeholdersOf,
  type SignatureScheme,
  type SignatureSchemeName,
  signatureSchemes,
  signedPlaceholders,
} from "../../base/signature-schemes.ts";
import { keyed } from "../grammar/collections.ts";
import { form } from "../grammar/form.ts";
import { complain, type Grammar, type Label, soundName } from "../grammar/grammar.ts";
import { type Path, type Reader, report } from "../grammar/reader.ts";
import { either, shared } from "../grammar/schema.ts";
import type { SourceText } from "../grammar/source-text.ts";
import { choice, words } from "../grammar/words.ts";

const what = "A signature";
const example = '{ headers: { X-Signature: "sha256={hex}" } }';

/** Reads a text whose names in braces are known, each at most once. */
function template(known: readonly string[], label: Label) {
  return words(
    (reader: Reader, path: Path, found: SourceText) => {
      const names = placeholdersOf(found.text);
      const wrong = names.find((name, index) => !known.includes(name) || names.indexOf(name) !== index);
      if (wrong === undefined) return found.text;
      return complain(reader, path, found, [
        "bad-signature",
        () => (known.includes(wrong) ? `\`{${wrong}}\` appears twice` : `There is no \`{${wrong}}\` here`),
        { help: `known here: ${known.map((name) => `\`{${name}}\``).join(", ")}` },
      ]);
    },
    shared("text"),
    { label },
  );
}

/** The fields that the sender sets anyway. */
const reserved = [
  "content-type",
  "content-length",
  "host",
  "user-agent",
  "connection",
  "transfer-encoding",
  "traceparent",
];

const isHeader = soundName(new RegExp(String.raw`^(?!(?:${reserved.join("|")})$)[!#$%&'*+.^_\x60|~\w-]+$`, "i"), [
  "bad-signature",
  (name) => `\`${name}\` cannot be a header field of a signature`,
  { help: `write \`${example}\`` },
]);

const scheme = form<SignatureScheme>({
  what,
  example,
  members: {
    over: { ...template(signedPlaceholders, "The signed text"), absent: "{body}" },
    headers: {
      ...keyed(template(headerPlaceholders, "A header field"), {
        example: 'X-Signature: "sha256={hex}"',
        isName: isHeader,
      }),
      label: "The header fields",
      needed: true,
    },
    separator: choice(["comma", "blank"], "The separator"),
    key: choice(["text", "base64"], "The key"),
  },
  missing: (reader, path, _, { span }) => {
    report(reader, `${path[0]}/bad-signature`, span, "No header field has the signature", {
      help: `write \`${example}\``,
    });
  },
});

/** Returns the problem of a scheme and its correction; undefined for a valid scheme. */
function problemOf({ over, headers }: SignatureScheme): readonly [message: string, help: string] | undefined {
  const sent = Object.values(headers).flatMap(placeholdersOf);
  const signed = placeholdersOf(over);
  const count = sent.filter((name) => name === "hex" || name === "base64").length;
  if (count !== 1)
    return [
      count === 0 ? "No header field has the signature" : "Two header fields have the signature",
      "write `{hex}` or `{base64}` in one of `headers`",
    ];
  if (!signed.includes("body")) return ["The signature does not cover the body", "write `{body}` in `over`"];
  const unsent = ["seconds", "id"].find((name) => signed.includes(name) && !sent.includes(name));
  if (unsent !== undefined)
    return [`No header field has the signed \`{${unsent}}\``, `write \`{${unsent}}\` in one of \`headers\``];
  if (sent.includes("seconds") && !signed.includes("seconds"))
    return ["The signature does not cover the time", 'write `{seconds}` in `over`: `"{seconds}.{body}"`'];
  return undefined;
}

/** The grammar of a signature; `others`: words besides the names of schemes. */
export function signature<const Other extends string = never>(
  others: readonly Other[] = [],
): Grammar<SignatureSchemeName | Other | SignatureScheme> {
  const names = Object.keys(signatureSchemes) as SignatureSchemeName[];
  const word = choice([...names, ...others], what, what);
  return {
    schema: either(word.schema, scheme.schema),
    read: (reader, path, statement, label) => {
      if (statement.value.kind !== "map") return word.read(reader, path, statement, label);
      const before = reader.diagnostics.length;
      const found = scheme.read(reader, path, statement, label);
      const problem = found && reader.diagnostics.length === before ? problemOf(found) : undefined;
      if (problem === undefined) return found;
      report(reader, `${path[0]}/bad-signature`, statement.value.span, problem[0], { help: problem[1] });
      return undefined;
    },
    print: (value, below) => (typeof value === "string" ? word.print(value) : scheme.print(value, below)),
  };
}
