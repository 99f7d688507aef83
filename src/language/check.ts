/**
 * Checks a document: its model, its findings and its open questions. Pure and total: any bytes return a result.
 *
 * A comment `# ok slug: reason` on the first line of a finding, or on the line above, suppresses it, unless it is an error;
 * errors of a comparison can be suppressed too. A part with nothing shown counts as one gap; otherwise each open question counts
 * as one.
 */
import { plainSpan } from "../base/span.ts";
import { type Diagnostic, inOrder } from "../diagnostics/diagnostic.ts";
import { readDocument } from "../document/read.ts";
import { checks } from "./checks.ts";
import { expressionDiagnostics } from "./analysis/expression-diagnostics.ts";
import { typeExpressions, type TypedExpressions } from "./analysis/expressions.ts";
import { standardErrors } from "./errors/model.ts";
import { type DocumentIndex, indexDocument, declares } from "./analysis/document-index.ts";
import { comparisonCodes, contractCodes, isComparisonCode } from "./analysis/comparison.ts";
import { diagnosticOf } from "./analysis/finding-diagnostic.ts";
import { withoutOpen } from "./analysis/open-questions.ts";
import { type Model, type PartName, partNames, type SourceLocations } from "./model.ts";
import { type PartAnswers, partAnswers, type QuestionAnswer } from "./analysis/questions.ts";
import { readModel } from "./read.ts";
import { conversionsOf } from "./versioning/conversions.ts";
import { documentKeys } from "./grammar/sections.ts";
import { suppress } from "./suppressions.ts";

export interface CheckResult {
  /** The name of the document's file, as the caller passed it. */
  readonly name: string;
  /** The document, without a byte order mark. */
  readonly text: string;
  /** The service's name; null if part 1 does not declare it. */
  readonly service: string | null;
  readonly model: Model;
  readonly places: SourceLocations;
  readonly expressions: TypedExpressions;
  /** All findings, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
  /** The parts with declared gaps to which names in other parts may refer. */
  readonly open: ReadonlySet<PartName>;
  /** All questions of the language's section 12, part by part. */
  readonly questions: readonly QuestionAnswer[];
  readonly parts: readonly PartAnswers[];
  readonly summary: Summary;
}

export interface Summary {
  readonly errors: number;
  readonly warnings: number;
  /** The number of parts without a block, plus the number of open questions in the other parts. */
  readonly gaps: number;
  /** The number of questions with the status `shown`. */
  readonly shown: number;
  readonly questions: number;
}

/** A document that has been read, and the findings about it alone. */
export interface Examined {
  readonly name: string;
  readonly documentIndex: DocumentIndex;
  readonly expressions: TypedExpressions;
  readonly found: readonly Diagnostic[];
}

/** The findings of later phases than this folder. A phase that has not run is absent. */
export interface FurtherFindings {
  /** The findings of a comparison with an older document. */
  readonly comparison?: readonly Diagnostic[];
  /** The findings of a comparison of what operations do with what their callers know. */
  readonly contracts?: readonly Diagnostic[];
}

export function check(name: string, input: string | Uint8Array): CheckResult {
  return conclude(examine(name, input));
}

export function examine(name: string, input: string | Uint8Array): Examined {
  const reading = readDocument(name, input, { topLevelKeys: documentKeys });
  const { document } = reading;
  const { model, places, sections, diagnostics } = readModel(document);
  const typed = typeExpressions(model);
  const expressions = { ...typed, problems: [...typed.problems, ...conversionsOf(model).problems] };
  const documentIndex = indexDocument({ document, model, places, sections, expressions });
  const broken = new Set(
    reading.diagnostics.filter(({ severity }) => severity === "error").map(({ span }) => span.start.line),
  );
  const found = [
    ...reading.diagnostics,
    // A line with a syntax error gets no further findings.
    ...diagnostics.filter(({ span }) => !broken.has(span.start.line)),
    ...expressionDiagnostics(documentIndex),
    ...checks.flatMap((one) =>
      [...one.run(documentIndex)].map((finding, index) => diagnosticOf(one, finding, documentIndex, index)),
    ),
  ];
  return { name, documentIndex, expressions, found };
}

export function conclude(
  { name, documentIndex, expressions, found }: Examined,
  further: FurtherFindings = {},
): CheckResult {
  const { document, model, places } = documentIndex;
  const { comparison, contracts } = further;
  const all = [...found, ...(comparison ?? []), ...(contracts ?? [])];
  const { diagnostics: closed, open: opened } = withoutOpen(model, all);
  // If part 7 is empty, errors that operations return have no status.
  const unanswerable =
    !declares(documentIndex, "errors") &&
    [...documentIndex.returned].some((code) => !Object.hasOwn(standardErrors, code));
  const open: ReadonlySet<PartName> = unanswerable ? new Set([...opened, "errors"]) : opened;
  const skipped = [
    ...(comparison === undefined ? comparisonCodes : []),
    ...(contracts === undefined ? contractCodes : []),
  ];
  const reported = inOrder(withoutBroken(suppress(once(closed), document.suppressions, skipped))).map(printable);
  const parts = partAnswers(documentIndex);
  const questions = parts.flatMap((part) => part.questions);
  return {
    name,
    text: document.text,
    service: model.purpose.service ?? null,
    model,
    places,
    expressions,
    diagnostics: reported,
    open,
    questions,
    parts,
    summary: {
      errors: reported.filter(({ severity }) => severity === "error").length,
      warnings: reported.filter(({ severity }) => severity === "warning").length,
      gaps: parts.reduce((sum, part) => sum + part.gaps, 0),
      shown: questions.filter(({ status }) => status === "shown").length,
      questions: questions.length,
    },
  };
}

/** Returns the finding with plain spans; a finding of a comparison has them, and stays the same object. */
function printable(diagnostic: Diagnostic): Diagnostic {
  const { fix } = diagnostic;
  const span = plainSpan(diagnostic.span);
  const fixSpan = fix && plainSpan(fix.span);
  if (span === diagnostic.span && fixSpan === fix?.span) return diagnostic;
  return { ...diagnostic, span, ...(fix && fixSpan && { fix: { ...fix, span: fixSpan } }) };
}

/** Removes repeated findings: a line that four operations share is reported once. */
function once(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const known = new Set<string>();
  return found.filter(({ code, span, message }) => {
    const key = `${code} ${span.start.offset} ${span.end.offset} ${message}`;
    return !known.has(key) && known.add(key);
  });
}

/** Removes the finding about a contract that is not kept where the comparison reports the same difference as a break. */
function withoutBroken(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const keyOf = ({ message, span }: Diagnostic): string => `${span.start.offset} ${message}`;
  const breaks = new Set(found.filter(({ code }) => isComparisonCode(code)).map(keyOf));
  return found.filter((one) => !contractCodes.some((code) => code === one.code) || !breaks.has(keyOf(one)));
}

declare const sound: unique symbol;

/** A model without errors, from which a plan can be built. */
export type SoundModel = Model & { readonly [sound]: true };

export function soundModel(result: CheckResult): SoundModel | undefined {
  return result.summary.errors === 0 ? (result.model as SoundModel) : undefined;
}

/**
 * Returns the parts without which the service cannot be served: missing endpoints or resources, and parts with gaps to which
 * names in other parts may refer.
 */
export function unservable({ model, open }: CheckResult): readonly PartName[] {
  // A service without resources consists of operations with handlers.
  const { endpoints, resources } = model.status;
  const isLacking = { endpoints: endpoints !== "shown", resources: resources !== "shown" && resources !== "none" };
  return partNames.filter(
    (part) => open.has(part) || (Object.hasOwn(isLacking, part) && isLacking[part as keyof typeof isLacking]),
  );
}
