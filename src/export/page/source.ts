/** What the pages are made from: the checked document, its plan and where it is served. Plain data and one address. */
import type { Model, PartName } from "../../language/model.ts";
import type { Plan } from "../../plan/plan.ts";

/** Of the result of a check, what the pages show. */
export interface CheckedDocument {
  /** A file's name. */
  readonly name: string;
  readonly text: string;
  readonly model: Model;
  readonly questions: readonly Question[];
  readonly parts: readonly { readonly part: PartName; readonly status: "shown" | "partial" | "gap" | "none" }[];
}

export interface Question {
  readonly part: PartName;
  readonly id: string;
  readonly text: string;
  readonly status: "shown" | "none" | "default" | "not shown" | "silent";
  readonly line?: number;
  readonly taken?: string;
}

export interface Source {
  readonly result: CheckedDocument;
  readonly plan: Plan;
  /** Where the service is, absolute, without a slash at its end. */
  readonly baseUrl: string;
}

export function isOpen({ status }: Question): boolean {
  return status === "not shown" || status === "silent";
}

/** The path that operations are mounted below. */
export function mountOf({ base }: Plan): string {
  const path = base.startsWith("{base_url}") ? base.slice("{base_url}".length) : base.replace(/^[a-z]+:\/\/[^/]*/i, "");
  return path.replace(/\/+$/, "");
}
