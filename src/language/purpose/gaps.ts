/** The questions of part 1 in the completeness questionnaire. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import {
  each,
  declaredAnswer,
  declaredOrNone,
  type Answer,
  type Question,
  type StatementPath,
  undeclared,
} from "../analysis/question.ts";

export const questions: readonly Question[] = [
  {
    id: "purpose/name",
    text: "What is the name of the service?",
    answer: (documentIndex) => declaredAnswer(documentIndex, "purpose/service"),
  },
  {
    id: "purpose/purpose",
    text: "What is it for, in one sentence?",
    answer: (documentIndex) => declaredAnswer(documentIndex, "purpose/purpose"),
  },
  {
    id: "purpose/domain",
    text: "Which domain does the service belong to?",
    answer: (documentIndex) => declaredAnswer(documentIndex, "purpose/domain"),
  },
  {
    id: "purpose/users",
    text: "Which kinds of users does it have?",
    answer: (documentIndex) => descriptionsAnswer(documentIndex, "purpose/users", documentIndex.model.purpose.users),
  },
  {
    id: "purpose/operations",
    text: "Which operations does it offer, each with a description?",
    answer: (documentIndex) =>
      descriptionsAnswer(documentIndex, "purpose/operations", documentIndex.model.purpose.operations),
  },
  {
    id: "purpose/outside",
    text: "What does it not do?",
    answer: (documentIndex) => declaredOrNone(documentIndex, "purpose/outside"),
  },
];

function descriptionsAnswer(
  documentIndex: DocumentIndex,
  at: StatementPath,
  lines: Readonly<Record<string, string>>,
): Answer {
  if (Object.keys(lines).length === 0) return declaredOrNone(documentIndex, at);
  const statements = Object.entries(lines).map(([name, text]) => ({ at: `${at}/${name}`, declared: text !== "" }));
  return each(documentIndex, [{ at, declared: true }, ...openBelow(documentIndex, at), ...statements], undeclared);
}

/** Returns the names below `at` with an undecided description: the model omits them, but its list of gaps has them. */
function openBelow(documentIndex: DocumentIndex, at: string): { at: string; declared: boolean }[] {
  return documentIndex.model.gaps
    .filter((path) => path.startsWith(`${at}/`))
    .map((path) => ({ at: path, declared: false }));
}
