/**
 * Part 1, read: what the service is, who uses it, what it offers.
 *
 *     nonet        the edition of the language, `1`
 *     service      the name, small letters, digits and hyphens
 *     domain, purpose   a line of text each
 *     users        name: sentence   or a list of names
 *     outside      a list, or its items on one line with commas; `none`: nothing is left out
 *     operations   name: sentence   or a list of names; `none`: there are none
 */
import type { Entry, MapNode } from "../../document/document.ts";
import { phraseOf, spanOf } from "../phrase.ts";
import {
  expectMap,
  expectText,
  isNone,
  knownEntries,
  openEntries,
  type Path,
  placeAt,
  type Reader,
  report,
} from "../reader.ts";
import { namesAt, readNames, readText } from "../values.ts";
import { editions, type Purpose } from "./model.ts";

const path: Path = ["purpose"];

export const purposeKeys = ["nonet", "service", "domain", "purpose", "users", "outside", "operations"] as const;

export function readPurpose(reader: Reader, body: MapNode): Purpose {
  const entries = knownEntries(reader, path, body, purposeKeys, "Part 1");
  const nonet = readEdition(reader, entries.nonet);
  const service = readService(reader, entries.service);
  const domain = readText(reader, path, entries.domain, "`domain`");
  const purpose = readText(reader, path, entries.purpose, "`purpose`");
  return {
    ...(nonet === undefined ? {} : { nonet }),
    ...(service === undefined ? {} : { service }),
    ...(domain === undefined ? {} : { domain: domain.text }),
    ...(purpose === undefined ? {} : { purpose: purpose.text }),
    users: readSentences(reader, entries.users, "a kind of user"),
    ...(entries.outside === undefined
      ? {}
      : { outside: readNames(reader, [...path, "outside"], entries.outside.value, "`outside`") }),
    operations: readSentences(reader, entries.operations, "an operation"),
  };
}

function readEdition(reader: Reader, entry: Entry | undefined): string | undefined {
  const text = readText(reader, path, entry, "The edition");
  if (text === undefined || editions.includes(text.text)) return text?.text;
  report(
    reader,
    "purpose/unknown-edition",
    spanOf(text),
    `This release does not know edition \`${text.text}\` of the language`,
    {
      help: "write `1`",
      fix: { title: "write `1`", span: spanOf(text), text: "1" },
    },
  );
  return undefined;
}

function readService(reader: Reader, entry: Entry | undefined): string | undefined {
  const text = readText(reader, path, entry, "The service's name");
  if (text === undefined || /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text.text)) return text?.text;
  const kebab = text.text
    .replaceAll(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .replaceAll(/^-|-$/g, "")
    .toLowerCase();
  report(reader, "purpose/bad-name", spanOf(text), `\`${text.text}\` cannot name a service`, {
    help: `write small letters, digits and hyphens: \`${kebab}\``,
    ...(kebab === "" ? {} : { fix: { title: `write \`${kebab}\``, span: spanOf(text), text: kebab } }),
  });
  return undefined;
}

/** `name: sentence`, or names alone, which then have an empty sentence. */
function readSentences(reader: Reader, entry: Entry | undefined, what: string): Record<string, string> {
  if (entry === undefined || isNone(entry.value)) return {};
  const at = [...path, entry.key.value];
  const sentences: Record<string, string> = {};
  if (entry.value.kind === "list") {
    for (const name of namesAt(reader, path, entry.value, `\`${entry.key.value}\``)) {
      placeAt(reader, [...at, name.text], name);
      if (isName(reader, name.text, spanOf(name), what)) sentences[name.text] = "";
    }
    return sentences;
  }
  const map = expectMap(reader, path, entry.value, `\`${entry.key.value}\``, "name: what it is for");
  for (const line of map === undefined ? [] : openEntries(reader, at, map)) {
    const sentence = expectText(reader, path, line.value, `The sentence of \`${line.key.value}\``);
    if (!isName(reader, line.key.value, line.key.span, what)) continue;
    sentences[line.key.value] = sentence === undefined ? "" : phraseOf(sentence).text;
  }
  return sentences;
}

function isName(reader: Reader, name: string, span: Entry["key"]["span"], what: string): boolean {
  if (/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) return true;
  report(reader, "purpose/bad-name", span, `\`${name}\` cannot name ${what}`, {
    help: "a name starts with a letter and has letters, digits, `-` and `_`",
  });
  return false;
}
