/** What part 1 has to answer. */
import type { Facts } from "../facts.ts";
import { each, given, givenOrNone, type Answer, type Question, silent } from "../question.ts";

export const questions: readonly Question[] = [
  {
    id: "purpose/name",
    text: "What is the service called?",
    answer: (facts) => given(facts, "purpose/service", facts.model.purpose.service),
  },
  {
    id: "purpose/purpose",
    text: "What is it for, in one sentence?",
    answer: (facts) => given(facts, "purpose/purpose", facts.model.purpose.purpose),
  },
  {
    id: "purpose/domain",
    text: "Which domain does it belong to?",
    answer: (facts) => given(facts, "purpose/domain", facts.model.purpose.domain),
  },
  {
    id: "purpose/users",
    text: "Which kinds of users does it have?",
    answer: (facts) => sentences(facts, "purpose/users", facts.model.purpose.users),
  },
  {
    id: "purpose/operations",
    text: "Which operations does it offer, each with a sentence?",
    answer: (facts) => sentences(facts, "purpose/operations", facts.model.purpose.operations),
  },
  {
    id: "purpose/outside",
    text: "What does it not do?",
    answer: (facts) => givenOrNone(facts, "purpose/outside", facts.model.purpose.outside),
  },
];

function sentences(facts: Facts, at: string, lines: Readonly<Record<string, string>>): Answer {
  if (Object.keys(lines).length === 0) return givenOrNone(facts, at, lines);
  const statements = Object.entries(lines).map(([name, text]) => ({ at: `${at}/${name}`, said: text !== "" }));
  return each(facts, [{ at, said: true }, ...openBelow(facts, at), ...statements], silent);
}

/** A name whose sentence is said to be open is in no model, but in the list of gaps. */
function openBelow(facts: Facts, at: string): { at: string; said: boolean }[] {
  return facts.model.gaps.filter((path) => path.startsWith(`${at}/`)).map((path) => ({ at: path, said: false }));
}
