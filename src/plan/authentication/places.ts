/** The places in which requests carry credentials, for the server. */
export { type SentIn, schemeOf } from "../../language/authentication/model.ts";
