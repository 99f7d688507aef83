/** Signs the requests of an `hmac-sha256` credential. */
import { schemeOf } from "../base/signature-schemes.ts";
import { lookup } from "../language/resources/fields.ts";
import { anonymous, type Caller } from "./caller.ts";
import type { Contract } from "./contract.ts";
import { withToken } from "./credentials.ts";
import { requestSignature, schemeSignature } from "./signature.ts";

/** Returns a sender who signs requests with a secret. `now`: the present of the service, in milliseconds since 1970. */
export function signer(contract: Contract, credential: string, secret: string, now: () => number): Caller {
  let count = 0;
  return {
    ...{ ...anonymous, name: credential, credential, signedIn: true },
    authorize: (request) => {
      const { pathname, search } = new URL(request.url);
      const present = now();
      const signed = { method: request.method, target: `${pathname}${search}`, body: request.body ?? "" };
      const scheme = lookup(contract.model.authentication.credentials, credential)?.scheme;
      if (scheme === undefined)
        return withToken(contract, credential, requestSignature(signed, secret, present), request);
      count += 1;
      const { token, fields } = schemeSignature(schemeOf(scheme), signed, secret, {
        now: present,
        id: `msg_${count}_${present}`,
      });
      return withToken(contract, credential, token, { ...request, headers: { ...request.headers, ...fields } });
    },
  };
}
