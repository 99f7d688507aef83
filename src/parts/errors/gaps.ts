/** What part 7 has to answer. */
import type { Facts } from "../facts.ts";
import { each, given, none, type Question, shown, silent, taken } from "../question.ts";

export const questions: readonly Question[] = [
  {
    id: "errors/body",
    text: "What shape has the body of an error?",
    answer: (facts) => given(facts, "errors/body", facts.model.errors.body, taken("problem+json (RFC 9457)")),
  },
  {
    id: "errors/codes",
    text: "Which errors are there?",
    answer: (facts) => {
      if (declared(facts).length > 0) return shown("errors/errors");
      return given(facts, "errors/standard", facts.model.errors.standard, silent);
    },
  },
  {
    id: "errors/statuses",
    text: "Which status has each?",
    answer: (facts) =>
      each(
        facts,
        [...declared(facts), ...open(facts)].map((code) => ({ at: `errors/errors/${code}`, said: true })),
        taken("those of the catalogue"),
      ),
  },
  {
    id: "errors/conditions",
    text: "When is each of them the answer?",
    answer: (facts) => {
      const raised = new Set(facts.raised.map(({ code }) => code));
      return each(
        facts,
        declared(facts).map((code) => ({ at: `errors/errors/${code}`, said: raised.has(code) || facts.hasHandlers })),
        taken("those of the catalogue"),
      );
    },
  },
  {
    id: "errors/retries",
    text: "Which can be tried again, and after what?",
    answer: ({ model }) => {
      const [first] = Object.entries(model.errors.errors).filter(([, { retryAfter }]) => retryAfter !== undefined);
      if (first !== undefined) return shown(`errors/errors/${first[0]}`);
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

function declared({ model }: Facts): readonly string[] {
  return Object.keys(model.errors.errors);
}

/** An error of which only the code is said. */
function open({ model }: Facts): readonly string[] {
  return model.gaps.flatMap((gap) => /^errors\/errors\/([^/]+)$/.exec(gap)?.[1] ?? []);
}
