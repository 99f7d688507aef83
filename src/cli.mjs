#!/usr/bin/env node
/**
 * The command. Arguments in, exit code out: 0 fine, 1 the document or its data is wrong, 2 wrong usage or unreadable file.
 *
 * Not TypeScript, since Node would load what strips its types for this one file, before there is a cache to take the
 * stripped text of all others from.
 */
import { enableCompileCache } from "node:module";
import process from "node:process";

// Types are stripped and code is compiled once, not at each start; so what follows is loaded after this line.
enableCompileCache();
const [{ run }, { processTerminal }] = await Promise.all([import("./cli/run.ts"), import("./server/terminal.ts")]);

process.exitCode = await run(process.argv.slice(2), processTerminal());
