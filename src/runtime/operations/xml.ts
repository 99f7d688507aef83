/**
 * Bodies in XML: an element for each member, elements of one name for the items of a list, texts for values. Documents with a
 * DTD are rejected, so there are no entities besides those of XML itself. Only requests in XML load the package `sax`.
 */
import { getOrMake } from "../../base/once.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { malformed } from "../errors/api-error.ts";
import { bodyText } from "../validation/read-body.ts";

/** The parts of `sax` that are used here; the package has no types. */
interface Parser {
  ondoctype: () => void;
  onerror: (error: Error) => void;
  onopentag: (tag: { readonly name: string; readonly attributes: Readonly<Record<string, string>> }) => void;
  onclosetag: () => void;
  ontext: (text: string) => void;
  oncdata: (text: string) => void;
  write(text: string): { close(): void };
}

interface Package {
  readonly parser: (strict: boolean, options: { readonly strictEntities: boolean }) => Parser;
}

const packageName = "sax";
const missing = "XML in `requests` needs the package sax, which is not installed: npm install sax@1";

async function load(): Promise<Package> {
  try {
    return ((await import(packageName)) as { readonly default: Package }).default;
  } catch (error) {
    throw new Error(missing, { cause: error });
  }
}

interface Element {
  text: string;
  readonly members: Map<string, Json[]>;
}

const mostLevels = 64;

/** Returns the content of the outermost element. A member with `@` is an attribute; those of namespaces are left out. */
export async function readXml(bytes: Buffer): Promise<Json> {
  const { parser: create } = await load();
  const text = bodyText(bytes);
  const parser = create(true, { strictEntities: true });
  const root: Element = { text: "", members: new Map() };
  const open: { readonly name: string; readonly element: Element }[] = [{ name: "", element: root }];
  const innermost = (): Element => open.at(-1)?.element ?? root;
  const add = (to: Element, name: string, value: Json): void => {
    getOrMake(to.members, name, (): Json[] => []).push(value);
  };
  parser.ondoctype = () => fail("must not have a DOCTYPE");
  parser.onerror = () => fail("is not well-formed XML");
  parser.ontext = parser.oncdata = (part) => {
    innermost().text += part;
  };
  parser.onopentag = ({ name, attributes }) => {
    if (open.length > mostLevels) fail(`may have at most ${mostLevels} levels`);
    const element: Element = { text: "", members: new Map() };
    for (const [attribute, value] of Object.entries(attributes))
      if (!/^(?:xmlns(?::|$)|xsi:|xml:)/.test(attribute)) add(element, `@${attribute}`, value);
    open.push({ name: name.replace(/^[^:]*:/, ""), element });
  };
  parser.onclosetag = () => {
    const closed = open.pop();
    if (closed !== undefined) add(innermost(), closed.name, valueOf(closed.element));
  };
  parser.write(text).close();
  const [content, ...others] = [...root.members.values()].flat();
  if (others.length > 0) fail("has more than one outermost element");
  return content === undefined || content === "" ? {} : content;
}

function fail(what: string): never {
  throw malformed({ pointer: "#", code: "bad-xml", detail: `The body ${what}` });
}

function valueOf({ text, members }: Element): Json {
  if (members.size === 0) return text;
  return Object.fromEntries(
    [...members].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
}

/** Returns a value as an XML document; the items of a list are elements named `item`. */
export function xmlText(value: Json, name: string, item: string): string {
  const content = Array.isArray(value) ? { [item]: value } : value;
  return `<?xml version='1.0'?>\n${elementText(content, elementName(name), "")}`;
}

function elementText(value: Json, name: string, indent: string): string {
  if (!isObject(value))
    return `${indent}<${name}${value === null || value === "" ? "/" : `>${escaped(value)}</${name}`}>`;
  const inner = membersOf(value).map(([member, one]) => elementText(one, member, `${indent}    `));
  return inner.length === 0 ? `${indent}<${name}/>` : `${indent}<${name}>\n${inner.join("\n")}\n${indent}</${name}>`;
}

function membersOf(value: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(value).flatMap(([name, member]) =>
    (Array.isArray(member) ? (member as readonly Json[]).map(asItem) : [member as Json]).map(
      (one) => [elementName(name), one] as const,
    ),
  );
}

/** A list inside a list has elements named `item`. */
function asItem(value: Json): Json {
  return Array.isArray(value) ? { item: value } : value;
}

function elementName(name: string): string {
  const valid = name.replaceAll(/[^\p{L}\p{N}_.-]/gu, "_");
  return /^[\p{L}_]/u.test(valid) ? valid : `_${valid}`;
}

function escaped(value: Json): string {
  return String(value as string | number | boolean)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#xD;")
    .replaceAll(forbidden, "\ufffd");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot contain these characters (section 2.2)
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
