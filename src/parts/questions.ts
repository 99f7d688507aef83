/**
 * The questions of the language's section 12, answered from a document, part by part.
 *
 * Every question is asked of every document, so that their number is always the same; where nothing in the document
 * could be meant, the answer is none. A part that shows nothing answers all of its questions alike, and counts as one gap:
 * a document of nine sentences that say what is open has nine gaps.
 */
import { questions as authentication } from "./authentication/gaps.ts";
import { questions as endpoints } from "./endpoints/gaps.ts";
import { questions as errors } from "./errors/gaps.ts";
import { questions as events } from "./events/gaps.ts";
import { type Facts, placeOf } from "./facts.ts";
import { questions as limits } from "./limits/gaps.ts";
import { type PartName, partNames } from "./model.ts";
import { questions as purpose } from "./purpose/gaps.ts";
import type { Answer, AnswerStatus, Question } from "./question.ts";
import { questions as resources } from "./resources/gaps.ts";
import { questions as states } from "./states/gaps.ts";
import { questions as versioning } from "./versioning/gaps.ts";

export interface QuestionAnswer {
  readonly part: PartName;
  readonly id: string;
  readonly text: string;
  readonly status: AnswerStatus;
  /** Of what gives the answer; where it is missing, of the statement that lacks it. */
  readonly line?: number;
  /** The default that was taken, in words. */
  readonly taken?: string;
}

export interface PartAnswers {
  readonly part: PartName;
  /** `partial`: it shows something, and leaves a question open. */
  readonly status: "shown" | "partial" | "gap" | "none";
  /** Whether the document itself says what it leaves open; false where nothing is open. */
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

export function partAnswers(facts: Facts): readonly PartAnswers[] {
  return partNames.map((part) => answersOf(facts, part));
}

function answersOf(facts: Facts, part: PartName): PartAnswers {
  const status = facts.model.status[part];
  const given = questions[part].map((question) => (status === "shown" ? question.answer(facts) : { status, at: part }));
  const complete = status === "shown" ? withEveryGap(given, facts, part) : given;
  const answers = questions[part].map(({ id, text }, index): QuestionAnswer => {
    const given = complete[index] as Answer;
    const line = given.at === undefined ? undefined : placeOf(facts.places, given.at).start.line;
    return {
      part,
      id,
      text,
      status: given.status,
      ...(line === undefined ? {} : { line }),
      ...(given.taken === undefined ? {} : { taken: given.taken }),
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
 * A statement that is said to be open counts, whatever the questions look at: where none of them has found it, it is that
 * of the question of its name, else of the one whose own answer stands nearest.
 */
function withEveryGap(answers: readonly Answer[], { model }: Facts, part: PartName): readonly Answer[] {
  const complete = [...answers];
  const isOpen =
    (gap: string) =>
    ({ status, at }: Answer) =>
      status === "not shown" &&
      at !== undefined &&
      (gap === at || gap.startsWith(`${at}/`) || at.startsWith(`${gap}/`));
  for (const gap of model.gaps) {
    if (!gap.startsWith(`${part}/`) || complete.some(isOpen(gap))) continue;
    // A part with an open question more is as open as it was.
    if (complete.some(({ status, at }) => status === "not shown" && shared(gap, at) > 1)) continue;
    const own = questions[part].findIndex(({ id }) => gap === id);
    if (own >= 0) {
      complete[own] = { status: "not shown", at: gap };
      continue;
    }
    const near = complete.map(({ status, at }) => (status === "not shown" ? -1 : shared(gap, at)));
    complete[near.indexOf(Math.max(...near))] = { status: "not shown", at: gap };
  }
  return complete;
}

/** How many names the two paths have in common from the start. */
function shared(path: string, other = ""): number {
  const [a, b] = [path.split("/"), other.split("/")];
  const differ = a.findIndex((name, index) => name !== b[index]);
  return differ < 0 ? a.length : differ;
}
