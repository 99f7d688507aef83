/** Completes a word of an expression: names, members of the value before a dot, functions, and the values of a text. */
import { scan, type Token } from "../expression/scan.ts";
import { keywords } from "../expression/syntax.ts";
import { callForms } from "../expression/check.ts";
import type { FieldType, NamedType } from "../expression/types.ts";
import { type Site, typeText as typed } from "../language/analysis/expressions.ts";
import { recordNames } from "../language/analysis/variables.ts";
import type { Model } from "../language/model.ts";
import type { Completion } from "./complete.ts";
import { typeText } from "./describe.ts";
import type { ReferencePages } from "./reference-pages.ts";

/** `at`: the offset of the word in the expression's text. */
export function completeExpression(model: Model, site: Site, at: number, pages: ReferencePages): readonly Completion[] {
  const before = site.text.slice(0, at);
  const scope: Scope = { model, site: { ...site, names: { ...site.names, ...boundNames(model, site, before) } } };
  const text = openText(before);
  if (text !== undefined) return valuesFor(scope, text.before);
  const dot = /^(.*[^.])\.\s*$/s.exec(before)?.[1];
  return dot === undefined ? bareNames(scope, pages) : membersOf(scope, operandBefore(dot), pages);
}

interface Scope {
  readonly model: Model;
  readonly site: Site;
}

/** Types an expression in the place of the completed one; undefined if it has a problem. */
function typeOf({ model, site }: Scope, text: string): FieldType | undefined {
  const { expected: _, measure: __, records: ___, ...rest } = site;
  return typed(model, { ...rest, text }).typed;
}

function bareNames({ model, site }: Scope, pages: ReferencePages): readonly Completion[] {
  return [
    ...Object.entries(site.names).map(([label, type]): Completion => {
      return { label, kind: type.from === "variables" ? "variable" : "field", detail: typeText(type) };
    }),
    ...(site.owner === undefined
      ? []
      : [{ label: "own", kind: "variable" as const, detail: `ownership of ${site.owner}` }]),
    ...Object.keys(model.resources.resources).map(
      (label): Completion => ({ label, kind: "resource", detail: "all records" }),
    ),
    ...Object.entries(callForms).flatMap(([name, forms]) =>
      forms.filter((form) => form.startsWith(`${name}(`)).map((form) => functionItem(name, form, pages)),
    ),
    ...[...keywords].map((label): Completion => ({ label, kind: "word" })),
  ];
}

function membersOf(scope: Scope, owner: string, pages: ReferencePages): readonly Completion[] {
  const type = typeOf(scope, owner);
  return [
    ...Object.entries(fieldsOf(scope.model, type)).map(([label, member]): Completion => {
      return { label, kind: "field", detail: typeText(member) };
    }),
    ...Object.entries(callForms).flatMap(([name, forms]) => {
      const form = forms.find((one) => !one.startsWith(`${name}(`));
      const result = form === undefined ? undefined : resultOf(scope, owner, name, form);
      return form === undefined || !result ? [] : [{ ...functionItem(name, form, pages), detail: typeText(result) }];
    }),
  ];
}

/** Returns the type of a function called on a value; undefined if the value has no such function. */
function resultOf(scope: Scope, owner: string, name: string, form: string): FieldType | undefined {
  const call = form.slice(form.indexOf(`.${name}(`));
  // The body of a macro is a condition or a value; of records it can only be a member of them.
  const bodies = call.includes("…)") && call.includes("(x, ") ? ["true", "x", "x.id"] : [""];
  for (const body of bodies) {
    const text = `${owner}${call.replace("(x, …)", `(zqitem, ${body.replace("x", "zqitem")})`)}`;
    const type = typeOf(scope, text);
    if (type !== undefined) return type;
    // Records are no value, but they have a number.
    if (typeOf(scope, `${text}.size()`) !== undefined)
      return { type: { kind: "list", of: { kind: "any" } }, nullable: false };
  }
  return undefined;
}

function functionItem(name: string, form: string, pages: ReferencePages): Completion {
  const samples = pages.samples(name).slice(0, 3);
  return {
    label: name,
    kind: "function",
    detail: form,
    insert: `${name}(`,
    ...(samples.length === 0 ? {} : { documentation: samples.map((sample) => `- \`${sample}\``).join("\n") }),
  };
}

function fieldsOf(model: Model, type: FieldType | undefined): Readonly<Record<string, FieldType>> {
  if (type?.type.kind === "record") return recordNames(model, type.type.resource);
  return type?.type.kind === "object" ? type.type.members : {};
}

/** Completes a text that is compared with a value of a closed list. */
function valuesFor(scope: Scope, before: string): readonly Completion[] {
  const compared = /^(.*?)\s*(?:[=!]=|\bin\s*\[(?:[^\]]*,)?)\s*$/s.exec(before)?.[1];
  const type = compared === undefined ? undefined : typeOf(scope, operandBefore(compared))?.type;
  const values = type?.kind === "string" ? (type.values ?? []) : [];
  const listed = /\[([^\]]*)$/.exec(before)?.[1] ?? "";
  const present = listed.split(",").map((one) => one.trim().slice(1, -1));
  return values.filter((label) => !present.includes(label)).map((label) => ({ label, kind: "text" }));
}

/** Returns the text before a string that is not closed; undefined if none is open. */
function openText(before: string): { readonly before: string } | undefined {
  let quote = "";
  let start = 0;
  for (let index = 0; index < before.length; index++) {
    const character = before.charAt(index);
    if (quote === "" && (character === "'" || character === '"')) {
      quote = character;
      start = index;
    } else if (quote !== "" && character === "\\") index++;
    else if (character === quote) quote = "";
  }
  return quote === "" ? undefined : { before: before.slice(0, start) };
}

/** Returns the operand at the end of a text: a name or a literal, with the members and calls behind it. */
function operandBefore(text: string): string {
  const scanned = scan(text);
  if ("problem" in scanned) return "";
  const tokens = scanned.tokens.slice(0, -1);
  let index = tokens.length - 1;
  let start = text.length;
  while (index >= 0) {
    const open = openingOf(tokens, index);
    if (open !== index) {
      // A group: of a call, it has a name before it; of a list, it begins the operand.
      start = tokens[open]?.start ?? start;
      index = open - 1;
      if (tokens[index]?.kind !== "name") break;
      continue;
    }
    const token = tokens[index] as Token;
    if (token.kind === "sign") break;
    start = token.start;
    if (tokens[index - 1]?.kind !== "sign" || tokens[index - 1]?.value !== ".") break;
    index -= 2;
  }
  return text.slice(start).trim();
}

/** Returns the index of the bracket that opens the group which ends at a token; the token's own index if it ends none. */
function openingOf(tokens: readonly Token[], end: number): number {
  if (tokens[end]?.kind !== "sign" || !")]".includes(tokens[end].value)) return end;
  let depth = 0;
  for (let index = end; index >= 0; index--) {
    const { kind, value } = tokens[index] as Token;
    if (kind !== "sign") continue;
    if (")]".includes(value)) depth++;
    else if ("([".includes(value) && --depth === 0) return index;
  }
  return end;
}

const macros = Object.keys(callForms).filter((name) => callForms[name as keyof typeof callForms][0].endsWith("(x, …)"));
const macroCall = new RegExp(`\\.\\s*(?:${macros.join("|")})\\s*\\(`, "g");

/** Returns the names that macros around the end of a text bind, with the types of their items. */
function boundNames(model: Model, site: Site, before: string): Readonly<Record<string, NamedType>> {
  const names: Record<string, NamedType> = {};
  for (const { index } of before.matchAll(macroCall)) {
    const call = before.slice(index);
    const name = /\(\s*([A-Za-z_]\w*)\s*,/.exec(call)?.[1];
    if (name === undefined || isClosed(call)) continue;
    const scope = { model, site: { ...site, names: { ...site.names, ...names } } };
    const list = operandBefore(before.slice(0, index));
    const item = typeOf(scope, `${list}.first()`) ?? itemOf(typeOf(scope, list));
    if (item !== undefined) names[name] = { ...item, nullable: false, from: "variables" };
  }
  return names;
}

function itemOf(type: FieldType | undefined): FieldType | undefined {
  return type?.type.kind === "list" ? { type: type.type.of, nullable: false } : undefined;
}

/** Whether the first bracket of a text is closed in it. */
function isClosed(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return true;
  }
  return false;
}
