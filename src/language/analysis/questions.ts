/**
 * Answers the questionnaire (language, section 12) from a document, part by part.
 *
 * Every document has the same questions, so their number is always the same; a question about nothing in the document has the
 * answer `none`. A part without a block leaves all of its questions open, but counts as one gap: a document of nine sentences
 * that declare the parts open has nine gaps.
 */
import { questions as authentication } from "../authentication/gaps.ts";
import { questions as endpoints } from "../endpoints/gaps.ts";
import { questions as errors } from "../errors/gaps.ts";
import { questions as events } from "../events/gaps.ts";
import { type DocumentIndex, locationOf } from "./document-index.ts";
import { questions as limits } from "../limits/gaps.ts";
import { type PartName, partNames } from "../model.ts";
import { questions as purpose } from "../purpose/gaps.ts";
import type { Answer, AnswerStatus, Question } from "./question.ts";
import { questions as resources } from "../resources/gaps.ts";
import { questions as states } from "../states/gaps.ts";
import { questions as versioning } from "../versioning/gaps.ts";

export interface QuestionAnswer {
  readonly part: PartName;
  readonly id: string;
  readonly text: string;
  readonly status: AnswerStatus;
  /** The line of the statement that answers the question, or that lacks the answer. */
  readonly line?: number;
  /** The default that applies, as a text. */
  readonly taken?: string;
}

export interface PartAnswers {
  readonly part: PartName;
  /** `partial`: the part has a block, but leaves a question open. */
  readonly status: "shown" | "partial" | "gap" | "none";
  /** Whether the document itself declares all its gaps as open; false without gaps. */
  readonly stated: boolean;
  readonly gaps: number;
  readonly questions: readonly QuestionAnswer[];
}

export const questions: Readonly<Record<PartName, readonly Question[]>> = {
  purpose,
  resources,
  states,
  endpoints,
  authentication,
  events,
  errors,
  limits,
  versioning,
};

export function partAnswers(documentIndex: DocumentIndex): readonly PartAnswers[] {
  return partNames.map((part) => answersOf(documentIndex, part));
}

function answersOf(documentIndex: DocumentIndex, part: PartName): PartAnswers {
  const status = documentIndex.model.status[part];
  const answer = questions[part].map((question) =>
    status === "shown" ? question.answer(documentIndex) : { status, at: part },
  );
  const complete = status === "shown" ? withEveryGap(answer, documentIndex, part) : answer;
  const answers = questions[part].map(({ id, text }, index): QuestionAnswer => {
    const answer = complete[index] as Answer;
    const line = answer.at === undefined ? undefined : locationOf(documentIndex.places, answer.at).start.line;
    return {
      part,
      id,
      text,
      status: answer.status,
      ...(line === undefined ? {} : { line }),
      ...(answer.taken === undefined ? {} : { taken: answer.taken }),
    };
  });
  if (status === "none") return { part, status, stated: false, gaps: 0, questions: answers };
  if (status !== "shown") return { part, status: "gap", stated: status === "not shown", gaps: 1, questions: answers };
  const open = answers.filter((one) => one.status === "not shown" || one.status === "silent");
  return {
    part,
    status: open.length === 0 ? "shown" : "partial",
    stated: open.length > 0 && open.every((one) => one.status === "not shown"),
    gaps: open.length,
    questions: answers,
  };
}

/**
 * Adds every statement that is `not shown`, even if no question reads it: the gap belongs to the question of the same name,
 * else to the question with the nearest path.
 */
function withEveryGap(answers: readonly Answer[], { model }: DocumentIndex, part: PartName): readonly Answer[] {
  const complete = [...answers];
  const isOpen =
    (gap: string) =>
    ({ status, at }: Answer) =>
      status === "not shown" &&
      at !== undefined &&
      (gap === at || gap.startsWith(`${at}/`) || at.startsWith(`${gap}/`));
  for (const gap of model.gaps) {
    if (!gap.startsWith(`${part}/`) || complete.some(isOpen(gap))) continue;
    // A gap below a statement that already counts as open is not counted again.
    if (complete.some(({ status, at }) => status === "not shown" && shared(gap, at) > 1)) continue;
    const position = questions[part].findIndex(({ id }) => gap === id);
    if (position >= 0) {
      complete[position] = { status: "not shown", at: gap };
      continue;
    }
    const near = complete.map(({ status, at }) => (status === "not shown" ? -1 : shared(gap, at)));
    complete[near.indexOf(Math.max(...near))] = { status: "not shown", at: gap };
  }
  return complete;
}

/** Returns how many path segments the two paths have in common at their start. */
function shared(path: string, other = ""): number {
  const [a, b] = [path.split("/"), other.split("/")];
  const differ = a.findIndex((name, index) => name !== b[index]);
  return differ < 0 ? a.length : differ;
}
