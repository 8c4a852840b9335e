import { IFCRELAGGREGATES, IFCRELCONTAINEDINSPATIALSTRUCTURE, type IfcAPI } from 'web-ifc';

/** The maximum depth, which no building reaches. Deeper structures are divided. */
const MAX_DEPTH = 100;
/** The relations that form the tree, each with the attributes of the parent and of the children. */
const CONTAINMENT_RELATIONS = [
  [IFCRELAGGREGATES, 'RelatingObject', 'RelatedObjects'],
  [IFCRELCONTAINEDINSPATIALSTRUCTURE, 'RelatingStructure', 'RelatedElements'],
] as const;

/** Reads the id of each product's parent: its assembly, storey, building, site or project. */
export function readParentIds(api: IfcAPI, model: number): Map<number, number> {
  const parentIds = new Map<number, number>();
  for (const [relation, parentAttribute, childrenAttribute] of CONTAINMENT_RELATIONS) {
    const ids = api.GetLineIDsWithType(model, relation);
    for (let index = 0; index < ids.size(); index++) {
      const line = api.GetLine(model, ids.get(index));
      for (const child of line?.[childrenAttribute] ?? []) {
        const parent = line[parentAttribute];
        if (Number.isInteger(child?.value) && Number.isInteger(parent?.value))
          parentIds.set(child.value, parent.value);
      }
    }
  }
  for (const id of parentIds.keys()) breakCycle(parentIds, id);
  return parentIds;
}

/** Removes the link that closes a cycle of parents, which only invalid files have. */
function breakCycle(parentIds: Map<number, number>, startId: number): void {
  const visited = new Set([startId]);
  let id = startId;
  for (;;) {
    const parentId = parentIds.get(id);
    if (parentId === undefined) return;
    if (visited.has(parentId) || visited.size > MAX_DEPTH) parentIds.delete(id);
    visited.add(parentId);
    id = parentId;
  }
}

/** Returns the name of a product, or the name of its type if it has none. */
export function getProductName(api: IfcAPI, model: number, id: number): string {
  try {
    const line = api.GetLine(model, id);
    return String(
      line.Name?.value || line.LongName?.value || api.GetNameFromTypeCode(line.type) || '',
    );
  } catch {
    // The library throws for entities that it cannot parse, but can still have their shape.
    return '';
  }
}
