/**
 * What to try on a service that has just started: a key for each role, and three lines for a shell that work as pasted: a
 * record is made, records are listed, and a transition is refused. Fewer where the document has no such operation.
 */
import type { JsonObject } from "../base/json.ts";
import type { Operation } from "../plan/endpoints/types.ts";
import { inEnvelope } from "../plan/endpoints/envelope.ts";
import { keyCredentials, mintKey } from "../runtime/auth/mint.ts";
import { clock, random } from "../server/compose.ts";
import type { Serving } from "../server/serve.ts";
import type { Caller, Trial } from "./sample-requests.ts";
import { bodyFor, callerFor, credentialOf, make, operationOn, pathOf } from "./sample-requests.ts";

export async function demonstrate({ first, local }: Serving): Promise<string> {
  const credential = keyCredentials(first.plan).find(({ oauth }) => oauth === undefined);
  const keys = credential === undefined ? new Map() : await demoKeys(first, credential);
  const trial: Trial = { plan: first.plan, address: local, credential, keys };
  const lines = await linesToTry(trial);
  return [
    "",
    ...(keys.size === 0 ? [] : ["Demo keys (new at each start):", ...keyLines(trial), ""]),
    ...(lines.length === 0 ? [] : ["Try, in another terminal:", "", ...lines.flatMap((line) => [line, ""])]),
  ].join("\n");
}

/** Keys for users that are named after their roles; the ones of an earlier start are revoked. */
async function demoKeys(
  { plan, store }: Serving["first"],
  credential: NonNullable<Trial["credential"]>,
): Promise<Trial["keys"]> {
  const userOf = (role: string) => `demo-${role}`;
  const users = plan.roles.map(userOf);
  for (const earlier of await store.keys.list())
    if (users.includes(earlier.user) && earlier.revoked === undefined) await store.keys.revoke(earlier.id, clock.now());
  const keys = new Map<string, { readonly user: string; readonly secret: string }>();
  for (const role of plan.roles) {
    const user = userOf(role);
    const minting = { user, roles: [role], credential, milliseconds: credential.lastsMilliseconds };
    const { secret } = await mintKey(store.keys, minting, clock, random);
    keys.set(role, { user, secret });
  }
  return keys;
}

function keyLines({ credential, keys }: Trial): string[] {
  return [...keys].map(([role, { user, secret }]) => {
    return `  ${role}: ${credential?.kind === "basic" ? `${user}:${secret}` : secret}`;
  });
}

async function linesToTry(trial: Trial): Promise<string[]> {
  const creating = operationToCreate(trial);
  const creator = creating && callerFor(trial, creating);
  const body = creating && (await bodyFor(trial, creating));
  const lines: string[] = [];
  if (creating !== undefined && creator !== undefined && body !== undefined)
    lines.push(curl(trial, creating, creator, { body }));
  const listing = creating
    ? operationOn(trial, "list", creating.resource)
    : trial.plan.operations.find(
        (each) => each.action === "list" && each.parents.length === 0 && callerFor(trial, each),
      );
  const lister = listing && callerFor(trial, listing);
  if (listing !== undefined && lister !== undefined) lines.push(curl(trial, listing, lister, {}));
  lines.push(...(await loginLines(trial, creating, body)));
  const rejected = creating && (await rejectedTransition(trial, creating));
  return rejected === undefined ? lines : [...lines, rejected];
}

/** Where records log in: one is made, if `creating` has not made one already with `body`, and logs in. */
async function loginLines(
  trial: Trial,
  creating: Operation | undefined,
  body: JsonObject | undefined,
): Promise<readonly string[]> {
  const login = trial.plan.operations.find((each) => each.action === "login");
  const { name = "", proof = "" } = login?.session ?? {};
  const making = login && operationOn(trial, "create", login.resource);
  const maker = making && callerFor(trial, making);
  const caller = login && callerFor(trial, login);
  if (login === undefined || making === undefined || maker === undefined || caller === undefined) return [];
  const made = making === creating ? body : await bodyFor(trial, making);
  const [who, secret] = [made?.[name], made?.[proof]];
  if (made === undefined || who === undefined || secret === undefined) return [];
  const first = making === creating ? [] : [curl(trial, making, maker, { body: made })];
  return [...first, curl(trial, login, caller, { body: { [name]: who, [proof]: secret } })];
}

/** What shows the most: records that move, best of all ones that something is chosen for. */
function operationToCreate(trial: Trial): Operation | undefined {
  const candidates = trial.plan.operations.filter(
    (each) => each.action === "create" && each.parents.length === 0 && callerFor(trial, each) !== undefined,
  );
  const withTransitions = candidates.filter(({ resource }) => transitionsOf(trial, resource).length > 0);
  return withTransitions.find(({ choose }) => choose.length > 0) ?? withTransitions[0] ?? candidates[0];
}

function transitionsOf({ plan }: Trial, resource: string): readonly Operation[] {
  return plan.operations.filter(
    (each) => each.action === "move" && each.resource === resource && each.parents.length === 0,
  );
}

/** A move that a new record is not in the state for, of one made for it; its maker asks, since it may be the owner's. */
async function rejectedTransition(trial: Trial, creating: Operation): Promise<string | undefined> {
  const start = trial.plan.tables.find(({ resource }) => resource === creating.resource)?.lifecycle?.start;
  const operation = transitionsOf(trial, creating.resource).find(
    (each) =>
      each.body?.required !== true &&
      each.moves.every(({ from }) => !from.includes(start ?? "")) &&
      callerFor(trial, creating, each) !== undefined,
  );
  const caller = operation && callerFor(trial, creating, operation);
  if (operation?.key === undefined || caller === undefined) return undefined;
  const made = await make(trial, creating, [], caller);
  const key = made?.[operation.key.column];
  if (typeof key !== "string" && typeof key !== "number") return undefined;
  const remark = `: refused, as it is ${start}`;
  return curl(trial, operation, caller, { parameters: { [operation.key.parameter]: String(key) }, remark });
}

interface CurlParts {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly remark?: string;
}

/** A line for a POSIX shell below a comment; idempotency keys are left out, so that it can be pasted again. */
function curl(
  trial: Trial,
  operation: Operation,
  caller: Caller,
  { parameters = {}, body, remark = "" }: CurlParts,
): string {
  const credential = credentialOf(trial, caller);
  const words = [
    "curl -i",
    ...(operation.method === "GET" ? [] : [`-X ${operation.method}`]),
    quoted(trial.address + pathOf(trial, operation, parameters)),
    ...(credential === undefined ? [] : [`-H ${quoted(credential.join(": "))}`]),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d ${quoted(JSON.stringify(inEnvelope(operation.body?.envelope, body)))}`,
        ]),
  ];
  return `# ${operation.sentence}${remark}\n${words.join(" ")}`;
}

/** One word for a POSIX shell, in quotes where it needs them. */
function quoted(text: string): string {
  return /^[\w:/.@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
