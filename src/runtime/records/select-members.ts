/** Selects what a view contains: records in place of ids, and only some members. */
import type { MemberPath } from "../context/compiled.ts";
import { type MemberTree, outermost, treeOf } from "../versions/requested-members.ts";
import type { View, ViewMember, ViewSource } from "../../store/port/store.ts";

/** Returns the view in which the references at the paths are records; or the first path at which there is no reference. */
export function expanded(view: View, paths: readonly MemberPath[]): View | { readonly unknown: MemberPath } {
  const unknown = paths.find((path) => !isExpandable(view.members, path));
  if (unknown !== undefined) return { unknown };
  return { ...view, members: expandedMembers(view.members, treeOf(paths)) };
}

function isExpandable(members: readonly ViewMember[], [name, ...rest]: MemberPath): boolean {
  const member = members.find((one) => one.name === name);
  if (member === undefined) return false;
  const { expandable, source } = member;
  if (expandable !== undefined) return rest.length === 0 || isExpandable(expandable.view().members, rest);
  return rest.length > 0 && isExpandable(membersIn(source), rest);
}

/** Returns the members of the objects that a member contains in every response. */
function membersIn(source: ViewSource): readonly ViewMember[] {
  if (source.kind === "object") return source.members;
  return source.kind === "record" || source.kind === "records" ? source.view.members : [];
}

/** Returns the view with only the members at the paths; or the first path at which there is no member. */
export function narrowed(view: View, paths: readonly MemberPath[]): View | { readonly unknown: MemberPath } {
  const unknown = paths.find((path) => !isMember(view.members, path));
  if (unknown !== undefined) return { unknown };
  return { ...view, members: membersAt(view.members, treeOf(outermost(paths))) };
}

function isMember(members: readonly ViewMember[], [name, ...rest]: MemberPath): boolean {
  const member = members.find((one) => one.name === name);
  return member !== undefined && (rest.length === 0 || isMember(membersIn(member.source), rest));
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

function expandedMembers(members: readonly ViewMember[], tree: MemberTree): readonly ViewMember[] {
  return members.map((member): ViewMember => {
    const below = tree.get(member.name);
    if (below === undefined) return member;
    const { expandable, source, type, ...rest } = member;
    const inner = (view: View): View => ({ ...view, members: expandedMembers(view.members, below) });
    if (expandable !== undefined) {
      const { expression, view, visible } = expandable;
      const orId = { type, ...(visible === undefined ? {} : { visible }) };
      return { ...rest, source: { kind: "record", expression, view: inner(view()), orId }, type: "json" };
    }
    if (source.kind === "object")
      return { ...member, source: { kind: "object", members: expandedMembers(source.members, below) } };
    if (source.kind === "record" || source.kind === "records")
      return { ...member, source: { ...source, view: inner(source.view) } };
    return member;
  });
}
