/**
 * What clients can observe of `in`: an event with its credential is accepted; one without it, or with a body that does not fit, is
 * rejected and changes nothing; one that arrives twice counts once.
 */
import { withArticle } from "../../base/case.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { isTimed, schemeOf } from "../../base/signature-schemes.ts";
import type { Credential } from "../../language/authentication/model.ts";
import type { InEvent } from "../../language/events/model.ts";
import { bareType, lookup, referenceOf } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { Broken, type Case, NotTried, type PartCases, shortText } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import type { Contract } from "../contract.ts";
import { clockMilliseconds } from "../effects.ts";
import { statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { signer } from "../signer.ts";
import { type IncomingOptions, secretOf } from "../trial/incoming.ts";
import { expectRejected, situationOf } from "./incoming-situation.ts";
import { kindCases } from "./kind-cases.ts";
import { onceCases } from "./once-cases.ts";
import { supplyFor } from "../trial/inputs.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf } from "../trial/world.ts";
import { validValue } from "../values/valid.ts";

export function incomingCases(contract: Contract): PartCases {
  const events = Object.entries(contract.model.events.in ?? {});
  return {
    cases: events.flatMap(([name, event]) => [
      accepted(contract, name, event),
      ...credentials(contract, name, event),
      ...bodies(contract, name, event),
      ...onceCases(contract, name, event),
      ...kindCases(contract, name, event),
    ]),
    unobservable: [],
  };
}

const acceptedStatus = 202;

/** A valid event is accepted. */
function accepted({ places }: Contract, name: string, event: InEvent): Case {
  const path = `events/in/${name}/at`;
  const credential = `authentication/credentials/${event.with}`;
  const members = ["sent", "secret"].filter((member) => places.has(`${credential}/${member}`));
  return {
    id: `events/in/${name}: accepted`,
    aspects: [
      { path, expects: `a valid ${name} gets ${acceptedStatus}, and moves its record` },
      ...members.map((member) => ({
        path: `${credential}/${member}`,
        expects: `${name} is accepted with this credential`,
      })),
    ],
    run: async (trial) => {
      const { payload, record, transition } = await situationOf(trial, name);
      const before = record?.values.get("state");
      const interaction = await expectAccepted(trial, name, payload, path);
      if (record === undefined || transition === undefined) return;
      record.values.delete("state");
      await trial.look(record);
      const found = record.values.get("state");
      if (found === undefined || found !== before || transition.from.includes(transition.to)) return;
      throw new Broken(
        `${withArticle(record.resource)} in the state ${transition.to}`,
        shortText(found),
        interaction,
        path,
      );
    },
  };
}

async function expectAccepted(trial: Trial, name: string, payload: JsonObject, path: string): Promise<Interaction> {
  const interaction = await trial.sendIncoming(name, payload);
  const response = trial.responseOf(interaction);
  if (response.status === acceptedStatus) return interaction;
  throw new Broken(`the status ${acceptedStatus}`, statusText(trial.contract, response), interaction, path);
}

// ── Credentials ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Only the credential of the event proves its sender. */
function credentials(contract: Contract, name: string, event: InEvent): readonly Case[] {
  const definition = lookup(contract.model.authentication.credentials, event.with);
  const reject = (what: string, send: (trial: Trial, payload: JsonObject) => Promise<Interaction>): Case => ({
    id: `events/in/${name}/with: ${what}`,
    aspects: [{ path: `events/in/${name}/with`, expects: `${name} ${what} is rejected, and changes nothing` }],
    run: (trial) => expectRejected(trial, name, `events/in/${name}/with`, (payload) => send(trial, payload)),
  });
  return [
    reject("without a credential", async (trial, payload) => {
      const interaction = await trial.sendIncoming(name, payload, { sender: anonymous });
      // Other cases are about the path.
      if (trial.responseOf(interaction).status === 404) throw new NotTried(`nothing receives ${name} at its path`);
      expectError(trial, interaction, { code: "unauthenticated" });
      return interaction;
    }),
    reject("with another credential", async (trial, payload) =>
      trial.sendIncoming(name, payload, { sender: await otherSender(trial, event.with) }),
    ),
    ...(definition?.kind === "hmac-sha256" ? signatures(name, event, definition, reject) : []),
  ];
}

/** How old a signature may be at most, and how far in the future, in milliseconds: five minutes (docs/reference/http.md). */
const staleMilliseconds = 10 * 60_000;

function signatures(
  name: string,
  { with: credential }: InEvent,
  { scheme, tolerance }: Credential,
  reject: (what: string, send: (trial: Trial, payload: JsonObject) => Promise<Interaction>) => Case,
): readonly Case[] {
  const signedAt = (trial: Trial, shift: number): Caller =>
    signer(trial.contract, credential, secretOf(trial, credential), () => presentOf(trial.world) + shift);
  const sendBy = (trial: Trial, payload: JsonObject, options: IncomingOptions): Promise<Interaction> =>
    trial.sendIncoming(name, payload, options);
  const stale = tolerance === undefined ? staleMilliseconds : 2 * clockMilliseconds(tolerance);
  return [
    reject("signed with another secret", (trial, payload) => {
      const other = `${secretOf(trial, credential)} of somebody else`;
      const sender = signer(trial.contract, credential, other, () => presentOf(trial.world));
      return sendBy(trial, payload, { sender });
    }),
    ...(scheme === undefined || isTimed(schemeOf(scheme))
      ? [reject("signed too long ago", (trial, payload) => sendBy(trial, payload, { sender: signedAt(trial, -stale) }))]
      : []),
    reject("with the signature of another body", (trial, payload) => {
      const own = signedAt(trial, 0);
      const sender: Caller = {
        ...own,
        authorize: (request) => ({
          ...own.authorize({ ...request, body: `${String(request.body)} ` }),
          body: request.body ?? "",
        }),
      };
      return sendBy(trial, payload, { sender });
    }),
  ];
}

/** Returns somebody with a credential that is not the one of the event. */
async function otherSender(trial: Trial, credential: string): Promise<Caller> {
  const known = (await trial.callers()).find((one) => one.signedIn && one.credential !== credential);
  if (known === undefined) throw new NotTried("the test has no other credential", "a credential of a user");
  return known;
}

// ── Bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The body fits `carries`, and refers to existing records. */
function bodies(contract: Contract, name: string, { carries, optional = [], is = {} }: InEvent): readonly Case[] {
  const path = `events/in/${name}/carries`;
  const reject = (member: string, what: string, change: (payload: JsonObject) => JsonObject): Case => ({
    id: `${path}/${member}: ${what}`,
    aspects: [
      { path: `${path}/${member}`, expects: `${name} with ${what} \`${member}\` is rejected, and changes nothing` },
    ],
    run: (trial) =>
      expectRejected(trial, name, `${path}/${member}`, (payload) => trial.sendIncoming(name, change(payload))),
  });
  // Another value of a member in `is` makes the request another event.
  const isKind = (member: string): boolean =>
    Object.keys(is).some((written) => written === member || written.startsWith(`${member}.`));
  return Object.entries(carries).flatMap(([member, type]): readonly Case[] => {
    if (isKind(member)) return [];
    const wrong = wrongValue(type);
    const resource = referenceOf(contract.model, type);
    return [
      optional.includes(member)
        ? acceptedWithout(contract, name, member, type)
        : reject(member, "no", ({ [member]: _, ...others }) => others),
      ...(wrong === undefined ? [] : [reject(member, "an invalid", (payload) => ({ ...payload, [member]: wrong }))]),
      ...(resource === undefined ? [] : [missingReference(name, member, resource)]),
    ];
  });
}

function acceptedWithout(contract: Contract, name: string, member: string, type: FieldType): Case {
  const path = `events/in/${name}/carries/${member}`;
  return {
    id: `${path}: absent`,
    aspects: [{ path, expects: `${name} without \`${member}\` is accepted` }],
    run: async (trial) => {
      const { payload: some, record } = await situationOf(trial, name);
      const { [member]: value = validValue(contract, type, supplyFor(trial, anonymous)), ...others } = some;
      if (value === undefined) throw new NotTried(`the test finds no value for \`${member}\``);
      const payload = { ...others, [member]: value };
      record?.values.delete("state");
      if (trial.responseOf(await trial.sendIncoming(name, payload)).status !== acceptedStatus)
        throw new NotTried(`${name} is not accepted at all`);
      await expectAccepted(trial, name, others, path);
    },
  };
}

/** Returns a value of another JSON type, or outside the enumeration; undefined if any value may be valid. */
function wrongValue(type: FieldType): Json | undefined {
  const bare = bareType(type);
  switch (bare.kind) {
    case "one-of":
      return bare.open ? undefined : `${bare.values.join("-")}-or-other`;
    case "list":
    case "map":
      return "a text";
    case "scalar":
      if (bare.name === "json") return undefined;
      return ["integer", "number", "decimal", "boolean"].includes(bare.name) ? "a text" : { object: true };
    default:
      return undefined;
  }
}

function missingReference(name: string, member: string, resource: string): Case {
  const path = `events/in/${name}/carries/${member}`;
  return {
    id: `${path}: missing`,
    aspects: [{ path, expects: `${name} about a missing ${resource} is rejected` }],
    run: (trial) =>
      expectRejected(trial, name, path, async (payload) => {
        const known = payload[member] ?? (await trial.reference(resource, anonymous)).values.get("id");
        return trial.sendIncoming(name, { ...payload, [member]: missingId(known) });
      }),
  };
}

/** Returns an id of the same form that no record has. */
export function missingId(known: Json | undefined): Json {
  if (typeof known === "number") return known + 1_000_000_007;
  if (typeof known !== "string" || known.length < 10)
    throw new NotTried("the test does not know the form of an id that no record has");
  // The last characters of long ids are random, or count up.
  const end = known
    .slice(-6)
    .replace(/[0-9a-z]/gi, (character) =>
      /[0-9]/.test(character)
        ? flip("0123456789", character)
        : flip(/[a-z]/.test(character) ? "abcdef" : "ABCDEF", character),
    );
  return `${known.slice(0, -6)}${end}`;
}

function flip(alphabet: string, character: string): string {
  const at = alphabet.indexOf(character);
  return alphabet[(at + 3) % alphabet.length] as string;
}
