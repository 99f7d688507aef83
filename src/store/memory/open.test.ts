/** Runs the contract suite of all stores on the memory store. */
import { contract } from "../../../test/store/contract.ts";
import { openMemoryStore } from "./open.ts";

contract("memory", openMemoryStore);
