/** The forms of a report, by the ending of the file into which it is written. */
import type { CurlOptions } from "./curl.ts";
import { headerOf } from "../../language/authentication/model.ts";
import { readDocument } from "../../document/read.ts";
import { documentKeys } from "../../language/grammar/sections.ts";
import { readModel } from "../../language/read.ts";
import type { Report } from "../result.ts";
import { reportHar } from "./har.ts";
import { reportHtml } from "./html.ts";
import { reportJson } from "./json.ts";
import { reportJunit } from "./junit.ts";
import { reportSarif } from "./sarif.ts";
import { reportText } from "./text.ts";

export interface FormatOptions {
  readonly colour: boolean;
  /** Writes `$TOKEN_<CALLER>` in place of credentials. */
  readonly redact?: boolean;
  /** The release of the tool, as SARIF and HAR name it. */
  readonly release: string;
}

const endings = {
  text: ".txt",
  json: ".json",
  junit: ".xml",
  sarif: ".sarif",
  har: ".har",
  html: ".html",
} as const;

export type ReportFormat = keyof typeof endings;

/** Returns the report as a text that ends with a line feed. */
export function writeReport(format: ReportFormat, report: Report, options: FormatOptions): string {
  const { colour, release, redact = false } = options;
  const shared = redact ? { redact, ...credentialPlaces(report) } : {};
  switch (format) {
    case "text":
      return reportText(report, { ...shared, colour });
    case "json":
      return `${JSON.stringify(reportJson(report, shared), null, 2)}\n`;
    case "junit":
      return reportJunit(report, shared);
    case "sarif":
      return `${JSON.stringify(reportSarif(report, release), null, 2)}\n`;
    case "har":
      return `${JSON.stringify(reportHar(report, { ...shared, release }), null, 2)}\n`;
    case "html":
      return reportHtml(report, shared);
  }
}

/** Returns the header fields and query parameters in which the document's credentials are sent. */
function credentialPlaces({ document, text }: Report): Pick<CurlOptions, "credentialHeaders" | "credentialParameters"> {
  const { model } = readModel(readDocument(document, text, { topLevelKeys: documentKeys }).document);
  const places = Object.values(model.authentication.credentials).flatMap(({ sent = [] }) => sent);
  return {
    credentialHeaders: places.flatMap((one) => headerOf(one) ?? []),
    credentialParameters: places.flatMap((one) => ("query" in one ? [one.query] : [])),
  };
}

/** Returns the format that the ending of a file names; undefined for another ending. */
export function formatOf(file: string): ReportFormat | undefined {
  return (Object.keys(endings) as ReportFormat[]).find((format) => file.toLowerCase().endsWith(endings[format]));
}

/** The endings that `formatOf` knows. */
export const reportEndings: readonly string[] = Object.values(endings);
