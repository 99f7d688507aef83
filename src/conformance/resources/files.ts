/** Files of records: their bytes come back as they were sent, and those that the document does not allow are rejected. */
import { withArticle } from "../../base/case.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { bareType, fieldsOf, lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { expectSuccess } from "../expect.ts";
import { contentOf, type FileValue, isFileValue } from "../files.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { invalidValues } from "../values/boundaries.ts";
import { validValue } from "../values/valid.ts";
import { expectRejected } from "./outcome.ts";
import { creationsOf, sendWrite, sets, supplyFor } from "./writing.ts";

export function fileCases(contract: Contract): readonly Case[] {
  return [...contract.operations.values()].flatMap((called): readonly Case[] => {
    if (called.kind !== "resource" || called.file === undefined || called.endpoint.wire !== undefined) return [];
    const type = bareType(lookup(fieldsOf(contract.model, called.resource), called.file)?.type as FieldType);
    const file: FileOperation = { called, name: called.file, type };
    return called.action === "read" ? [comesBack(contract, file)] : [isReplaced(contract, file), isRejected(file)];
  });
}

/** An operation with the bytes of a file alone. */
interface FileOperation {
  readonly called: ResourceEndpoint;
  readonly name: string;
  readonly type: FieldType;
}

function pathOf({ called, name }: FileOperation): string {
  return `resources/${called.resource}/${name}`;
}

function comesBack(contract: Contract, file: FileOperation): Case {
  const { operation, resource } = file.called;
  return {
    id: `${pathOf(file)}: ${operation}`,
    aspects: [
      { path: pathOf(file), expects: `${operation} returns the bytes of \`${file.name}\` with their media type` },
    ],
    operation,
    run: async (trial) => {
      const write = creationsOf(contract, resource).find((one) => sets(one, file.name));
      if (write === undefined) throw new NotTried(`no operation creates ${withArticle(resource)} with a file`);
      const value = await validFile(trial, file);
      const { interaction, record } = await sendWrite(trial, write, { values: { [file.name]: value }, isValid: true });
      expectSuccess(trial, interaction);
      if (record !== undefined) await expectBytes(trial, file, record, value);
    },
  };
}

function isReplaced(contract: Contract, file: FileOperation): Case {
  const { operation, resource } = file.called;
  return {
    id: `${pathOf(file)}: ${operation}`,
    aspects: [{ path: pathOf(file), expects: `${operation} replaces \`${file.name}\`` }],
    operation,
    run: async (trial) => {
      const reader = [...contract.operations.values()].find(
        (one) =>
          one.kind === "resource" && one.file === file.name && one.resource === resource && one.action === "read",
      );
      const record = await trial.make(resource);
      const value = await validFile(trial, file);
      expectSuccess(trial, await trial.call(operation, { record, body: { [file.name]: value } }));
      if (reader?.kind === "resource") await expectBytes(trial, { ...file, called: reader }, record, value);
    },
  };
}

async function validFile(trial: Trial, { type }: FileOperation): Promise<FileValue> {
  const value = validValue(trial.contract, type, await supplyFor(trial, type));
  if (isFileValue(value)) return value;
  throw new NotTried("the test has no such file");
}

async function expectBytes(trial: Trial, file: FileOperation, record: KnownRecord, value: FileValue): Promise<void> {
  const interaction = await trial.call(file.called.operation, { record });
  const { headers, text } = expectSuccess(trial, interaction);
  const type = headers["content-type"] ?? "none";
  if (type.split(";")[0] !== value.type)
    throw new Broken(`Content-Type ${value.type}`, type, interaction, pathOf(file));
  // The client reads bodies as texts.
  if (text !== new TextDecoder().decode(contentOf(value)))
    throw new Broken(
      `the ${value.bytes} bytes that were sent`,
      `${text.length} other characters`,
      interaction,
      pathOf(file),
    );
}

function isRejected(file: FileOperation): Case {
  const { operation, resource } = file.called;
  return {
    id: `${pathOf(file)}: ${operation} rejects`,
    aspects: [{ path: pathOf(file), expects: `${operation} rejects files that \`${file.name}\` cannot be` }],
    operation,
    run: async (trial) => {
      const record = await trial.make(resource);
      for (const { codes, error = "unsupported-media", value, what } of invalidValues(
        trial.contract,
        file.type,
        await supplyFor(trial, file.type),
      )) {
        const interaction = await trial.call(operation, { record, body: { [file.name]: value }, isInvalid: true });
        expectRejected(trial, file.called, interaction, { what, member: file.name, codes, error, path: pathOf(file) });
      }
    },
  };
}
