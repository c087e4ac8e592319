/** Characters from arrays, as the C interface takes them. */
import type {Heap} from './heap.js';
import {type CharacterArrays, type CharacterInfo, CutisError} from './types.js';

/** Bytes of the structures where an address has four. */
const kSize = {mesh: 48, character: 40};

/** A handle of a character. */
export function characterFromArrays(heap: Heap, context: number, from: CharacterArrays): number {
  const m = heap.module;
  const kept: number[] = [];
  const keep = (array: ArrayBufferView | undefined): number => {
    if (!array) return 0;
    const pointer = m._malloc(Math.max(array.byteLength, 8));
    if (pointer === 0) throw new CutisError(`there is no memory for ${array.byteLength} bytes`, 'no memory');
    kept.push(pointer);
    m.HEAPU8.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), pointer);
    return pointer;
  };
  const text = (s: string): number => keep(new TextEncoder().encode(s + '\0'));
  try {
    const meshes = new Uint32Array(from.meshes.length * kSize.mesh / 4);
    from.meshes.forEach((mesh, i) => meshes.set([
      kSize.mesh, text(mesh.name ?? 'mesh'), mesh.positions.length / 3, keep(mesh.positions), 0, keep(mesh.normals), 0,
      mesh.triangles.length / 3, keep(mesh.triangles), mesh.influences, keep(mesh.joints), keep(mesh.weights),
    ], i * kSize.mesh / 4));
    const names = Uint32Array.from(from.joints, (joint) => text(joint.name));
    const parents = Int32Array.from(from.joints, (joint) => joint.parent);
    const whole = keep(Uint32Array.from([
      kSize.character, text(from.name ?? 'arrays'), from.meshes.length, keep(meshes), from.joints.length, keep(names),
      keep(parents), keep(from.restFrames), keep(from.defaultPose), keep(from.isBone),
    ]));
    return heap.made((to) => m._cutis_character_from_arrays!(context, whole, to));
  } finally {
    for (const pointer of kept) m._free(pointer);
  }
}

/** The arrays of a character: where another module is to have it. */
export function arraysOf(info: CharacterInfo): CharacterArrays {
  return {
    name: info.name, joints: info.joints.map(({name, parent}) => ({name, parent})), restFrames: info.restFrames,
    defaultPose: info.defaultPose, isBone: Uint8Array.from(info.joints, (joint) => (joint.is_bone ? 1 : 0)),
    meshes: info.meshes.map((mesh) => {
      const first = mesh.first_vertex, end = first + mesh.vertices, k = info.influences;
      return {
        name: mesh.name, positions: info.positions.slice(3 * first, 3 * end),
        triangles: info.triangles.slice(3 * mesh.first_triangle, 3 * (mesh.first_triangle + mesh.triangles)).map((v) => v - first),
        influences: k, joints: info.skinJoints.slice(k * first, k * end), weights: info.skinWeights.slice(k * first, k * end),
      };
    }),
  };
}
