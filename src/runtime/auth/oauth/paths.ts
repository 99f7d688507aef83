/** Where clients look first. */

/** RFC 8414 */
export const serverMetadataPath = "/.well-known/oauth-authorization-server";

/** RFC 9728 */
export const resourceMetadataPath = "/.well-known/oauth-protected-resource";
