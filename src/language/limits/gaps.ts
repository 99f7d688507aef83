/** The questions of part 8 in the completeness questionnaire. */
import { declaredAnswer, declaredOrNone, type Question, taken } from "../analysis/question.ts";

export const questions: readonly Question[] = [
  {
    id: "limits/rates",
    text: "How many requests may a caller send?",
    answer: (documentIndex) => declaredOrNone(documentIndex, "limits/rate"),
  },
  {
    id: "limits/quotas",
    text: "How many records may a caller have?",
    answer: (documentIndex) => declaredOrNone(documentIndex, "limits/quota"),
  },
  {
    id: "limits/sizes",
    text: "How large may a request be?",
    answer: (documentIndex) => declaredAnswer(documentIndex, "limits/size", taken("1MB")),
  },
  {
    id: "limits/times",
    text: "How long may a request take?",
    answer: (documentIndex) => declaredAnswer(documentIndex, "limits/time", taken("30s")),
  },
  {
    id: "limits/retention",
    text: "How long is each record stored?",
    answer: (documentIndex) => declaredOrNone(documentIndex, "limits/keep"),
  },
];
