/** Types for the parts of newman that the tests use; the package ships without types. */
declare module "newman" {
  import type { EventEmitter } from "node:events";

  export interface Summary {
    readonly run: {
      readonly stats: Readonly<Record<"requests" | "assertions", { readonly total: number; readonly failed: number }>>;
      readonly failures: readonly { readonly error: Error; readonly source: { readonly name: string } }[];
    };
  }
  export interface Requested {
    readonly request: { readonly method: string; readonly url: { getPath(): string; getQueryString(): string } };
    readonly response: {
      readonly code: number;
      readonly headers: { all(): readonly { readonly key: string; readonly value: string }[] };
      text(): string;
    };
  }
  export interface Options {
    readonly collection: object;
    readonly globals?: { readonly values: readonly { readonly key: string; readonly value: string }[] };
    readonly environment?: object;
    /** Values that replace those of the environment. */
    readonly envVar?: readonly { readonly key: string; readonly value: string }[];
  }
  export function run(options: Options, done: (failure: Error | null, summary: Summary) => void): EventEmitter;
}
