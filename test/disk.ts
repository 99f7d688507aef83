/** A folder on a disk, for tests of how long a flush takes: `npm test` may have temporary folders in memory. */
import { tmpdir } from "node:os";
import process from "node:process";

export const disk: string = process.env["NONET_TEST_DISK"] ?? tmpdir();
