/** The questions of part 2 in the completeness questionnaire. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import {
  each,
  openOr,
  none,
  noneAt,
  type Question,
  definedAt,
  undeclared,
  type Statement,
  taken,
} from "../analysis/question.ts";
import { bareType, referenceOf } from "./fields.ts";
import type { Field, FieldType, Modifier } from "./model.ts";

export const questions: readonly Question[] = [
  {
    id: "resources/names",
    text: "Which resources exist?",
    answer: ({ model }) => {
      const [first] = Object.keys(model.resources.resources);
      return first === undefined ? undeclared : definedAt(`resources/${first}`);
    },
  },
  {
    id: "resources/identity",
    text: "What identifies a record of each?",
    answer: (documentIndex) => {
      const names = Object.keys(documentIndex.model.resources.resources);
      return each(
        documentIndex,
        names.map((name) => ({ at: `resources/${name}/id`, declared: true })),
      );
    },
  },
  {
    id: "resources/types",
    text: "What type has each field?",
    answer: (documentIndex) =>
      each(documentIndex, [
        ...documentIndex.fields.map(({ at }) => ({ at, declared: true })),
        ...openFields(documentIndex),
      ]),
  },
  {
    id: "resources/bounds",
    text: "What is the format or range of each text and each number?",
    answer: (documentIndex) => {
      const measured = documentIndex.fields.filter(({ field }) => isMeasured(field.type));
      const unbounded = measured.filter(({ field }) => !isBounded(field.type));
      const [first, ...others] = unbounded;
      if (first === undefined)
        return each(
          documentIndex,
          measured.map(({ at }) => ({ at: `${at}/type`, declared: true })),
        );
      const more = others.length === 0 ? "" : ` and ${others.length} more`;
      return { ...taken(`\`${first.name}\`${more}: any value that fits into a request`), at: first.at };
    },
  },
  {
    id: "resources/values",
    text: "Which values does each enumeration allow, and is it open?",
    answer: (documentIndex) => firstOf(documentIndex, ({ type }) => listed(type).kind === "one-of") ?? none,
  },
  {
    id: "resources/optional",
    text: "Which fields are optional?",
    answer: (documentIndex) => {
      const all = documentIndex.fields.map(({ at }) => ({ at, declared: true }));
      return firstOf(documentIndex, ({ optional }) => optional) ?? each(documentIndex, all);
    },
  },
  {
    id: "resources/setters",
    text: "Who sets each field, and when may it change?",
    answer: (documentIndex) =>
      firstOf(documentIndex, hasAnyModifier("read-only", "create-only")) ??
      (documentIndex.fields.length === 0 ? none : taken("callers set every field when they create or edit a record")),
  },
  {
    id: "resources/defaults",
    text: "What is the default of each field?",
    answer: (documentIndex) => firstOf(documentIndex, (field) => field.default !== undefined) ?? none,
  },
  {
    id: "resources/references",
    text: "Which records refer to which, and what happens to them when a record is deleted?",
    answer: (documentIndex) => {
      const { model } = documentIndex;
      const references = documentIndex.fields.filter(
        ({ field }) => referenceOf(model, listed(field.type)) !== undefined,
      );
      const deletes = [...documentIndex.endpoints.values()].some(
        (resolved) => resolved.kind === "resource" && resolved.action === "delete",
      );
      const statements = references.map(
        ({ at, field }): Statement => ({
          at,
          declared: !deletes || field.marks.includes("delete with") || field.marks.includes("clear"),
          otherwise: { ...taken("deleting a referenced record is rejected with 409 `still-referenced`"), at },
        }),
      );
      return each(documentIndex, statements);
    },
  },
  {
    id: "resources/rules",
    text: "What must be unique, and which rules hold across fields?",
    answer: (documentIndex) => {
      const [first] = Object.keys(documentIndex.model.resources.rules);
      if (first !== undefined) return definedAt(`resources/rules/${first}`);
      const unique = firstOf(documentIndex, hasAnyModifier("unique"));
      if (documentIndex.places.has("resources/rules"))
        return openOr(documentIndex, "resources/rules", unique ?? noneAt("resources/rules"));
      return unique ?? taken("only ids are unique, and there are no rules");
    },
  },
  {
    id: "resources/queries",
    text: "By which fields can lists be filtered and sorted?",
    answer: (documentIndex) => {
      const lists = [...documentIndex.endpoints.values()].some(
        (resolved) => resolved.kind === "resource" && resolved.action === "list",
      );
      return firstOf(documentIndex, hasAnyModifier("filter", "sort", "search")) ?? (lists ? taken("by none") : none);
    },
  },
  {
    id: "resources/personal",
    text: "Which fields are personal data?",
    answer: (documentIndex) =>
      firstOf(documentIndex, hasAnyModifier("personal")) ?? taken("none: retention erases no field"),
  },
];

/** Returns the fields that the document declares `not shown`; the model omits them. */
function openFields({ model }: DocumentIndex): readonly Statement[] {
  return model.gaps.filter((path) => /^resources\/[A-Z]/.test(path)).map((at) => ({ at, declared: false }));
}

function firstOf(
  documentIndex: DocumentIndex,
  holds: (field: Field) => boolean,
): ReturnType<typeof definedAt> | undefined {
  const found = documentIndex.fields.find(({ field }) => holds(field));
  return found && definedAt(found.at);
}

function hasAnyModifier(...marks: readonly Modifier[]): (field: Field) => boolean {
  return (field) => field.marks.some((modifier) => marks.includes(modifier));
}

/** Returns the innermost item type of lists and maps; any other type unchanged. */
function listed(type: FieldType): FieldType {
  const bare = bareType(type);
  return bare.kind === "list" || bare.kind === "map" ? listed(bare.of) : bare;
}

/** Types that need bounds; other types, such as an e-mail address or a date, have bounds of their own. */
const measuredNames: readonly string[] = ["string", "text", "integer", "number", "decimal", "bytes"];

function isMeasured(type: FieldType): boolean {
  const bare = listed(type);
  return bare.kind === "scalar" && measuredNames.includes(bare.name);
}

function isBounded(type: FieldType): boolean {
  const bare = listed(type);
  return bare.kind !== "scalar" || bare.max !== undefined || bare.pattern !== undefined;
}
