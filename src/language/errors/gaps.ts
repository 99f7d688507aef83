/** The questions of part 7 in the completeness questionnaire. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import { each, declaredAnswer, none, type Question, definedAt, taken } from "../analysis/question.ts";

export const questions: readonly Question[] = [
  {
    id: "errors/body",
    text: "What is the body of an error?",
    answer: (documentIndex) => declaredAnswer(documentIndex, "errors/body", taken("problem+json (RFC 9457)")),
  },
  {
    id: "errors/codes",
    text: "Which errors exist?",
    answer: (documentIndex) => {
      if (declared(documentIndex).length > 0) return definedAt("errors/errors");
      return declaredAnswer(documentIndex, "errors/standard");
    },
  },
  {
    id: "errors/statuses",
    text: "What is the status of each?",
    answer: (documentIndex) =>
      each(
        documentIndex,
        [...declared(documentIndex), ...open(documentIndex)].map((code) => ({
          at: `errors/errors/${code}`,
          declared: true,
        })),
        taken("the statuses and conditions of the catalogue"),
      ),
  },
  {
    id: "errors/conditions",
    text: "When does the service return each?",
    answer: (documentIndex) => {
      return each(
        documentIndex,
        declared(documentIndex).map((code) => ({
          at: `errors/errors/${code}`,
          declared: documentIndex.returned.has(code) || documentIndex.hasHandlers,
        })),
        taken("the statuses and conditions of the catalogue"),
      );
    },
  },
  {
    id: "errors/retries",
    text: "Which requests can be retried, and after how long?",
    answer: ({ model }) => {
      const [first] = Object.entries(model.errors.errors).filter(([, { retryAfter }]) => retryAfter !== undefined);
      if (first !== undefined) return definedAt(`errors/errors/${first[0]}`);
      return taken("429 and 503, after the time in `Retry-After`");
    },
  },
  {
    id: "errors/precedence",
    text: "Which error is returned when several apply?",
    answer: ({ lives, operations }) =>
      lives.length === 0 && operations.size === 0
        ? none
        : taken("428 and 412, then 422, state-conflict, a guard's error, rules and uniqueness, quota-exceeded"),
  },
];

function declared({ model }: DocumentIndex): readonly string[] {
  return Object.keys(model.errors.errors);
}

/** Returns the errors that the document names, but whose status and sentence are `not shown`. */
function open({ model }: DocumentIndex): readonly string[] {
  return model.gaps.flatMap((gap) => /^errors\/errors\/([^/]+)$/.exec(gap)?.[1] ?? []);
}
