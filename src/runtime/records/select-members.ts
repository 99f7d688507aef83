/** Selects what a view contains: records in place of ids, and only some members. */
import type { MemberPath } from "../context/compiled.ts";
import { type MemberTree, outermost, treeOf } from "../versions/requested-members.ts";
import type { Members, View, ViewMember, ViewSource } from "../../store/port/store.ts";

/** Returns the view in which the references at the paths are records; or the first path at which there is no reference. */
export function expanded(view: View, paths: readonly MemberPath[]): View | { readonly unknown: MemberPath } {
  const unknown = paths.find((path) => !isExpandable(view, path));
  if (unknown !== undefined) return { unknown };
  return { ...view, ...expandedMembers(view, treeOf(paths)) };
}

function isExpandable({ members, onRequest = [] }: Members, [name, ...rest]: MemberPath): boolean {
  const member = [...members, ...onRequest].find((one) => one.name === name);
  if (member === undefined) return false;
  const { expandable, source } = member;
  if (expandable !== undefined) return rest.length === 0 || isExpandable(expandable.view(), rest);
  return rest.length > 0 && isExpandable(membersIn(source), rest);
}

/** Returns the members of the objects that a member contains in every response. */
function membersIn(source: ViewSource): Members {
  if (source.kind === "object") return source;
  return source.kind === "record" || source.kind === "records" ? source.view : { members: [] };
}

/** Returns the view with only the members at the paths; or the first path at which there is no member. */
export function narrowed(view: View, paths: readonly MemberPath[]): View | { readonly unknown: MemberPath } {
  const unknown = paths.find((path) => !isMember(view.members, path));
  if (unknown !== undefined) return { unknown };
  return { ...view, members: membersAt(view.members, treeOf(outermost(paths))) };
}

function isMember(members: readonly ViewMember[], [name, ...rest]: MemberPath): boolean {
  const member = members.find((one) => one.name === name);
  return member !== undefined && (rest.length === 0 || isMember(membersIn(member.source).members, rest));
}

/** A member without names below it is whole. */
function membersAt(members: readonly ViewMember[], tree: MemberTree): readonly ViewMember[] {
  return members.flatMap((member): readonly ViewMember[] => {
    const below = tree.get(member.name);
    if (below === undefined) return [];
    const { source } = member;
    if (below.size === 0) return [member];
    if (source.kind === "object")
      return [{ ...member, source: { kind: "object", members: membersAt(source.members, below) } }];
    if (source.kind !== "record" && source.kind !== "records") return [member];
    const view = { ...source.view, members: membersAt(source.view.members, below) };
    return [{ ...member, source: { ...source, view } }];
  });
}

/** Returns the members with those of the tree expanded; a member that is there on request only is behind the others. */
function expandedMembers({ members, onRequest = [] }: Members, tree: MemberTree): Members {
  const requested = onRequest.filter(({ name }) => tree.has(name));
  return {
    members: [...members, ...requested].map((member) => {
      const below = tree.get(member.name);
      return below === undefined ? member : expandedMember(member, below);
    }),
  };
}

function expandedMember(member: ViewMember, below: MemberTree): ViewMember {
  const { expandable, source, type, ...rest } = member;
  const inner = (view: View): View => ({ resource: view.resource, ...expandedMembers(view, below) });
  if (expandable !== undefined) {
    const { expression, isList, view, visible } = expandable;
    const content = { expression, view: inner(view()), ...(visible === undefined ? {} : { visible }) };
    if (isList === true) return { ...rest, source: { kind: "records", ...content }, type: "json" };
    const orId = expandable.isLeftOut === true ? {} : { orId: type };
    return { ...rest, source: { kind: "record", ...content, ...orId }, type: "json" };
  }
  if (source.kind === "object") return { ...member, source: { kind: "object", ...expandedMembers(source, below) } };
  if (source.kind === "record" || source.kind === "records")
    return { ...member, source: { ...source, view: inner(source.view) } };
  return member;
}
