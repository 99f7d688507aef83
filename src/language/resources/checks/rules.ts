/** Reports rules that read all records, or that are always true or always false. */
import { always, satisfiable } from "../../../expression/prove.ts";
import { type Dependency, reachOf } from "../../../expression/reach.ts";
import type { Check } from "../../analysis/finding.ts";
import { rangesOf } from "../fields.ts";

/** Reports a rule that reads all records. */
const ruleReadsAll: Check = {
  code: "resources/rule-reads-all",
  severity: "warning",
  why: "The service evaluates a rule at each write that can break it; without an equality it cannot find the affected records by an index.",
  *run({ model, typed }) {
    for (const [resource, rules] of Object.entries(model.resources.rules)) {
      for (const index of rules.keys()) {
        const at = `resources/rules/${resource}/${index}/holds`;
        const rule = typed.get(at);
        if (rule === undefined) continue;
        const { aboutWrite, others, local } = reachOf(rule);
        const [first] = others.filter(({ affected }) => affected === undefined);
        if (first === undefined) continue;
        const isForAll = !aboutWrite && local.length > 0;
        yield { at: `${at}#value`, message: messageOf(resource, first, isForAll), help: helpOf(resource, first) };
      }
    }
  },
};

function messageOf(resource: string, { columns, kind, resource: other }: Dependency, isForAll: boolean): string {
  if (kind === "walk") return `A change of \`${other}.${columns.join()}\` evaluates this rule for every ${resource}`;
  const through = `reads every ${other}`;
  if (!isForAll) return `Each write that evaluates this rule ${through}`;
  return `Each write of a ${other} evaluates this rule for every ${resource}, and each of those ${through}`;
}

function helpOf(resource: string, { kind, resource: other }: Dependency): string {
  if (kind === "walk") return `walk from a field of ${resource} that refers to one ${other}`;
  return `compare a field of the ${other} with one of the ${resource} by \`==\`, or write \`# ok rule-reads-all: few ${other} records\` after the rule if there are always few`;
}

/** Reports a rule that is true for every record, or for none. */
const ruleWithoutEffect: Check = {
  code: "resources/rule-without-effect",
  severity: "warning",
  why: "A rule that always holds rejects nothing, and one that never holds rejects everything.",
  *run({ model, typed }) {
    for (const [resource, rules] of Object.entries(model.resources.rules)) {
      for (const index of rules.keys()) {
        const at = `resources/rules/${resource}/${index}`;
        const rule = typed.get(`${at}/holds`);
        if (rule === undefined) continue;
        const ranges = rangesOf(model, resource);
        const never = !satisfiable(rule, ranges);
        if (!never && !always(rule, ranges)) continue;
        yield {
          at: `${at}/holds#value`,
          message: never
            ? `No ${resource} can satisfy this rule`
            : `Every ${resource} satisfies this rule, whatever its values`,
        };
      }
    }
  },
};

export const checks: readonly Check[] = [ruleReadsAll, ruleWithoutEffect];
