/** What part 3 has to answer. */
import type { Facts } from "../facts.ts";
import { each, none, type Question, shown, taken } from "../question.ts";

export const questions: readonly Question[] = [
  {
    id: "states/states",
    text: "Which states does each resource have, or none?",
    answer: (facts) => {
      const names = Object.keys(facts.model.resources.resources);
      const written = [...Object.keys(facts.model.states)].map((name) => ({ at: `states/${name}`, said: true }));
      const missing = names
        .filter((name) => !Object.hasOwn(facts.model.states, name))
        .map((name) => ({ at: `states/${name}`, said: facts.places.has(`states/${name}`) }));
      return each(facts, [...written, ...missing]);
    },
  },
  {
    id: "states/start",
    text: "In which state does a record start?",
    answer: (facts) =>
      each(
        facts,
        facts.lives.map(({ resource, lifecycle, start }) => ({
          at: `states/${resource}/start`,
          said: lifecycle.start !== undefined,
          otherwise: {
            ...taken(`the first that is listed: ${resource} starts \`${start}\``),
            at: `states/${resource}`,
          },
        })),
      ),
  },
  {
    id: "states/final",
    text: "Which states are final?",
    answer: (facts) =>
      each(
        facts,
        facts.lives.map(({ resource, lifecycle, states, out }) => ({
          at: `states/${resource}/final`,
          // Where a record can always move on, there is nothing to say.
          said: lifecycle.final !== undefined || states.every((state) => (out.get(state) ?? []).length > 0),
        })),
      ),
  },
  {
    id: "states/moves",
    text: "From which state to which does a record move?",
    answer: (facts) =>
      each(
        facts,
        facts.lives.map(({ resource, lifecycle, states }) => ({
          at: `states/${resource}/moves`,
          said: lifecycle.moves.length > 0 || states.length < 2 || facts.places.has(`states/${resource}/moves`),
        })),
      ),
  },
  {
    id: "states/triggers",
    text: "What triggers each move: an operation, an event, or time?",
    answer: (facts) => each(facts, [...moves(facts), ...openMoves(facts)]),
  },
  {
    id: "states/guards",
    text: "Under which condition, and with which error where it does not hold?",
    answer: (facts) => {
      const guarded = facts.transitions.find(({ trigger }) => trigger.if !== undefined);
      const open = openMembers(facts, "if")[0];
      if (open !== undefined) return { status: "not shown", at: open };
      return guarded === undefined ? none : shown(`${guarded.at}/if`);
    },
  },
  {
    id: "states/effects",
    text: "What else does a move change?",
    answer: (facts) => {
      const open = openMembers(facts, "set")[0];
      if (open !== undefined) return { status: "not shown", at: open };
      const changing = facts.transitions.find(({ trigger }) => trigger.set !== undefined);
      if (changing !== undefined) return shown(`${changing.at}/set`);
      const caused = facts.transitions.find(({ trigger }) => trigger.on.kind === "when");
      return caused === undefined ? none : shown(caused.at);
    },
  },
  {
    id: "states/conflict",
    text: "What is the answer where no move matches?",
    answer: (facts) =>
      facts.lives.length === 0 ? none : taken("409 `state-conflict`, naming the state and the moves that are allowed"),
  },
];

function moves({ transitions }: Facts): { at: string; said: boolean }[] {
  return transitions.map(({ at }) => ({ at, said: true }));
}

function openMoves({ model }: Facts): { at: string; said: boolean }[] {
  return model.gaps
    .filter((path) => /^states\/[^/]+\/moves\/[^/]+(?:\/(?:\d+|by|when|at|after))*$/.test(path))
    .map((at) => ({ at, said: false }));
}

function openMembers({ model }: Facts, member: string): readonly string[] {
  return model.gaps.filter((path) => /^states\/[^/]+\/moves\//.test(path) && path.split("/").includes(member, 4));
}
