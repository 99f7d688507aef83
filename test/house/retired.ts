/**
 * Words that stood for something that the field calls otherwise. None is part of an identifier or of a file name of src; each exception
 * has its reason. The words that took their places are in docs/glossary.md.
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
  {
    word: "moves",
    in: ["language/**", "diff/states.ts", "export/mermaid/**", "export/page/**"],
    why: "the key `moves` of the document and the model's member of that name (`check --format json`)",
  },
  {
    word: "moves",
    in: ["runtime/functions/typed.ts"],
    why: "a member of `ServiceTypes`, which generated types fill: public",
  },
  {
    word: "moves",
    in: ["runtime/errors/state-conflict.ts", "runtime/versions/to-older-error.ts", "export/openapi/schemas.ts"],
    why: "the member `moves` of the problem `state-conflict`",
  },
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
  {
    word: "deed",
    in: ["language/checks.ts"],
    why: "generated from the file name, which is the code `endpoints/no-deed`",
  },
  {
    word: "move",
    in: ["language/checks.ts"],
    why: "generated from file names, which are codes (`states/self-move-without-effect`, …)",
  },
  {
    word: "moves",
    in: ["language/checks.ts"],
    why: "generated from the file name, which is the code `states/operation-moves-no-record`",
  },
  {
    word: "fault",
    in: ["runtime/errors/body.ts"],
    why: "`{fault}` is a placeholder of the document's error bodies; see the report: quote that one key and the rest can follow",
  },
  { name: "urlFault", why: "option of `createService`'s plan form: public, in examples/story" },
  { name: "webhookUrlFault", why: "export of src/index.ts" },
  { name: "FaultOfRequest", why: "exported by generated clients" },
  { word: "faults", in: ["export/typescript/common.ts"], why: "`ApiError.faults` of generated clients" },
  { word: "term", in: ["export/page/html.ts"], why: "the `dt` of a description list" },
  { word: "term", in: ["store/postgres/list.ts"], why: "a term of ORDER BY" },
  { word: "terms", in: ["store/postgres/list.ts", "expression/sql.ts"], why: "the terms of ORDER BY" },
  { name: "termsOfService", why: "member of OpenAPI's `info`" },
  {
    word: "kept",
    in: ["language/**", "plan/endpoints/operations.ts", "export/page/parts.ts", "diff/operations.ts"],
    why: "key `kept` of `repeats`; names of checks (their codes)",
  },
  { name: "takesView", why: "model member that belongs to the key `takes`" },
  {
    word: "given",
    in: ["language/endpoints/action-read.ts", "language/endpoints/action-print.ts", "language/schema.ts"],
    why: "key `given` of a status map",
  },
  { word: "notes", in: ["import/import.ts", "cli/import.ts"], why: "member of the JSON that `nonet import` writes" },
  {
    word: "act",
    in: [
      "language/limits/**",
      "language/schema.ts",
      "language/endpoints/deletable.ts",
      "plan/**",
      "runtime/scheduler/timers.ts",
      "export/**",
      "diff/limits.ts",
    ],
    why: "member `act` of `keep` in the document; TimedJob.act shares plan/timed.ts with it",
  },
  {
    word: "seen",
    in: [
      "language/versioning/**",
      "plan/versioning/version.ts",
      "plan/versioning/versions.ts",
      "runtime/versions/**",
      "diff/shapes.ts",
      "diff/states.ts",
    ],
    why: "clause `seen as` of a change (part 9)",
  },
  {
    word: "taken",
    in: [
      "language/versioning/**",
      "plan/**",
      "runtime/versions/**",
      "store/migration/reshape.ts",
      "store/migration/follow-versions.ts",
      "store/postgres/**",
      "store/sqlite/**",
      "language/schema.ts",
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
  {
    word: "taken",
    in: ["language/checks.ts", "language/**/checks/**"],
    why: "names of checks are the codes of diagnostics",
  },
  { word: "shown", in: ["language/checks.ts"], why: "name of a check" },
  { word: "raised", in: ["language/checks.ts"], why: "name of a check" },
  {
    word: "cause",
    why: "JournalEntry.cause: column of the journal and member of stored and served entries; Error's `cause`; `canCause` is gone",
  },
  { word: "claim", in: ["language/authentication/**", "plan/**", "runtime/**"], why: "JWT claim" },
  { word: "claims", why: "JWT claims; `caller.claims`" },
  { word: "secure", in: ["runtime/**"], why: "Exchange.secure: the request came by HTTPS" },
  { name: "within", in: ["export/typescript/common.ts"], why: "option of generated clients' waits" },
  { name: "remember", in: ["runtime/auth/oauth/users.ts"], why: "option of oidc-provider" },
  {
    name: "keepAlive",
    why: "option of Node and pg, as keepAliveMsecs, keepAliveTimeout, keepAliveInitialDelayMillis, keepAliveSeconds, keepAliveHeader, and of the yaml library keepSourceTokens",
  },
  {
    word: "places",
    in: ["**"],
    why: "CheckResult.places is a member of the public API (src/index.ts shows it); the type is SourceLocations",
  },
  {
    word: "place",
    in: ["language/grammar/reader.ts", "language/grammar/**", "store/backup/portable.ts"],
    why: "the verb: to put in place; see the report for the rule with a kind",
  },
  {
    word: "wire",
    in: ["**"],
    why: "`wire` is a key of the document (wireKeys, readWire, printWire, the model's member); the types behind it are contracts",
  },
  { word: "repeats", in: ["**"], why: "the key `repeats` of the document, and of the plan's operations" },
  { word: "repeat", in: ["**"], why: "String.prototype.repeat; `allowsRepeat`" },
  { word: "repeated", in: ["**"], why: "a repeated header field (RFC 9110), a repeated member" },
  {
    word: "marks",
    in: ["language/**", "plan/**", "runtime/**", "store/**", "export/**", "diff/**"],
    why: "the key `marks` of a field, member of the model and of columns; the type is Modifier",
  },
  {
    word: "mark",
    in: ["language/checks.ts", "cli/backup-files.ts"],
    why: "codes of diagnostics; highWaterMark of node:stream",
  },
  { word: "cell", in: ["export/**", "cli/**"], why: "a cell of a table that is shown" },
  { word: "cells", in: ["export/**", "cli/**"], why: "cells of a table that is shown" },
  { word: "prepared", in: ["store/**"], why: "a prepared statement (SQL)" },
  { word: "tick", in: ["**"], why: "EmbeddedService.tick and ServiceOptions.ticks are the public API" },
  {
    word: "exchange",
    in: ["runtime/{front,observation,service,telemetry}.ts", "observability/request-*.ts"],
    why: "`exchange` is what a public Observer is given",
  },
  {
    word: "exchange",
    in: ["cli/{gate,reload}.ts"],
    why: "the verb: one service is exchanged for another; see the report for `swap`",
  },
  { word: "own", in: ["**"], why: "the key `own` of part 5; own(): see the report, needs a rule with a kind" },
  {
    word: "sentence",
    in: ["language/errors/**", "plan/**", "language/checks.ts"],
    why: "Plan.operations[].sentence and the key `sentence` of an error",
  },
  { name: "hasOwn", why: "Object.hasOwn" },
  { name: "ownKeys", why: "a trap of Proxy" },
  { name: "getOwnPropertyDescriptor", why: "a trap of Proxy" },
  { name: "allSettled", why: "Promise.allSettled" },
  { name: "getMeter", why: "OpenTelemetry" },
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
