/** The control mesh in the picture: its edges over a faint surface. */
import type {ControlMesh} from 'cutis/markers';
import {BufferAttribute, BufferGeometry, Group, Mesh, MeshBasicMaterial} from 'three';

export class CageView {
  readonly mesh = new Group();
  readonly #geometry = new BufferGeometry();

  constructor() {
    for (const material of [
      new MeshBasicMaterial({color: 0x5eb1ef, wireframe: true, transparent: true, opacity: 0.55, depthWrite: false}),
      new MeshBasicMaterial({color: 0x5eb1ef, transparent: true, opacity: 0.1, depthWrite: false}),
    ]) {
      const mesh = new Mesh(this.#geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = 3;
      this.mesh.add(mesh);
    }
    this.mesh.visible = false;
  }

  show(cage: ControlMesh): void {
    this.#geometry.setAttribute('position', new BufferAttribute(cage.positions, 3));
    this.#geometry.setIndex(new BufferAttribute(cage.triangles, 1));
  }
}
