/** The memory store keeps to the contract of every store. */
import { contract } from "../../../test/store/contract.ts";
import { openMemoryStore } from "./open.ts";

contract("memory", openMemoryStore);
