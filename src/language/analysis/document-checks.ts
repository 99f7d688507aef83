/** The checks of a document as a whole. They belong to no part, so their pages are in `src/document/codes/`. */
import { parseDuration } from "../../base/duration.ts";
import type { Span } from "../../base/span.ts";
import { linesOf, spanIn } from "../../document/source.ts";
import type { DocumentIndex } from "./document-index.ts";
import type { Check } from "./finding.ts";
import { partNames } from "../model.ts";

const secretInText: Check = {
  code: "document/secret-in-text",
  severity: "warning",
  why: "Everybody who runs, reviews or calls the service can read the document.",
  *run({ document }) {
    const lines = linesOf(document.text);
    for (const found of document.text.matchAll(secrets)) {
      yield {
        at: spanIn(lines, found.index, found.index + found[0].length),
        message: "This looks like a secret",
        help: "revoke it, and read it from an environment variable: `secret: env NAME`",
      };
    }
  },
};

/** Patterns of text that is always a secret: private keys, tokens of well-known services, signed tokens. */
const secrets =
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bsk_live_[A-Za-z0-9]{16,}\b|\bxox[abp]-[A-Za-z0-9-]{20,}|\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g;

const proseContradictsBlock: Check = {
  code: "document/prose-contradicts-block",
  severity: "hint",
  why: "The service enforces the block, but readers believe the text.",
  *run(documentIndex) {
    for (const part of partNames) {
      const timed = documentIndex.sections.parts[part].prose.filter(({ text }) => text.search(amount) >= 0);
      if (timed.length === 0) continue;
      const statements = durationsIn(documentIndex, part);
      for (const prose of timed) {
        for (const statement of prose.text.split(/(?<=[.!?])\s+|\n/)) {
          const amounts = [...statement.matchAll(amount)].map(([text, count = "", unit = ""]) => {
            return { text, milliseconds: Number(count) * (units[unit.toLowerCase()] ?? 0) };
          });
          if (amounts.length === 0) continue;
          const subject = statement.match(/[A-Za-z][\w.-]*\w/g)?.find((word) => statements.has(word));
          const written = subject === undefined ? undefined : statements.get(subject);
          const wrong = amounts.find(({ milliseconds }) => written !== undefined && !written.has(milliseconds));
          if (subject === undefined || written === undefined || wrong === undefined) continue;
          yield { at: prose.span, message: `The text says ${wrong.text} about \`${subject}\`, but the block does not` };
        }
      }
    }
  },
};

const amount = /\b(\d+) (second|minute|hour|day|week)s?\b/gi;
const units: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};

/** Returns the durations in the block of a part, by the name of their statement. */
function durationsIn({ places, document }: DocumentIndex, part: string): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  for (const path of places.keys()) {
    const span = path.startsWith(`${part}/`) ? places.get(path) : undefined;
    if (span === undefined) continue;
    const names = path.split("/").slice(1);
    const durations = clockDurations(document.text, span);
    if (durations.length === 0) continue;
    const name = names.at(-1) ?? "";
    const known = found.get(name) ?? new Set();
    for (const one of durations) known.add(one);
    found.set(name, known);
  }
  return found;
}

/** The most lines of a statement that contains no other statements. */
const mostLines = 12;

function clockDurations(text: string, { start, end }: Span): readonly number[] {
  if (end.line - start.line > mostLines) return [];
  const words = text.slice(start.offset, end.offset).match(/\b\d+(?:ms|[smhdw])\b/g) ?? [];
  return words.flatMap((word) => parseDuration(word)?.milliseconds ?? []);
}

export const documentChecks: readonly Check[] = [secretInText, proseContradictsBlock];
