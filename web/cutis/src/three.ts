/**
 * CutisMesh in place of three.js's SkinnedMesh: the same skeleton, the same materials; the skin by Cutis. Until the
 * solver is ready, and where it fails, it is shown by linear blend skinning as a SkinnedMesh is.
 *
 *   const mesh = CutisMesh.from(gltf.scene.getObjectByName('body') as SkinnedMesh);
 *   await mesh.ready;          // optional
 *   ... pose mesh.skeleton as ever; render
 *
 * It draws the pose of some frames ago while the solver works; the page never waits for it.
 */
import {BufferAttribute, BufferGeometry, DynamicDrawUsage, type Material, Matrix4, SkinnedMesh} from 'three';

import {type CharacterArrays, Cutis, CutisError, Latest, type LoadOptions, type Options, type Solver} from './index.js';

export interface CutisMeshOptions extends LoadOptions {
  /** SolveOptions. */
  solve?: Options;
}

const kMostInfluences = 4;

/** 16 numbers row by row; three.js has them column by column. */
function writeRows(m: Matrix4, to: Float64Array, at: number): void {
  for (let row = 0; row < 4; ++row)
    for (let column = 0; column < 4; ++column) to[at + 4 * row + column] = m.elements[4 * column + row]!;
}

/** The arrays of a skinned mesh, in the space it was bound in. */
export function arraysOf(mesh: SkinnedMesh): {arrays: CharacterArrays; boneOf: number[]} {
  const {geometry, skeleton} = mesh;
  const position = geometry.getAttribute('position'), skinIndex = geometry.getAttribute('skinIndex'),
        skinWeight = geometry.getAttribute('skinWeight');
  if (!position || !skinIndex || !skinWeight) throw new CutisError(`mesh '${mesh.name}': has no weights`, 'bad character');
  const n = position.count;
  // Joints from the root to the leaves: a bone's parent is the nearest bone above it.
  const number = new Map(skeleton.bones.map((bone, i) => [bone.uuid, i]));
  const parentOf = skeleton.bones.map((bone) => {
    for (let up = bone.parent; up; up = up.parent) if (number.has(up.uuid)) return number.get(up.uuid)!;
    return -1;
  });
  const depth = (bone: number): number => (parentOf[bone]! < 0 ? 0 : 1 + depth(parentOf[bone]!));
  const boneOf = skeleton.bones.map((_, i) => i).sort((a, b) => depth(a) - depth(b) || a - b);
  const jointOf = new Array<number>(boneOf.length);
  boneOf.forEach((bone, joint) => (jointOf[bone] = joint));

  const positions = new Float32Array(3 * n), joints = new Uint32Array(kMostInfluences * n),
        weights = new Float32Array(kMostInfluences * n);
  const bound = position.clone().applyMatrix4(mesh.bindMatrix);
  for (let v = 0; v < n; ++v) {
    for (let i = 0; i < 3; ++i) positions[3 * v + i] = bound.getComponent(v, i);
    for (let i = 0; i < kMostInfluences; ++i) {
      joints[kMostInfluences * v + i] = jointOf[skinIndex.getComponent(v, i)] ?? 0;
      weights[kMostInfluences * v + i] = skinWeight.getComponent(v, i);
    }
  }
  const index = geometry.getIndex();
  const triangles = index ? Uint32Array.from(index.array) : Uint32Array.from({length: n}, (_, i) => i);
  const restFrames = new Float64Array(16 * boneOf.length);
  const frame = new Matrix4();
  boneOf.forEach((bone, joint) => writeRows(frame.copy(skeleton.boneInverses[bone]!).invert(), restFrames, 16 * joint));
  return {
    boneOf,
    arrays: {
      name: mesh.name || 'mesh',
      meshes: [{name: mesh.name || 'mesh', positions, triangles, influences: kMostInfluences, joints, weights}],
      joints: boneOf.map((bone) => ({name: skeleton.bones[bone]!.name, parent: parentOf[bone]! < 0 ? -1 : jointOf[parentOf[bone]!]!})),
      restFrames,
    },
  };
}

export class CutisMesh extends SkinnedMesh {
  /** When the solver is there; fails with the library's sentence. */
  ready: Promise<void> = Promise.resolve();
  /** Of the last frame. */
  milliseconds = 0;
  certified = false;
  /** Why it is shown by linear blend skinning, after a failure. */
  failure: unknown;

  #solver: Solver | undefined;
  #boneOf: number[] = [];
  #latest = new Latest<Float64Array>((pose) => this.#solve(pose), (error) => this.#fail(error));
  #solved = false;
  #asked = new Float64Array(0);

  static from(mesh: SkinnedMesh, options: CutisMeshOptions = {}): CutisMesh {
    const made = new CutisMesh(mesh.geometry, mesh.material);
    made.name = mesh.name;
    made.bindMode = mesh.bindMode;
    made.matrixAutoUpdate = mesh.matrixAutoUpdate;
    made.matrix.copy(mesh.matrix);
    made.matrix.decompose(made.position, made.quaternion, made.scale);
    made.castShadow = mesh.castShadow;
    made.receiveShadow = mesh.receiveShadow;
    made.bind(mesh.skeleton, mesh.bindMatrix);
    if (mesh.parent) {
      mesh.parent.add(made);
      mesh.removeFromParent();
    }
    made.start(options);
    return made;
  }

  constructor(geometry: BufferGeometry, material: Material | Material[]) {
    super(geometry, material);
    this.frustumCulled = false;  // its box is the rest pose's
  }

  /** Binds it. The skeleton must be there. */
  start(options: CutisMeshOptions = {}): Promise<void> {
    this.ready = (async () => {
      const {arrays, boneOf} = arraysOf(this);
      const character = await Cutis.load(arrays, options);
      this.#solver = await character.solver(options.solve ?? {method: 'tracking', contact_pass: true});
      this.#boneOf = boneOf;
    })();
    this.ready.catch((error: unknown) => this.#fail(error));
    return this.ready;
  }

  override updateMatrixWorld(force?: boolean): void {
    super.updateMatrixWorld(force);
    if (!this.#solver) return;
    // Bones relative to the mesh: where the mesh is in the scene is no motion of the skin.
    const pose = new Float64Array(16 * this.#boneOf.length);
    const toMesh = new Matrix4().copy(this.matrixWorld).invert(), frame = new Matrix4();
    this.#boneOf.forEach((bone, joint) =>
      writeRows(frame.multiplyMatrices(toMesh, this.skeleton.bones[bone]!.matrixWorld), pose, 16 * joint));
    if (this.#asked.length === pose.length && this.#asked.every((value, i) => value === pose[i])) return;
    this.#asked = pose;
    this.#latest.ask(pose.slice());
  }

  async #solve(pose: Float64Array): Promise<void> {
    const frame = await this.#solver!.solve(pose, 'world');
    this.milliseconds = frame.milliseconds;
    this.certified = frame.certified;
    if (!this.#solved) {
      // From now on it is drawn as it is, without skinning.
      const geometry = new BufferGeometry().copy(this.geometry);
      geometry.deleteAttribute('skinIndex');
      geometry.deleteAttribute('skinWeight');
      this.geometry = geometry;
      (this as {isSkinnedMesh: boolean}).isSkinnedMesh = false;
      this.#solved = true;
    }
    for (const [name, array] of [['position', frame.positions], ['normal', frame.normals]] as const) {
      const attribute = this.geometry.getAttribute(name);
      if (attribute instanceof BufferAttribute && attribute.array.length === array.length && attribute.usage === DynamicDrawUsage) {
        attribute.array = array;
        attribute.needsUpdate = true;
      } else {
        this.geometry.setAttribute(name, new BufferAttribute(array, 3).setUsage(DynamicDrawUsage));
      }
    }
  }

  #fail(error: unknown): void {
    this.failure = error;
    console.warn(`Cutis: ${error instanceof Error ? error.message : String(error)}`);
  }
}
