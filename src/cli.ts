#!/usr/bin/env node
/** The command. Arguments in, exit code out: 0 fine, 1 the document or the request is wrong, 2 usage or unreadable file. */
import process from "node:process";
import { run } from "./commands/run.ts";
import { processTerminal } from "./commands/terminal.ts";

process.exitCode = await run(process.argv.slice(2), processTerminal());
