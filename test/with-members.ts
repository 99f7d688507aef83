/** Wraps a store or a transaction with replaced members, so that a test can count, fail or change calls. */

/** All other members are those of `target`, which may be of a class: its methods are called on it. */
export function withMembers<Target extends object>(target: Target, members: Partial<Target>): Target {
  return new Proxy(target, {
    get: (_, name): unknown => (Object.hasOwn(members, name) ? Reflect.get(members, name) : bound(target, name)),
  });
}

export function bound(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name, target);
  return typeof member === "function" ? (member.bind(target) as unknown) : member;
}
