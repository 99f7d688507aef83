/** A question of the completeness questionnaire, and the five statuses of its answer. */
import type { Model, PartName } from "../model.ts";
import type { DocumentIndex } from "./document-index.ts";

/**
 * The status of an answer. `shown`: a block answers the question. `none`: the document declares that there is none, or has
 * nothing that the question is about. `default`: a default of the language applies. `not shown`: the document declares the
 * answer open. `silent`: no answer. The last two are gaps.
 */
export type AnswerStatus = "shown" | "none" | "default" | "not shown" | "silent";

export interface Answer {
  readonly status: AnswerStatus;
  /** A path of `SourceLocations`: the statement that answers the question, or that lacks the answer. */
  readonly at?: string;
  /** The default as a text; only with the status `default`. */
  readonly taken?: string;
}

export interface Question {
  /** `part/slug`, permanent, never reused. */
  readonly id: string;
  readonly text: string;
  answer(documentIndex: DocumentIndex): Answer;
}

export const undeclared: Answer = { status: "silent" };
export const none: Answer = { status: "none" };

export function definedAt(at: string): Answer {
  return { status: "shown", at };
}

export function noneAt(at: string): Answer {
  return { status: "none", at };
}

export function missing(at: string): Answer {
  return { status: "silent", at };
}

export function taken(text: string): Answer {
  return { status: "default", taken: text };
}

/** Answers a question from the statement at a path: declared, open, or `otherwise` if the statement is missing. */
export function declaredAnswer(
  documentIndex: DocumentIndex,
  at: StatementPath,
  otherwise: Answer = undeclared,
): Answer {
  return openOr(documentIndex, at, valueAt(documentIndex.model, at) === undefined ? otherwise : definedAt(at));
}

/** Like `declaredAnswer`, but also recognises the answer `none`: an empty list, an empty map, or the word `none`. */
export function declaredOrNone(
  documentIndex: DocumentIndex,
  at: StatementPath,
  otherwise: Answer = undeclared,
): Answer {
  const value = valueAt(documentIndex.model, at);
  if (value === "none" || (typeof value === "object" && value !== null && Object.keys(value).length === 0)) {
    return documentIndex.places.has(at) ? noneAt(at) : otherwise;
  }
  return declaredAnswer(documentIndex, at, otherwise);
}

/** Returns `not shown` if the document declares the statement open, else `otherwise`. */
export function openOr({ gaps }: DocumentIndex, at: string, otherwise: Answer = undeclared): Answer {
  return gaps.has(at) ? { status: "not shown", at } : otherwise;
}

/** A path of `SourceLocations` whose keys are also those of the model: `limits/rate`, `events/delivery/webhook/signed`. */
export type StatementPath = `${PartName}/${string}`;

function valueAt(model: Model, at: StatementPath): unknown {
  return at
    .split("/")
    .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], model);
}

/** Combines the answers of many statements: returns the first open one, else the first missing one, else the first. */
export function each(documentIndex: DocumentIndex, statements: readonly Statement[], otherwise: Answer = none): Answer {
  const [first] = statements;
  if (first === undefined) return otherwise;
  const open = statements.find(({ at }) => documentIndex.gaps.has(at));
  if (open !== undefined) return { status: "not shown", at: open.at };
  const lacking = statements.find(({ declared }) => !declared);
  return lacking === undefined ? definedAt(first.at) : (lacking.otherwise ?? missing(lacking.at));
}

export interface Statement {
  readonly at: string;
  readonly declared: boolean;
  readonly otherwise?: Answer;
}
