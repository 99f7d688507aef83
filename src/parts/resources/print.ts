/** Part 2, printed: the canonical, shortest form; reading it gives the same part. */
import { jsonTree, type Tree } from "../../document/print.ts";
import { loosePhrase, splitAt } from "../phrase.ts";
import { type Below, nothingBelow } from "../grammar/grammar.ts";
import { printFields } from "./field-print.ts";
import type { Resources, Rule } from "./model.ts";

export function printResources(part: Resources, below: Below = nothingBelow): Tree {
  const { resources, types, schemas = {}, views = {}, rules } = part;
  const resourceTrees = Object.entries(resources).map(([name, { fields }]): [string, Tree] => [
    name,
    printFields(fields, (...path) => below(name, ...path)),
  ]);
  const typeTrees = Object.entries(types).map(([name, fields]): [string, Tree] => [
    name,
    printFields(fields, (...path) => below("types", name, ...path)),
  ]);
  const schemaTrees = Object.entries(schemas).map(([name, schema]): [string, Tree] => [name, jsonTree(schema)]);
  const viewTrees = Object.entries(views).map(([name, { of, fields, members = {} }]): [string, Tree] => [
    name,
    {
      of,
      ...(fields === undefined ? {} : { fields: fields.length === 0 ? "none" : fields }),
      ...printFields(members, (...path) => below("views", name, ...path)),
    },
  ]);
  const ruleTrees = Object.entries(rules).map(([name, list]): [string, Tree] => [name, printRules(list)]);
  return {
    ...Object.fromEntries(resourceTrees),
    ...(typeTrees.length === 0 ? {} : { types: Object.fromEntries(typeTrees) }),
    ...(schemaTrees.length === 0 ? {} : { schemas: Object.fromEntries(schemaTrees) }),
    ...(viewTrees.length === 0 ? {} : { views: Object.fromEntries(viewTrees) }),
    ...(ruleTrees.length === 0 ? {} : { rules: Object.fromEntries(ruleTrees) }),
  };
}

function printRules(rules: readonly Rule[]): Tree {
  const [first, ...more] = rules.map(printRule);
  return first === undefined ? "none" : more.length === 0 ? first : [first, ...more];
}

function printRule(rule: Rule): Tree {
  const otherwise = rule.else === undefined ? "" : ` else ${rule.else}`;
  if (rule.kind === "unique") {
    const absent = rule.absent === undefined ? "" : `, absent ${rule.absent}`;
    return `unique ${rule.fields.join(" + ")}${absent}${otherwise}`;
  }
  // An expression that starts like the other form, or ends like this one, is told apart by its map.
  const plain = !/^unique\s|\selse\s/.test(rule.expression) && splitAt(loosePhrase(rule.expression), ",").length === 1;
  return plain ? `${rule.expression}${otherwise}` : { holds: rule.expression, else: rule.else };
}
