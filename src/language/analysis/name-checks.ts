/** Reports unknown names and unused names: a row for each code, over the references of the model. Each code has its page. */
import { outcomes } from "../endpoints/operation-members.ts";
import { protocolErrors, standardErrors } from "../errors/model.ts";
import type { Reference, ReferenceKind } from "../grammar/references.ts";
import type { PartName } from "../model.ts";
import { fieldsOf, lookup } from "../resources/fields.ts";
import { type DocumentIndex, declares, isWritten } from "./document-index.ts";
import type { Check, Finding } from "./finding.ts";
import { references } from "./references.ts";

/** The known names of a kind, and the parts that must be declared before a name of this kind counts as unknown. */
interface KnownNames {
  readonly parts: readonly PartName[];
  /** Returns the known names; undefined if they cannot be determined. */
  readonly names: (index: DocumentIndex, of: string) => Iterable<string> | undefined;
  /** Returns the paths where the document may declare the name, even if that statement is invalid. */
  readonly at: (name: string, of: string) => readonly string[];
  readonly message: (name: string, of: string) => string;
}

type Kind = "resource" | "operation" | "event" | "credential" | "role" | "error" | "field" | "state";

const known: Readonly<Record<Kind, KnownNames>> = {
  resource: {
    parts: ["resources"],
    names: ({ model }) => Object.keys(model.resources.resources),
    at: (name) => [`resources/${name}`],
    message: (name) => `There is no resource \`${name}\``,
  },
  operation: {
    parts: ["purpose", "endpoints"],
    names: ({ operations }) => operations,
    at: (name) => [`endpoints/endpoints/${name}`, `purpose/operations/${name}`],
    message: (name) => `There is no operation \`${name}\``,
  },
  event: {
    parts: ["events"],
    names: ({ model, outEvents }) => [...outEvents.keys(), ...Object.keys(model.events.in ?? {})],
    at: (name) => [`events/out/${name}`, `events/in/${name}`],
    message: (name) => `There is no event \`${name}\``,
  },
  credential: {
    parts: ["authentication"],
    names: ({ model }) => Object.keys(model.authentication.credentials),
    at: (name) => [`authentication/credentials/${name}`],
    message: (name) => `There is no credential \`${name}\``,
  },
  role: {
    parts: [],
    names: ({ model }) => model.authentication.roles,
    at: () => [],
    message: (name) => `There is no role \`${name}\``,
  },
  error: {
    parts: ["errors"],
    names: ({ errorNames }) => errorNames,
    at: (name) => [`errors/errors/${name}`],
    message: (name) => `Part 7 has no error \`${name}\``,
  },
  field: {
    parts: [],
    names: ({ model }, of) =>
      Object.hasOwn(model.resources.resources, of) ? Object.keys(fieldsOf(model, of)) : undefined,
    at: (name, of) => [`resources/${of}/${name}`],
    message: (name, of) => `${of} has no field \`${name}\``,
  },
  state: {
    parts: ["states"],
    names: ({ lifeOf, model }, of) =>
      lifeOf.get(of)?.states ?? (Object.hasOwn(model.resources.resources, of) ? [] : undefined),
    at: (name, of) => [`states/${of}/states/${name}`],
    message: (name, of) => `${of} has no state \`${name}\``,
  },
};

interface UnknownName extends Omit<Check, "run" | "severity"> {
  readonly kinds: readonly Kind[];
  /** The paths of the references to check. */
  readonly in: RegExp;
  /** Known names for these references, instead of those of the kind. */
  readonly known?: Pick<KnownNames, "names" | "message">;
  readonly help?: (name: string) => string;
  /** Whether the resource's `state` counts as a known field if the resource has states. */
  readonly hasState?: true;
  readonly isOpen?: (index: DocumentIndex, reference: Reference) => boolean;
}

const unknownNames: readonly UnknownName[] = [
  {
    code: "resources/unknown-rule-name",
    why: "A rule about an unknown name would check nothing.",
    kinds: ["resource", "field"],
    in: /^resources\/rules\//,
    hasState: true,
  },
  {
    code: "resources/unknown-table-name",
    why: "The service would look for the records elsewhere.",
    kinds: ["resource", "field"],
    in: /^resources\/tables\//,
    hasState: true,
  },
  {
    code: "states/further-write-unknown",
    why: "The service writes records of the document's resources, and their fields.",
    kinds: ["resource", "field"],
    in: /\/also\/\d+\//,
    hasState: true,
  },
  {
    code: "states/unknown-event",
    why: "The transition would wait for an event that never happens.",
    kinds: ["event"],
    in: /^states\//,
  },
  {
    code: "states/unknown-field",
    why: "A transition sets and reads fields of its own record only.",
    kinds: ["field"],
    in: /^states\/(?!.*\/also\/)/,
  },
  {
    code: "states/unknown-operation",
    why: "No caller could trigger the transition.",
    kinds: ["operation"],
    in: /^states\//,
  },
  {
    code: "states/unknown-resource",
    why: "States belong to the records of a resource.",
    kinds: ["resource"],
    in: /^states\/(?!.*\/also\/)/,
  },
  {
    code: "states/unknown-state",
    why: "A record could never be in it.",
    kinds: ["state"],
    in: /^states\//,
  },
  {
    code: "endpoints/unknown-outcome",
    why: "The status would never be used.",
    kinds: ["error"],
    in: /^endpoints\/endpoints\/[^/]+\/status\/errors\//,
    known: {
      names: ({ model }) => [
        ...outcomes,
        ...Object.keys({ ...standardErrors, ...protocolErrors, ...model.errors.errors }),
      ],
      message: (name) => `\`${name}\` is neither an outcome nor an error`,
    },
  },
  { code: "endpoints/unknown-resource", kinds: ["resource"], in: /^endpoints\/(?!.*\/also\/)/ },
  {
    code: "authentication/unknown-field",
    why: "It would protect nothing.",
    kinds: ["resource", "field"],
    in: /^authentication\//,
    hasState: true,
  },
  {
    code: "authentication/unknown-operation",
    why: "The intended operation may have no permission.",
    kinds: ["operation"],
    in: /^authentication\//,
  },
  {
    code: "authentication/unknown-role",
    why: "No caller can have this role, so the permission has no effect.",
    kinds: ["role"],
    in: /^(authentication\/(allow|show)|endpoints\/mcp|events\/delivery)\//,
  },
  {
    code: "events/unknown-credential",
    why: "The service could not verify the sender, and the event changes records.",
    kinds: ["credential"],
    in: /^events\//,
  },
  { code: "events/unknown-field", kinds: ["field"], in: /^events\/(?!.*\/also\/)/, hasState: true },
  {
    code: "events/unknown-source",
    why: "It would never be emitted.",
    kinds: ["resource", "state", "operation"],
    in: /^events\/(?!.*\/also\/)/,
    isOpen: ({ gaps }, { kinds, of }) =>
      kinds.includes("state") && (gaps.has(`states/${of}`) || gaps.has(`states/${of}/states`)),
  },
  {
    code: "errors/not-declared",
    why: "It has neither a status nor a description, so the service cannot return it.",
    kinds: ["error"],
    in: /^(resources|states|endpoints|events|versioning)\/.*\/(else|differs|error)$/,
    help: (name) => `write \`${name}: 409 The message for the caller\` in part 7`,
  },
];

/** Returns the path of the name itself, or the path of the nearest enclosing value if the name has no location. */
function locationPath({ places }: DocumentIndex, { at, form }: Reference): string {
  if (form === "key") return `${at}#key`;
  let path = at;
  while (!places.has(path) && path.includes("/")) path = path.slice(0, path.lastIndexOf("/"));
  return `${path}#value`;
}

function unknownName({ hasState, help, in: where, isOpen, kinds, known: others, ...row }: UnknownName): Check {
  return {
    ...row,
    severity: "error",
    *run(index): Iterable<Finding> {
      for (const kind of kinds) {
        const { at, message, names, parts } = { ...known[kind], ...(others && { ...others, at: () => [], parts: [] }) };
        if (!declares(index, ...parts)) continue;
        const knownIn = new Map<string, ReadonlySet<string> | undefined>();
        for (const reference of index.references.get(kind) ?? []) {
          const { declares: isDeclared, name, of = "" } = reference;
          if (isDeclared || !where.test(reference.at)) continue;
          if (!knownIn.has(of)) {
            const found = names(index, of);
            knownIn.set(of, found && new Set(found));
          }
          const set = knownIn.get(of);
          if (set === undefined || set.has(name) || at(name, of).some((path) => isWritten(index, path))) continue;
          if ((hasState && name === "state" && index.lifeOf.has(of)) || isOpen?.(index, reference)) continue;
          yield {
            at: locationPath(index, reference),
            message: message(name, of),
            unknown: { name, known: set },
            ...(help && { help: help(name) }),
          };
        }
      }
    },
  };
}

interface UnusedName extends Omit<Check, "run" | "severity"> {
  /** The kind of the names that the check is about. */
  readonly kind: ReferenceKind;
  readonly in: RegExp;
  /** Whether a reference uses the name, rather than only mentioning it in its own declaration. */
  readonly isUse: (reference: Reference) => boolean;
  readonly isExempt?: (index: DocumentIndex, name: string) => boolean;
  readonly parts: readonly PartName[];
  readonly message: (name: string) => string;
  readonly help: (name: string) => string;
}

const unusedNames: readonly UnusedName[] = [
  {
    code: "resources/unused-type",
    why: "An unused definition is usually a forgotten one.",
    kind: "type",
    in: /^resources\/types\//,
    // A type that is used only inside itself is unused too, and a deprecation uses nothing.
    isUse: ({ at, name }) => !at.startsWith(`resources/types/${name}/`) && !at.startsWith("versioning/deprecated/"),
    parts: [],
    message: (name) => `No field is of type \`${name}\``,
    help: () => "give it to a field, or remove it",
  },
  {
    code: "events/inbound-unused",
    why: "The service would receive and check the event, and then do nothing.",
    kind: "event",
    in: /^events\/in\//,
    isUse: () => true,
    // An event that carries nothing and ignores the body accepts the kinds that the service does not need.
    isExempt: ({ model }, name) => {
      const { also, carries, unknown } = lookup(model.events.in ?? {}, name) ?? {};
      return also !== undefined || (unknown === "ignored" && Object.keys(carries ?? {}).length === 0);
    },
    parts: ["states"],
    message: (name) => `\`${name}\` triggers no transition`,
    help: (name) => `write \`from -> to: when ${name}\` in part 3, or remove the event`,
  },
  {
    code: "errors/never-raised",
    why: "Callers would write code for an error that never occurs.",
    kind: "error",
    in: /^errors\/errors\//,
    isUse: ({ form }) => form === "value",
    // A handler can return any error.
    isExempt: ({ hasHandlers }, name) => hasHandlers || Object.hasOwn(standardErrors, name),
    parts: ["resources", "states", "endpoints"],
    message: (name) => `No operation returns \`${name}\``,
    help: () => "name it in `else` of a transition, a rule or a `choose`, or remove it",
  },
];

function unusedName({ help, in: where, isExempt, isUse, kind, message, parts, ...row }: UnusedName): Check {
  return {
    ...row,
    severity: "warning",
    *run(index): Iterable<Finding> {
      if (!declares(index, ...parts)) return;
      const all = references(index.model).filter(({ kinds }) => kinds.includes(kind));
      const used = new Set(all.flatMap((one) => (!one.declares && isUse(one) ? [one.name] : [])));
      for (const { at, declares: isDeclared, name } of all) {
        if (!isDeclared || !where.test(at) || used.has(name) || isExempt?.(index, name)) continue;
        yield { at: `${at}#key`, message: message(name), help: help(name) };
      }
    },
  };
}

export const nameChecks: readonly Check[] = [...unknownNames.map(unknownName), ...unusedNames.map(unusedName)];
