// CutisMesh, without a picture: three.js's skeleton in, positions out.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Cutis} from 'cutis';
import {CutisMesh} from 'cutis/three';
import {
  Bone, BufferAttribute, BufferGeometry, Group, Matrix4, MeshBasicMaterial, Skeleton, SkinnedMesh, Uint16BufferAttribute, Vector3,
} from 'three';

/** As GLTFLoader would make it. */
function skinnedMesh(info) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(info.positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(info.normals, 3));
  geometry.setIndex(new BufferAttribute(info.triangles, 1));
  const n = info.positions.length / 3, joints = new Uint16Array(4 * n), weights = new Float32Array(4 * n);
  for (let v = 0; v < n; ++v)
    for (let i = 0; i < Math.min(4, info.influences); ++i) {
      joints[4 * v + i] = info.skinJoints[v * info.influences + i];
      weights[4 * v + i] = info.skinWeights[v * info.influences + i];
    }
  geometry.setAttribute('skinIndex', new Uint16BufferAttribute(joints, 4));
  geometry.setAttribute('skinWeight', new BufferAttribute(weights, 4));
  const bones = info.joints.map((joint) => Object.assign(new Bone(), {name: joint.name}));
  const frames = info.joints.map((_, j) => new Matrix4().set(...info.restFrames.subarray(16 * j, 16 * j + 16)));
  const root = new Group();
  info.joints.forEach(({parent}, j) => {
    (parent < 0 ? root : bones[parent]).add(bones[j]);
    const local = parent < 0 ? frames[j].clone() : frames[parent].clone().invert().multiply(frames[j]);
    local.decompose(bones[j].position, bones[j].quaternion, bones[j].scale);
  });
  const mesh = new SkinnedMesh(geometry, new MeshBasicMaterial());
  mesh.name = 'body';
  root.add(mesh);
  root.updateMatrixWorld(true);
  mesh.bind(new Skeleton(bones, frames.map((m) => m.clone().invert())), new Matrix4());
  return {root, mesh, bones};
}

async function until(condition) {
  for (let i = 0; i < 600 && !condition(); ++i) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(condition(), 'it did not come');
}
const positionsOf = (mesh) => mesh.geometry.getAttribute('position').array;

test('CutisMesh takes a SkinnedMesh\'s place, shows linear blending until it is ready, then the skin of its skeleton', async () => {
  const character = await Cutis.load('builtin:cylinder');
  const {root, mesh, bones} = skinnedMesh(character.info);
  root.position.set(3, 1, -2);  // where the character stands is no motion of its skin
  root.rotation.y = 0.7;
  const skin = CutisMesh.from(mesh, {solve: {method: 'dqs'}});
  assert.equal(skin.parent, root);
  assert.equal(mesh.parent, null);
  assert.ok(skin.isSkinnedMesh);
  await skin.ready;
  bones[1].rotation.x += 0.6;
  root.updateMatrixWorld(true);
  await until(() => !skin.isSkinnedMesh);
  // The same by three.js's own formula for one vertex that hangs on one bone alone.
  const {info} = character;
  const vertex = Array.from({length: info.positions.length / 3}, (_, v) => v).find((v) => info.skinWeights[v * info.influences] > 0.999);
  const bone = info.skinJoints[vertex * info.influences];
  const expected = new Vector3().fromArray(info.positions, 3 * vertex).applyMatrix4(mesh.skeleton.boneInverses[bone])
    .applyMatrix4(bones[bone].matrixWorld).applyMatrix4(new Matrix4().copy(skin.matrixWorld).invert());
  const got = new Vector3().fromArray(positionsOf(skin), 3 * vertex);
  assert.ok(got.distanceTo(expected) < 1e-5, `${got.toArray()} instead of ${expected.toArray()}`);
  assert.ok(skin.milliseconds > 0);
});

test('CutisMesh without weights fails with a sentence, and stays what it was', async () => {
  const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(9), 3));
  const mesh = new SkinnedMesh(geometry, new MeshBasicMaterial());
  mesh.name = 'bare';
  mesh.bind(new Skeleton([new Bone()]), new Matrix4());
  const skin = CutisMesh.from(mesh);
  await assert.rejects(skin.ready, /bare.*has no weights/);
  assert.ok(skin.isSkinnedMesh);
});
