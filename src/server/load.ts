/** Loads a checked document with everything needed to serve it: plan, secrets, functions, brokers. */
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { listed } from "../base/layout.ts";
import type { CheckResult } from "../language/check.ts";
import { secretNames } from "../plan/authentication/credentials.ts";
import type { Plan } from "../plan/plan.ts";
import { mismatches, planWith } from "../runtime/functions/validate.ts";
import type { ServiceFunctions } from "../runtime/functions/functions.ts";
import { planOf } from "./document.ts";
import { DocumentError, UsageError } from "./errors.ts";
import type { StartSinks } from "./sinks.ts";
import type { Terminal } from "./terminal.ts";

export interface Loaded {
  readonly result: CheckResult;
  readonly plan: Plan;
  readonly functions?: ServiceFunctions | undefined;
  readonly startSinks?: StartSinks | undefined;
}

export interface LoadOptions {
  /** The environment variables with the document's secrets. */
  readonly environment: Terminal["environment"];
  readonly colour?: boolean;
  /** The functions, or the file of their module. */
  readonly handlers?: ServiceFunctions | string | undefined;
  /** The URLs of message brokers. */
  readonly sinks?: readonly string[] | undefined;
}

/**
 * Loads a document. @throws DocumentError for errors in the document, or functions that do not match it. @throws UsageError
 * for a missing secret (language, section 8), a missing package, or an invalid sink.
 */
export async function load(result: CheckResult, options: LoadOptions): Promise<Loaded> {
  const { colour = false, environment, handlers, sinks = [] } = options;
  const planned = await planOf(result, { colour });
  if (planned.credentials.some(({ oauth }) => oauth?.users !== undefined)) await assertInstalled();
  if (planned.mcp !== undefined) await assertProtocol(result.name);
  assertSecrets(result.name, planned, environment);
  const functions = await functionsOf(planned, handlers);
  const plan = planWith(planned, functions);
  const startSinks = sinks.length === 0 ? undefined : await (await import("./sinks.ts")).openSinks(sinks, plan);
  return { result, plan, functions, startSinks };
}

/** Checks at the start whether the package for OAuth is installed, before a user tries to log in. */
async function assertInstalled(): Promise<void> {
  const { loadPackage } = await import("../runtime/auth/oauth/provider.ts");
  await loadPackage().catch((thrown: unknown) => {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown));
  });
}

/** Checks at the start whether the package for agents is installed. */
async function assertProtocol(name: string): Promise<void> {
  await import("../mcp/pages.ts").catch((thrown: unknown) => {
    if ((thrown as { readonly code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
    throw new UsageError(
      `\`mcp\` of ${name} needs the package @modelcontextprotocol/server, which is not installed: npm install @modelcontextprotocol/server@2`,
    );
  });
}

function assertSecrets(name: string, plan: Plan, environment: Terminal["environment"]): void {
  const missing = secretNames(plan).filter((name) => (environment[name] ?? "") === "");
  if (missing.length === 0) return;
  const what = missing.length === 1 ? "a secret" : "secrets";
  throw new UsageError(`${name} needs ${what} from the environment: set ${listed(missing)}`);
}

/**
 * Loads the functions. @throws UsageError if the module does not exist. @throws DocumentError if it fails or does not match
 * the document, or if the document needs functions and no module is configured.
 */
export async function functionsOf(
  plan: Plan,
  handlers: LoadOptions["handlers"],
): Promise<ServiceFunctions | undefined> {
  if (handlers === undefined) {
    const needed = plan.operations
      .filter(({ action, unserved }) => action === "handler" && unserved === undefined)
      .map(({ name }) => `\`${name}\``);
    if (needed.length === 0) return undefined;
    throw new DocumentError(
      `a handler has to do ${needed.join(", ")}: name the module of its functions with --handlers FILE.ts`,
    );
  }
  const [functions, who] =
    typeof handlers === "string" ? [await moduleOf(handlers), `${handlers} does`] : [handlers, "the handlers do"];
  const wrong = mismatches(plan, functions);
  if (wrong.length === 0) return Object.keys(functions).length === 0 ? undefined : functions;
  throw new DocumentError(`${who} not fit the document:\n${wrong.map((one) => `  ${one}\n`).join("")}`.trimEnd());
}

let loads = 0;

async function moduleOf(file: string): Promise<ServiceFunctions> {
  if (!existsSync(file)) throw new UsageError(`cannot read ${file}: there is no such file`);
  resolveOurselves();
  loads += 1;
  // Node caches modules by URL; another query in the URL loads the changed module.
  const address = `${pathToFileURL(resolve(file)).href}${loads === 1 ? "" : `?${loads}`}`;
  let module: { readonly default?: unknown };
  try {
    module = (await import(address)) as typeof module;
  } catch (thrown) {
    const { message, stack } = thrown as Error;
    throw new DocumentError(`${file} cannot be loaded: ${stack ?? message}`);
  }
  const { default: exported } = module;
  if (typeof exported === "object" && exported !== null) return exported as ServiceFunctions;
  throw new DocumentError(`${file} has no functions: write \`export default handlers<Types>({ … })\``);
}

let resolves = false;

/**
 * Makes `nonet` in the functions module resolve to this installation, even if the package is not installed next to the module.
 */
function resolveOurselves(): void {
  if (resolves) return;
  resolves = true;
  const ours = new URL("../index.ts", import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "nonet" ? { url: ours, shortCircuit: true } : next(specifier, context),
  });
}
