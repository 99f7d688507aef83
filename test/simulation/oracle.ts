/**
 * The oracle: computes the expected records, events and responses of a world from its model alone, one transaction after another,
 * in the order of commits. It is small on purpose, and uses no plan, no store and no expressions.
 */
import { isDeepStrictEqual } from "node:util";
import { instantText } from "../../src/base/clock.ts";
import type { Json } from "../../src/base/json.ts";
import { beats, errorStatuses, isOfSessions, mostTaken } from "./document.ts";
import { stepsOf } from "./functions.ts";
import { isKeptOf } from "./hashing.ts";
import { hashOf, type Pair, type SessionChange, Sessions, type Token } from "./sessions.ts";
import type { SessionChange as SessionWritten } from "./store.ts";
import type {
  Across,
  Condition,
  Field,
  Grant,
  Transition,
  Operation,
  Resource,
  Role,
  SessionAction,
  SetTo,
  World,
} from "./world.ts";

export interface Actor {
  readonly name: string;
  /** Null for callers who are not signed in. */
  readonly id: string | null;
  readonly roles: readonly Role[];
  readonly address: string;
}

/** A request in the words of the newest version. */
export interface Asked {
  readonly operation: Operation;
  readonly resource: Resource;
  readonly actor: Actor;
  readonly id?: string;
  readonly body?: Readonly<Record<string, Json>>;
  readonly key?: string;
  /** All that a repetition has to say again. */
  readonly fingerprint: string;
  readonly match?: string;
  readonly noneMatch?: string;
  readonly older: boolean;
  readonly list?: ListAsked;
  /** Of who logs in, or has. */
  readonly proof?: Proof;
  /** The bytes of a file, as a text. */
  readonly upload?: string;
  /** What is sent is a form, with the file as a part of it. */
  readonly isForm?: boolean;
  /** What is said to be signed, when, and whether it is. */
  readonly signed?: { readonly field: string; readonly seconds: number; readonly isRight: boolean };
}

/** What is known of who asks by a session or a password, as it is found out. */
export interface Proof {
  /** Sent with the request. */
  readonly token?: string;
  /** The session that the token was good for. */
  session?: string;
  /** Whose name and password were right, and what was kept of that. */
  proved?: { readonly id: string; readonly kept: Json };
  isRefused?: true;
}

export interface ListAsked {
  readonly filters: readonly { readonly field: string; readonly value: Json }[];
  readonly sort?: { readonly field: string; readonly descending: boolean };
  readonly limit: number;
  /** The record that the page before ended with, as it was then. */
  readonly after?: Rec;
}

export interface Rec {
  readonly resource: Resource;
  readonly id: string;
  /** In the order of creation. */
  readonly order: number;
  readonly values: Readonly<Record<string, Json>>;
  readonly state?: string;
  /** When it entered its state; the store says. */
  readonly entered: number;
  /** Counts its changes. */
  readonly version: number;
}

/** An entry of the journal as it must be, but for its moment. */
export interface Entry {
  readonly at: number;
  readonly resource: string;
  readonly record: string;
  readonly from?: string;
  readonly to?: string;
  readonly by: string;
  readonly cause: string;
  readonly due?: number;
  readonly event?: string;
  /** The record as it was then. */
  readonly data?: Rec;
  /** What came in, and what it said. */
  readonly received?: string;
  readonly payload?: Readonly<Record<string, Json>>;
  /** What the journal held of its data before is in it no more. */
  readonly forgets?: true;
}

export interface Effects {
  /** By resource and id; undefined: deleted. */
  readonly records: ReadonlyMap<string, Rec | undefined>;
  readonly entries: readonly Entry[];
  readonly counted: ReadonlyMap<string, Window>;
  readonly sessions: readonly SessionChange[];
}

export type AttemptOutcome =
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly code: string;
      readonly moves?: readonly string[];
      readonly state?: string;
      /** Seconds after which one may come back, at most. */
      readonly within?: number;
    }
  | { readonly kind: "given"; readonly status: number; readonly record?: Rec; readonly made?: true }
  /** What a record says of a file. */
  | { readonly kind: "file"; readonly photo: Photo }
  | { readonly kind: "page"; readonly items: readonly Rec[]; readonly more: boolean }
  | { readonly kind: "history"; readonly moves: readonly Entry[] }
  /** By their hashes, what somebody is given who logs in or goes on. */
  | { readonly kind: "tokens"; readonly pair: Pair }
  | { readonly kind: "unchanged" }
  /** Of the service's own resources: only what comes of it is judged. */
  | { readonly kind: "webhook" }
  | { readonly kind: "replayed"; readonly first: HandledResponse };

/** What was answered first under a key, as far as it is known. */
export interface HandledResponse {
  readonly verdict: AttemptOutcome;
  readonly fingerprint: string;
  readonly expires: number;
  /** As it was kept. */
  readonly kept: { readonly status: number; readonly body: string };
}

export interface Photo {
  readonly id: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly name?: string;
}

export interface Window {
  readonly used: number;
  readonly until: number;
}

/** What only the service can know: the ids that it makes. */
export interface Hints {
  readonly id?: string;
  /** Its place in the order of creation. */
  readonly order?: number;
  /** When the store says that records entered their states. */
  readonly entered: (resource: string, id: string) => number | undefined;
  /** What it has written of a record. */
  readonly written?: (resource: string, id: string) => Readonly<Record<string, unknown>> | undefined;
  readonly tokens?: Pair | undefined;
  /** Whether there was what was looked for of those that may have been cleared: an answer or a signature, a token. */
  readonly recalled?: boolean | undefined;
  readonly hasToken?: boolean | undefined;
  /** The first of a window, whatever there was before. */
  readonly isFirst?: boolean | undefined;
}

class RejectOptions extends Error {
  verdict: AttemptOutcome & { kind: "refused" };
  /** What is done in spite of it. */
  effects?: Effects;

  constructor(status: number, code: string, more: { moves?: readonly string[]; state?: string } = {}) {
    super(code);
    this.verdict = { kind: "refused", status, code, ...more };
  }
}

const refuse = (status: number, code: string): never => {
  throw new RejectOptions(status, code);
};

const requestMilliseconds = 30_000;

/** So long a file may be without a record. */
const orphanMilliseconds = 3_600_000;

/** Changes on their way, over what there is. */
class Draft {
  readonly records: Map<string, Rec | undefined> = new Map();
  readonly entries: Entry[] = [];
  readonly counted: Map<string, Window> = new Map();
  readonly sessions: SessionChange[] = [];
  readonly #oracle: Oracle;

  constructor(oracle: Oracle) {
    this.#oracle = oracle;
  }

  find(resource: string, id: string): Rec | undefined {
    const key = keyOf(resource, id);
    return this.records.has(key) ? this.records.get(key) : this.#oracle.records.get(key);
  }

  all(resource: string): readonly Rec[] {
    const keys = new Set([...this.#oracle.records.keys(), ...this.records.keys()]);
    return [...keys].flatMap((key) => {
      if (!key.startsWith(`${resource}/`)) return [];
      return (this.records.has(key) ? this.records.get(key) : this.#oracle.records.get(key)) ?? [];
    });
  }

  put(rec: Rec): void {
    this.records.set(keyOf(rec.resource.name, rec.id), rec);
  }
}

export function keyOf(resource: string, id: string): string {
  return `${resource}/${id}`;
}

export class Oracle {
  readonly world: World;
  readonly records: Map<string, Rec> = new Map();
  readonly journal: Entry[] = [];
  readonly answers: Map<string, HandledResponse> = new Map();
  readonly windows: Map<string, Window> = new Map();
  readonly sessions: Sessions;
  /** By the ids of all files that ever came, when their last bytes did. */
  readonly files: Map<string, number> = new Map();
  /** What is kept for a time and may have been cleared since that was over; of files and signatures their ids. */
  readonly cleared: Set<HandledResponse | Window | Token | string> = new Set();
  /** By their signatures, until when it is known that events that came in were taken. */
  readonly received: Map<string, number> = new Map();
  /** Revisions by the tags that were given of them. */
  readonly tags: Map<string, number> = new Map();
  /** Counts what has happened. */
  changes = 0;
  /** Records whose time has come, which a rule has kept from what is due: until when, unless they change. */
  readonly #putOff: Map<string, { readonly version: number; readonly until: number }> = new Map();
  /** Ids of records that are gone. */
  readonly gone: { readonly resource: string; readonly id: string }[] = [];

  constructor(world: World) {
    this.world = world;
    this.sessions = new Sessions(world);
  }

  // ── What is predicted ──

  /** What must come of a request whose turn it is; `now` is its own present, `began` that of its transaction. */
  write(
    asked: Asked,
    now: number,
    began: number,
    hints: Hints,
  ): { readonly verdict: AttemptOutcome; readonly effects: Effects } {
    const draft = new Draft(this);
    try {
      this.#admit(asked);
      if (asked.operation.action === "login" && asked.proof?.proved === undefined) refuse(401, "unauthenticated");
      if (began > now + requestMilliseconds) return { verdict: { kind: "refused", status: 503, code: "timed-out" }, effects: new Draft(this) }; // biome-ignore format: short
      const first = asked.key === undefined ? undefined : this.answers.get(storedResponseKey(asked));
      if (first !== undefined && first.expires > now && !this.#isCleared(first, hints.recalled)) {
        if (first.fingerprint !== asked.fingerprint) refuse(422, "idempotency-key-reused");
        return { verdict: { kind: "replayed", first }, effects: draft };
      }
      const verdict = this.#perform(draft, asked, now, hints);
      this.#count(draft, asked, now, hints);
      this.#holdAcross(draft);
      return { verdict, effects: draft };
    } catch (thrown) {
      if (thrown instanceof RejectOptions)
        return { verdict: thrown.verdict, effects: thrown.effects ?? new Draft(this) };
      throw thrown;
    }
  }

  /** Whose name and password these are at this moment. */
  prove({ body = {} }: Asked): Proof["proved"] {
    const { name, password } = body;
    const rec = [...this.records.values()].find((one) => one.resource.name === "Person" && one.values["name"] === name);
    const kept = rec?.values["password"];
    if (rec === undefined || kept === undefined || !isKeptOf(kept, password as string)) return undefined;
    return { id: rec.id, kept };
  }

  /** What must be read at this moment. */
  read(asked: Asked): AttemptOutcome {
    try {
      this.#admit(asked);
      const { operation } = asked;
      if (operation.action === "list") return this.#page(asked);
      const rec = this.#allowed(new Draft(this), asked);
      if (operation.action === "history") return this.history(asked);
      const { noneMatch } = asked;
      if (operation.file !== undefined) {
        const photo = rec.values[operation.file] ?? null;
        return photo === null ? refuse(404, "not-found") : { kind: "file", photo: photo as unknown as Photo };
      }
      if (noneMatch !== undefined && this.tags.get(tagKey(rec, noneMatch)) === rec.version)
        return { kind: "unchanged" };
      return { kind: "given", status: 200, record: rec };
    } catch (thrown) {
      if (thrown instanceof RejectOptions) return thrown.verdict;
      throw thrown;
    }
  }

  /** What has happened to a record by now, for who has been let in to see it. */
  history({ id, resource }: Asked): AttemptOutcome {
    const moves = this.journal.filter(
      (entry) => entry.resource === resource.name && entry.record === id && entry.to !== undefined,
    );
    return { kind: "history", moves };
  }

  /** What is refused of a request whoever asks and whatever there is: undefined where that depends on data. */
  barred(asked: Pick<Asked, "operation" | "actor">): AttemptOutcome | undefined {
    try {
      this.#admit(asked);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof RejectOptions) return thrown.verdict;
      throw thrown;
    }
  }

  /** Whether the answer to a request that was refused so is remembered under its key (R4.20). */
  isOutcome(verdict: AttemptOutcome): boolean {
    if (verdict.kind !== "refused") return true;
    return verdict.status === 409 || Object.hasOwn(errorStatuses, verdict.code);
  }

  /** What time must do to a record now, in one transaction; `skipped`: what was refused in this turn. */
  time(
    resource: string,
    id: string,
    now: number,
    hints: Hints,
    skipped: ReadonlySet<string>,
  ): { readonly effects: Effects; readonly refused?: string } {
    const draft = new Draft(this);
    let rec = this.records.get(keyOf(resource, id));
    if (rec === undefined) return { effects: draft };
    for (const act of this.due(rec, now)) {
      if (skipped.has(act.cause)) continue;
      const before = rec;
      try {
        if (act.does === "delete") {
          this.#discard(draft, rec, act, now);
          this.#holdAcross(draft);
          return { effects: draft };
        }
        if (act.does === "erase") {
          rec = this.#erase(draft, rec, act, now, hints);
          this.#holdAcross(draft);
          continue;
        }
        rec = this.#move(draft, rec, act.does, { by: "system", cause: act.cause, now, due: act.moment }, hints);
        this.#holdLive(draft, before, rec);
        this.#holdAcross(draft);
      } catch (thrown) {
        if (thrown instanceof RejectOptions) return { effects: new Draft(this), refused: act.cause };
        throw thrown;
      }
      if (rec.state !== before.state) break;
    }
    return { effects: draft };
  }

  /** What is due for a record and can be done, the earliest first. */
  due(rec: Rec, now: number): readonly Act[] {
    const { keep, lifecycle } = rec.resource;
    const acts: Act[] = [];
    for (const move of lifecycle?.moves ?? []) {
      if (!move.from.includes(rec.state ?? "")) continue;
      const start = move.by.kind === "at" ? rec.values[move.by.field] : move.by.kind === "after" ? rec.entered : null;
      const moment = typeof start === "string" ? Date.parse(start) : start;
      if (typeof moment !== "number") continue;
      const due = moment + (move.by.kind === "after" ? move.by.milliseconds : 0);
      const cause = move.by.kind === "after" ? `after ${move.by.text}` : move.by.kind === "at" ? `at ${move.by.field}` : ""; // biome-ignore format: short
      if (move.if !== undefined && !holds(move.if, rec, {})) continue;
      const fired = this.journal.some(
        (entry) => entry.record === rec.id && entry.cause === cause && entry.due === due && entry.by === "system",
      );
      if (due <= now && !(fired && move.to === rec.state)) acts.push({ moment: due, cause, does: move });
    }
    if (keep !== undefined && (keep.after !== "final" || lifecycle?.final.includes(rec.state ?? "") === true)) {
      const since = keep.after === "final" ? rec.entered : Date.parse(rec.values[keep.after] as string);
      const moment = since + keep.milliseconds;
      const cause = `keep ${keep.text} after ${keep.after}`;
      if (moment <= now) acts.push({ moment, cause, does: keep.erases ? "erase" : "delete" });
    }
    return acts.toSorted((a, b) => a.moment - b.moment);
  }

  /** What a rule keeps from being done is tried again an hour later, or when the record has changed. */
  putOff(key: string, now: number): void {
    const rec = this.records.get(key);
    if (rec !== undefined) this.#putOff.set(key, { version: rec.version, until: now + 3_600_000 });
  }

  isPutOff(key: string, now: number): boolean {
    const { until = 0, version } = this.#putOff.get(key) ?? {};
    return until > now && version === this.records.get(key)?.version;
  }

  // ── What has happened ──

  /** What is over at this time is cleared, but for what others have in hand. */
  clear(now: number): void {
    for (const one of this.answers.values()) if (one.expires <= now) this.cleared.add(one);
    for (const one of this.windows.values()) if (one.until <= now) this.cleared.add(one);
    for (const one of this.sessions.tokens.values()) if (one.expires <= now) this.cleared.add(one);
    for (const [signature, until] of this.received) if (until <= now) this.cleared.add(signature);
    const held = new Set(this.photos().map(({ id }) => id));
    for (const [id, came] of this.files) if (came < now - orphanMilliseconds && !held.has(id)) this.cleared.add(id);
  }

  /** All that records have. */
  photos(): readonly Photo[] {
    return [...this.records.values()].flatMap(({ values }) => (values["photo"] ?? []) as unknown as Photo);
  }

  /** `isThere`: whether it was found. */
  #isCleared(what: HandledResponse | Window | Token | string, isThere: boolean | undefined): boolean {
    return isThere === false && this.cleared.has(what);
  }

  /** Whether it is known that the event that was signed so was taken. */
  isReceived(signature: string, now: number, isThere: boolean | undefined): boolean {
    return (this.received.get(signature) ?? 0) > now && !this.#isCleared(signature, isThere);
  }

  /** The token, where it is good. */
  goodToken(hash: string, use: Token["use"], now: number, isThere: boolean | undefined): Token | undefined {
    const token = this.sessions.good(hash, use, now);
    return token === undefined || this.#isCleared(token, isThere) ? undefined : token;
  }

  apply({ records, entries, counted, sessions }: Effects, written: readonly SessionWritten[] = []): void {
    this.changes += 1;
    this.sessions.apply(sessions, written);
    for (const [key, rec] of records) {
      if (rec === undefined) {
        const [resource = "", id = ""] = key.split("/");
        this.gone.push({ resource, id });
        this.records.delete(key);
      } else this.records.set(key, rec);
    }
    for (const [key, window] of counted) this.windows.set(key, window);
    for (const entry of entries) {
      if (entry.forgets === true) this.#forget(entry);
      this.journal.push(entry);
    }
  }

  #forget({ record, resource }: Entry): void {
    for (const [index, entry] of this.journal.entries()) {
      if (entry.resource !== resource || entry.record !== record) continue;
      const { data: _, ...rest } = entry;
      this.journal[index] = rest;
    }
  }

  // ── Who may ──

  #admit({ operation, actor }: Pick<Asked, "operation" | "actor">): void {
    if (operation.action === "receive" && actor.id !== null && actor.id !== "device") refuse(403, "forbidden");
    if (operation.allow.some((grant) => isWho(grant, actor))) return;
    refuse(actor.id === null ? 401 : 403, actor.id === null ? "unauthenticated" : "forbidden");
  }

  mayRun({ allow }: Operation, actor: Actor, rec: Rec): boolean {
    return allow.some((grant) => isWho(grant, actor) && isMet(grant, actor, rec));
  }

  /** For whom a record exists: for whoever may read or list it. */
  isSeen(actor: Actor, rec: Rec): boolean {
    return rec.resource.operations.some(
      (operation) => (operation.action === "read" || operation.action === "list") && this.mayRun(operation, actor, rec),
    );
  }

  /** The members that an actor sees, in their order. */
  seen(resource: Resource, actor: Actor): readonly Field[] {
    return resource.fields.filter(
      ({ shown, type }) =>
        type.kind !== "secret" && (shown === undefined || shown.some((grant) => isWho(grant, actor))),
    );
  }

  view(rec: Rec, actor: Actor): Readonly<Record<string, Json>> {
    const members: Record<string, Json> = { id: rec.id };
    for (const { name } of this.seen(rec.resource, actor)) {
      const value = rec.values[name] ?? null;
      if (value !== null) members[name] = value;
    }
    if (rec.state !== undefined) members["state"] = rec.state;
    return members;
  }

  #absent({ actor, resource }: Asked): never {
    const seesAll = resource.operations.some(
      ({ action, allow }) =>
        (action === "read" || action === "list") && allow.some((grant) => grant.own !== true && isWho(grant, actor)),
    );
    return this.world.unseen === 403 && !seesAll ? refuse(403, "forbidden") : refuse(404, "not-found");
  }

  #allowed(draft: Draft, asked: Asked): Rec {
    const rec = asked.id === undefined ? undefined : draft.find(asked.resource.name, asked.id);
    if (rec === undefined) return this.#absent(asked);
    if (this.mayRun(asked.operation, asked.actor, rec)) return rec;
    return this.isSeen(asked.actor, rec) ? refuse(403, "forbidden") : this.#absent(asked);
  }

  // ── Deeds ──

  #perform(draft: Draft, asked: Asked, now: number, hints: Hints): AttemptOutcome {
    const { action } = asked.operation;
    if (action === "create") return this.#create(draft, asked, now, hints);
    if (action === "receive") return this.#receive(draft, asked, now, hints);
    if (isOfSessions(action)) return this.#session(action, draft, asked, now, hints);
    const rec = this.#allowed(draft, asked);
    this.#checkTags(asked, rec);
    switch (asked.operation.action) {
      case "update":
        return this.#update(draft, asked, rec, now, hints);
      case "delete":
        return this.#delete(draft, rec);
      case "handler":
        return this.#handle(draft, asked, rec, now, hints);
      default:
        return this.#moveBy(draft, asked, rec, now, hints);
    }
  }

  #checkTags({ operation, match }: Asked, rec: Rec): void {
    if (match !== undefined && match !== "*" && this.tags.get(tagKey(rec, match)) !== rec.version) refuse(412, "stale");
    const needed = this.world.edits === "required" && operation.action !== "move" && operation.action !== "handler";
    if (match === undefined && needed) refuse(428, "precondition-needed");
  }

  #create(draft: Draft, asked: Asked, now: number, hints: Hints): AttemptOutcome {
    const { actor, body = {}, operation, resource } = asked;
    const settable = resource.fields.filter(({ marks }) => !marks.includes("read-only"));
    for (const [name, value] of Object.entries(body)) {
      const field = settable.find((one) => one.name === name);
      if (field === undefined || !fits(field, value)) refuse(422, "invalid-request");
    }
    for (const { name, optional, default: otherwise } of settable)
      if (!optional && otherwise === undefined && body[name] === undefined) refuse(422, "invalid-request");
    this.#checkReferences(draft, actor, resource, body, undefined);
    const values: Record<string, Json> = {};
    for (const { name, default: otherwise } of resource.fields) {
      const made = otherwise === "now" ? instantText(now) : otherwise === "caller" ? actor.id : otherwise;
      values[name] = body[name] ?? made ?? null;
    }
    for (const field of resource.fields)
      if (field.type.kind === "secret")
        values[field.name] = keptOf(field, values[field.name] ?? null, hints.written?.(resource.name, hints.id ?? ""));
    if (asked.upload !== undefined)
      values["photo"] = fileOf(asked, hints.written?.(resource.name, hints.id ?? "")?.["photo"]);
    const rec: Rec = {
      resource,
      id: hints.id ?? "",
      order: hints.order ?? 0,
      values,
      ...(resource.lifecycle === undefined ? {} : { state: resource.lifecycle.start }),
      entered: hints.entered(resource.name, hints.id ?? "") ?? now,
      version: 1,
    };
    this.#settle(draft, rec);
    draft.put(rec);
    const to = resource.lifecycle?.start;
    const work = { by: actor.id ?? "anonymous", cause: operation.name, now };
    this.#follow(draft, rec, to === undefined ? {} : { to }, operation, work, hints);
    this.#holdLive(draft, undefined, rec);
    return { kind: "given", status: 201, record: this.#after(draft, rec), made: true };
  }

  /** An event comes in: taken down, and let move what it tells of, once. */
  #receive(draft: Draft, { body = {}, operation, signed }: Asked, now: number, hints: Hints): AttemptOutcome {
    const taken: AttemptOutcome = { kind: "given", status: 202 };
    if (this.isReceived(signed?.field ?? "", now, hints.recalled)) return taken;
    const { job, what, ...others } = body;
    const rec = typeof job === "string" ? draft.find("Job", job) : undefined;
    if (rec === undefined || !beats.includes(what as string) || Object.keys(others).length > 0)
      return refuse(422, "invalid-request");
    const { name } = operation;
    const known = { at: now, resource: "Job", record: rec.id, by: "device", cause: name };
    draft.entries.push({ ...known, received: name, payload: body });
    const move = rec.resource.lifecycle?.moves.find(
      ({ by, from, if: guard }) =>
        by.kind === "event" &&
        by.name === name &&
        from.includes(rec.state ?? "") &&
        (guard === undefined || holds(guard, rec, {})),
    );
    if (move !== undefined) this.#move(draft, rec, move, { by: "device", cause: `when ${name}`, now }, hints);
    return taken;
  }

  /** Sessions begin, go on and end. */
  #session(
    action: SessionAction,
    draft: Draft,
    { actor, body = {}, proof = {} }: Asked,
    now: number,
    hints: Hints,
  ): AttemptOutcome {
    const { sessions } = draft;
    const given = (pair: Pair | undefined): AttemptOutcome => ({
      kind: "tokens",
      pair: pair ?? { access: "", expires: 0 },
    });
    if (action === "login") {
      const { id = "", kept } = proof.proved ?? {};
      // The password may have been changed while it was looked at.
      if (draft.find("Person", id)?.values["password"] !== kept) refuse(401, "unauthenticated");
      sessions.push({ kind: "opened", user: id, at: now });
      return given(hints.tokens);
    }
    if (action === "logout") {
      if (actor.id === null) refuse(401, "unauthenticated");
      if (proof.session === undefined || draft.find("Person", actor.id ?? "") === undefined) refuse(403, "forbidden");
      sessions.push({ kind: "ended", session: proof.session ?? "" });
      return { kind: "given", status: 204 };
    }
    const hash = hashOf(body["refreshToken"] as string);
    const what = this.sessions.renewal(hash, now);
    const token = this.goodToken(hash, "renew", now, hints.hasToken);
    if (what === "unknown" || token === undefined) return refuse(401, "unauthenticated");
    const { session, user } = token;
    if (what === "reused") {
      const refused = new RejectOptions(401, "unauthenticated");
      sessions.push({ kind: "ended", session });
      refused.effects = draft;
      throw refused;
    }
    if (what === "again") return given(token.next);
    sessions.push({ kind: "opened", user, session, at: now, replaces: hash });
    return given(hints.tokens);
  }

  #update(draft: Draft, asked: Asked, rec: Rec, now: number, hints: Hints): AttemptOutcome {
    const { actor, body = {}, operation, proof, resource, upload } = asked;
    const values: Record<string, Json> = { ...rec.values };
    for (const [name, value] of Object.entries(body)) {
      const field = resource.fields.find((one) => one.name === name);
      if (field === undefined) return refuse(422, "invalid-request");
      const fixed = field.marks.includes("read-only") || field.marks.includes("create-only");
      if (fixed) {
        if ((rec.values[name] ?? null) !== value) refuse(422, "invalid-request");
        continue;
      }
      if (value === null ? !field.optional : !fits(field, value)) refuse(422, "invalid-request");
      values[name] = keptOf(field, value, hints.written?.(resource.name, rec.id));
      if (field.type.kind !== "secret") continue;
      const except = actor.id === rec.id ? proof?.session : undefined;
      draft.sessions.push({ kind: "endedAll", user: rec.id, ...(except === undefined ? {} : { except }) });
    }
    if (upload !== undefined) values["photo"] = fileOf(asked, hints.written?.(resource.name, rec.id)?.["photo"]);
    this.#checkReferences(draft, actor, resource, body, rec);
    const isSame = Object.entries(values).every(([name, value]) => (rec.values[name] ?? null) === value);
    // Whether a hidden field had this value already is not for its writer to know: the write counts as a change.
    const seen = this.seen(resource, actor);
    const isBlind = resource.fields.some(({ marks, name }) => Object.hasOwn(body, name) && !marks.includes("read-only") && !marks.includes("create-only") && seen.every((one) => one.name !== name)); // biome-ignore format: one condition
    if (isSame && !isBlind) return { kind: "given", status: 200, record: rec };
    const next: Rec = { ...rec, values, version: rec.version + 1 };
    this.#settle(draft, next);
    draft.put(next);
    const work = { by: actor.id ?? "anonymous", cause: operation.name, now };
    this.#follow(draft, next, {}, operation, work, noHints);
    this.#holdLive(draft, rec, next);
    return { kind: "given", status: 200, record: this.#after(draft, next) };
  }

  #delete(draft: Draft, rec: Rec): AttemptOutcome {
    for (const { name, fields } of this.world.resources)
      for (const field of fields) {
        if (field.type.kind !== "reference" || field.type.to !== rec.resource.name) continue;
        for (const other of draft.all(name)) {
          if (other.values[field.name] !== rec.id) continue;
          if (field.marks.includes("clear"))
            draft.put({ ...other, values: { ...other.values, [field.name]: null }, version: other.version + 1 });
          else if (field.marks.includes("delete with")) draft.records.set(keyOf(name, other.id), undefined);
          else refuse(409, "still-referenced");
        }
      }
    draft.records.set(keyOf(rec.resource.name, rec.id), undefined);
    if (rec.resource.name === "Person") draft.sessions.push({ kind: "gone", user: rec.id });
    return { kind: "given", status: 204 };
  }

  #moveBy(draft: Draft, asked: Asked, rec: Rec, now: number, hints: Hints): AttemptOutcome {
    const { actor, body = {}, operation } = asked;
    const { takes } = operation;
    if (takes !== undefined) {
      const { [takes]: sent, ...others } = body;
      if (typeof sent !== "string" || sent.length < 1 || sent.length > 9 || Object.keys(others).length > 0)
        refuse(422, "invalid-request");
    }
    const moves = rec.resource.lifecycle?.moves ?? [];
    const fitting = moves.filter(
      ({ by, from }) => by.kind === "operation" && by.name === operation.name && from.includes(rec.state ?? ""),
    );
    const move = fitting.find((one) => one.if === undefined || holds(one.if, rec, body));
    if (move === undefined) {
      const [first] = fitting;
      if (first?.else !== undefined) refuse(errorStatuses[first.else] ?? 500, first.else);
      throw new RejectOptions(409, "state-conflict", {
        ...(rec.state === undefined ? {} : { state: rec.state }),
        moves: this.#possible(rec, actor),
      });
    }
    const work = { by: actor.id ?? "anonymous", cause: operation.name, now };
    const next = this.#move(draft, rec, move, work, hints, operation);
    this.#holdLive(draft, rec, next);
    return { kind: "given", status: 200, record: this.#after(draft, next) };
  }

  /** What a function does of the owner's: as if nobody else had done anything meanwhile. */
  #handle(draft: Draft, { actor, body = {}, operation }: Asked, rec: Rec, now: number, hints: Hints): AttemptOutcome {
    const { plan, ...others } = body;
    if (typeof plan !== "string" || plan.length > mostTaken("handler") || Object.keys(others).length > 0)
      refuse(422, "invalid-request");
    for (const step of stepsOf(plan)) {
      const [what = "", which = ""] = step.split(" ");
      const present = draft.find("Job", rec.id) as Rec;
      if (what === "title" && present.values["title"] !== which) {
        const next: Rec = { ...present, values: { ...present.values, title: which }, version: present.version + 1 };
        this.#settle(draft, next);
        draft.put(next);
      }
      if (what === "move") this.#moveFor(draft, actor, operation, present, which, now, hints);
      if (what === "fail") refuse(errorStatuses[which] ?? 500, which);
      if (what === "throw") refuse(500, "internal");
    }
    return { kind: "given", status: 200, record: this.#after(draft, rec) };
  }

  #moveFor(
    draft: Draft,
    actor: Actor,
    { name: cause }: Operation,
    rec: Rec,
    by: string,
    now: number,
    hints: Hints,
  ): void {
    const moves = rec.resource.lifecycle?.moves ?? [];
    const fitting = moves.filter((one) => one.by.kind === "operation" && one.by.name === by && one.from.includes(rec.state ?? "")); // biome-ignore format: short
    const move = fitting.find((one) => one.if === undefined || holds(one.if, rec, {}));
    const [first] = fitting;
    if (move === undefined && first?.else !== undefined) refuse(errorStatuses[first.else] ?? 500, first.else);
    if (move === undefined) return refuse(409, "state-conflict");
    const operation = rec.resource.operations.find(({ name }) => name === by) as Operation;
    const next = this.#move(draft, rec, move, { by: actor.id ?? "anonymous", cause, now }, hints, operation);
    this.#holdLive(draft, rec, next);
  }

  /** Operations that the actor may move the record by now. */
  #possible(rec: Rec, actor: Actor): readonly string[] {
    const { lifecycle, operations } = rec.resource;
    return operations
      .filter((operation) => operation.action === "move" && this.mayRun(operation, actor, rec))
      .map(({ name }) => name)
      .filter((name) =>
        lifecycle?.moves.some(
          ({ by, from }) => by.kind === "operation" && by.name === name && from.includes(rec.state ?? ""),
        ),
      );
  }

  #discard(draft: Draft, rec: Rec, { cause, moment }: Act, now: number): void {
    draft.records.set(keyOf(rec.resource.name, rec.id), undefined);
    draft.entries.push(forgetting(rec, cause, moment, now));
  }

  /** What is personal is gone, whatever the rules of the document say of callers. */
  #erase(draft: Draft, rec: Rec, { cause, moment }: Act, now: number, hints: Hints): Rec {
    const personal = rec.resource.fields.filter(({ marks }) => marks.includes("personal"));
    const row = hints.written?.(rec.resource.name, rec.id);
    for (let round = 0; ; round += 1) {
      const values = { ...rec.values };
      for (const field of personal) values[field.name] = erased(field, rec, round);
      if (personal.every(({ name }) => (rec.values[name] ?? null) === values[name])) return rec;
      const next: Rec = { ...rec, values, version: rec.version + 1 };
      // Somebody may have written just that, also when it was tried and not any more.
      const isOther = row !== undefined && personal.some(({ name }) => (row[name] ?? null) !== values[name]);
      if (this.#isTaken(draft, next) || (isOther && round < 3)) continue;
      draft.put(next);
      draft.entries.push(forgetting(rec, cause, moment, now));
      return next;
    }
  }

  #move(draft: Draft, rec: Rec, move: Transition, work: Work, hints: Hints, operation?: Operation): Rec {
    const entered = move.to === rec.state ? rec.entered : (hints.entered(rec.resource.name, rec.id) ?? work.now);
    const values = move.set === undefined ? rec.values : { ...rec.values, [move.set.field]: setTo(move.set.to, rec, work.now) }; // biome-ignore format: short
    const next: Rec = { ...rec, values, state: move.to, entered, version: rec.version + 1 };
    draft.put(next);
    const change = { ...(rec.state === undefined ? {} : { from: rec.state }), to: move.to };
    this.#follow(draft, next, change, operation, work, hints);
    return next;
  }

  /** What a change leaves in the journal, and the moves of others that it causes. */
  #follow(
    draft: Draft,
    rec: Rec,
    change: { readonly from?: string; readonly to?: string },
    operation: Operation | undefined,
    work: Work,
    hints: Hints,
  ): void {
    const { events, name } = rec.resource;
    const entered = change.from === change.to ? undefined : change.to;
    const emitted = [
      ...events.filter(({ on }) => on.kind === "state" && on.state === entered),
      ...events.filter(({ on }) => on.kind === "operation" && on.operation === operation?.name),
    ];
    const known = {
      at: work.now,
      resource: name,
      record: rec.id,
      by: work.by,
      cause: work.cause,
      ...(work.due === undefined ? {} : { due: work.due }),
    };
    const [first, ...more] = emitted;
    if (change.to !== undefined || first !== undefined)
      draft.entries.push({ ...known, ...change, ...(first === undefined ? {} : { event: first.name, data: rec }) });
    for (const { name: event } of more) draft.entries.push({ ...known, event, data: rec });
    for (const { name: event, on } of emitted)
      if (on.kind === "state") this.#causeOthers(draft, rec, event, work, hints);
  }

  #causeOthers(draft: Draft, rec: Rec, event: string, work: Work, hints: Hints): void {
    for (const field of rec.resource.fields) {
      const { type } = field;
      const id = rec.values[field.name];
      if (type.kind !== "reference" || typeof id !== "string") continue;
      const other = draft.find(type.to, id);
      const move = other?.resource.lifecycle?.moves.find(
        ({ by, from }) => by.kind === "event" && by.name === event && from.includes(other.state ?? ""),
      );
      if (other === undefined || move === undefined) continue;
      const { due: _, ...causing } = work;
      this.#move(draft, other, move, { ...causing, cause: `when ${event}` }, hints);
    }
  }

  #after(draft: Draft, rec: Rec): Rec {
    return draft.find(rec.resource.name, rec.id) ?? rec;
  }

  // ── What a record has to be ──

  #checkReferences(
    draft: Draft,
    actor: Actor,
    resource: Resource,
    body: Readonly<Record<string, Json>>,
    rec: Rec | undefined,
  ): void {
    for (const { name, type } of resource.fields) {
      const id = body[name];
      if (type.kind !== "reference" || typeof id !== "string" || rec?.values[name] === id) continue;
      const other = draft.find(type.to, id);
      if (other === undefined || !this.isSeen(actor, other)) refuse(422, "invalid-request");
    }
  }

  #settle(draft: Draft, rec: Rec): void {
    const { rule } = rec.resource;
    if (rule !== undefined && !holds(rule.holds, rec, {})) refuse(errorStatuses[rule.else] ?? 500, rule.else);
    if (this.#isTaken(draft, rec)) refuse(409, "already-exists");
  }

  /** Whether another record has a value that must be there once. */
  #isTaken(draft: Draft, { id, resource, values }: Rec): boolean {
    return resource.fields.some(({ marks, name }) => {
      const value = values[name] ?? null;
      if (!marks.includes("unique") || value === null) return false;
      return draft.all(resource.name).some((other) => other.id !== id && other.values[name] === value);
    });
  }

  /** When all is written: what reads other records is true of all of them, whichever was written. */
  #holdAcross(draft: Draft): void {
    if (draft.records.size === 0) return;
    for (const { across, name } of this.world.resources) {
      if (across === undefined) continue;
      const all = draft.all(name);
      const isBroken = all.some((rec) => !holdsAcross(across.holds, rec, all, (resource) => draft.all(resource)));
      if (isBroken) refuse(errorStatuses[across.else] ?? 500, across.else);
    }
  }

  // ── Quotas ──

  #holdLive(draft: Draft, before: Rec | undefined, rec: Rec): void {
    const { live, name } = rec.resource;
    if (live === undefined) return;
    const owner = rec.values["owner"];
    if (!isLive(rec) || (before !== undefined && isLive(before))) return;
    const count = draft.all(name).filter((other) => isLive(other) && other.values["owner"] === owner).length;
    if (count > live.count) refuse(403, "quota-exceeded");
  }

  #count(draft: Draft, { actor, operation }: Asked, now: number, hints: Hints): void {
    const { quota } = operation;
    if (quota === undefined) return;
    const key = `${operation.name} ${actor.id ?? `address ${actor.address}`}`;
    const present = this.windows.get(key);
    const isOpen =
      present !== undefined &&
      present.until > now &&
      !this.#isCleared(present, hints.isFirst === true ? false : undefined);
    const window = isOpen
      ? { used: present.used + 1, until: present.until }
      : { used: 1, until: now + quota.milliseconds };
    if (window.used > quota.count) refuse(403, "quota-exceeded");
    draft.counted.set(key, window);
  }

  // ── Lists ──

  #page({ actor, operation, resource, list }: Asked): AttemptOutcome {
    const { after, filters, limit, sort } = list ?? { filters: [], limit: 3 };
    const fitting = [...this.records.values()]
      .filter((rec) => rec.resource.name === resource.name && this.mayRun(operation, actor, rec))
      .filter((rec) => filters.every(({ field, value }) => valueOf(rec, field) === value));
    const compare = (a: Rec, b: Rec): number => {
      const descending = sort?.descending ?? true;
      const order = sort === undefined ? 0 : compareJson(valueOf(a, sort.field), valueOf(b, sort.field));
      return (order === 0 ? a.order - b.order : order) * (descending ? -1 : 1);
    };
    const rows = fitting.toSorted(compare).filter((rec) => after === undefined || compare(rec, after) > 0);
    return { kind: "page", items: rows.slice(0, limit), more: rows.length > limit };
  }
}

interface Work {
  readonly by: string;
  readonly cause: string;
  readonly now: number;
  readonly due?: number;
}

export interface Act {
  readonly moment: number;
  readonly cause: string;
  readonly does: Transition | "delete" | "erase";
}

const noHints: Hints = { entered: () => undefined };

export function storedResponseKey({ actor, key }: Asked): string {
  return `${actor.id ?? `address ${actor.address}`} ${key}`;
}

export function tagKey({ id }: Rec, tag: string): string {
  return `${id} ${tag}`;
}

function valueOf(rec: Rec, field: string): Json {
  return field === "state" ? (rec.state ?? null) : (rec.values[field] ?? null);
}

/** An absent value comes first; texts go by their code points. */
function compareJson(a: Json, b: Json): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}

function isWho({ who }: Grant, actor: Actor): boolean {
  if (who === "anyone") return true;
  if (who === "signed-in") return actor.id !== null;
  return actor.roles.includes(who);
}

function isMet({ own }: Grant, actor: Actor, rec: Rec): boolean {
  const whose = rec.resource.name === "Person" ? rec.id : rec.values["owner"];
  return own !== true || (actor.id !== null && whose === actor.id);
}

function isLive({ resource, state = "", values }: Rec): boolean {
  if ((values["owner"] ?? null) === null || resource.live === undefined) return false;
  const { states } = resource.live;
  return states === undefined ? resource.lifecycle?.final.includes(state) !== true : states.includes(state);
}

function fits({ type }: Field, value: Json): boolean {
  switch (type.kind) {
    // It comes by itself alone.
    case "file":
      return false;
    case "text":
    case "secret":
      return typeof value === "string" && value.length >= 1 && value.length <= type.most;
    case "number":
      return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= type.most;
    case "flag":
      return typeof value === "boolean";
    case "choice":
      return typeof value === "string" && type.of.includes(value);
    case "moment":
    case "user":
      return typeof value === "string";
    case "reference":
      return typeof value === "string" && /^box_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value);
  }
}

function holds(condition: Condition, rec: Rec, input: Readonly<Record<string, Json>>): boolean {
  switch (condition.kind) {
    case "below": {
      const value = rec.values[condition.field] ?? null;
      return typeof value === "number" && value < condition.value;
    }
    case "is":
      return rec.values[condition.field] === condition.value;
    case "isNot":
      return rec.values[condition.field] !== condition.value;
    case "input":
      return input[condition.member] === condition.value;
  }
}

function holdsAcross(
  rule: Across,
  rec: Rec,
  all: readonly Rec[],
  others: (resource: string) => readonly Rec[],
): boolean {
  switch (rule.kind) {
    case "alike": {
      const value = valueOf(rec, rule.field);
      return value === null || all.filter((other) => valueOf(other, rule.field) === value).length <= rule.most;
    }
    case "total": {
      const numbers = all.map((other) => valueOf(other, rule.field)).filter((value) => typeof value === "number");
      return numbers.reduce((sum, value) => sum + value, 0) <= rule.most;
    }
    case "referred": {
      if (rule.state !== undefined && rec.state !== rule.state) return true;
      const box = others("Box").find(({ id }) => id === rec.values["box"]);
      return box === undefined || valueOf(box, rule.field) !== rule.isNot;
    }
    case "referring": {
      const isCounted = ({ state, values }: Rec): boolean =>
        values["box"] === rec.id && (rule.state ?? state) === state;
      return others("Job").filter(isCounted).length <= rule.most;
    }
  }
}

/** What a file in a form is called. */
export const formFile = "photo.txt";

/** What a record says of a file that was sent, under the id that the store has it by. */
function fileOf({ isForm, upload = "" }: Asked, written: unknown): Json {
  const name = isForm === true ? { name: formFile } : {};
  const must = { type: "text/plain", bytes: upload.length, sha256: hashOf(upload), ...name };
  const { id, ...said } = JSON.parse(JSON.stringify(written ?? {})) as { readonly id?: string };
  return isDeepStrictEqual(said, must) && id !== undefined ? { id, ...must } : must;
}

/** What becomes of a value that is sent: of a secret the store has what was made of it. */
function keptOf({ name, type }: Field, value: Json, written: Readonly<Record<string, unknown>> | undefined): Json {
  if (type.kind !== "secret") return value;
  const kept = written?.[name];
  return typeof kept === "string" && isKeptOf(kept, value as string) ? kept : "what is made of the secret";
}

/** The entry that is left where what was told of a record is gone. */
function forgetting({ id, resource }: Rec, cause: string, due: number, at: number): Entry {
  return { at, resource: resource.name, record: id, by: "system", cause, due, forgets: true };
}

/** What a field has that says nothing any more. */
function erased({ marks, name, optional, type }: Field, { order, values }: Rec, round: number): Json {
  if (optional) return null;
  const numbered = (number: number): string => (order + number * 2 ** 32).toString(36);
  switch (type.kind) {
    case "number":
      return 0;
    case "flag":
      return false;
    case "text":
      if (!marks.includes("unique")) return "erased".slice(0, type.most);
      return [0, 1, 2, 3].map(numbered).find((one) => one === values[name]) ?? numbered(round);
    default:
      return "erased";
  }
}

function setTo(to: SetTo, rec: Rec, now: number): Json {
  if (to.kind === "later") return instantText(now + to.milliseconds);
  return (rec.values[to.field] as number) + 1;
}
