/** The input of the pages: the checked document, its plan and its URL. */
import type { Model, PartName } from "../../language/model.ts";
import type { Plan } from "../../plan/plan.ts";

/** The members of a check result that the pages show. */
export interface CheckedDocument {
  /** The document's file name. */
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
  /** The service's absolute URL, without a trailing slash. */
  readonly baseUrl: string;
}

export function isOpen({ status }: Question): boolean {
  return status === "not shown" || status === "silent";
}

/** Returns the base path of the operations. */
export function mountOf({ base }: Plan): string {
  const path = base.startsWith("{base_url}") ? base.slice("{base_url}".length) : base.replace(/^[a-z]+:\/\/[^/]*/i, "");
  return path.replace(/\/+$/, "");
}
