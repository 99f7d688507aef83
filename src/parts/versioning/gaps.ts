/** What part 9 has to answer. */
import type { Facts } from "../facts.ts";
import { type Answer, given, noneAt, type Question, shown, taken } from "../question.ts";

export const questions: readonly Question[] = [
  {
    id: "versioning/scheme",
    text: "How are versions named?",
    answer: (facts) => versioned(facts, () => given(facts, "versioning/scheme", facts.model.versioning.scheme)),
  },
  {
    id: "versioning/choice",
    text: "How does a caller choose one?",
    answer: (facts) => versioned(facts, () => given(facts, "versioning/sent", facts.model.versioning.sent)),
  },
  {
    id: "versioning/absent",
    text: "Which one does a caller get that does not choose?",
    answer: (facts) => versioned(facts, () => given(facts, "versioning/absent", facts.model.versioning.absent)),
  },
  {
    id: "versioning/breaking",
    text: "What counts as breaking, and what follows from it?",
    answer: (facts) =>
      versioned(facts, () => given(facts, "versioning/policy/breaking", facts.model.versioning.policy?.breaking)),
  },
  {
    id: "versioning/changes",
    text: "How does an older caller see each change?",
    answer: (facts) => versioned(facts, () => given(facts, "versioning/versions", facts.model.versioning.versions)),
  },
  {
    id: "versioning/end",
    text: "With which notice does a version end, how long is it supported, and what is the answer afterwards?",
    answer: (facts) =>
      versioned(facts, () => {
        const policy = facts.model.versioning.policy;
        const notice = given(facts, "versioning/policy/notice", policy?.notice);
        if (notice.status !== "shown") return notice;
        const support = given(facts, "versioning/policy/support", policy?.support);
        if (support.status !== "shown") return support;
        if (policy?.afterSunset !== undefined) return shown("versioning/policy/after sunset");
        return given(facts, "versioning/policy/after sunset", undefined, taken("410 `version-gone`"));
      }),
  },
];

/** A service that is said to have one version has nothing more to say. */
function versioned(facts: Facts, answer: () => Answer): Answer {
  return facts.model.versioning.scheme === "none" ? noneAt("versioning/scheme") : answer();
}
