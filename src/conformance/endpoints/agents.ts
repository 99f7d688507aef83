/** The address for agents: whom it admits, and which operations are tools of whom (R4.25). */
import { type Json, isObject } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { Mcp } from "../../language/endpoints/model.ts";
import type { Caller } from "../caller.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import type { Interaction, Request } from "../interaction.ts";
import { admits, mayEverRun } from "../permissions.ts";
import { operationsAddress, versionSelector } from "../request.ts";
import { callers } from "../trial/callers.ts";
import type { Trial } from "../trial/trial.ts";
import { sendAfterLimits } from "../trial/used-up.ts";

const path = "endpoints/mcp";

/** With more operations a caller has the tools `describe` and `call`. */
const mostTools = 25;

export function agentCases(contract: Contract): readonly Case[] {
  const { mcp } = contract.model.endpoints;
  if (mcp === undefined || mcp === "none" || !contract.isNewest) return [];
  const aspect = (expects: string) => [{ path, expects }] as const;
  return [
    {
      id: "endpoints/mcp: tools",
      aspects: aspect("the tools of a caller are the operations that this caller may run"),
      run: async (trial) => {
        for (const caller of await admittedCallers(trial, mcp, true)) {
          trial.startOver();
          const interaction = await listTools(trial, mcp, caller);
          expectTools(trial, caller, interaction);
        }
      },
    },
    {
      id: "endpoints/mcp: callers",
      aspects: aspect("other callers than those of `for` have no tools"),
      run: async (trial) => {
        for (const caller of await admittedCallers(trial, mcp, false)) {
          trial.startOver();
          const interaction = await listTools(trial, mcp, caller);
          const expected = caller.signedIn ? 403 : 401;
          const { status } = trial.responseOf(interaction);
          if (status !== expected) throw new Broken(String(expected), String(status), interaction);
        }
      },
    },
  ];
}

/** Returns the callers whom the address admits, or those whom it rejects. @throws NotTried if the test has none */
async function admittedCallers(trial: Trial, mcp: Mcp, isAdmitted: boolean): Promise<readonly Caller[]> {
  const { contract } = trial;
  const found = (await callers(trial)).filter(
    (caller) =>
      !isSigned(contract, caller) && (isAdmitted ? mayUse(contract, mcp, caller) : mayNotUse(contract, mcp, caller)),
  );
  if (found.length > 0) return found;
  throw new NotTried(`the test has no caller whom the address ${isAdmitted ? "admits" : "rejects"}`, "a credential");
}

/** Whether a caller signs each request, which no tool call can be. */
function isSigned({ model }: Contract, { credential }: Caller): boolean {
  return credential !== undefined && lookup(model.authentication.credentials, credential)?.kind === "hmac-sha256";
}

/** Whether a caller certainly may use the address; an anonymous one needs an operation that anyone may run. */
function mayUse(contract: Contract, mcp: Mcp, caller: Caller): boolean {
  return isNamed(mcp, caller) && (caller.signedIn || toolsOf(contract, caller).length > 0);
}

/** Whether a caller certainly may not use the address. */
function mayNotUse(contract: Contract, mcp: Mcp, caller: Caller): boolean {
  const mayRun = [...contract.operations.keys()].some((name) => mayEverRun(contract, name, caller));
  return !isNamed(mcp, caller) || !(caller.signedIn || mayRun);
}

function isNamed({ for: grants }: Mcp, caller: Caller): boolean {
  return grants === undefined || grants.some((grant) => admits(grant, caller));
}

/** Returns the operations that are certainly tools of a caller: those with nothing but JSON. */
function toolsOf(contract: Contract, caller: Caller): readonly string[] {
  const isPlain = ({ action, endpoint, ...one }: Operation): boolean => {
    const isCredential = action === "login" || action === "renew" || action === "logout";
    const isFile = one.kind === "resource" && one.file !== undefined;
    return !isCredential && !isFile && endpoint.wire === undefined && endpoint.requests === undefined;
  };
  const { model, operations } = contract;
  if (model.endpoints.requests?.media !== undefined) return [];
  return [...operations.values()]
    .filter((one) => isPlain(one) && mayEverRun(contract, one.operation, caller))
    .map(({ operation }) => operation);
}

function listTools(trial: Trial, mcp: Mcp, caller: Caller): Promise<Interaction> {
  return sendAfterLimits(trial, caller.authorize(listing(trial, mcp)), caller);
}

/** Returns the request for the tools, in the revision of 2026-07-28, which needs no session. */
function listing({ contract, world }: Trial, mcp: Mcp): Request {
  const { headers, path: prefix, query } = versionSelector(contract, contract.version);
  const parameters = new URLSearchParams(query).toString();
  const url = `${operationsAddress(contract, world.target.address)}${prefix}${mcp.at}`;
  const revision = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "nonet test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    method: "POST",
    url: parameters === "" ? url : `${url}?${parameters}`,
    headers: {
      ...headers,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": revision,
      "Mcp-Method": "tools/list",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } }),
  };
}

function expectTools(trial: Trial, caller: Caller, interaction: Interaction): void {
  const { contract } = trial;
  const names = toolNames(trial.responseOf(interaction).json);
  if (names === undefined)
    throw new Broken("200 with the tools", trial.responseOf(interaction).text.slice(0, 200), interaction);
  const denied = names.find((name) => contract.operations.has(name) && !mayEverRun(contract, name, caller));
  if (denied !== undefined) throw new Broken(`no tool \`${denied}\` for ${caller.name}`, denied, interaction);
  const wanted = toolsOf(contract, caller);
  const isMany = names.length === 2 && names.includes("describe") && names.includes("call");
  if (isMany && [...contract.operations.keys()].length > mostTools) return;
  const missing = wanted.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new Broken(`a tool \`${missing}\` for ${caller.name}`, names.join(", ") || "none", interaction);
}

function toolNames(message: Json | undefined): readonly string[] | undefined {
  const result = message !== undefined && isObject(message) ? message["result"] : undefined;
  const tools = result !== undefined && isObject(result) ? result["tools"] : undefined;
  if (!Array.isArray(tools)) return undefined;
  return tools.flatMap((tool: Json) => (isObject(tool) && typeof tool["name"] === "string" ? [tool["name"]] : []));
}
