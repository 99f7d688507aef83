/** What part 2 has to answer. */
import type { Facts } from "../facts.ts";
import { each, given, none, noneAt, type Question, shown, silent, type Statement, taken } from "../question.ts";
import { bareType, referenceOf } from "./fields.ts";
import type { Field, FieldType, Mark } from "./model.ts";

export const questions: readonly Question[] = [
  {
    id: "resources/names",
    text: "Which resources are there?",
    answer: ({ model }) => {
      const [first] = Object.keys(model.resources.resources);
      return first === undefined ? silent : shown(`resources/${first}`);
    },
  },
  {
    id: "resources/identity",
    text: "What identifies a record of each?",
    answer: (facts) => {
      const names = Object.keys(facts.model.resources.resources);
      return each(
        facts,
        names.map((name) => ({ at: `resources/${name}/id`, said: true })),
      );
    },
  },
  {
    id: "resources/types",
    text: "What type has each field?",
    answer: (facts) => each(facts, [...facts.fields.map(({ at }) => ({ at, said: true })), ...openFields(facts)]),
  },
  {
    id: "resources/bounds",
    text: "Which format or range has each text and each number?",
    answer: (facts) => {
      const measured = facts.fields.filter(({ field }) => isMeasured(field.type));
      const unbounded = measured.filter(({ field }) => !isBounded(field.type));
      const [first, ...others] = unbounded;
      if (first === undefined)
        return each(
          facts,
          measured.map(({ at }) => ({ at: `${at}/type`, said: true })),
        );
      const more = others.length === 0 ? "" : ` and ${others.length} more`;
      return { ...taken(`\`${first.name}\`${more}: whatever fits into a request`), at: first.at };
    },
  },
  {
    id: "resources/values",
    text: "Which values are allowed where there is a list of them, and is the list open?",
    answer: (facts) => firstOf(facts, ({ type }) => listed(type).kind === "one-of") ?? none,
  },
  {
    id: "resources/optional",
    text: "Which fields may be absent?",
    answer: (facts) => {
      const all = facts.fields.map(({ at }) => ({ at, said: true }));
      return firstOf(facts, ({ optional }) => optional) ?? each(facts, all);
    },
  },
  {
    id: "resources/setters",
    text: "Who sets each field, and when may it change?",
    answer: (facts) =>
      firstOf(facts, marked("read-only", "create-only")) ??
      (facts.fields.length === 0 ? none : taken("callers set every field, whenever they create or edit")),
  },
  {
    id: "resources/defaults",
    text: "What value has a field that nobody gives?",
    answer: (facts) => firstOf(facts, (field) => field.default !== undefined) ?? none,
  },
  {
    id: "resources/references",
    text: "What refers to what, and what does deleting do to the rest?",
    answer: (facts) => {
      const { model } = facts;
      const references = facts.fields.filter(({ field }) => referenceOf(model, listed(field.type)) !== undefined);
      const deletes = [...facts.endpoints.values()].some(
        (meaning) => meaning.kind === "resource" && meaning.deed === "delete",
      );
      const statements = references.map(
        ({ at, field }): Statement => ({
          at,
          said: !deletes || field.marks.includes("delete with") || field.marks.includes("clear"),
          otherwise: { ...taken("deleting what others refer to is refused with 409 `still-referenced`"), at },
        }),
      );
      return each(facts, statements);
    },
  },
  {
    id: "resources/rules",
    text: "What must be unique, and which rules hold across fields?",
    answer: (facts) => {
      const [first] = Object.keys(facts.model.resources.rules);
      if (first !== undefined) return shown(`resources/rules/${first}`);
      const unique = firstOf(facts, marked("unique"));
      if (facts.places.has("resources/rules"))
        return given(facts, "resources/rules", undefined, unique ?? noneAt("resources/rules"));
      return unique ?? taken("only ids are unique, and fields do not bind one another");
    },
  },
  {
    id: "resources/queries",
    text: "By which fields can lists be filtered and sorted?",
    answer: (facts) => {
      const lists = [...facts.endpoints.values()].some(
        (meaning) => meaning.kind === "resource" && meaning.deed === "list",
      );
      return firstOf(facts, marked("filter", "sort", "search")) ?? (lists ? taken("by none") : none);
    },
  },
  {
    id: "resources/personal",
    text: "Which fields are about a person?",
    answer: (facts) => firstOf(facts, marked("personal")) ?? taken("none: retention erases no field"),
  },
];

/** Fields that the document says are open; the model does not have them. */
function openFields({ model }: Facts): readonly Statement[] {
  return model.gaps.filter((path) => /^resources\/[A-Z]/.test(path)).map((at) => ({ at, said: false }));
}

function firstOf(facts: Facts, holds: (field: Field) => boolean): ReturnType<typeof shown> | undefined {
  const found = facts.fields.find(({ field }) => holds(field));
  return found && shown(found.at);
}

function marked(...marks: readonly Mark[]): (field: Field) => boolean {
  return (field) => field.marks.some((mark) => marks.includes(mark));
}

/** The type of the items where there are several. */
function listed(type: FieldType): FieldType {
  const bare = bareType(type);
  return bare.kind === "list" || bare.kind === "map" ? listed(bare.of) : bare;
}

/** Types that do not bound themselves, as an e-mail address or a date does. */
const measuredNames: readonly string[] = ["string", "text", "integer", "number", "decimal", "bytes"];

function isMeasured(type: FieldType): boolean {
  const bare = listed(type);
  return bare.kind === "scalar" && measuredNames.includes(bare.name);
}

function isBounded(type: FieldType): boolean {
  const bare = listed(type);
  return bare.kind !== "scalar" || bare.max !== undefined || bare.pattern !== undefined;
}
