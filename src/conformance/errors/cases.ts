/**
 * What clients can observe of part 7: that each error comes with its status, its body, its name and its texts, and that no other
 * response is an error. Other parts cause the errors: the cases of this part cause what they leave, and then look at the whole run.
 */
import { bodyFor, violationCodes, withoutField } from "../../language/errors/model.ts";
import { lookup } from "../../language/resources/fields.ts";
import { type Aspect, Broken, type Case, NotTried, type PartCases, shortText } from "../case.ts";
import type { Contract } from "../contract.ts";
import { singleKey } from "../expect.ts";
import { type Interaction, isResponse, type Response } from "../interaction.ts";
import type { Trial } from "../trial/trial.ts";
import { stopped } from "../trial/world.ts";
import { triggersOf } from "./triggers.ts";
import { bodyOf, codeIn, errorDeviations, isStated, knownCodes, statusOf } from "./expected.ts";
import { internalsIn } from "./internals.ts";
import { standardCases } from "./standard.ts";

export function errorCases(contract: Contract): PartCases {
  const { bodies = {}, codes = {}, errors, messages = {}, status = {} } = contract.model.errors;
  const isWritten = (path: string): boolean => contract.places.has(path);
  return {
    cases: [
      ...standardCases(contract),
      ...Object.keys(errors).flatMap((code) => isTriggered(contract, `errors/errors/${code}`, code)),
      ...Object.keys(messages).flatMap((code) => isTriggered(contract, `errors/messages/${code}`, code)),
      ...Object.keys(bodies).flatMap((key) => hasBody(contract, `errors/bodies/${key}`, key)),
      ...(isWritten("errors/body") ? hasBody(contract, "errors/body") : []),
      ...[...Object.keys(status), ...Object.keys(codes)].flatMap((code) =>
        [`errors/status/${code}`, `errors/codes/${code}`]
          .filter(isWritten)
          .flatMap((path) => isTriggered(contract, path, code)),
      ),
      ...Object.keys(errors).map((code) => comes(contract, `errors/errors/${code}`, code)),
      ...Object.keys(status).map((code) => comes(contract, `errors/status/${code}`, code)),
      ...Object.keys(codes).map((code) =>
        isSingle(contract, code) ? isAsExpected("codes", code) : comes(contract, `errors/codes/${code}`, code),
      ),
      ...Object.keys(messages).map((code) => isAsExpected("messages", code)),
      ...(isWritten("errors/standard") ? [standard(contract), onlyDeclared(contract)] : []),
      ...leaksNothing(contract),
    ],
    unobservable: [],
  };
}

const notProvoked = (code: string): NotTried => new NotTried(`no case of this run causes ${code}`, remedyOf(code));

/** What would make it possible to cause a standard error. */
function remedyOf(code: string): string | undefined {
  if (code === "internal" || code === "overloaded" || code === "timed-out") return "a failure of the service";
  return code === "rate-limited" || code === "quota-exceeded" ? "a test clock, or a larger --budget" : undefined;
}

/** What the document says causes the error does cause it. `key`: of the error among those that were provoked. */
function isTriggered(contract: Contract, path: string, code: string, key = code): readonly Case[] {
  if (triggersOf(contract, code).length === 0) return [];
  return [
    {
      id: `${path}: caused`,
      aspects: [{ path, expects: `${code} comes if what causes it is the case` }],
      run: async (trial) => {
        const waiting = await triggerError(trial, code, key);
        if (found(trial, key).length === 0) throw waiting ?? notProvoked(code);
      },
    },
  ];
}

/**
 * Causes an error that no case has caused yet. Returns why it cannot be caused now, if time has to pass for that.
 *
 * @throws Broken if something else came
 */
async function triggerError(trial: Trial, code: string, key: string): Promise<NotTried | undefined> {
  let waiting: NotTried | undefined;
  let other: Broken | undefined;
  for (const run of triggersOf(trial.contract, code)) {
    if (found(trial, key).length > 0) return undefined;
    try {
      await run(trial);
    } catch (thrown) {
      if (!(thrown instanceof NotTried || thrown instanceof Broken)) throw thrown;
      if (thrown instanceof Broken && thrown.path?.startsWith("errors/") === true) throw thrown;
      if (thrown instanceof Broken) other ??= thrown;
      if (thrown instanceof NotTried && thrown.reason === stopped) waiting = thrown;
    }
  }
  if (other !== undefined && found(trial, key).length === 0) throw other;
  return waiting;
}

/** Returns the responses with an error, with one of a single member, or with a body, as cases expected it. */
function found({ contract, world }: Trial, code: string): readonly Interaction[] {
  if (isSingle(contract, code)) return world.provoked.get(singleKey(code)) ?? [];
  const named = world.all.filter(({ response }) => isResponse(response) && isNamed(contract, response, code));
  return [...(world.provoked.get(code) ?? []), ...named];
}

/** Whether the code is that of an error of a single member. */
function isSingle(contract: Contract, code: string): boolean {
  return violationCodes.includes(code) && !knownCodes(contract).has(code);
}

/** The error came with its status, its name and its body, at least once in the run. */
function comes(contract: Contract, path: string, code: string): Case {
  const { errors, status = {} } = contract.model.errors;
  const written = lookup(status, code) ?? lookup(errors, code)?.status ?? "";
  return {
    id: `${path}: comes`,
    aspects: [{ path, expects: `the error ${code} comes with its status ${written} and its body` }],
    last: true,
    run: async (trial) => {
      const all = found(trial, code);
      for (const interaction of all) expectAs(trial, interaction, code);
      if (all.length === 0) throw notProvoked(code);
    },
  };
}

function isNamed(contract: Contract, response: Response, code: string): boolean {
  return response.status >= 400 && codeIn(contract, response) === code;
}

/** Compares a response with what the document says of the error, other than where the error is. */
function expectAs(trial: Trial, interaction: Interaction, code: string): void {
  const { contract } = trial;
  const response = trial.responseOf(interaction);
  const { operation } = interaction;
  // An unreadable request is 400, and what else is wrong with one 422.
  const usual = code === "invalid-request" && [400, 422].includes(response.status) ? response.status : undefined;
  const called = operation === undefined ? undefined : contract.operations.get(operation);
  if (called?.endpoint.wire !== undefined) return;
  const expected = { code, ...(usual === undefined ? {} : { status: usual }) };
  const deviations = errorDeviations(contract, response, expected, operation);
  // Whether an error is about a member decides its body, and what it is about is the concern of other cases.
  const [first] = deviations.filter(({ path }) => path !== "errors/body" && !path.startsWith("errors/bodies/"));
  if (first !== undefined) throw new Broken(first.expected, first.got, interaction, first.path);
}

/** An error has the name or message that the document writes. Each expected error is compared with it. */
function isAsExpected(member: "codes" | "messages", code: string): Case {
  const path = `errors/${member}/${code}`;
  return {
    id: `${path}: comes`,
    aspects: [{ path, expects: `the ${member === "codes" ? "name" : "message"} of ${code}` }],
    last: true,
    run: async (trial) => {
      if (found(trial, code).length === 0) throw notProvoked(code);
    },
  };
}

/** A body comes as it is declared. Each expected error is compared with its body. */
function hasBody(contract: Contract, path: string, key?: string): readonly Case[] {
  const { code } = key === undefined ? { code: "invalid-request" } : bodyFor(key);
  const what = key === undefined ? "errors" : key === withoutField ? "errors about no field" : key;
  return [
    ...isTriggered(contract, path, code, path),
    {
      id: `${path}: comes`,
      aspects: [{ path, expects: `${what} have the declared body` }],
      last: true,
      run: async (trial) => {
        if (found(trial, path).length === 0) throw new NotTried("no case of this run causes an error with this body");
      },
    },
  ];
}

/** Some standard error came as the catalogue describes it. */
function standard(contract: Contract): Case {
  const path = "errors/standard";
  return {
    id: `${path}: come`,
    aspects: [{ path, expects: "standard errors come with their status" }],
    last: true,
    run: async ({ world }) => {
      const { errors } = contract.model.errors;
      const isFound = [...world.provoked.keys()].some(
        (code) => lookup(errors, code) === undefined && isStated(contract, code),
      );
      if (!isFound) throw new NotTried("no case of this run causes a standard error");
    },
  };
}

/** Returns the responses with an error to requests for operations whose errors are not described by `wire`. */
function failuresOf({ contract, world }: Trial): readonly (readonly [Interaction, Response])[] {
  return world.all.flatMap((interaction): (readonly [Interaction, Response])[] => {
    const { operation, response } = interaction;
    const called = operation === undefined ? undefined : contract.operations.get(operation);
    if (called === undefined || called.endpoint.wire !== undefined || !isResponse(response)) return [];
    return response.status >= 400 ? [[interaction, response]] : [];
  });
}

/** No response has an error, or the status of an error, that the document does not declare. */
function onlyDeclared(contract: Contract): Case {
  const path = "errors/standard";
  return {
    id: `${path}: no others`,
    aspects: [{ path, expects: "no response has an error that the document does not declare" }],
    last: true,
    run: async (trial) => {
      const known = knownCodes(contract);
      for (const [interaction, response] of failuresOf(trial)) {
        const { operation } = interaction;
        const code = codeIn(contract, response);
        const isProblem = bodyOf(contract, code ?? "", operation, false).body === "problem+json";
        if (code !== undefined && isProblem && !known.has(code))
          throw new Broken("an error that the document declares", `${response.status} ${code}`, interaction, path);
        const statuses = new Set([...known].map((one) => statusOf(contract, one, operation)));
        // An unreadable request may be 400 where an invalid one is 422.
        if (!statuses.has(response.status) && response.status !== 400)
          throw new Broken("a status that some error of the document has", String(response.status), interaction, path);
      }
    },
  };
}

/** No error shows how the service works inside: no stack trace, no statement for a database, no path of a file. */
function leaksNothing(contract: Contract): readonly Case[] {
  const path = ["errors/body", "errors/standard", "errors/errors"].find((one) => contract.places.has(one));
  if (path === undefined) return [];
  const aspects: readonly [Aspect] = [{ path, expects: "no error shows how the service works inside" }];
  return [
    {
      id: `${path}: nothing internal`,
      aspects,
      last: true,
      run: async (trial) => {
        for (const [interaction, response] of failuresOf(trial)) {
          const leaked = internalsIn(interaction, response);
          if (leaked !== undefined)
            throw new Broken("no details of how the service works inside", shortText(leaked), interaction, path);
        }
      },
    },
  ];
}
