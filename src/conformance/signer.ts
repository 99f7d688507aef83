/** Signs the requests of an `hmac-sha256` credential. */
import { anonymous, type Caller } from "./caller.ts";
import type { Contract } from "./contract.ts";
import { withToken } from "./credentials.ts";
import { requestSignature } from "./signature.ts";

/** Returns a sender who signs requests with a secret. `now`: the present of the service, in milliseconds since 1970. */
export function signer(contract: Contract, credential: string, secret: string, now: () => number): Caller {
  return {
    ...{ ...anonymous, name: credential, credential, signedIn: true },
    authorize: (request) => {
      const { pathname, search } = new URL(request.url);
      const signed = { method: request.method, target: `${pathname}${search}`, body: request.body ?? "" };
      return withToken(contract, credential, requestSignature(signed, secret, now()), request);
    },
  };
}
