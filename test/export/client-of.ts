/** The exported client of a document, as a JavaScript module. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { typescriptClient } from "../../src/export/typescript/client.ts";
import { type CommonParts, commonParts } from "../../src/export/typescript/common-parts.ts";
import type { Plan } from "../../src/plan/plan.ts";

const folderOfParts = new URL("../../src/export/typescript/common/", import.meta.url);

export const parts: CommonParts = commonParts((file) => readFileSync(new URL(file, folderOfParts), "utf8"));

/** What the tests of its types do not need, these call by name. */
export interface ClientModule {
  createClient(options: object): Client;
  readonly etag: symbol;
  verifyWebhook(
    payload: string,
    headers: object,
    secrets: string | readonly string[],
    options?: object,
  ): Promise<unknown>;
  isErrorOf(thrown: unknown, operation: string): boolean;
}

export type Client = Readonly<Record<MethodName, (...values: unknown[]) => Called>>;

type MethodName =
  | (
      | "addSite"
      | "addLocker"
      | "listLockers"
      | "announceParcel"
      | "getParcel"
      | "listParcels"
      | "changeParcel"
      | "dropOff"
    )
  | ("createWebhook" | "deleteWebhook" | "doorFaulted" | "followEvents" | "waitForParcel")
  | ("echo" | "look")
  | ("addCustomer" | "addCharge" | "addRefund" | "getRefund")
  | ("listShelves" | "addShelf" | "addUser" | "addRecipe" | "listRecipes" | "newestRecipes");

/** A call, a list, or a stream, of which a test knows which it is. */
export interface Called extends Promise<Given>, AsyncIterable<Given> {
  outcome(): Promise<{ readonly ok: boolean; readonly value?: Given; readonly error?: RejectOptions }>;
  pages(): AsyncIterable<{ readonly items: readonly Given[] }>;
}

export type Given = Readonly<Record<string, never>> & { readonly id: string; readonly state: string };

export interface RejectOptions {
  readonly name: string;
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly faults: readonly { readonly field?: string; readonly detail: string }[];
  readonly retryAfter?: number;
}

export async function moduleOf(plan: Plan): Promise<ClientModule> {
  const folder = await mkdtemp(join(tmpdir(), "nonet-client-"));
  try {
    const file = join(folder, "client.ts");
    await writeFile(file, typescriptClient(plan, parts));
    return (await import(pathToFileURL(file).href)) as ClientModule;
  } finally {
    await rm(folder, { recursive: true });
  }
}
