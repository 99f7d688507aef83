/**
 * Checks the effects of transitions: reports one that changes nothing, sets a field that it may not set, or copies a hidden
 * field.
 */
import { nodesOf, type TypedExpression } from "../../../expression/typed.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import { fieldsReadIn, isHidden } from "../../authentication/hidden.ts";
import { fieldsOf, lookup, lifecycleOf } from "../../resources/fields.ts";
import type { Field } from "../../resources/model.ts";
import { furtherWriteSites } from "../further-writes.ts";
import { transitionName } from "../model.ts";

/** Reports a transition from a state to itself that changes nothing. */
const transitionWithoutEffect: Check = {
  code: "states/self-move-without-effect",
  severity: "warning",
  why: "Nothing changes, so the caller would get a success for a change that did not happen.",
  *run({ transitions, outEvents, endpoints }) {
    const emitting = new Set(
      [...outEvents.values()].flatMap(({ event: { when } }) => (when.kind === "operation" ? [when.operation] : [])),
    );
    for (const { trigger, from, to, at } of transitions) {
      if (from.length !== 1 || from[0] !== to || trigger.set !== undefined) continue;
      const { on } = trigger;
      const operation = on.kind === "by" ? on.operation : "";
      const endpoint = endpoints.get(operation)?.endpoint;
      if (emitting.has(operation) || endpoint?.choose !== undefined || endpoint?.gives !== undefined) continue;
      yield {
        at: at.replace(/\/\d+$/, "#key"),
        message: `This transition leads from \`${to}\` to itself and changes nothing`,
        help: "add `set:` with the fields that it changes, or an event of the operation",
      };
    }
  },
};

/** Reports a transition that sets a field which no transition may set. */
const setNotSettable: Check = {
  code: "states/set-not-settable",
  severity: "error",
  why: "An id never changes, a computed field has the value of its expression, and only the hash of a secret is stored.",
  *run({ model, transitions, typed }) {
    for (const { resource, trigger, at } of transitions) {
      for (const name of Object.keys(trigger.set ?? {})) {
        const field = lookup(fieldsOf(model, resource), name);
        if (field === undefined) continue;
        const found = notSettable(name, field, typed.get(`${at}/set/${name}`));
        if (found !== undefined) yield { at: `${at}/set/${name}#key`, ...found };
      }
    }
  },
};

function notSettable(
  name: string,
  { computed, marks }: Pick<Field, "computed" | "marks">,
  expression: TypedExpression | undefined,
): { readonly message: string; readonly help?: string } | undefined {
  const no = (why: string): { readonly message: string } => ({ message: `A transition cannot set this: ${why}` });
  if (name === "id") return no("the id of a record never changes");
  if (computed !== undefined) return no(`\`${name}\` is computed`);
  const clears = expression?.kind === "constant" && expression.value === null;
  if (!marks.includes("secret") || expression === undefined || clears) return undefined;
  // Secrets are hashed, which is slow, before the transaction begins; expressions are evaluated inside the transaction.
  return {
    ...no(`\`${name}\` is a secret: only its hash may be stored, and an expression would store the text itself`),
    help: `take \`${name}\` in the body of an update (\`PATCH\`), or clear it with \`null\``,
  };
}

/** Reports a transition that copies a hidden field into a field that more callers see. */
const hiddenFieldLeaves: Check = {
  code: "states/hidden-field-leaves",
  severity: "warning",
  why: "`show` and the marks hide a field, but not a copy of its value.",
  *run(documentIndex) {
    for (const resource of Object.keys(documentIndex.model.states)) {
      for (const transition of lifecycleOf(documentIndex.model, resource)?.moves ?? []) {
        for (const [index, { set = {} }] of transition.triggers.entries()) {
          for (const name of Object.keys(set)) {
            const at = `states/${resource}/moves/${transitionName(transition)}/${index}/set/${name}`;
            const typed = documentIndex.typed.get(at);
            if (typed === undefined || isHidden(documentIndex, `${resource}.${name}`)) continue;
            const hidden = fieldsReadIn(typed, resource).find((field) => isHidden(documentIndex, field));
            if (hidden === undefined) continue;
            yield {
              at,
              message: `\`${name}\` is set from \`${hidden}\`, which not everybody sees`,
              help: `write in \`show\` of part 5 who sees \`${resource}.${name}\``,
            };
          }
        }
      }
    }
    yield* copiedByFurtherWrites(documentIndex);
  },
};

function* copiedByFurtherWrites(documentIndex: DocumentIndex): Iterable<Finding> {
  for (const { at, of, write } of furtherWriteSites(documentIndex.model)) {
    const resolved = of.kind === "operation" ? documentIndex.endpoints.get(of.operation) : undefined;
    const around = of.kind === "transition" ? of.resource : resolved?.kind === "resource" ? resolved.resource : "";
    const member = write.kind === "create" ? "with" : "set";
    for (const name of Object.keys(write[member] ?? {})) {
      const typed = documentIndex.typed.get(`${at}/${member}/${name}`);
      if (typed === undefined || isHidden(documentIndex, `${write.resource}.${name}`)) continue;
      const ofRecord = nodesOf(typed).flatMap((node) =>
        node.kind === "variable" && (node.path[0] === "this" || node.path[0] === "old")
          ? [`${around}.${node.path[1]}`]
          : [],
      );
      const read = [...fieldsReadIn(typed, member === "with" ? around : write.resource), ...ofRecord];
      const hidden = read.find((field) => isHidden(documentIndex, field));
      if (hidden === undefined) continue;
      yield {
        at: `${at}/${member}/${name}`,
        message: `\`${name}\` is set from \`${hidden}\`, which not everybody sees`,
        help: `write in \`show\` of part 5 who sees \`${write.resource}.${name}\``,
      };
    }
  }
}

export const checks: readonly Check[] = [transitionWithoutEffect, setNotSettable, hiddenFieldLeaves];
