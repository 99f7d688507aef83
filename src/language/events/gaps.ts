/** The questions of part 6 in the completeness questionnaire. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import {
  type Answer,
  declaredAnswer,
  declaredOrNone,
  none,
  type Question,
  definedAt,
  undeclared,
  taken,
} from "../analysis/question.ts";

export const questions: readonly Question[] = [
  {
    id: "events/kinds",
    text: "Which events exist?",
    answer: (documentIndex) => {
      const otherwise = documentIndex.model.events.in === undefined ? undeclared : taken("the service sends no events");
      return declaredOrNone(documentIndex, "events/out", otherwise);
    },
  },
  {
    id: "events/sources",
    text: "What emits each?",
    answer: (documentIndex) => ofOut(documentIndex, (first) => definedAt(`events/out/${first}`)),
  },
  {
    id: "events/payload",
    text: "What does an event carry, in which envelope?",
    answer: (documentIndex) =>
      ofOut(documentIndex, () =>
        declaredAnswer(
          documentIndex,
          "events/envelope",
          taken("CloudEvents, with the record as its receiver may see it"),
        ),
      ),
  },
  {
    id: "events/delivery",
    text: "How are events delivered, and who may subscribe?",
    answer: (documentIndex) => ofOut(documentIndex, () => declaredOrNone(documentIndex, "events/delivery")),
  },
  {
    id: "events/promise",
    text: "What is guaranteed: order, retries, time-out, end of retries, replay?",
    answer: (documentIndex) =>
      ofOut(documentIndex, () => {
        const { webhook, stream } = documentIndex.model.events.delivery ?? {};
        if (webhook === undefined && stream === undefined) return none;
        for (const member of webhook === undefined ? [] : (["promise", "timeout", "retry", "then"] as const)) {
          const at = `events/delivery/webhook/${member}` as const;
          const answer = declaredAnswer(documentIndex, at);
          if (answer.status !== "shown") return { at, ...answer };
        }
        if (stream === undefined) return definedAt("events/delivery/webhook");
        return declaredAnswer(documentIndex, "events/delivery/stream/keep", {
          status: "silent",
          at: "events/delivery/stream",
        });
      }),
  },
  {
    id: "events/signature",
    text: "How does a receiver know that an event is genuine?",
    answer: (documentIndex) => {
      const { webhook } = documentIndex.model.events.delivery ?? {};
      if (webhook === undefined) return none;
      return declaredOrNone(documentIndex, "events/delivery/webhook/signed", taken("standard-webhooks"));
    },
  },
  {
    id: "events/inbound",
    text: "Which events does the service receive, from whom, how is the sender verified, and what do they change?",
    answer: (documentIndex) => {
      const otherwise =
        documentIndex.model.events.out === undefined ? undeclared : taken("the service receives no events");
      return declaredOrNone(documentIndex, "events/in", otherwise);
    },
  },
];

/** Answers a question about outgoing events; `none` if the service sends none. */
function ofOut(documentIndex: DocumentIndex, answer: (first: string) => Answer): Answer {
  const [first] = Object.keys(documentIndex.model.events.out ?? {});
  return first === undefined ? none : answer(first);
}
