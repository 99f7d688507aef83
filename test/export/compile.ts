/** Compiles functions with the generated types of their documents, as their author does. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the compiler says of the modules of a folder that are `included`, such as `*.ts`; nothing where all is right. */
export async function compileFunctions(folder: string, included: string): Promise<string> {
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: true,
        isolatedDeclarations: false,
        declaration: false,
        paths: { nonet: [join(root, "src/runtime/functions/typed.ts")] },
        typeRoots: [join(root, "node_modules/@types")],
      },
      include: [join(folder, included)],
    }),
  );
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", folder], { cwd: folder }).catch(
    (thrown: { stdout: string }) => thrown,
  );
  return stdout;
}
