/** The questions of part 9 in the completeness questionnaire. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import { type Answer, declaredAnswer, openOr, noneAt, type Question, definedAt, taken } from "../analysis/question.ts";

export const questions: readonly Question[] = [
  {
    id: "versioning/scheme",
    text: "How are versions named?",
    answer: (documentIndex) => versioned(documentIndex, () => declaredAnswer(documentIndex, "versioning/scheme")),
  },
  {
    id: "versioning/choice",
    text: "How does a caller choose one?",
    answer: (documentIndex) => versioned(documentIndex, () => declaredAnswer(documentIndex, "versioning/sent")),
  },
  {
    id: "versioning/absent",
    text: "Which version does a caller get who does not choose one?",
    answer: (documentIndex) => versioned(documentIndex, () => declaredAnswer(documentIndex, "versioning/absent")),
  },
  {
    id: "versioning/breaking",
    text: "Which changes are breaking, and what do they require?",
    answer: (documentIndex) =>
      versioned(documentIndex, () => declaredAnswer(documentIndex, "versioning/policy/breaking")),
  },
  {
    id: "versioning/changes",
    text: "How does an older caller see each change?",
    answer: (documentIndex) => versioned(documentIndex, () => declaredAnswer(documentIndex, "versioning/versions")),
  },
  {
    id: "versioning/end",
    text: "With which notice does a version end, how long is it supported, and what does the service return afterwards?",
    answer: (documentIndex) =>
      versioned(documentIndex, () => {
        const policy = documentIndex.model.versioning.policy;
        const notice = declaredAnswer(documentIndex, "versioning/policy/notice");
        if (notice.status !== "shown") return notice;
        const support = declaredAnswer(documentIndex, "versioning/policy/support");
        if (support.status !== "shown") return support;
        if (policy?.afterSunset !== undefined) return definedAt("versioning/policy/after sunset");
        return openOr(documentIndex, "versioning/policy/after sunset", taken("410 `version-gone`"));
      }),
  },
];

/** Answers a question that applies only to a service with several versions. */
function versioned(documentIndex: DocumentIndex, answer: () => Answer): Answer {
  return documentIndex.model.versioning.scheme === "none" ? noneAt("versioning/scheme") : answer();
}
