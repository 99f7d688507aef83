import { contract } from "../contract.ts";
import { openMemoryStore } from "./open.ts";

contract("memory", openMemoryStore);
