/** All checks, in the order of the parts. Written by `node scripts/code-pages.ts` from the files there are. */
import { check as purposeOperationWithoutEndpoint } from "./purpose/checks/operation-without-endpoint.ts";
import { check as purposeOperationWithoutSentence } from "./purpose/checks/operation-without-sentence.ts";
import { check as purposeOutsideButInside } from "./purpose/checks/outside-but-inside.ts";
import { check as purposeUserCanDoNothing } from "./purpose/checks/user-can-do-nothing.ts";
import { check as resourcesBadSchema } from "./resources/checks/bad-schema.ts";
import { check as resourcesCallerMayBeNobody } from "./resources/checks/caller-may-be-nobody.ts";
import { check as resourcesCircleDeletesItself } from "./resources/checks/circle-deletes-itself.ts";
import { check as resourcesClearMayClash } from "./resources/checks/clear-may-clash.ts";
import { check as resourcesCreateCycle } from "./resources/checks/create-cycle.ts";
import { check as resourcesDefaultOutsideType } from "./resources/checks/default-outside-type.ts";
import { check as resourcesDuplicateValue } from "./resources/checks/duplicate-value.ts";
import { check as resourcesFieldNamedState } from "./resources/checks/field-named-state.ts";
import { check as resourcesFileMisplaced } from "./resources/checks/file-misplaced.ts";
import { check as resourcesHiddenFieldLeaves } from "./resources/checks/hidden-field-leaves.ts";
import { check as resourcesIdUnusable } from "./resources/checks/id-unusable.ts";
import { check as resourcesKeyOutsidePath } from "./resources/checks/key-outside-path.ts";
import { check as resourcesMadeByNobody } from "./resources/checks/made-by-nobody.ts";
import { check as resourcesMarkMisplaced } from "./resources/checks/mark-misplaced.ts";
import { check as resourcesMarksContradict } from "./resources/checks/marks-contradict.ts";
import { check as resourcesMixedNameStyles } from "./resources/checks/mixed-name-styles.ts";
import { check as resourcesNameTaken } from "./resources/checks/name-taken.ts";
import { check as resourcesNeverCreated } from "./resources/checks/never-created.ts";
import { check as resourcesOptionalNeverSet } from "./resources/checks/optional-never-set.ts";
import { check as resourcesRequiredNeverSet } from "./resources/checks/required-never-set.ts";
import { check as resourcesRuleReadsAll } from "./resources/checks/rule-reads-all.ts";
import { check as resourcesRuleWithoutEffect } from "./resources/checks/rule-without-effect.ts";
import { check as resourcesSameIdPrefix } from "./resources/checks/same-id-prefix.ts";
import { check as resourcesSecretInTheOpen } from "./resources/checks/secret-in-the-open.ts";
import { check as resourcesTimeAsText } from "./resources/checks/time-as-text.ts";
import { check as resourcesTypeInsideItself } from "./resources/checks/type-inside-itself.ts";
import { check as resourcesUnbounded } from "./resources/checks/unbounded.ts";
import { check as resourcesUndiscoverableReference } from "./resources/checks/undiscoverable-reference.ts";
import { check as resourcesUniqueAbsentUnclear } from "./resources/checks/unique-absent-unclear.ts";
import { check as resourcesUnknownType } from "./resources/checks/unknown-type.ts";
import { check as resourcesUnusedResource } from "./resources/checks/unused-resource.ts";
import { check as resourcesViewInsideItself } from "./resources/checks/view-inside-itself.ts";
import { check as resourcesViewUnclear } from "./resources/checks/view-unclear.ts";
import { check as statesDeadEnd } from "./states/checks/dead-end.ts";
import { check as statesEventFindsNone } from "./states/checks/event-finds-none.ts";
import { check as statesEventFindsTwo } from "./states/checks/event-finds-two.ts";
import { check as statesEventLoop } from "./states/checks/event-loop.ts";
import { check as statesFinalWithExit } from "./states/checks/final-with-exit.ts";
import { check as statesGuardAlwaysHolds } from "./states/checks/guard-always-holds.ts";
import { check as statesGuardNeverHolds } from "./states/checks/guard-never-holds.ts";
import { check as statesGuardWithoutError } from "./states/checks/guard-without-error.ts";
import { check as statesGuardsOverlap } from "./states/checks/guards-overlap.ts";
import { check as statesHiddenFieldLeaves } from "./states/checks/hidden-field-leaves.ts";
import { check as statesMoveNobodyMayRun } from "./states/checks/move-nobody-may-run.ts";
import { check as statesNoStates } from "./states/checks/no-states.ts";
import { check as statesNotATime } from "./states/checks/not-a-time.ts";
import { check as statesOperationMovesNoRecord } from "./states/checks/operation-moves-no-record.ts";
import { check as statesOperationOfOtherResource } from "./states/checks/operation-of-other-resource.ts";
import { check as statesSelfMoveWithoutEffect } from "./states/checks/self-move-without-effect.ts";
import { check as statesSetNotSettable } from "./states/checks/set-not-settable.ts";
import { check as statesTimerNeverSet } from "./states/checks/timer-never-set.ts";
import { check as statesUnreachableState } from "./states/checks/unreachable-state.ts";
import { check as endpointsActionWithoutMove } from "./endpoints/checks/action-without-move.ts";
import { check as endpointsAmbiguousPath } from "./endpoints/checks/ambiguous-path.ts";
import { check as endpointsChooseMisplaced } from "./endpoints/checks/choose-misplaced.ts";
import { check as endpointsGetChanges } from "./endpoints/checks/get-changes.ts";
import { check as endpointsHiddenFieldLeaves } from "./endpoints/checks/hidden-field-leaves.ts";
import { check as endpointsLinkMisplaced } from "./endpoints/checks/link-misplaced.ts";
import { check as endpointsListNamesClash } from "./endpoints/checks/list-names-clash.ts";
import { check as endpointsListWithoutPages } from "./endpoints/checks/list-without-pages.ts";
import { check as endpointsNoDeed } from "./endpoints/checks/no-deed.ts";
import { check as endpointsNoResource } from "./endpoints/checks/no-resource.ts";
import { check as endpointsNotInPurpose } from "./endpoints/checks/not-in-purpose.ts";
import { check as endpointsParameterTaken } from "./endpoints/checks/parameter-taken.ts";
import { check as endpointsParameterUnclear } from "./endpoints/checks/parameter-unclear.ts";
import { check as endpointsParentUnclear } from "./endpoints/checks/parent-unclear.ts";
import { check as endpointsPathParameterUnbound } from "./endpoints/checks/path-parameter-unbound.ts";
import { check as endpointsPathStyle } from "./endpoints/checks/path-style.ts";
import { check as endpointsPathTaken } from "./endpoints/checks/path-taken.ts";
import { check as endpointsRequiredNotTaken } from "./endpoints/checks/required-not-taken.ts";
import { check as endpointsSameRoute } from "./endpoints/checks/same-route.ts";
import { check as endpointsShapeUnclear } from "./endpoints/checks/shape-unclear.ts";
import { check as endpointsStatementIgnored } from "./endpoints/checks/statement-ignored.ts";
import { check as endpointsTakesUnused } from "./endpoints/checks/takes-unused.ts";
import { check as endpointsTakesWhatItCannotSet } from "./endpoints/checks/takes-what-it-cannot-set.ts";
import { check as endpointsUnreadMedia } from "./endpoints/checks/unread-media.ts";
import { check as endpointsUnsafeRepeats } from "./endpoints/checks/unsafe-repeats.ts";
import { check as endpointsWhoseSession } from "./endpoints/checks/whose-session.ts";
import { check as authenticationAnyoneMayWrite } from "./authentication/checks/anyone-may-write.ts";
import { check as authenticationAnyoneWithoutRate } from "./authentication/checks/anyone-without-rate.ts";
import { check as authenticationCredentialWithoutEnd } from "./authentication/checks/credential-without-end.ts";
import { check as authenticationGrantWithoutScope } from "./authentication/checks/grant-without-scope.ts";
import { check as authenticationHiddenReference } from "./authentication/checks/hidden-reference.ts";
import { check as authenticationListWiderThanRead } from "./authentication/checks/list-wider-than-read.ts";
import { check as authenticationLoginFieldUnfit } from "./authentication/checks/login-field-unfit.ts";
import { check as authenticationNoCredential } from "./authentication/checks/no-credential.ts";
import { check as authenticationNoCurrentSecret } from "./authentication/checks/no-current-secret.ts";
import { check as authenticationNoLogin } from "./authentication/checks/no-login.ts";
import { check as authenticationOperationWithoutAllow } from "./authentication/checks/operation-without-allow.ts";
import { check as authenticationOwnerWritable } from "./authentication/checks/owner-writable.ts";
import { check as authenticationPlaceTaken } from "./authentication/checks/place-taken.ts";
import { check as authenticationScopeWithoutRole } from "./authentication/checks/scope-without-role.ts";
import { check as authenticationShortPassword } from "./authentication/checks/short-password.ts";
import { check as authenticationShownToNobody } from "./authentication/checks/shown-to-nobody.ts";
import { check as authenticationStatementIgnored } from "./authentication/checks/statement-ignored.ts";
import { check as authenticationTokenOfOthers } from "./authentication/checks/token-of-others.ts";
import { check as authenticationTwoTokenServers } from "./authentication/checks/two-token-servers.ts";
import { check as authenticationUnusedOwn } from "./authentication/checks/unused-own.ts";
import { check as authenticationUnusedRole } from "./authentication/checks/unused-role.ts";
import { check as authenticationUsersWithoutLogin } from "./authentication/checks/users-without-login.ts";
import { check as eventsBadAddress } from "./events/checks/bad-address.ts";
import { check as eventsHiddenFieldLeaves } from "./events/checks/hidden-field-leaves.ts";
import { check as eventsNameStyle } from "./events/checks/name-style.ts";
import { check as eventsNameTwice } from "./events/checks/name-twice.ts";
import { check as eventsNeverEmitted } from "./events/checks/never-emitted.ts";
import { check as eventsNobodyReceives } from "./events/checks/nobody-receives.ts";
import { check as eventsNobodysWebhook } from "./events/checks/nobodys-webhook.ts";
import { check as eventsSecretLeaves } from "./events/checks/secret-leaves.ts";
import { check as eventsWebhookNameTaken } from "./events/checks/webhook-name-taken.ts";
import { check as errorsNoRetryHint } from "./errors/checks/no-retry-hint.ts";
import { check as errorsStandardChanged } from "./errors/checks/standard-changed.ts";
import { check as errorsUnknownCode } from "./errors/checks/unknown-code.ts";
import { check as errorsUnusualStatus } from "./errors/checks/unusual-status.ts";
import { check as limitsCannotErase } from "./limits/checks/cannot-erase.ts";
import { check as limitsCodeGuessable } from "./limits/checks/code-guessable.ts";
import { check as limitsKeptTooShort } from "./limits/checks/kept-too-short.ts";
import { check as limitsNoGeneralRate } from "./limits/checks/no-general-rate.ts";
import { check as limitsPersonalKeptForever } from "./limits/checks/personal-kept-forever.ts";
import { check as limitsQuotaMisplaced } from "./limits/checks/quota-misplaced.ts";
import { check as limitsQuotaNeverFreed } from "./limits/checks/quota-never-freed.ts";
import { check as limitsUnknownMoment } from "./limits/checks/unknown-moment.ts";
import { check as limitsUnknownPer } from "./limits/checks/unknown-per.ts";
import { check as limitsUnknownTarget } from "./limits/checks/unknown-target.ts";
import { check as versioningChosenTwice } from "./versioning/checks/chosen-twice.ts";
import { check as versioningDeprecatedWithoutSunset } from "./versioning/checks/deprecated-without-sunset.ts";
import { check as versioningIdRenamed } from "./versioning/checks/id-renamed.ts";
import { check as versioningNewestDeprecated } from "./versioning/checks/newest-deprecated.ts";
import { check as versioningNotUndone } from "./versioning/checks/not-undone.ts";
import { check as versioningNoticeTooShort } from "./versioning/checks/notice-too-short.ts";
import { check as versioningPlaceTaken } from "./versioning/checks/place-taken.ts";
import { check as versioningRemovedWhole } from "./versioning/checks/removed-whole.ts";
import { check as versioningRenameCollides } from "./versioning/checks/rename-collides.ts";
import { check as versioningUnknownName } from "./versioning/checks/unknown-name.ts";
import { check as versioningUnknownValue } from "./versioning/checks/unknown-value.ts";
import { documentChecks } from "./analysis/document-checks.ts";
import { nameChecks } from "./analysis/name-checks.ts";
import type { Check } from "./analysis/finding.ts";

export const checks: readonly Check[] = [
  ...documentChecks,
  ...nameChecks,
  purposeOperationWithoutEndpoint,
  purposeOperationWithoutSentence,
  purposeOutsideButInside,
  purposeUserCanDoNothing,
  resourcesBadSchema,
  resourcesCallerMayBeNobody,
  resourcesCircleDeletesItself,
  resourcesClearMayClash,
  resourcesCreateCycle,
  resourcesDefaultOutsideType,
  resourcesDuplicateValue,
  resourcesFieldNamedState,
  resourcesFileMisplaced,
  resourcesHiddenFieldLeaves,
  resourcesIdUnusable,
  resourcesKeyOutsidePath,
  resourcesMadeByNobody,
  resourcesMarkMisplaced,
  resourcesMarksContradict,
  resourcesMixedNameStyles,
  resourcesNameTaken,
  resourcesNeverCreated,
  resourcesOptionalNeverSet,
  resourcesRequiredNeverSet,
  resourcesRuleReadsAll,
  resourcesRuleWithoutEffect,
  resourcesSameIdPrefix,
  resourcesSecretInTheOpen,
  resourcesTimeAsText,
  resourcesTypeInsideItself,
  resourcesUnbounded,
  resourcesUndiscoverableReference,
  resourcesUniqueAbsentUnclear,
  resourcesUnknownType,
  resourcesUnusedResource,
  resourcesViewInsideItself,
  resourcesViewUnclear,
  statesDeadEnd,
  statesEventFindsNone,
  statesEventFindsTwo,
  statesEventLoop,
  statesFinalWithExit,
  statesGuardAlwaysHolds,
  statesGuardNeverHolds,
  statesGuardWithoutError,
  statesGuardsOverlap,
  statesHiddenFieldLeaves,
  statesMoveNobodyMayRun,
  statesNoStates,
  statesNotATime,
  statesOperationMovesNoRecord,
  statesOperationOfOtherResource,
  statesSelfMoveWithoutEffect,
  statesSetNotSettable,
  statesTimerNeverSet,
  statesUnreachableState,
  endpointsActionWithoutMove,
  endpointsAmbiguousPath,
  endpointsChooseMisplaced,
  endpointsGetChanges,
  endpointsHiddenFieldLeaves,
  endpointsLinkMisplaced,
  endpointsListNamesClash,
  endpointsListWithoutPages,
  endpointsNoDeed,
  endpointsNoResource,
  endpointsNotInPurpose,
  endpointsParameterTaken,
  endpointsParameterUnclear,
  endpointsParentUnclear,
  endpointsPathParameterUnbound,
  endpointsPathStyle,
  endpointsPathTaken,
  endpointsRequiredNotTaken,
  endpointsSameRoute,
  endpointsShapeUnclear,
  endpointsStatementIgnored,
  endpointsTakesUnused,
  endpointsTakesWhatItCannotSet,
  endpointsUnreadMedia,
  endpointsUnsafeRepeats,
  endpointsWhoseSession,
  authenticationAnyoneMayWrite,
  authenticationAnyoneWithoutRate,
  authenticationCredentialWithoutEnd,
  authenticationGrantWithoutScope,
  authenticationHiddenReference,
  authenticationListWiderThanRead,
  authenticationLoginFieldUnfit,
  authenticationNoCredential,
  authenticationNoCurrentSecret,
  authenticationNoLogin,
  authenticationOperationWithoutAllow,
  authenticationOwnerWritable,
  authenticationPlaceTaken,
  authenticationScopeWithoutRole,
  authenticationShortPassword,
  authenticationShownToNobody,
  authenticationStatementIgnored,
  authenticationTokenOfOthers,
  authenticationTwoTokenServers,
  authenticationUnusedOwn,
  authenticationUnusedRole,
  authenticationUsersWithoutLogin,
  eventsBadAddress,
  eventsHiddenFieldLeaves,
  eventsNameStyle,
  eventsNameTwice,
  eventsNeverEmitted,
  eventsNobodyReceives,
  eventsNobodysWebhook,
  eventsSecretLeaves,
  eventsWebhookNameTaken,
  errorsNoRetryHint,
  errorsStandardChanged,
  errorsUnknownCode,
  errorsUnusualStatus,
  limitsCannotErase,
  limitsCodeGuessable,
  limitsKeptTooShort,
  limitsNoGeneralRate,
  limitsPersonalKeptForever,
  limitsQuotaMisplaced,
  limitsQuotaNeverFreed,
  limitsUnknownMoment,
  limitsUnknownPer,
  limitsUnknownTarget,
  versioningChosenTwice,
  versioningDeprecatedWithoutSunset,
  versioningIdRenamed,
  versioningNewestDeprecated,
  versioningNotUndone,
  versioningNoticeTooShort,
  versioningPlaceTaken,
  versioningRemovedWhole,
  versioningRenameCollides,
  versioningUnknownName,
  versioningUnknownValue,
];
