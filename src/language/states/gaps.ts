/** The questions of part 3 in the completeness questionnaire. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import { each, none, type Question, definedAt, taken } from "../analysis/question.ts";

export const questions: readonly Question[] = [
  {
    id: "states/states",
    text: "Which states does each resource have, if any?",
    answer: (documentIndex) => {
      const names = Object.keys(documentIndex.model.resources.resources);
      const written = [...Object.keys(documentIndex.model.states)].map((name) => ({
        at: `states/${name}`,
        declared: true,
      }));
      const missing = names
        .filter((name) => !Object.hasOwn(documentIndex.model.states, name))
        .map((name) => ({ at: `states/${name}`, declared: documentIndex.places.has(`states/${name}`) }));
      return each(documentIndex, [...written, ...missing]);
    },
  },
  {
    id: "states/start",
    text: "In which state does a record start?",
    answer: (documentIndex) =>
      each(
        documentIndex,
        documentIndex.lives.map(({ resource, lifecycle, start }) => ({
          at: `states/${resource}/start`,
          declared: lifecycle.start !== undefined,
          otherwise: {
            ...taken(`the first listed state: ${resource} starts as \`${start}\``),
            at: `states/${resource}`,
          },
        })),
      ),
  },
  {
    id: "states/final",
    text: "Which states are final?",
    answer: (documentIndex) =>
      each(
        documentIndex,
        documentIndex.lives.map(({ resource, lifecycle, states, out }) => ({
          at: `states/${resource}/final`,
          // If every state has a transition out, the resource has no final state to declare.
          declared: lifecycle.final !== undefined || states.every((state) => (out.get(state) ?? []).length > 0),
        })),
      ),
  },
  {
    id: "states/moves",
    text: "Which transitions exist?",
    answer: (documentIndex) =>
      each(
        documentIndex,
        documentIndex.lives.map(({ resource, lifecycle, states }) => ({
          at: `states/${resource}/moves`,
          declared:
            lifecycle.moves.length > 0 || states.length < 2 || documentIndex.places.has(`states/${resource}/moves`),
        })),
      ),
  },
  {
    id: "states/triggers",
    text: "What triggers each transition: an operation, an event, or time?",
    answer: (documentIndex) => each(documentIndex, [...moves(documentIndex), ...openTransitions(documentIndex)]),
  },
  {
    id: "states/guards",
    text: "Under which condition, and which error is returned if it is false?",
    answer: (documentIndex) => {
      const guarded = documentIndex.transitions.find(({ trigger }) => trigger.if !== undefined);
      const open = openMembers(documentIndex, "if")[0];
      if (open !== undefined) return { status: "not shown", at: open };
      return guarded === undefined ? none : definedAt(`${guarded.at}/if`);
    },
  },
  {
    id: "states/effects",
    text: "What else does a transition change?",
    answer: (documentIndex) => {
      const open = openMembers(documentIndex, "set")[0];
      if (open !== undefined) return { status: "not shown", at: open };
      const changing = documentIndex.transitions.find(({ trigger }) => trigger.set !== undefined);
      if (changing !== undefined) return definedAt(`${changing.at}/set`);
      const caused = documentIndex.transitions.find(({ trigger }) => trigger.on.kind === "when");
      return caused === undefined ? none : definedAt(caused.at);
    },
  },
  {
    id: "states/conflict",
    text: "Which error is returned if no transition matches?",
    answer: (documentIndex) =>
      documentIndex.lives.length === 0
        ? none
        : taken("409 `state-conflict`, with the current state and the allowed transitions"),
  },
];

function moves({ transitions }: DocumentIndex): { at: string; declared: boolean }[] {
  return transitions.map(({ at }) => ({ at, declared: true }));
}

function openTransitions({ model }: DocumentIndex): { at: string; declared: boolean }[] {
  return model.gaps
    .filter((path) => /^states\/[^/]+\/moves\/[^/]+(?:\/(?:\d+|by|when|at|after))*$/.test(path))
    .map((at) => ({ at, declared: false }));
}

function openMembers({ model }: DocumentIndex, member: string): readonly string[] {
  return model.gaps.filter((path) => /^states\/[^/]+\/moves\//.test(path) && path.split("/").includes(member, 4));
}
