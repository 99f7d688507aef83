/** `nonet doctor`: checks whether a service can run here with these settings, and reports remedies. Changes nothing. */
import { accessSync, constants } from "node:fs";
import { soundModel, unservable } from "../language/check.ts";
import type { Plan } from "../plan/plan.ts";
import { DocumentError, UsageError } from "../server/errors.ts";
import { checkFile, planOf } from "../server/document.ts";
import type { Finding } from "./doctor-finding.ts";
import { fileFindings } from "./doctor-data.ts";
import { machineFindings } from "./doctor-machine.ts";
import { postgresFindings } from "./doctor-postgres.ts";
import { functionsOf } from "../server/load.ts";
import { count } from "../base/layout.ts";
import { keyFile } from "../server/secret-keys.ts";
import type { ServeSettings } from "./options.ts";
import { databaseOf } from "../server/open-store.ts";
import type { Terminal } from "../server/terminal.ts";

export interface DoctorOptions extends ServeSettings {
  readonly format: "text" | "json";
  readonly strict: boolean;
}

export async function doctor(document: string, options: DoctorOptions, terminal: Terminal): Promise<number> {
  const { plan, findings: ofDocument } = await documentFindings(document, options, terminal);
  const findings = [...ofDocument, ...(await machineFindings(options)), ...(plan === undefined ? [] : await dataFindings(plan, options))]; // biome-ignore format: short
  const failed = findings.filter(({ status }) => status === "fail").length;
  const warned = findings.filter(({ status }) => status === "warn").length;
  if (options.format === "json") terminal.out(`${JSON.stringify({ failed, warned, findings }, null, 2)}\n`);
  else {
    for (const finding of findings) terminal.out(lineOf(finding));
    terminal.out(`${count(failed, "failure")}, ${count(warned, "warning")}\n`);
  }
  return failed > 0 || (options.strict && warned > 0) ? 1 : 0;
}

function lineOf({ check, status, found, fix }: Finding): string {
  return `${status}  ${check}: ${found}\n${fix === undefined ? "" : `      ${fix}\n`}`;
}

async function documentFindings(
  name: string,
  { handlers }: DoctorOptions,
  terminal: Terminal,
): Promise<{ readonly plan?: Plan; readonly findings: readonly Finding[] }> {
  const check = "document";
  const result = await checkFile(name, terminal);
  const { errors, warnings } = result.summary;
  const missing = unservable(result);
  if (soundModel(result) === undefined || missing.length > 0) {
    const found = errors > 0 ? count(errors, "error") : `it has no ${missing.join(", ")}`;
    return { findings: [{ check, status: "fail", found, fix: `nonet check ${name} says what to write` }] };
  }
  const plan = await planOf(result, terminal);
  const dataFinding: Finding =
    warnings === 0
      ? { check, status: "pass", found: `${name} can be served` }
      : { check, status: "warn", found: count(warnings, "warning"), fix: `nonet check ${name}` };
  return {
    plan,
    findings: [dataFinding, ...secretFindings(plan, terminal), ...(await functionFindings(plan, handlers))],
  };
}

function secretFindings(plan: Plan, { environment }: Terminal): readonly Finding[] {
  const names = new Set(plan.credentials.flatMap(({ secret }) => secret ?? []));
  if (plan.events.webhook !== undefined) names.add("NONET_SECRET_KEY");
  return [...names].map((name): Finding => {
    const check = `secret ${name}`;
    const path = environment[`${name}_FILE`] ?? "";
    const text = environment[name] ?? "";
    if (text === "" && path !== "") return secretFile(check, path);
    if (name === "NONET_SECRET_KEY" && text.split(/\s+/)[0] === "none")
      return {
        check,
        status: "warn",
        found: "none: keys of cursors and webhooks are stored unencrypted with the data",
        fix: "use 32 random bytes, and store them elsewhere: openssl rand -base64 32",
      };
    if (text !== "" && text.length < 16)
      return {
        check,
        status: "warn",
        found: `${text.length} characters`,
        fix: "use 32 random bytes: openssl rand -base64 32",
      };
    if (text !== "") return { check, status: "pass", found: "set" };
    if (name === "NONET_SECRET_KEY")
      return { check, status: "pass", found: `not set: ${keyFile(environment)} is used` };
    return { check, status: "fail", found: "not set", fix: `set ${name}, or ${name}_FILE to a file that holds it` };
  });
}

function secretFile(check: string, path: string): Finding {
  try {
    accessSync(path, constants.R_OK);
    return { check, status: "pass", found: `in ${path}` };
  } catch (thrown) {
    return { check, status: "fail", found: (thrown as Error).message, fix: "mount the file, readable for this user" };
  }
}

async function functionFindings(plan: Plan, handlers: string | undefined): Promise<readonly Finding[]> {
  try {
    const functions = await functionsOf(plan, handlers);
    return functions === undefined
      ? []
      : [{ check: "functions", status: "pass", found: `${handlers} fits the document` }];
  } catch (thrown) {
    if (!(thrown instanceof DocumentError || thrown instanceof UsageError)) throw thrown;
    return [{ check: "functions", status: "fail", found: thrown.message, fix: "nonet types writes the types that they need" }]; // biome-ignore format: short
  }
}

async function dataFindings(plan: Plan, { data }: DoctorOptions): Promise<readonly Finding[]> {
  let database: string;
  try {
    database = databaseOf(data, plan);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return [
      { check: "data", status: "fail", found: thrown.message, fix: "--data names a file, memory or postgres://…" },
    ];
  }
  if (database === "memory")
    return [
      {
        check: "data",
        status: "warn",
        found: "in memory: it is lost when the service stops",
        fix: "--data names a file or a database",
      },
    ];
  return /^postgres/i.test(database) ? postgresFindings(plan, database) : fileFindings(plan, database);
}
