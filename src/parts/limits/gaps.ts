/** What part 8 has to answer. */
import { given, givenOrNone, type Question, taken } from "../question.ts";

export const questions: readonly Question[] = [
  {
    id: "limits/rates",
    text: "How often may a caller ask?",
    answer: (facts) => givenOrNone(facts, "limits/rate", facts.model.limits.rate),
  },
  {
    id: "limits/quotas",
    text: "How much may a caller have?",
    answer: (facts) => givenOrNone(facts, "limits/quota", facts.model.limits.quota),
  },
  {
    id: "limits/sizes",
    text: "How large may a request be?",
    answer: (facts) => given(facts, "limits/size", facts.model.limits.size, taken("1MB")),
  },
  {
    id: "limits/times",
    text: "How long may a request take?",
    answer: (facts) => given(facts, "limits/time", facts.model.limits.time, taken("30s")),
  },
  {
    id: "limits/retention",
    text: "How long is each record kept?",
    answer: (facts) => givenOrNone(facts, "limits/keep", facts.model.limits.keep),
  },
];
