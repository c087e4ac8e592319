/** The meshes of one method. */
import type {CharacterInfo, Frame} from 'cutis';
import {
  Box3, BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, type Material, Mesh, MeshStandardMaterial, type Object3D,
  Vector3,
} from 'three';

/** How a mesh of the character looks in its file. */
export interface Look {
  material: Material | Material[];
  index?: BufferAttribute;
  /** Attributes besides positions and normals: they do not change. */
  attributes: Map<string, BufferAttribute>;
}

export const kClay = new MeshStandardMaterial({color: 0xc9a58f, roughness: 0.75, metalness: 0, side: DoubleSide});
const kPainted = new MeshStandardMaterial({vertexColors: true, roughness: 0.85, metalness: 0, side: DoubleSide});
/** Of the skin over its field. */
const kGhost = new MeshStandardMaterial({color: 0xdfe6ee, transparent: true, opacity: 0.28, depthWrite: false, roughness: 0.6});

export class Skin {
  readonly group = new Group();
  readonly #meshes: {mesh: Mesh; first: number; count: number; look: Material | Material[]; painted: Material | Material[]}[] = [];
  #ghostly = false;

  constructor(info: CharacterInfo, looks: (Look | undefined)[]) {
    info.meshes.forEach((part, i) => {
      const look = looks[i], geometry = new BufferGeometry();
      look?.attributes.forEach((attribute, name) => geometry.setAttribute(name, attribute));
      geometry.setIndex(look?.index ?? new BufferAttribute(
        info.triangles.subarray(3 * part.first_triangle, 3 * (part.first_triangle + part.triangles)).map((v) => v - part.first_vertex), 1));
      const range = (all: Float32Array): BufferAttribute => new BufferAttribute(
        all.slice(3 * part.first_vertex, 3 * (part.first_vertex + part.vertices)), 3).setUsage(DynamicDrawUsage);
      geometry.setAttribute('position', range(info.positions));
      geometry.setAttribute('normal', range(info.normals));
      const mesh = new Mesh(geometry, look?.material ?? kClay);
      mesh.frustumCulled = false;
      this.#meshes.push({mesh, first: part.first_vertex, count: part.vertices, look: mesh.material, painted: mesh.material});
      this.group.add(mesh);
    });
  }

  show(frame: Pick<Frame, 'positions' | 'normals'>): void {
    for (const {mesh, first, count} of this.#meshes)
      for (const [name, all] of [['position', frame.positions], ['normal', frame.normals]] as const) {
        const attribute = mesh.geometry.getAttribute(name) as BufferAttribute;
        attribute.array = all.subarray(3 * first, 3 * (first + count));
        attribute.needsUpdate = true;
      }
  }

  /** Colours of all vertices; undefined: as in the file; 'clay': plain. */
  paint(colors: Float32Array | 'clay' | undefined): void {
    for (const one of this.#meshes) {
      const {mesh, first, count} = one;
      one.painted = colors === undefined ? one.look : colors === 'clay' ? kClay : kPainted;
      if (!this.#ghostly) mesh.material = one.painted;
      if (colors === undefined || colors === 'clay') continue;
      const part = colors.subarray(3 * first, 3 * (first + count));
      const old = mesh.geometry.getAttribute('color') as BufferAttribute | undefined;
      if (old && old.array.length === part.length && old.usage === DynamicDrawUsage) {
        old.array = part;
        old.needsUpdate = true;
      } else {
        mesh.geometry.setAttribute('color', new BufferAttribute(part, 3).setUsage(DynamicDrawUsage));
      }
    }
  }

  /** Seen through. */
  set ghostly(on: boolean) {
    if (on === this.#ghostly) return;
    this.#ghostly = on;
    for (const {mesh, painted} of this.#meshes) mesh.material = on ? kGhost : painted;
  }

  box(): Box3 {
    const box = new Box3();
    for (const {mesh} of this.#meshes) box.union(new Box3().setFromBufferAttribute(mesh.geometry.getAttribute('position') as BufferAttribute));
    return box;
  }

  /** The vertex of the character that belongs to a corner of a face that was hit. */
  vertexOf(object: Object3D, corner: number): number {
    return corner + (this.#meshes.find(({mesh}) => mesh === object)?.first ?? 0);
  }

  dispose(): void {
    for (const {mesh} of this.#meshes) mesh.geometry.dispose();
  }
}

export function diagonal(info: CharacterInfo): number {
  return new Box3().setFromArray(info.positions).getSize(new Vector3()).length();
}
