/**
 * The rooms of folders of src, from the lowest to the highest: a file imports, values and types, only from its own room and lower
 * ones. A room is a pattern of files below the folder; a file belongs to the first pattern that matches.
 */
import { matchesGlob } from "node:path";
import type { Source } from "./sources.ts";

export const rooms: Readonly<Record<string, readonly string[]>> = {
  language: [
    "*/{model,decide}.ts",
    "model.ts",
    "grammar/**",
    "{*/*,grammars}.ts",
    "*/reading/**",
    "analysis/**",
    "*/checks/**",
    "*.ts",
  ],
  store: ["port/**", "sql/**", "migration/**", "backup/**", "{memory,sqlite,postgres,valkey}/**"],
  http: [
    ...["{message,memory-budget,byte-buffer}.ts", "{json,negotiation,entity-tags,proxies,multipart}.ts"],
    ...["{compression,cookies,cors,fetch,request,response}.ts", "before-service.ts", "connection.ts", "node-server.ts"],
  ],
  runtime: [
    ...["random.ts", "errors/**", "validation/**", "routing/**", "limits/**", "context/**", "versions/**", "auth/**"],
    ...["records/**", "functions/**", "operations/**", "events/**", "scheduler/**", "*.ts"],
  ],
  server: [
    "{errors,terminal}.ts",
    "{background,listen,migration-report,not-ready,secret-keys,swap,browser-files,test-clock,watch,watchdog}.ts",
    ...["{document,open-store,sinks}.ts", "load.ts", "compose.ts", "{embed,logging,monitor,reload}.ts", "serve.ts"],
  ],
  cli: [
    ...["command-line.ts", "{options,settings-file}.ts", "settings.ts"],
    ...[
      "agent/files.ts",
      "agent/processes.ts",
      "{backup-files,comparing,data-location,doctor-finding}.ts",
      "doctor-waiting.ts",
    ],
    ...["{serve-report,check-table,demonstration,gaps-as-errors,doctor-*}.ts"],
    ...["!(commands|help|mcp|run).ts", "agent/tools.ts", "{commands,help,mcp}.ts", "run.ts"],
  ],
};

export interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** Imports that go up from one room of a folder to another. */
export function upwardImports(sources: readonly Source[], folder: string): readonly Arrow[] {
  const patterns = rooms[folder] ?? [];
  const roomOf = (path: string): number => patterns.findIndex((pattern) => matchesGlob(path, `${folder}/${pattern}`));
  return sources
    .filter(({ path }) => path.startsWith(`${folder}/`))
    .flatMap(({ imports, path }) =>
      imports
        .filter(({ target }) => target?.startsWith(`${folder}/`) && roomOf(target) > roomOf(path))
        .map(({ target }) => ({ from: path, to: target as string })),
    );
}

/** Files that are in no room of their folder. */
export function roomless(sources: readonly Source[]): readonly string[] {
  return sources
    .map(({ path }) => path)
    .filter((path) => {
      const folder = path.split("/")[0] as string;
      return path.includes("/") && rooms[folder]?.every((pattern) => !matchesGlob(path, `${folder}/${pattern}`));
    });
}
