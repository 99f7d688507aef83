/**
 * Retired words, for which the field has a standard term. No identifier and no file name of src contains one; each exception has
 * its reason. The words that replaced them are in docs/glossary.md.
 */
import { basename, matchesGlob } from "node:path";
import { identifiersOf, type Source, wordsOf } from "./sources.ts";

const retired: ReadonlySet<string> = new Set(
  `deed deeds tally tallies told tell tells telling teller said say says saying stand stands stood standing term
terms heard hear hearing judge judges judged verdict fault faults refusal refusals refuse refused refuses poured pour way
ways move moves moved kept keep keeps keeping keeper asked ask asks asking taken take takes taking given
give gives giving noted note notes seen unseen see sees sight shown show shows showing brought bring brings
remember remembered recall recalled claim claimed claims refer refers raised raise secured secure loose gone matter misfit misfits
likeness silent silence beside within alone act acts cause causes turn turns place places placed wire wired wires
arrive enter entered meter meters cell cells lead leads leader future futures settle settled settlement mark marks prepared
mend mends mended figure figures oversight oversee overseeing tick ticker ticking repeat repeats repeated collective whole foreseen unforeseen
meaning meanings own owns phrase phrases facts sources exchange workshop shop shelf shelves surroundings circumstances bookmark bookmarks sentence
sentences chain rim`.split(/\s+/),
);

/** Keys of the document's language: a member of the model has the key's name, and so has what reads or prints it. */
const keys: ReadonlySet<string> = new Set([
  "moves",
  "takes",
  "takesView",
  "gives",
  "keep",
  "show",
  "unseen",
  "repeats",
  "edits",
  "link",
  "unlink",
  "wire",
  "note",
  "own",
  "kept",
  "act",
  "answers",
  "marks",
  "sentence",
  "place",
]);

interface Exception {
  /** Any identifier with this word, or the one identifier with this name. */
  readonly word?: string;
  readonly name?: string;
  readonly in?: readonly string[];
  readonly why: string;
}

const exceptions: readonly Exception[] = [
  { word: "moves", in: ["language/**"], why: "the key `moves`, and the names of what reads it" },
  {
    word: "move",
    in: ["runtime/operations/transition.ts", "runtime/operations/actions.ts"],
    why: "performs the action `move`; the table of actions has its name as a key",
  },
  {
    word: "move",
    in: ["runtime/functions/records.ts", "runtime/functions/typed.ts"],
    why: "`records.Parcel.move.collect(…)`, which handlers get: public",
  },
  { word: "fault", in: ["runtime/errors/body.ts"], why: "`{fault}` is a placeholder of the document's error bodies" },
  { name: "urlFault", why: "option of `createService`'s plan form: public, in examples/story" },
  { name: "webhookUrlFault", why: "export of src/index.ts" },
  { name: "FaultOfRequest", why: "exported by generated clients" },
  { word: "faults", in: ["export/typescript/common/**"], why: "`ApiError.faults` of generated clients" },
  { word: "term", in: ["store/postgres/list.ts"], why: "a term of ORDER BY" },
  { word: "terms", in: ["store/postgres/list.ts", "expression/sql.ts"], why: "the terms of ORDER BY" },
  { name: "termsOfService", why: "member of OpenAPI's `info`" },
  { word: "kept", in: ["language/**"], why: "key `kept` of `repeats`" },
  {
    word: "given",
    in: ["language/endpoints/operation-members.ts", "language/schema.ts"],
    why: "key `given` of a status map",
  },
  { word: "notes", in: ["import/import.ts", "cli/import.ts"], why: "member of the JSON that `nonet import` writes" },
  {
    word: "seen",
    in: [
      "language/versioning/**",
      "conformance/versioning/**",
      "plan/versioning/conversion-types.ts",
      "plan/versioning/versions.ts",
      "runtime/versions/**",
      "conformance/versioning/**",
      "diff/*.ts",
    ],
    why: "clause `seen as` of a change (part 9)",
  },
  {
    word: "taken",
    in: [
      "language/versioning/**",
      "conformance/versioning/**",
      "plan/**",
      "runtime/versions/**",
      "conformance/versioning/**",
      "store/migration/**",
      "language/schema.ts",
      "diff/fields.ts",
    ],
    why: "clause `taken as` of a change (part 9)",
  },
  {
    word: "taken",
    in: [
      "language/analysis/question.ts",
      "language/analysis/questions.ts",
      "language/**/gaps.ts",
      "cli/check-table.ts",
      "cli/serve-report.ts",
      "export/page/**",
    ],
    why: "member of an answered question in `nonet check --format json`",
  },
  {
    word: "shown",
    in: ["language/check.ts", "cli/check.ts", "cli/check-table.ts"],
    why: "member of the summary in JSON",
  },
  {
    word: "silent",
    in: ["cli/check-table.ts", "cli/gaps-as-errors.ts"],
    why: "status `silent` of a question, as JSON has it",
  },
  { word: "cause", why: "column of the event log and member of stored and served entries; Error's `cause`" },
  {
    word: "claim",
    in: ["language/authentication/**", "plan/**", "runtime/**", "conformance/web-token.ts"],
    why: "JWT claim",
  },
  { word: "refuse", in: ["conformance/versioning/naming.ts"], why: "value `refuse` of `absent`" },
  { word: "claims", why: "JWT claims; `caller.claims`" },
  { word: "secure", why: "`HttpRequest.secure`: the request came by HTTPS" },
  { name: "within", in: ["export/typescript/common/**"], why: "option of generated clients' waits" },
  { name: "remember", in: ["runtime/auth/oauth/users.ts"], why: "option of oidc-provider" },
  { name: "keepAlive", why: "option of node:http and pg" },
  { name: "keepAliveMsecs", why: "option of node:http" },
  { name: "keepAliveTimeout", why: "option of node:http" },
  { name: "keepAliveInitialDelayMillis", why: "option of pg" },
  { name: "keepSourceTokens", why: "option of yaml" },
  { name: "getMeter", why: "OpenTelemetry" },
  { name: "meter", in: ["observability/metrics-opentelemetry.ts"], why: "OpenTelemetry's Meter" },
  { word: "leader", why: "leader election" },
  { word: "places", why: "CheckResult.places is a member of the public API; the type is SourceLocations" },
  {
    word: "wire",
    why: "`wire` is a key of the document (wireKeys, readWire, printWire, the model's member); the types behind it are contracts",
  },
  { word: "repeats", why: "the key `repeats` of the document, and of the plan's operations" },
  { word: "repeat", why: "String.prototype.repeat; `allowsRepeat`" },
  { word: "repeated", why: "a repeated header field (RFC 9110), a repeated member" },
  { word: "marks", in: ["language/**"], why: "the key `marks` of a field; the type is Modifier" },
  { word: "mark", in: ["cli/backup-files.ts"], why: "highWaterMark of node:stream" },
  { word: "cell", in: ["export/**", "cli/**", "base/layout.ts"], why: "a cell of a table that is shown" },
  { word: "cells", in: ["export/**", "cli/**"], why: "cells of a table that is shown" },
  { word: "prepared", in: ["store/**"], why: "a prepared statement (SQL)" },
  { word: "tick", why: "EmbeddedService.tick and ServiceOptions.ticks are the public API" },
  {
    word: "exchange",
    in: ["runtime/**", "observability/request-*.ts", "http/{message,before-service}.ts"],
    why: "`exchange` is what a public Observer is given",
  },
  { word: "own", why: "the key `own` of part 5" },
  { name: "hasOwn", why: "Object.hasOwn" },
  { name: "ownKeys", why: "a trap of Proxy" },
  { name: "getOwnPropertyDescriptor", why: "a trap of Proxy" },
  { name: "allSettled", why: "Promise.allSettled" },
  { name: "move", in: ["server/serve.ts"], why: "AsyncDisposableStack.prototype.move" },
  { name: "_entered", why: "a column that is stored" },
  { name: "nonet_answers", why: "a table that is stored" },
  { name: "nonet_bookmarks", why: "a table that is stored" },
  { name: "nonet_leads", why: "a table that is stored" },
];

export interface RetiredUse {
  readonly path: string;
  readonly name: string;
}

export function retiredUses(sources: readonly Source[]): readonly RetiredUse[] {
  return sources.flatMap((source) => {
    const { path } = source;
    const here = exceptions.filter(
      ({ in: places }) => places === undefined || places.some((one) => matchesGlob(path, one)),
    );
    const isRetired = (name: string): boolean =>
      !keys.has(name) &&
      !here.some((one) => one.name === name) &&
      wordsOf(name).some((word) => retired.has(word) && !here.some((one) => one.word === word));
    const file = isRetired(basename(path, ".ts").replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()))
      ? [{ path, name: basename(path) }]
      : [];
    return [
      ...file,
      ...identifiersOf(source)
        .filter(isRetired)
        .map((name) => ({ path, name })),
    ];
  });
}
