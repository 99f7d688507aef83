/**
 * Which version a request is for (R9.1, R9.2). Where the caller says it is read before anything else, since paths differ;
 * what is wrong with it is told once the caller is known (R0.1).
 */
import { isNewerVersion } from "../../base/version.ts";
import type { VersionPlace, VersionsPlan } from "../../plan/version.ts";
import type { Caller } from "../caller.ts";
import type { Exchange } from "../exchange.ts";
import { type Fault, malformed, Refusal } from "../refusal.ts";
import type { Target } from "../target.ts";
import type { PinOf } from "./pins.ts";
import type { Served } from "./served.ts";

/** What a request says of its version. */
export interface Said {
  /** Without what says the version. */
  readonly segments: readonly string[];
  readonly query: string;
  /** What was taken off the query, for the addresses of further pages. */
  readonly parameter?: string;
  /** The version, where it is certain before the caller is known. */
  readonly version?: Served;
  readonly refusal?: Refusal;
}

export interface Chooser {
  said(exchange: Exchange, target: Target): Said;
  /** The version to serve, now that the caller is known; refuses what cannot be served. */
  choose(said: Said, caller: Caller): Served | Promise<Served>;
  /** For what everybody may read: as said, else what callers without a credential get. */
  open(said: Said): Served;
}

/** A document without versions. */
export function onlyVersion(served: Served): Chooser {
  return {
    said: (_, { segments, query }) => ({ segments, query, version: served }),
    choose: () => served,
    open: () => served,
  };
}

export interface ChooserOptions {
  readonly plan: VersionsPlan;
  /** Newest first. */
  readonly versions: readonly Served[];
  readonly pinOf: PinOf;
  readonly now: () => number;
  /** The segments that operations are mounted below. */
  readonly mount: readonly string[];
}

export function createChooser({ plan, versions, pinOf, now, mount }: ChooserOptions): Chooser {
  const { sent, absent, gone } = plan;
  /** By the error of the document's own where it has one, with what Nonet would have said (R9.1). */
  const refusal = (fault: Fault): Refusal => {
    const { details } = malformed(fault);
    const members = { supported: supported() };
    if (plan.unknown === undefined) return new Refusal("invalid-request", { ...details, members });
    const { error, status } = plan.unknown;
    return new Refusal(error, { status, detail: fault.detail, members });
  };
  const byName = new Map(versions.map((version) => [version.name as string, version]));
  const newest = versions[0] as Served;
  const isLive = ({ sunset }: Served): boolean => sunset === undefined || now() < sunset;
  const supported = (): readonly string[] => versions.filter(isLive).map(({ name }) => name as string);
  const isName = plan.scheme === "dated" ? /^\d{4}-\d{2}-\d{2}$/ : /^\d{1,9}(?:\.\d{1,9}){0,2}$/;
  const read = readerOf(sent, mount, isName);

  const unless = (): Served | undefined => {
    if (absent === "newest") return newest;
    return absent === "oldest" ? versions.findLast(isLive) : undefined;
  };

  /** 400 for what is no version's name, or no version's (R9.1). */
  const unknown = (name: string, found: Found): Refusal => {
    const form = plan.scheme === "dated" ? "a date, as in 2026-09-01" : "a number, as in 2";
    const isForm = isName.test(name);
    const detail = isForm ? "There is no such version" : `A version is ${form}`;
    return refusal({ ...found.at, code: isForm ? "unknown-version" : "bad-version", detail });
  };

  const live = (version: Served): Served => {
    if (isLive(version)) return version;
    throw new Refusal(gone.error, {
      status: gone.status,
      detail: `The version ${version.name} is no longer served`,
      members: { supported: supported() },
    });
  };

  /** Of a caller that says nothing. */
  const silent = (caller: Caller): Served | Promise<Served> => {
    if (absent === "refuse") {
      const detail = sent === undefined ? "No version was chosen" : `Say the version: ${describe(sent)}`;
      throw refusal({ ...placeOf(sent), code: "required", detail });
    }
    return pinned(caller);
  };

  const pinned = (caller: Caller): Served | Promise<Served> => {
    const name = pinOf(caller, newest.name as string);
    return typeof name === "string" ? pinnedTo(name) : name.then(pinnedTo);
  };

  const pinnedTo = (name: string): Served => {
    const version = byName.get(name);
    if (version !== undefined) return live(version);
    // Another process has a newer document already: here it is served as far as this one goes.
    if (isNewerVersion(name, newest.name as string)) return newest;
    throw new Refusal(gone.error, {
      status: gone.status,
      detail: `The version ${name} that this credential began with is no longer served`,
      members: { supported: supported() },
    });
  };

  return {
    said(exchange, target) {
      const found = read(exchange, target);
      const { name, parameter, query, segments } = found;
      const said: { -readonly [Name in keyof Said]: Said[Name] } = { segments, query };
      if (parameter !== undefined) said.parameter = parameter;
      if (found.twice) {
        const detail = "The version is said more than once";
        said.refusal = malformed({ ...found.at, code: "repeated-version", detail });
        return said;
      }
      const version = name === undefined ? unless() : byName.get(name);
      if (version !== undefined) said.version = version;
      else if (name !== undefined) said.refusal = unknown(name, found);
      return said;
    },
    choose(said, caller) {
      if (said.refusal !== undefined) throw said.refusal;
      if (said.version === undefined) return silent(caller);
      const { version } = said;
      // The first call counts, whether or not it says a version.
      const first = absent === "pinned" ? pinOf(caller, newest.name as string) : "";
      return typeof first === "string" ? live(version) : first.then(() => live(version));
    },
    open(said) {
      if (said.refusal !== undefined) throw said.refusal;
      return live(said.version ?? newest);
    },
  };
}

interface Found {
  readonly segments: readonly string[];
  readonly query: string;
  readonly parameter?: string;
  readonly name?: string;
  readonly twice: boolean;
  /** Where it was said, for faults. */
  readonly at: { readonly header?: string; readonly parameter?: string };
}

type Read = (exchange: Exchange, target: Target) => Found;

function placeOf(sent: VersionPlace | undefined): Found["at"] {
  if (sent?.kind === "header") return { header: sent.name.toLowerCase() };
  if (sent?.kind === "query") return { parameter: sent.name };
  return sent?.kind === "media-type" ? { header: "accept" } : {};
}

function describe(sent: VersionPlace): string {
  switch (sent.kind) {
    case "header":
      return `in the header ${sent.name}`;
    case "query":
      return `in the parameter ${sent.name}`;
    case "path":
      return `before the path, ${sent.template}`;
    case "media-type":
      return "with the media type, Accept: application/json; version=";
  }
}

function readerOf(sent: VersionPlace | undefined, mount: readonly string[], isName: RegExp): Read {
  const at = placeOf(sent);
  switch (sent?.kind) {
    case undefined:
      return (_, { segments, query }) => ({ segments, query, twice: false, at });
    case "header": {
      const field = sent.name.toLowerCase();
      return ({ headers }, { segments, query }) => {
        const name = headers.get(field);
        if (name === undefined) return { segments, query, at, twice: false };
        return { segments, query, at, twice: headers.repeated(field), name: name.trim() };
      };
    }
    case "query":
      return (_, { segments, query }) => ({ segments, at, ...inQuery(query, sent.name) });
    case "path":
      return (_, { segments, query }) => ({
        query,
        at,
        twice: false,
        ...inPath(segments, mount, sent.template, isName),
      });
    case "media-type":
      return ({ headers }, { segments, query }) => {
        const names = ["accept", "content-type"].flatMap((field) => versionsIn(headers.get(field)));
        const [name] = names;
        const twice = new Set(names).size > 1;
        return { segments, query, at, twice, ...(name === undefined ? {} : { name }) };
      };
  }
}

function inQuery(query: string, name: string): Pick<Found, "query" | "name" | "parameter" | "twice"> {
  const parts = query.split("&");
  const mine = parts.filter((part) => part === name || part.startsWith(`${name}=`));
  const [first, ...more] = mine;
  if (first === undefined) return { query, twice: false };
  return {
    query: parts.filter((part) => !mine.includes(part)).join("&"),
    parameter: first,
    name: first.slice(name.length + 1),
    twice: more.length > 0,
  };
}

/** A path whose place for the version holds something else is a path without one. */
function inPath(
  segments: readonly string[],
  mount: readonly string[],
  template: string,
  isName: RegExp,
): Pick<Found, "segments" | "name"> {
  const wanted = template.split("/").filter((part) => part !== "");
  // Pages of the service stand beside what is mounted.
  const start = mount.every((part, index) => segments[index] === part) ? mount.length : 0;
  let name: string | undefined;
  for (const [index, part] of wanted.entries()) {
    const segment = segments[start + index];
    const [before = "", after] = part.split("{n}");
    if (segment === undefined) return { segments };
    if (after === undefined) {
      if (segment !== part) return { segments };
    } else {
      if (!segment.startsWith(before) || !segment.endsWith(after)) return { segments };
      name = segment.slice(before.length, segment.length - after.length);
      if (!isName.test(name)) return { segments };
    }
  }
  const behind = segments.slice(start + wanted.length);
  // The version stands behind what operations are mounted below, not before it.
  if (start < mount.length && mount.every((part, index) => behind[index] === part)) return { segments };
  const rest = [...segments.slice(0, start), ...behind];
  return { segments: rest, ...(name === undefined ? {} : { name }) };
}

/** `application/json; version=2026-03-01`, of every media type in the field. */
function versionsIn(field: string | undefined): readonly string[] {
  if (field === undefined) return [];
  return [...field.matchAll(/;\s*version\s*=\s*(?:"([^"]*)"|([^\s;,]*))/gi)].map((match) => match[1] ?? match[2] ?? "");
}
