/** The dependencies of the authorization server and its parts. */
import type { Clock } from "../../../base/clock.ts";
import type { AuthenticationPart } from "../../../plan/authentication/types.ts";
import type { PurposePart } from "../../../plan/purpose/types.ts";
import type { GrantStore, KeyStore } from "../../../store/port/store.ts";
import type { LoginGuard, LoginRecords } from "../../context/login.ts";
import type { FailureLimits } from "../failures.ts";

export interface TokenDependencies {
  readonly grants: GrantStore;
  readonly keys: KeyStore;
  readonly logins: ReadonlyMap<string, LoginRecords>;
}

export interface OAuthOptions extends TokenDependencies {
  readonly plan: Pick<PurposePart & AuthenticationPart, "service" | "credentials">;
  readonly clock: Clock;
  readonly guard: LoginGuard;
  readonly failures: FailureLimits;
  /** A secret that is the same in all processes of the service and after a restart. */
  readonly secret: string;
  readonly random: (bytes: number) => Uint8Array;
  /** The path prefix of the service's operations. */
  readonly prefix: string;
  /** Returns the absolute URL of the service, without a trailing slash. */
  readonly baseUrl: () => string;
}
