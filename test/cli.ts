/**
 * The command that tests start: the sources, or, in a full test run, the published package (`NONET_TEST_COMMAND`), which starts
 * in half the time.
 */
import { join } from "node:path";
import process from "node:process";

export const cli: string = process.env["NONET_TEST_COMMAND"] ?? join(import.meta.dirname, "..", "src", "cli.mjs");
