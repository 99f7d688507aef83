/** Expands references of a view to the records to which they refer. */
import type { MemberPath } from "../context/compiled.ts";
import type { View, ViewMember, ViewSource } from "../../store/port/store.ts";

/** The requested members below each member. */
type Tree = ReadonlyMap<string, Tree>;

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

function treeOf(paths: readonly MemberPath[]): Tree {
  const below = Map.groupBy(
    paths.filter((path) => path.length > 0),
    ([name = ""]) => name,
  );
  return new Map([...below].map(([name, found]) => [name, treeOf(found.map((path) => path.slice(1)))]));
}

function expandedMembers(members: readonly ViewMember[], tree: Tree): readonly ViewMember[] {
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
