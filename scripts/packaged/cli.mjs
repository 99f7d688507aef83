#!/usr/bin/env node
/** The command as it is published: as `src/cli.mjs`, from the one file that `scripts/bundle.ts` makes. */
import { enableCompileCache } from "node:module";
import process from "node:process";
import { load } from "./load.mjs";

// For what is not in the file: packages that only some services need, and functions of the service's owner.
enableCompileCache();
const args = process.argv.slice(2);
const { run, processTerminal } = load(["serve", "start"].includes(args[0]) ? "serve" : "other");

process.exitCode = await run(args, processTerminal());
