/** All checks, in the order of the parts. Written by `node scripts/code-pages.ts` from the files in the `checks` folders. */
import { checks as purposePurpose } from "./purpose/checks/purpose.ts";
import { check as resourcesBadSchema } from "./resources/checks/bad-schema.ts";
import { check as resourcesCallerMayBeNobody } from "./resources/checks/caller-may-be-nobody.ts";
import { checks as resourcesCircles } from "./resources/checks/circles.ts";
import { check as resourcesClearMayClash } from "./resources/checks/clear-may-clash.ts";
import { check as resourcesCounterUnfit } from "./resources/checks/counter-unfit.ts";
import { check as resourcesDefaultOutsideType } from "./resources/checks/default-outside-type.ts";
import { check as resourcesDuplicateValue } from "./resources/checks/duplicate-value.ts";
import { checks as resourcesFieldTypes } from "./resources/checks/field-types.ts";
import { check as resourcesFileMisplaced } from "./resources/checks/file-misplaced.ts";
import { checks as resourcesIds } from "./resources/checks/ids.ts";
import { check as resourcesKeyOutsidePath } from "./resources/checks/key-outside-path.ts";
import { check as resourcesMadeByNobody } from "./resources/checks/made-by-nobody.ts";
import { checks as resourcesModifiers } from "./resources/checks/modifiers.ts";
import { checks as resourcesNames } from "./resources/checks/names.ts";
import { check as resourcesNeverCreated } from "./resources/checks/never-created.ts";
import { checks as resourcesNeverSet } from "./resources/checks/never-set.ts";
import { check as resourcesNotStored } from "./resources/checks/not-stored.ts";
import { checks as resourcesRules } from "./resources/checks/rules.ts";
import { checks as resourcesSecrets } from "./resources/checks/secrets.ts";
import { check as resourcesUndiscoverableReference } from "./resources/checks/undiscoverable-reference.ts";
import { check as resourcesUniqueAbsentUnclear } from "./resources/checks/unique-absent-unclear.ts";
import { check as resourcesUnixTimeMisplaced } from "./resources/checks/unix-time-misplaced.ts";
import { check as resourcesUnknownType } from "./resources/checks/unknown-type.ts";
import { check as resourcesUnusedResource } from "./resources/checks/unused-resource.ts";
import { check as resourcesViewUnclear } from "./resources/checks/view-unclear.ts";
import { checks as statesEffects } from "./states/checks/effects.ts";
import { checks as statesEvents } from "./states/checks/events.ts";
import { checks as statesFurtherWrites } from "./states/checks/further-writes.ts";
import { checks as statesGuards } from "./states/checks/guards.ts";
import { checks as statesOperations } from "./states/checks/operations.ts";
import { checks as statesStates } from "./states/checks/states.ts";
import { checks as statesTimers } from "./states/checks/timers.ts";
import { checks as endpointsActions } from "./endpoints/checks/actions.ts";
import { check as endpointsChooseMisplaced } from "./endpoints/checks/choose-misplaced.ts";
import { check as endpointsHiddenFieldLeaves } from "./endpoints/checks/hidden-field-leaves.ts";
import { check as endpointsLinkMisplaced } from "./endpoints/checks/link-misplaced.ts";
import { checks as endpointsListOptions } from "./endpoints/checks/list-options.ts";
import { checks as endpointsLists } from "./endpoints/checks/lists.ts";
import { checks as endpointsManyRecords } from "./endpoints/checks/many-records.ts";
import { check as endpointsNotInPurpose } from "./endpoints/checks/not-in-purpose.ts";
import { checks as endpointsParameters } from "./endpoints/checks/parameters.ts";
import { checks as endpointsPaths } from "./endpoints/checks/paths.ts";
import { checks as endpointsRequestBodies } from "./endpoints/checks/request-bodies.ts";
import { checks as endpointsSelection } from "./endpoints/checks/selection.ts";
import { check as endpointsShapeUnclear } from "./endpoints/checks/shape-unclear.ts";
import { check as endpointsStatementIgnored } from "./endpoints/checks/statement-ignored.ts";
import { check as endpointsSummaryUnclear } from "./endpoints/checks/summary-unclear.ts";
import { checks as endpointsUnclear } from "./endpoints/checks/unclear.ts";
import { checks as authenticationCredentials } from "./authentication/checks/credentials.ts";
import { check as authenticationLoginFieldUnfit } from "./authentication/checks/login-field-unfit.ts";
import { check as authenticationNoCurrentSecret } from "./authentication/checks/no-current-secret.ts";
import { check as authenticationNoLogin } from "./authentication/checks/no-login.ts";
import { checks as authenticationOwners } from "./authentication/checks/owners.ts";
import { checks as authenticationPermissions } from "./authentication/checks/permissions.ts";
import { checks as authenticationRolesAndScopes } from "./authentication/checks/roles-and-scopes.ts";
import { checks as authenticationSetting } from "./authentication/checks/setting.ts";
import { check as authenticationShortPassword } from "./authentication/checks/short-password.ts";
import { check as authenticationStatementIgnored } from "./authentication/checks/statement-ignored.ts";
import { check as authenticationTokenOfOthers } from "./authentication/checks/token-of-others.ts";
import { check as authenticationUsersWithoutLogin } from "./authentication/checks/users-without-login.ts";
import { checks as authenticationVisibility } from "./authentication/checks/visibility.ts";
import { check as eventsBadAddress } from "./events/checks/bad-address.ts";
import { checks as eventsCarries } from "./events/checks/carries.ts";
import { checks as eventsKinds } from "./events/checks/kinds.ts";
import { checks as eventsNames } from "./events/checks/names.ts";
import { check as eventsNeverEmitted } from "./events/checks/never-emitted.ts";
import { checks as eventsReceivers } from "./events/checks/receivers.ts";
import { checks as errorsStatus } from "./errors/checks/status.ts";
import { check as errorsUnknownCode } from "./errors/checks/unknown-code.ts";
import { check as limitsCodeGuessable } from "./limits/checks/code-guessable.ts";
import { checks as limitsRatesAndQuotas } from "./limits/checks/rates-and-quotas.ts";
import { checks as limitsRetention } from "./limits/checks/retention.ts";
import { check as limitsUnknownMoment } from "./limits/checks/unknown-moment.ts";
import { check as limitsUnknownTarget } from "./limits/checks/unknown-target.ts";
import { checks as versioningChanges } from "./versioning/checks/changes.ts";
import { checks as versioningDeprecation } from "./versioning/checks/deprecation.ts";
import { check as versioningNotUndone } from "./versioning/checks/not-undone.ts";
import { checks as versioningSent } from "./versioning/checks/sent.ts";
import { check as versioningUnknownName } from "./versioning/checks/unknown-name.ts";
import { documentChecks } from "./analysis/document-checks.ts";
import { nameChecks } from "./analysis/name-checks.ts";
import type { Check } from "./analysis/finding.ts";

export const checks: readonly Check[] = [
  ...documentChecks,
  ...nameChecks,
  ...purposePurpose,
  resourcesBadSchema,
  resourcesCallerMayBeNobody,
  ...resourcesCircles,
  resourcesClearMayClash,
  resourcesCounterUnfit,
  resourcesDefaultOutsideType,
  resourcesDuplicateValue,
  ...resourcesFieldTypes,
  resourcesFileMisplaced,
  ...resourcesIds,
  resourcesKeyOutsidePath,
  resourcesMadeByNobody,
  ...resourcesModifiers,
  ...resourcesNames,
  resourcesNeverCreated,
  ...resourcesNeverSet,
  resourcesNotStored,
  ...resourcesRules,
  ...resourcesSecrets,
  resourcesUndiscoverableReference,
  resourcesUniqueAbsentUnclear,
  resourcesUnixTimeMisplaced,
  resourcesUnknownType,
  resourcesUnusedResource,
  resourcesViewUnclear,
  ...statesEffects,
  ...statesEvents,
  ...statesFurtherWrites,
  ...statesGuards,
  ...statesOperations,
  ...statesStates,
  ...statesTimers,
  ...endpointsActions,
  endpointsChooseMisplaced,
  endpointsHiddenFieldLeaves,
  endpointsLinkMisplaced,
  ...endpointsListOptions,
  ...endpointsLists,
  ...endpointsManyRecords,
  endpointsNotInPurpose,
  ...endpointsParameters,
  ...endpointsPaths,
  ...endpointsRequestBodies,
  ...endpointsSelection,
  endpointsShapeUnclear,
  endpointsStatementIgnored,
  endpointsSummaryUnclear,
  ...endpointsUnclear,
  ...authenticationCredentials,
  authenticationLoginFieldUnfit,
  authenticationNoCurrentSecret,
  authenticationNoLogin,
  ...authenticationOwners,
  ...authenticationPermissions,
  ...authenticationRolesAndScopes,
  ...authenticationSetting,
  authenticationShortPassword,
  authenticationStatementIgnored,
  authenticationTokenOfOthers,
  authenticationUsersWithoutLogin,
  ...authenticationVisibility,
  eventsBadAddress,
  ...eventsCarries,
  ...eventsKinds,
  ...eventsNames,
  eventsNeverEmitted,
  ...eventsReceivers,
  ...errorsStatus,
  errorsUnknownCode,
  limitsCodeGuessable,
  ...limitsRatesAndQuotas,
  ...limitsRetention,
  limitsUnknownMoment,
  limitsUnknownTarget,
  ...versioningChanges,
  ...versioningDeprecation,
  versioningNotUndone,
  ...versioningSent,
  versioningUnknownName,
];
