/**
 * The reference model: the records of a generated document and the effect of each write, computed only from the meaning of its
 * rules. A rule is true of all records after every transaction. A rule over only its own record is evaluated before the record is
 * written, any other after all writes; a rule with `old`, `caller` or `now` is about a write, and is evaluated only for the
 * written records.
 */
import type { Json } from "../../src/base/json.ts";
import { type Doc, guardCode, keptText, type Resource, type Rule, type Transition } from "./document.ts";
import { isAlone, isOfTheWrite, isTrue, readsOld, type Rec, type Records } from "./expressions.ts";

export type Values = Readonly<Record<string, Json>>;

/** One write of a record, by its id, or of several. */
export type Step =
  | { readonly does: "create"; readonly resource: string; readonly id?: string; readonly values: Values }
  /** Of the members that are named; null takes one away. */
  | { readonly does: "update"; readonly resource: string; readonly id: string; readonly values: Values }
  | { readonly does: "delete"; readonly resource: string; readonly id: string }
  | { readonly does: "move"; readonly resource: string; readonly id: string; readonly by: string };

export type Write =
  | Step
  /** The whole record; made where there is none. */
  | { readonly does: "put"; readonly resource: string; readonly id: string; readonly values: Values }
  | { readonly does: "clear"; readonly resource: string }
  | { readonly does: "link" | "unlink"; readonly id: string }
  | { readonly does: "event"; readonly id: string }
  /** By one function; `caught` are refused without harm to the others. */
  | { readonly does: "batch"; readonly steps: readonly (Step & { readonly isCaught?: true })[] };

export interface By {
  readonly caller: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What the service has called what it has made. */
  readonly made?: string | undefined;
}

export type Outcome =
  | { readonly is: "done"; readonly records: Records; readonly broken: Broken }
  /** By something else than a rule. */
  | { readonly is: "refused"; readonly status: number; readonly code: string };

/** Codes of rules that the state after the write breaks; `unsure`: of those that may not be asked of it. */
export interface Broken {
  readonly sure: ReadonlySet<string>;
  readonly unsure: ReadonlySet<string>;
}

class RejectOptions extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** A record that is to be written breaks rules that read it alone. */
class BrokenBefore extends Error {
  readonly codes: ReadonlySet<string>;

  constructor(codes: ReadonlySet<string>) {
    super([...codes].join());
    this.codes = codes;
  }
}

/** An id that the service has yet to tell. */
export const unknownId = "?";

export class Model {
  readonly doc: Doc;

  constructor(doc: Doc) {
    this.doc = doc;
  }

  empty(): Records {
    return new Map(this.doc.resources.map(({ name }) => [name, new Map()]));
  }

  resource(name: string): Resource {
    return this.doc.resources.find((one) => one.name === name) as Resource;
  }

  /** What becomes of a write, if none of the rules is broken, and which are. */
  outcome(records: Records, write: Write, by: By): Outcome {
    const draft = new Draft(this, records, by);
    try {
      draft.perform(write);
    } catch (thrown) {
      if (thrown instanceof BrokenBefore) return { is: "done", records, broken: brokenBefore(thrown) };
      if (!(thrown instanceof RejectOptions)) throw thrown;
      const { code, status } = thrown;
      return { is: "refused", status, code };
    }
    return { is: "done", records: draft.records(), broken: this.#broken(draft, records, by) };
  }

  /** What time would do to one record now, the first before the others, and which rules each of them would break. */
  timed(records: Records, rec: Rec, now: number): readonly Timed[] {
    const by: By = { caller: null, now };
    return this.#dueOf(rec)
      .filter(({ moment }) => moment <= now)
      .toSorted((a, b) => a.moment - b.moment)
      .map(({ act, cause }): Timed => {
        const draft = new Draft(this, records, by);
        try {
          if (act === "delete") draft.delete([rec]);
          else draft.move(rec, act);
        } catch (thrown) {
          if (thrown instanceof RejectOptions) return { is: "held" };
          if (thrown instanceof BrokenBefore) return { is: "done", cause, records, broken: brokenBefore(thrown) };
          throw thrown;
        }
        return { is: "done", cause, records: draft.records(), broken: this.#broken(draft, records, by) };
      });
  }

  /** As it is where time has left it alone: it looks again when the next moment has come. */
  passedOver(records: Records, rec: Rec, now: number): Records {
    return withRec(records, { ...rec, due: this.#nextOf(rec, now), isDueUnsure: true });
  }

  /** All rules that are broken by a record, whatever was written last. */
  untrue(records: Records): readonly string[] {
    const { references, rules } = this.doc;
    return rules
      .filter(({ holds }) => !isOfTheWrite(holds))
      .flatMap(({ code, holds, of }) =>
        [...(records.get(of)?.values() ?? [])]
          .filter((self) => !isTrue(holds, { records, references, self, caller: null, now: 0 }))
          .map(({ id }) => `${code} of ${of} ${id}`),
      );
  }

  /** When time is to look at a record that has just been written. */
  dueAfterWrite(rec: Rec): number | null {
    return this.#nextOf(rec, Number.NEGATIVE_INFINITY);
  }

  #nextOf(rec: Rec, after: number): number | null {
    const moments = this.#dueOf(rec)
      .map(({ moment }) => moment)
      .filter((moment) => moment > after);
    return moments.length === 0 ? null : Math.min(...moments);
  }

  #dueOf(rec: Rec): readonly Due[] {
    const { keptHours, lifecycle } = this.resource(rec.resource);
    const moves = (lifecycle?.transitions ?? []).flatMap((act): Due[] => {
      const { from, trigger } = act;
      if (!from.includes(stateOf(rec))) return [];
      const { due } = rec.values;
      if (trigger.kind === "after")
        return [{ moment: rec.entered + trigger.hours * hour, act, cause: `after ${trigger.hours}h` }];
      return trigger.kind === "at" && typeof due === "string"
        ? [{ moment: Date.parse(due), act, cause: "at due" }]
        : [];
    });
    if (keptHours === undefined) return moves;
    const moment = Date.parse(rec.values["madeAt"] as string) + keptHours * hour;
    return [...moves, { moment, act: "delete", cause: `keep ${keptText(keptHours)}` }];
  }

  #broken(draft: Draft, before: Records, { caller, now }: By): Broken {
    const records = draft.records();
    const { references } = this.doc;
    const [sure, unsure] = [new Set<string>(), new Set<string>()];
    for (const rule of this.doc.rules) {
      const ofWrite = isOfTheWrite(rule.holds);
      for (const self of records.get(rule.of)?.values() ?? []) {
        const written = draft.written.get(keyOf(self));
        if (ofWrite && (written === undefined || (isAlone(rule.holds) && !written.isTouched))) continue;
        const old = before.get(rule.of)?.get(self.id);
        if (isTrue(rule.holds, { records, references, self, old, caller, now })) continue;
        (ofWrite && isUnsure(rule, written) ? unsure : sure).add(rule.code);
      }
    }
    return { sure, unsure };
  }
}

interface Due {
  readonly moment: number;
  readonly act: Transition | "delete";
  readonly cause: string;
}

export type Timed =
  | { readonly is: "done"; readonly cause: string; readonly records: Records; readonly broken: Broken }
  /** It is not deleted, since another record refers to it. */
  | { readonly is: "held" };

const hour = 3_600_000;

function brokenBefore({ codes }: BrokenBefore): Broken {
  return { sure: codes, unsure: new Set() };
}

/** How a record was written: `touched` is by the deletion of what it referred to. */
interface Written {
  readonly times: number;
  readonly isTouched: boolean;
}

/** What is about a write is not said to be asked where there is not one plain write. */
function isUnsure({ holds }: Rule, written: Written | undefined): boolean {
  if (written === undefined) return true;
  return written.isTouched || (written.times > 1 && readsOld(holds));
}

function keyOf({ id, resource }: Pick<Rec, "id" | "resource">): string {
  return `${resource} ${id}`;
}

function withRec(records: Records, rec: Rec): Records {
  return new Map([...records, [rec.resource, new Map([...(records.get(rec.resource) ?? []), [rec.id, rec]])]]);
}

/** Changes on their way, over what there is. */
class Draft {
  readonly written: Map<string, Written> = new Map();
  readonly #model: Model;
  readonly #by: By;
  readonly #tables: Map<string, Map<string, Rec>>;
  readonly #copied: Set<string> = new Set();

  constructor(model: Model, records: Records, by: By) {
    this.#model = model;
    this.#by = by;
    this.#tables = new Map(records as ReadonlyMap<string, Map<string, Rec>>);
  }

  records(): Records {
    return this.#tables;
  }

  perform(write: Write): void {
    switch (write.does) {
      case "put":
        return this.#put(write);
      case "clear":
        return this.#clear(write);
      case "link":
        return this.#link(write.id);
      case "unlink":
        return this.#unlink(write.id);
      case "event":
        return this.#receive(write.id);
      case "batch":
        return this.#batch(write.steps);
      case "update":
        this.#step(write);
        return this.#after(write);
      default:
        return this.#step(write);
    }
  }

  /** What a function does after it. */
  #after({ id, resource }: Step & { does: "update" }): void {
    const { after } = this.#model.doc;
    if (after?.of !== resource) return;
    const to = this.#find(resource, id)?.values[after.field];
    const rec = typeof to === "string" ? this.#find(after.to, to) : undefined;
    if (rec !== undefined) this.#change(rec, { ...rec.values, n: Number(rec.values["n"]) + 1 });
  }

  #step(step: Step): void {
    switch (step.does) {
      case "create":
        return this.#create(step.resource, step.id ?? this.#by.made ?? unknownId, step.values);
      case "update":
        return this.#update(step);
      case "delete":
        return this.delete([this.#found(step.resource, step.id)]);
      case "move":
        return this.#moveBy(step);
    }
  }

  #batch(steps: readonly (Step & { readonly isCaught?: true })[]): void {
    for (const { isCaught, ...step } of steps) {
      try {
        this.#step(step);
      } catch (thrown) {
        if (!(thrown instanceof RejectOptions)) throw thrown;
        if (isCaught === true) continue;
        // The function looks whether it is there.
        throw thrown.status === 422 ? new RejectOptions(404, "not-found") : thrown;
      }
    }
  }

  #find(resource: string, id: string): Rec | undefined {
    return this.#tables.get(resource)?.get(id);
  }

  #found(resource: string, id: string): Rec {
    const rec = this.#find(resource, id);
    if (rec === undefined) throw new RejectOptions(404, "not-found");
    return rec;
  }

  #all(resource: string): readonly Rec[] {
    return [...(this.#tables.get(resource)?.values() ?? [])];
  }

  #table(resource: string): Map<string, Rec> {
    const table = this.#tables.get(resource) ?? new Map();
    if (this.#copied.has(resource)) return table;
    this.#copied.add(resource);
    const copy = new Map(table);
    this.#tables.set(resource, copy);
    return copy;
  }

  #save(rec: Rec, isTouched = false): Rec {
    if (!isTouched) this.#checkAlone(rec);
    const due = this.#model.dueAfterWrite(rec);
    const { isDueUnsure: _, ...known } = rec;
    const next: Rec = { ...known, due, ...(isTouched ? { isDueUnsure: true } : {}) };
    this.#table(rec.resource).set(rec.id, next);
    this.#note(rec, isTouched);
    return next;
  }

  #checkAlone(self: Rec): void {
    const { references, rules } = this.#model.doc;
    const old = this.#find(self.resource, self.id);
    const asked = { records: this.#tables, references, self, old, ...this.#by };
    const broken = rules.filter(({ holds, of }) => of === self.resource && isAlone(holds) && !isTrue(holds, asked));
    if (broken.length > 0) throw new BrokenBefore(new Set(broken.map(({ code }) => code)));
  }

  #note(rec: Rec, isTouched: boolean): void {
    const before = this.written.get(keyOf(rec));
    this.written.set(keyOf(rec), {
      times: (before?.times ?? 0) + 1,
      isTouched: isTouched && before?.isTouched !== false,
    });
  }

  #checkReferences(resource: Resource, values: Values): void {
    for (const { name, to } of resource.fields) {
      const id = values[name];
      if (to !== undefined && typeof id === "string" && this.#find(to, id) === undefined)
        throw new RejectOptions(422, "invalid-request");
    }
  }

  #create(name: string, id: string, given: Values): void {
    const resource = this.#model.resource(name);
    this.#checkReferences(resource, given);
    if (this.#find(name, id) !== undefined) throw new RejectOptions(409, "already-exists");
    const values: Record<string, Json> = { id };
    for (const { default: otherwise, kind, name: field } of resource.fields)
      values[field] = kind === "made" ? new Date(this.#by.now).toISOString() : (given[field] ?? otherwise ?? null);
    const { lifecycle } = resource;
    if (lifecycle !== undefined) values["state"] = lifecycle.start;
    const made = this.#save({ resource: name, id, values: worked(resource, values), entered: this.#by.now, due: null });
    if (lifecycle !== undefined) this.#enter(made, lifecycle.start);
  }

  #update({ id, resource: name, values: given }: Step & { does: "update" }): void {
    const rec = this.#found(name, id);
    const resource = this.#model.resource(name);
    this.#checkReferences(
      resource,
      Object.fromEntries(Object.entries(given).filter(([field, value]) => rec.values[field] !== value)),
    );
    this.#change(rec, { ...rec.values, ...given });
  }

  #put({ id, resource: name, values: given }: Write & { does: "put" }): void {
    const rec = this.#find(name, id);
    if (rec === undefined) return this.#create(name, id, given);
    const resource = this.#model.resource(name);
    this.#checkReferences(
      resource,
      Object.fromEntries(Object.entries(given).filter(([field, value]) => rec.values[field] !== value)),
    );
    const values: Record<string, Json> = { ...rec.values };
    for (const { default: otherwise, kind, name: field } of resource.fields)
      if (kind !== "made") values[field] = given[field] ?? otherwise ?? null;
    return this.#change(rec, values);
  }

  #change(rec: Rec, values: Values): void {
    const next = worked(this.#model.resource(rec.resource), values);
    // What changes nothing writes nothing.
    if (JSON.stringify(next) !== JSON.stringify(rec.values)) this.#save({ ...rec, values: next });
  }

  #clear({ resource: name }: Write & { does: "clear" }): void {
    const { cleared } = this.#model.resource(name);
    const { caller, now } = this.#by;
    const { references } = this.#model.doc;
    const fitting = this.#all(name).filter(
      (self) => cleared !== undefined && isTrue(cleared, { records: this.#tables, references, self, caller, now }),
    );
    this.delete(fitting);
  }

  /** With all that goes with them; all of them or none. */
  delete(recs: readonly Rec[]): void {
    const going = new Map(recs.map((rec) => [keyOf(rec), rec]));
    const holding: Rec[] = [];
    const freed = new Map<string, Values>();
    for (const rec of going.values()) {
      for (const { field, other } of this.#referringTo(rec)) {
        if (field.onDelete === "delete with") going.set(keyOf(other), other);
        else if (field.onDelete === "clear")
          freed.set(keyOf(other), { ...(freed.get(keyOf(other)) ?? other.values), [field.name]: null });
        else holding.push(other);
      }
    }
    if (holding.some((rec) => !going.has(keyOf(rec)))) throw new RejectOptions(409, "still-referenced");
    for (const rec of going.values()) this.#table(rec.resource).delete(rec.id);
    for (const { name } of this.#model.doc.resources)
      for (const rec of this.#all(name)) {
        const values = freed.get(keyOf(rec));
        if (values !== undefined) this.#save({ ...rec, values }, true);
      }
  }

  #referringTo({ id, resource }: Rec): readonly { readonly field: Resource["fields"][number]; readonly other: Rec }[] {
    return this.#model.doc.resources.flatMap(({ fields, name }) =>
      fields
        .filter(({ to }) => to === resource)
        .flatMap((field) =>
          this.#all(name)
            .filter(({ values }) => values[field.name] === id)
            .map((other) => ({ field, other })),
        ),
    );
  }

  #moveBy({ by, id, resource }: Step & { does: "move" }): void {
    const rec = this.#found(resource, id);
    const fitting = this.#transitions(rec).filter(({ trigger }) => trigger.kind === "operation" && trigger.name === by);
    const found = fitting.find((one) => this.#isFree(one, rec));
    if (found !== undefined) this.move(rec, found);
    else throw new RejectOptions(409, fitting.length > 0 ? guardCode : "state-conflict");
  }

  /** Those that begin where the record is. */
  #transitions({ resource, values }: Rec): readonly Transition[] {
    const { lifecycle } = this.#model.resource(resource);
    return lifecycle?.transitions.filter(({ from }) => from.includes(stateOf({ values }))) ?? [];
  }

  #isFree({ guard }: Transition, self: Rec): boolean {
    const { caller, now } = this.#by;
    const { references } = this.#model.doc;
    return guard === undefined || isTrue(guard, { records: this.#tables, references, self, caller, now });
  }

  move(rec: Rec, { adds, to }: Transition): void {
    const values: Record<string, Json> = { ...rec.values, state: to };
    if (adds !== undefined) values["n"] = Number(rec.values["n"]) + adds;
    const isSame = rec.values["state"] === to;
    const entered = isSame ? rec.entered : this.#by.now;
    const next = this.#save({ ...rec, values: worked(this.#model.resource(rec.resource), values), entered });
    if (!isSame) this.#enter(next, to);
  }

  /** What a record causes by entering a state. */
  #enter(rec: Rec, state: string): void {
    for (const { lifecycle, name } of this.#model.doc.resources) {
      const fields = new Set(
        (lifecycle?.transitions ?? []).flatMap(({ trigger }) =>
          trigger.kind === "entered" && trigger.of === rec.resource && trigger.state === state ? [trigger.field] : [],
        ),
      );
      for (const field of fields) {
        const id = rec.values[field];
        const other = typeof id === "string" ? this.#find(name, id) : undefined;
        const found =
          other &&
          this.#transitions(other).find(
            (one) =>
              one.trigger.kind === "entered" &&
              one.trigger.of === rec.resource &&
              one.trigger.state === state &&
              one.trigger.field === field &&
              this.#isFree(one, other),
          );
        if (other !== undefined && found !== undefined) this.move(other, found);
      }
    }
  }

  #receive(id: string): void {
    const resource = this.#model.doc.inbound ?? "";
    const rec = this.#find(resource, id);
    if (rec === undefined) throw new RejectOptions(422, "invalid-request");
    const found = this.#transitions(rec).find((one) => one.trigger.kind === "inbound" && this.#isFree(one, rec));
    if (found !== undefined) this.move(rec, found);
  }

  #link(id: string): void {
    const { field, in: within, kind, of } = this.#model.doc.link ?? { field: "", in: "", kind: "", of: "" };
    this.#found(of, id);
    if (this.#linked(id) === undefined) this.#create(within, this.#by.made ?? unknownId, { [field]: id, kind });
  }

  #unlink(id: string): void {
    this.#found(this.#model.doc.link?.of ?? "", id);
    const present = this.#linked(id);
    if (present !== undefined) this.delete([present]);
  }

  #linked(id: string): Rec | undefined {
    const { field = "", in: within = "", kind } = this.#model.doc.link ?? {};
    return this.#all(within).find(({ values }) => values[field] === id && values["kind"] === kind);
  }
}

function stateOf({ values }: Pick<Rec, "values">): string {
  return values["state"] as string;
}

/** With what is worked out of the others. */
function worked({ fields }: Resource, values: Values): Values {
  const doubles = fields.filter(({ kind }) => kind === "double");
  return { ...values, ...Object.fromEntries(doubles.map(({ name }) => [name, Number(values["n"]) * 2])) };
}
