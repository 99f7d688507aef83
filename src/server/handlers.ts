/** Functions of the service's owner, from the module that `--handlers` names. */
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plan } from "../plan/plan.ts";
import { mismatches } from "../runtime/functions/validate.ts";
import type { ServiceFunctions } from "../runtime/functions/functions.ts";
import { DocumentError, UsageError } from "./errors.ts";

/**
 * @throws UsageError when there is no such module.
 * @throws DocumentError when it fails, or does not fit the document; and where the document needs one and none is named.
 */
export async function functionsOf(plan: Plan, file: string | undefined): Promise<ServiceFunctions | undefined> {
  const needed = plan.operations.filter(({ action }) => action === "handler").map(({ name }) => `\`${name}\``);
  if (file === undefined) {
    if (needed.length === 0) return undefined;
    throw new DocumentError(
      `a handler has to do ${needed.join(", ")}: name the module of its functions with --handlers FILE.ts`,
    );
  }
  const functions = await loaded(file);
  const wrong = mismatches(plan, functions);
  if (wrong.length === 0) return functions;
  throw new DocumentError(`${file} does not fit the document:\n${wrong.map((one) => `  ${one}\n`).join("")}`.trimEnd());
}

let loads = 0;

async function loaded(file: string): Promise<ServiceFunctions> {
  if (!existsSync(file)) throw new UsageError(`cannot read ${file}: there is no such file`);
  resolveOurselves();
  loads += 1;
  // A module is loaded once by each address; with another one it is loaded anew after a change.
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

/** `nonet` in such a module is the one that runs it, also where it is not installed beside the module. */
function resolveOurselves(): void {
  if (resolves) return;
  resolves = true;
  const ours = new URL("../index.ts", import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "nonet" ? { url: ours, shortCircuit: true } : next(specifier, context),
  });
}
