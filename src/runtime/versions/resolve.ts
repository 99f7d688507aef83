/**
 * Resolves the version of a request (R9.1, R9.2). The server reads the requested version first, because paths differ between
 * versions; its errors are thrown after authentication (R0.1).
 */
import { isNewerVersion } from "../../base/version.ts";
import type { VersionLocation, VersionsPlan } from "../../plan/versioning/conversion-types.ts";
import type { Caller } from "../context/caller.ts";
import type { HttpRequest } from "../../http/message.ts";
import { type Violation, malformed, ApiError } from "../errors/api-error.ts";
import type { Target } from "../routing/target.ts";
import type { PinOf } from "./pins.ts";
import type { Served } from "../context/version.ts";
import { hasEnded } from "./deprecation.ts";

/** The version that a request names. */
export interface RequestedVersion {
  /** The path without the version. */
  readonly segments: readonly string[];
  readonly query: string;
  /** The version parameter that was removed from the query; links to further pages repeat it. */
  readonly parameter?: string;
  /** The version, if it does not depend on the caller. */
  readonly version?: Served;
  readonly failure?: ApiError;
}

export interface Chooser {
  requested(httpRequest: HttpRequest, target: Target): RequestedVersion;
  /** Returns the version for this caller; throws if it is unavailable. */
  choose(requested: RequestedVersion, caller: Caller): Served | Promise<Served>;
  /** Returns the version for public pages: the requested one, or else the newest. */
  open(requested: RequestedVersion): Served;
}

/** Creates the resolver for a document without versions. */
export function onlyVersion(served: Served): Chooser {
  return {
    requested: (_, { segments, query }) => ({ segments, query, version: served }),
    choose: () => served,
    open: () => served,
  };
}

export interface ChooserOptions {
  readonly plan: VersionsPlan;
  /** The versions, newest first. */
  readonly versions: readonly Served[];
  readonly pinOf: PinOf;
  readonly now: () => number;
  /** The path prefix of operations, as segments. */
  readonly mount: readonly string[];
}

export function createChooser({ plan, versions, pinOf, now, mount }: ChooserOptions): Chooser {
  const { sent, absent, removed } = plan;
  /** Returns the document's error for unknown versions with Nonet's detail, if the document declares one (R9.1). */
  const failure = (violation: Violation): ApiError => {
    const { details } = malformed(violation);
    const members = { supported: supported() };
    if (plan.unknown === undefined) return new ApiError("invalid-request", { ...details, members });
    const { error, status } = plan.unknown;
    return new ApiError(error, { status, detail: violation.detail, members });
  };
  const byName = new Map(versions.map((version) => [version.name as string, version]));
  const newest = versions[0] as Served;
  const isLive = ({ deprecated }: Served): boolean => !hasEnded(deprecated, now());
  const supported = (): readonly string[] => versions.filter(isLive).map(({ name }) => name as string);
  const isName = plan.scheme === "dated" ? /^\d{4}-\d{2}-\d{2}$/ : /^\d{1,9}(?:\.\d{1,9}){0,2}$/;
  const read = readerOf(sent, mount, isName);

  const unless = (): Served | undefined => {
    if (absent === "newest") return newest;
    return absent === "oldest" ? versions.findLast(isLive) : undefined;
  };

  /** Returns a 400 for an invalid or unknown version (R9.1). */
  const unknown = (name: string, found: Found): ApiError => {
    const form = plan.scheme === "dated" ? "a date, as in 2026-09-01" : "a number, as in 2";
    const isForm = isName.test(name);
    const detail = isForm ? "The version does not exist" : `A version has to be ${form}`;
    return failure({ ...found.at, code: isForm ? "unknown-version" : "bad-version", detail });
  };

  const live = (version: Served): Served => {
    if (isLive(version)) return version;
    throw new ApiError(removed.error, {
      status: removed.status,
      detail: `The version ${version.name} is no longer available`,
      members: { supported: supported() },
    });
  };

  /** Returns the version for a request that names none. */
  const unspecified = (caller: Caller): Served | Promise<Served> => {
    if (absent === "refuse") {
      const detail = sent === undefined ? "The request needs a version" : `Send the version: ${describe(sent)}`;
      throw failure({ ...locationOf(sent), code: "required", detail });
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
    // Another process already has a newer document: this process serves its own newest version.
    if (isNewerVersion(name, newest.name as string)) return newest;
    throw new ApiError(removed.error, {
      status: removed.status,
      detail: `The version ${name}, which this credential is pinned to, is no longer available`,
      members: { supported: supported() },
    });
  };

  return {
    requested(httpRequest, target) {
      const found = read(httpRequest, target);
      const { name, parameter, query, segments } = found;
      const requested: { -readonly [Name in keyof RequestedVersion]: RequestedVersion[Name] } = { segments, query };
      if (parameter !== undefined) requested.parameter = parameter;
      if (found.twice) {
        const detail = "The version is sent more than once";
        requested.failure = malformed({ ...found.at, code: "repeated-version", detail });
        return requested;
      }
      const version = name === undefined ? unless() : byName.get(name);
      if (version !== undefined) requested.version = version;
      else if (name !== undefined) requested.failure = unknown(name, found);
      return requested;
    },
    choose(requested, caller) {
      if (requested.failure !== undefined) throw requested.failure;
      if (requested.version === undefined) return unspecified(caller);
      const { version } = requested;
      // The caller's first request pins the version, even if it names one.
      const first = absent === "pinned" ? pinOf(caller, newest.name as string) : "";
      return typeof first === "string" ? live(version) : first.then(() => live(version));
    },
    open(requested) {
      if (requested.failure !== undefined) throw requested.failure;
      return live(requested.version ?? newest);
    },
  };
}

interface Found {
  readonly segments: readonly string[];
  readonly query: string;
  readonly parameter?: string;
  readonly name?: string;
  readonly twice: boolean;
  /** Where the request names the version, for violations. */
  readonly at: { readonly header?: string; readonly parameter?: string };
}

type Read = (httpRequest: HttpRequest, target: Target) => Found;

function locationOf(sent: VersionLocation | undefined): Found["at"] {
  if (sent?.kind === "header") return { header: sent.name.toLowerCase() };
  if (sent?.kind === "query") return { parameter: sent.name };
  return sent?.kind === "media-type" ? { header: "accept" } : {};
}

function describe(sent: VersionLocation): string {
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

function readerOf(sent: VersionLocation | undefined, mount: readonly string[], isName: RegExp): Read {
  const at = locationOf(sent);
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

/** Reads the version from a path; a path without a valid version in its place has no version. */
function inPath(
  segments: readonly string[],
  mount: readonly string[],
  template: string,
  isName: RegExp,
): Pick<Found, "segments" | "name"> {
  const wanted = template.split("/").filter((part) => part !== "");
  // Pages of the service are outside the mount prefix.
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
  // The version is after the mount prefix, not before it.
  if (start < mount.length && mount.every((part, index) => behind[index] === part)) return { segments };
  const rest = [...segments.slice(0, start), ...behind];
  return { segments: rest, ...(name === undefined ? {} : { name }) };
}

/** Returns the `version` parameter of each media type in the field: `application/json; version=2026-03-01`. */
function versionsIn(field: string | undefined): readonly string[] {
  if (field === undefined) return [];
  return [...field.matchAll(/;\s*version\s*=\s*(?:"([^"]*)"|([^\s;,]*))/gi)].map((match) => match[1] ?? match[2] ?? "");
}
