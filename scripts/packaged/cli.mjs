#!/usr/bin/env node
/**
 * The command as it is published: as `src/cli.mjs`, from the one file that `scripts/bundle.ts` makes. What a Node that is too old
 * lacks is not imported by name, so that it can say so.
 */
import nodeModule from "node:module";
import process from "node:process";
import { load, unsupportedNode } from "./load.mjs";

if (unsupportedNode === undefined) {
  // For packages that only some services need, and functions of the service's owner.
  nodeModule.enableCompileCache();
  const args = process.argv.slice(2);
  const { run, processTerminal } = load(["serve", "start"].includes(args[0]) ? "serve" : "other");
  process.exitCode = await run(args, processTerminal());
} else {
  process.stderr.write(`${unsupportedNode}\n`);
  process.exitCode = 2;
}
