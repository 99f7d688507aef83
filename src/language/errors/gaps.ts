/** What part 7 has to answer. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import { each, declaredAnswer, none, type Question, definedAt, undeclared, taken } from "../analysis/question.ts";

export const questions: readonly Question[] = [
  {
    id: "errors/body",
    text: "What shape has the body of an error?",
    answer: (documentIndex) =>
      declaredAnswer(documentIndex, "errors/body", documentIndex.model.errors.body, taken("problem+json (RFC 9457)")),
  },
  {
    id: "errors/codes",
    text: "Which errors are there?",
    answer: (documentIndex) => {
      if (declared(documentIndex).length > 0) return definedAt("errors/errors");
      return declaredAnswer(documentIndex, "errors/standard", documentIndex.model.errors.standard, undeclared);
    },
  },
  {
    id: "errors/statuses",
    text: "Which status has each?",
    answer: (documentIndex) =>
      each(
        documentIndex,
        [...declared(documentIndex), ...open(documentIndex)].map((code) => ({
          at: `errors/errors/${code}`,
          declared: true,
        })),
        taken("those of the catalogue"),
      ),
  },
  {
    id: "errors/conditions",
    text: "When is each of them the answer?",
    answer: (documentIndex) => {
      return each(
        documentIndex,
        declared(documentIndex).map((code) => ({
          at: `errors/errors/${code}`,
          declared: documentIndex.returned.has(code) || documentIndex.hasHandlers,
        })),
        taken("those of the catalogue"),
      );
    },
  },
  {
    id: "errors/retries",
    text: "Which can be tried again, and after what?",
    answer: ({ model }) => {
      const [first] = Object.entries(model.errors.errors).filter(([, { retryAfter }]) => retryAfter !== undefined);
      if (first !== undefined) return definedAt(`errors/errors/${first[0]}`);
      return taken("429 and 503, after what `Retry-After` says");
    },
  },
  {
    id: "errors/precedence",
    text: "Which is the answer where several could be?",
    answer: ({ lives, operations }) =>
      lives.length === 0 && operations.size === 0
        ? none
        : taken("428 and 412, then 422, state-conflict, a guard's error, rules and uniqueness, quota-exceeded"),
  },
];

function declared({ model }: DocumentIndex): readonly string[] {
  return Object.keys(model.errors.errors);
}

/** An error of which only the code is said. */
function open({ model }: DocumentIndex): readonly string[] {
  return model.gaps.flatMap((gap) => /^errors\/errors\/([^/]+)$/.exec(gap)?.[1] ?? []);
}
