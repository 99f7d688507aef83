/**
 * What clients can observe of part 9: how requests name a version, what each change means for the callers of both versions, that an
 * older version does what its own document says, and how a version ends.
 */
import { modelAt } from "../../language/versioning/model-at-version.ts";
import { type Change, deprecatedTarget } from "../../language/versioning/model.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { Case, PartCases, Unobservable } from "../case.ts";
import type { Contract } from "../contract.ts";
import { endingCases } from "./endings.ts";
import { eventCase } from "./event-changes.ts";
import { namingCases } from "./naming.ts";
import { olderCases } from "./older.ts";
import { additionCase, errorCase, operationMemberCase, pathCase } from "./operation-changes.ts";
import { memberCases, stateCase } from "./record-changes.ts";
import { type Step, stepsOf } from "./steps.ts";

export function versioningCases(contract: Contract): PartCases {
  const { policy, scheme, versions = [] } = contract.model.versioning;
  const changes = stepsOf(contract).flatMap((step) =>
    step.changes.map((change, index) =>
      changeCases(contract, step, change, `versioning/versions/${step.newer}/${index}`),
    ),
  );
  return {
    cases: [
      ...namingCases(contract),
      ...changes.flatMap(({ cases }) => cases),
      ...versions.slice(1).flatMap(({ name }) => olderCases(contract, name)),
      ...endingCases(contract),
    ],
    unobservable: [
      ...(scheme === undefined
        ? []
        : [quiet("versioning/scheme", "the form of the versions' names", "clients see the names alone")]),
      ...(["breaking", "notice", "support"] as const)
        .filter((name) => policy?.[name] !== undefined)
        .map((name) =>
          quiet(
            `versioning/policy/${name}`,
            `the promise ${name}: ${policy?.[name] ?? ""}`,
            "it is a promise about later versions",
          ),
        ),
      ...changes.flatMap(({ unobservable }) => unobservable),
      ...untried(contract),
      ...Object.keys(contract.model.versioning.deprecated ?? {})
        .filter((name) => deprecatedTarget(name)?.field !== undefined)
        .map((name) =>
          quiet(`versioning/deprecated/${name}`, `${name} is deprecated`, "a deprecated field works like any other"),
        ),
      ...beyond(contract),
    ],
  };
}

/** Errors that no request gets, since no version ends or there is only one. */
function untried({ model, version }: Contract): readonly Unobservable[] {
  const { deprecated = {}, policy, sent, versions = [] } = model.versioning;
  const ends = Object.entries(deprecated).some(([name, { sunset }]) => {
    return sunset !== undefined && name !== version && deprecatedTarget(name) === undefined;
  });
  const isNamed = sent !== undefined && versions.length > 0;
  const error = "the error of the policy";
  return [
    ...(policy?.afterSunset === undefined || ends
      ? []
      : [quiet("versioning/policy/after sunset", error, "no other version has a sunset")]),
    ...(policy?.unknown === undefined || isNamed
      ? []
      : [quiet("versioning/policy/unknown", error, "requests name no version")]),
    ...(sent === undefined || versions.length > 0
      ? []
      : [quiet("versioning/sent", "how requests name a version", "there are no versions")]),
  ];
}

/** The statements that a test of an older version cannot be about. */
function beyond({ isNewest, model, places, version }: Contract): readonly Unobservable[] {
  if (isNewest) return [];
  const { absent, versions = [] } = model.versioning;
  const isNewer = (path: string): boolean => {
    const [, name] = /^versioning\/versions\/([^/]+)(?:\/\d+)?$/.exec(path) ?? [];
    return name !== undefined && !versions.some((one) => one.name === name);
  };
  const paths = [...places.keys()].filter(isNewer);
  return [...paths, ...(absent === undefined || absent === "refuse" ? [] : ["versioning/absent"])].map((path) =>
    quiet(path, "what newer versions do", `the test calls version ${version ?? ""}`),
  );
}

function quiet(path: string, expects: string, reason: string): Unobservable {
  return { path, expects, reason };
}

function changeCases(contract: Contract, step: Step, change: Change, path: string): PartCases {
  const none: PartCases = { cases: [], unobservable: [] };
  const one = (...cases: readonly Case[]): PartCases => ({ ...none, cases });
  const not = (expects: string, reason: string): PartCases => ({ ...none, unobservable: [{ path, expects, reason }] });
  switch (change.kind) {
    case "path":
      return one(pathCase(step, change, path));
    case "error":
      return one(errorCase(step, change, path));
    case "state":
      return one(stateCase(step, change, path));
    case "event":
      return contract.model.events.delivery?.webhook === undefined
        ? not(`the event ${change.name}`, "the document has no webhooks")
        : one(eventCase(step, change, path));
    case "rename":
      if (change.from.field === undefined)
        return not(`${change.from.of} is ${change.to}`, "no message contains the name");
      return isOperation(contract, step, change.from.of)
        ? one(operationMemberCase(step, { of: change.from.of, field: change.to }, path, false))
        : one(...memberCases(contract, step, change, path));
    default: {
      const { of, field } = change.target;
      if (field === undefined)
        return change.kind === "add"
          ? one(additionCase(step, change.target, path))
          : not(`${change.kind} ${of}`, "the entry does not describe what there was before");
      return isOperation(contract, step, of)
        ? one(operationMemberCase(step, { of, field }, path, change.kind === "remove"))
        : one(...memberCases(contract, step, change, path));
    }
  }
}

function isOperation({ model }: Contract, { newer }: Step, name: string): boolean {
  return lookup(modelAt(model, newer).endpoints.endpoints, name) !== undefined;
}
