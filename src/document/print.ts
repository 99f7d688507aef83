/** Prints a tree as canonical YAML that parses to the same tree, with quotes only where YAML needs them. */
import type { Json, JsonObject } from "../base/json.ts";
import { coreValue } from "./data.ts";
import type { Node } from "./document.ts";

/**
 * A tree of texts, lists and maps. A `Map` allows integer keys (versions) in any order; an object would sort them first.
 * `JsonTree` is for the values below `schema:` and `example:`, where the text "1" and the number 1 differ.
 */
export type Tree = string | readonly Tree[] | JsonTree | ReadonlyMap<string, Tree> | { readonly [key: string]: Tree };

/** A JSON value inside a tree, made by `jsonTree`. */
export interface JsonTree {
  readonly [jsonValue]: Json;
}

const jsonValue: unique symbol = Symbol("json");

export function jsonTree(json: Json): JsonTree {
  return { [jsonValue]: json };
}

/** Returns the tree of a node, without locations. The tree does not contain whether a scalar was quoted. */
export function treeOf(node: Node): Tree {
  if (node.kind === "text") return node.value;
  if (node.kind === "list") return node.items.map(treeOf);
  return Object.fromEntries(node.entries.map((entry) => [entry.key.value, treeOf(entry.value)]));
}

/** The most columns of a line in braces or brackets. */
const mostColumns = 100;

/** Prints a tree as YAML, with a line feed at its end. */
export function printTree(tree: Tree): string {
  // A text such as `key:value` is quoted, since without quotes it looks like an entry without the space after the colon.
  const form =
    typeof tree === "string" && tree.includes(":")
      ? ({ kind: "scalar", text: tree, quotes: "always" } as const)
      : formOf(tree);
  return `${printValue(form, 0, 0).trimStart()}\n`;
}

// A tree in the form that is printed: of every scalar it is known where it needs quotes.

type Form = ScalarForm | ListForm | MapForm;

interface ScalarForm {
  readonly kind: "scalar";
  readonly text: string;
  readonly quotes: "never" | "in flow" | "always";
}

interface ListForm {
  readonly kind: "list";
  readonly items: readonly Form[];
}

interface MapForm {
  readonly kind: "map";
  readonly entries: readonly (readonly [key: ScalarForm, value: Form])[];
}

function formOf(tree: Tree): Form {
  if (typeof tree === "string") return scalar(tree, isPlain);
  if (Array.isArray(tree)) return { kind: "list", items: tree.map(formOf) };
  if (isJsonTree(tree)) return jsonForm(tree[jsonValue]);
  const entries = tree instanceof Map ? [...tree] : Object.entries(tree as { readonly [key: string]: Tree });
  return { kind: "map", entries: entries.map(([key, value]) => [scalar(key, isPlainKey), formOf(value)]) };
}

function isJsonTree(tree: object): tree is JsonTree {
  return jsonValue in tree;
}

function jsonForm(json: Json): Form {
  if (typeof json === "string") return scalar(json, (text, flow) => isPlain(text, flow) && coreValue(text) === text);
  if (json === null || typeof json !== "object") return { kind: "scalar", text: String(json), quotes: "never" };
  if (Array.isArray(json)) return { kind: "list", items: json.map(jsonForm) };
  return {
    kind: "map",
    entries: Object.keys(json).map((key) => [scalar(key, isPlainKey), jsonForm((json as JsonObject)[key] as Json)]),
  };
}

function scalar(text: string, plain: (text: string, flow: boolean) => boolean): ScalarForm {
  return { kind: "scalar", text, quotes: !plain(text, false) ? "always" : plain(text, true) ? "never" : "in flow" };
}

function blockText({ text, quotes }: ScalarForm): string {
  return quotes === "always" ? quote(text) : text;
}

function flowText({ text, quotes }: ScalarForm): string {
  return quotes === "never" ? text : quote(text);
}

/**
 * A regular expression for texts that start like other YAML syntax: an indicator, or a single dash, question mark or colon.
 */
const startsOtherwise = /^[\s"'#&*!|>%@`,[\]{}]|^[-?:](?:\s|$)|^(?:---|\.\.\.)/;
/** Control characters, and blanks other than the space: the fast reader of YAML leaves a block with one to the library. */
const invisible = /[\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]|(?! )\p{Zs}/u;

/** Most texts: words of ASCII without any mark that YAML may know, which need no further test. */
const isSimple = /^\w(?:[\w ./()-]*[\w./()-])?$/;

/** Whether `text` needs no quotes. `flow`: it is inside braces or brackets. */
function isPlain(text: string, flow: boolean): boolean {
  if (isSimple.test(text)) return true;
  if (text === "" || startsOtherwise.test(text) || invisible.test(text)) return false;
  if (/\s$|:\s|:$|\s#/.test(text)) return false;
  return !flow || !(/[,[\]{}]/.test(text) || /^[-?:]/.test(text));
}

function isPlainKey(text: string, flow: boolean): boolean {
  return isPlain(text, flow) && text !== "<<" && !/^[?]/.test(text) && !text.includes(": ");
}

/** Puts a text in double quotes with the escapes of JSON, which YAML allows too. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|(?! )\p{Zs}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Prints the value after `key:` or `-`, which end at `column`: as ` text`, ` { … }`, or separate lines below. */
function printValue(form: Form, indent: number, column: number): string {
  if (form.kind === "scalar") return ` ${blockText(form)}`;
  const flow = flowForm(form);
  if (flow !== undefined && column + 1 + flow.length <= mostColumns) return ` ${flow}`;
  if (isEmpty(form)) return form.kind === "list" ? " []" : " {}";
  return `\n${printBlock(form, indent)}`;
}

function printBlock(form: ListForm | MapForm, indent: number): string {
  // Appended instead of joined: a block refers to the texts of its inner blocks, and does not copy them at each depth.
  const margin = " ".repeat(indent);
  const lines = (text: string, line: string): string => `${text === "" ? "" : `${text}\n`}${margin}${line}`;
  if (form.kind === "list") return form.items.reduce((text, item) => lines(text, printItem(item, indent)), "");
  return form.entries.reduce((text, [key, value]) => lines(text, printEntry(key, value, indent)), "");
}

function printEntry(key: ScalarForm, value: Form, indent: number): string {
  // A simple YAML key has at most 1024 characters; a longer one needs an explicit `? `.
  const name = blockText(key);
  const head = name.length > 1000 ? `? ${name}\n${" ".repeat(indent)}:` : `${name}:`;
  return head + printValue(value, indent + 2, indent + head.length);
}

function printItem(item: Form, indent: number): string {
  const value = printValue(item, indent + 2, indent + 1);
  // The first line of a block goes on the line of its dash.
  return `-${value.startsWith("\n") ? ` ${value.trimStart()}` : value}`;
}

function isEmpty(form: ListForm | MapForm): boolean {
  return (form.kind === "list" ? form.items : form.entries).length === 0;
}

/** Prints a list or map of scalars as `[a, b]` or `{ a: b }`; undefined if it has other values or is too long. */
function flowForm(form: ListForm | MapForm): string | undefined {
  if (form.kind === "list") {
    const items = form.items.map((item) => (item.kind === "scalar" ? flowText(item) : undefined));
    return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
  }
  if (form.entries.length === 0) return "{}";
  const entries = form.entries.map(([key, value]) =>
    value.kind === "scalar" && flowText(key).length <= mostColumns ? `${flowText(key)}: ${flowText(value)}` : undefined,
  );
  return entries.includes(undefined) ? undefined : `{ ${entries.join(", ")} }`;
}
