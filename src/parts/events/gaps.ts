/** What part 6 has to answer. */
import type { Facts } from "../facts.ts";
import { type Answer, given, givenOrNone, none, type Question, shown, silent, taken } from "../question.ts";

export const questions: readonly Question[] = [
  {
    id: "events/kinds",
    text: "Which kinds of event are there?",
    answer: (facts) => {
      const otherwise = facts.model.events.in === undefined ? silent : taken("none goes out");
      return givenOrNone(facts, "events/out", facts.model.events.out, otherwise);
    },
  },
  {
    id: "events/sources",
    text: "What emits each?",
    answer: (facts) => ofOut(facts, (first) => shown(`events/out/${first}`)),
  },
  {
    id: "events/payload",
    text: "What does an event carry, in which envelope?",
    answer: (facts) =>
      ofOut(facts, () =>
        given(
          facts,
          "events/envelope",
          facts.model.events.envelope,
          taken("CloudEvents, with the record as its receiver may see it"),
        ),
      ),
  },
  {
    id: "events/delivery",
    text: "How is it delivered, and who may subscribe?",
    answer: (facts) => ofOut(facts, () => givenOrNone(facts, "events/delivery", facts.model.events.delivery)),
  },
  {
    id: "events/promise",
    text: "What is promised: order, retries, time-out, giving up, replay?",
    answer: (facts) =>
      ofOut(facts, () => {
        const { webhook, stream } = facts.model.events.delivery ?? {};
        if (webhook === undefined && stream === undefined) return none;
        for (const member of webhook === undefined ? [] : (["promise", "timeout", "retry", "then"] as const)) {
          const at = `events/delivery/webhook/${member}`;
          const answer = given(facts, at, webhook?.[member]);
          if (answer.status !== "shown") return { at, ...answer };
        }
        if (stream === undefined) return shown("events/delivery/webhook");
        return given(facts, "events/delivery/stream/keep", stream.keep, {
          status: "silent",
          at: "events/delivery/stream",
        });
      }),
  },
  {
    id: "events/signature",
    text: "How does a receiver know that an event is genuine?",
    answer: (facts) => {
      const { webhook } = facts.model.events.delivery ?? {};
      if (webhook === undefined) return none;
      return givenOrNone(facts, "events/delivery/webhook/signed", webhook.signed, taken("standard-webhooks"));
    },
  },
  {
    id: "events/inbound",
    text: "Which events come in, from whom, with which proof and effect?",
    answer: (facts) => {
      const otherwise = facts.model.events.out === undefined ? silent : taken("none comes in");
      return givenOrNone(facts, "events/in", facts.model.events.in, otherwise);
    },
  },
];

/** None where the service sends nothing. */
function ofOut(facts: Facts, answer: (first: string) => Answer): Answer {
  const [first] = Object.keys(facts.model.events.out ?? {});
  return first === undefined ? none : answer(first);
}
