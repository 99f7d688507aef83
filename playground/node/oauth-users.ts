/** The pages on which users log in for OAuth: a page has no server to which a browser could be sent. */
export function createUsers(): never {
  throw new Error("the playground has no pages for the logins of OAuth; `nonet serve` has them");
}
