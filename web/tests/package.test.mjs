// The npm package in node: the same skin as the program's, the same counts, sentences for what goes wrong.
// CUTIS: the program to compare with.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {brotliCompressSync} from 'node:zlib';
import {Cutis, kRoles, Library} from 'cutis';
import {Core, CoreCharacter, CoreSolver, loadCore} from 'cutis/core';
import {Puller} from 'cutis/markers';

const program = process.env.CUTIS;
const folder = mkdtempSync(join(tmpdir(), 'cutis-web-'));
after(() => rmSync(folder, {recursive: true}));

// Sines and cosines of the two C libraries differ in the last bit. Of the character's size: where nothing touches, and in
// the mean (root of squares) of a fist with contact, whose folds have several equilibria: a pose that differs by 1e-7
// changes them by millimetres.
const kFree = 1e-6, kFolded = 2e-3;
const kContact = {method: 'tracking', contact_pass: true};

function readPc2(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  assert.equal(new TextDecoder().decode(bytes.subarray(0, 11)), 'POINTCACHE2');
  const points = view.getInt32(16, true), frames = view.getInt32(28, true);
  return {points, frames, at: (i) => view.getFloat32(32 + 4 * i, true)};
}
const native = (...args) => execFileSync(program, args, {encoding: 'utf8', maxBuffer: 1 << 28});

function size(positions) {
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
  positions.forEach((p, i) => {
    lo[i % 3] = Math.min(lo[i % 3], p);
    hi[i % 3] = Math.max(hi[i % 3], p);
  });
  return Math.hypot(...hi.map((h, i) => h - lo[i]));
}

const needsProgram = {skip: !program && 'CUTIS does not name the program'};

/** Frames of a fist by the program and here: the largest difference of each, and the root of squares of all. */
async function differences(character, flags, options) {
  const file = join(folder, 'fist.pc2');
  native('animate', 'builtin:hand', '--clip', 'fist', '--fps', '10', ...flags, '-o', file);
  const want = readPc2(readFileSync(file)), got = readPc2((await character.animate('fist.pc2', 'fist', 10, options)).bytes);
  assert.equal(got.points, want.points);
  assert.equal(got.frames, want.frames);
  const worst = new Array(want.frames).fill(0), each = 3 * want.points, scale = size(character.info.positions);
  let squares = 0;
  for (let i = 0; i < each * want.frames; ++i) {
    const difference = Math.abs(got.at(i) - want.at(i)) / scale, frame = Math.floor(i / each);
    worst[frame] = Math.max(worst[frame], difference);
    squares += difference ** 2;
  }
  return {worst, mean: Math.sqrt(squares / (each * want.frames))};
}

test('Skin is the program\'s: linear blending to the bit, tracking to the last digits, a fist with contact in the mean', needsProgram, async (t) => {
  const character = await Cutis.load('builtin:hand');
  assert.equal(Math.max(...(await differences(character, ['--method', 'lbs'], {method: 'lbs'})).worst), 0);
  const free = (await differences(character, ['--no-contact-pass'], {method: 'tracking', contact_pass: false})).worst.slice(0, 4);
  const {mean, worst} = await differences(character, [], kContact);
  t.diagnostic(`of the hand's size: tracking ${Math.max(...free).toExponential(1)} where nothing touches; with contact ${mean.toExponential(1)} in the mean, ${Math.max(...worst).toExponential(1)} at most`);
  assert.ok(Math.max(...free) < kFree, `${Math.max(...free)} where nothing touches`);
  assert.ok(mean < kFolded, `${mean} in the mean`);
});

test('Counts of a fist are those of cutis measure', needsProgram, async () => {
  const {methods} = JSON.parse(native('measure', 'builtin:hand', '--clip', 'fist', '--frames', '13', '--methods', 'lbs,tracking', '--json'));
  const character = await Cutis.load('builtin:hand');
  for (const [method, options] of [['lbs', {method: 'lbs'}], ['tracking', kContact]]) {
    const solver = await character.solver(options);
    await solver.foresee('fist');
    for (const [i, want] of methods[method].frames.entries()) {
      const time = i / 6;
      const frame = await solver.solve(await character.sample('fist', time), 'trs', {time});
      if (i % 3 !== 0) continue;
      const {numbers} = await solver.measure();
      const what = `${method} at ${time}`;
      assert.equal(numbers.intersecting_pairs, want.intersecting_pairs, what);
      assert.ok(Math.abs(numbers.volume_change - want.volume_change) < 3e-3, what);
      assert.ok(Math.abs(numbers.stretch_p95 - want.stretch_p95) < 2e-2, what);
      if (method === 'lbs') assert.equal(numbers.folds, want.folds, what);
      else assert.ok(frame.certified, what);
    }
  }
});

test('A fist has no intersections with contact, and has some without', async () => {
  const character = await Cutis.load('builtin:hand');
  const pairs = {};
  for (const [name, options] of [['lbs', {method: 'lbs'}], ['contact', kContact]]) {
    const solver = await character.solver(options);
    await solver.foresee('fist');
    let frame;
    for (let i = 0; i <= 10; ++i) frame = await solver.solve(await character.sample('fist', i / 10), 'trs', {time: i / 10});
    pairs[name] = (await solver.measure()).numbers.intersecting_pairs;
    assert.equal(frame.nonfinite, 0);
    if (name === 'contact') assert.ok(frame.certified);
    await solver.dispose();
  }
  assert.ok(pairs.lbs > 0, `lbs has ${pairs.lbs}`);
  assert.equal(pairs.contact, 0);
});

test('Both back ends have the same bits', async () => {
  const {module} = await loadCore();
  const [scalar, simd] = ['scalar', 'simd'].map((backend) => {
    const core = new Core(module, {backend});
    const character = CoreCharacter.load(core, 'builtin:hand');
    const solver = new CoreSolver(core, character, kContact);
    let frame;
    for (const time of [0.1, 0.3, 0.5]) frame = solver.solve(character.sample('fist', time));
    return frame;
  });
  assert.deepEqual(scalar.positions, simd.positions);
  assert.deepEqual(scalar.normals, simd.normals);
});

test('A frame that is sought depends on its pose alone', async () => {
  const character = await Cutis.load('builtin:arm');
  const pose = await character.sample('', 0.7);
  const a = await (await character.solver({method: 'tracking'})).seek(pose);
  const other = await character.solver({method: 'tracking'});
  await other.solve(await character.sample('', 0.3));
  const b = await other.seek(pose);
  assert.deepEqual(a.positions, b.positions);
});

test('Arrays make the character that they came from', async () => {
  const {info} = await Cutis.load('builtin:cylinder');
  const made = await Cutis.load({
    meshes: [{positions: info.positions, normals: info.normals, triangles: info.triangles, influences: info.influences,
              joints: info.skinJoints, weights: info.skinWeights}],
    joints: info.joints, restFrames: info.restFrames,
  });
  const builtin = await Cutis.load('builtin:cylinder');
  const pose = await builtin.sample('', 0.5, 'world');
  const want = await (await builtin.solver({method: 'dqs'})).solve(pose, 'world');
  const got = await (await made.solver({method: 'dqs'})).solve(pose, 'world');
  assert.deepEqual(got.positions, want.positions);
});

test('A clip that was recorded is exported as a GLB that the validator accepts', async () => {
  const {default: validator} = await import('gltf-validator');
  const character = await Cutis.load('builtin:cylinder');
  const poses = [0, 0.2, 0.4];
  await character.addClip('mine', await Promise.all(poses.map((t) => character.sample('', t))), poses);
  assert.ok(character.info.clips.some((clip) => clip.name === 'mine'));
  const {bytes} = await character.animate('mine.glb', 'mine', 10, {method: 'lbs'});
  const report = await validator.validateBytes(bytes);
  assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages));
});

test('What is wrong gets the library\'s sentence', async () => {
  await assert.rejects(Cutis.load('builtin:nobody'), {name: 'CutisError', message: /there is no such built-in character/});
  await assert.rejects(Cutis.load(new Uint8Array([1, 2, 3]), {name: 'broken.glb'}), {name: 'CutisError', message: /broken\.glb/});
  const character = await Cutis.load('builtin:cylinder');
  await assert.rejects(character.solver({method: 'magic'}), {name: 'CutisError', message: /magic/});
  const solver = await character.solver({method: 'lbs'});
  await assert.rejects(solver.solve(new Float64Array(3)), {name: 'CutisError', message: /pose/});
  const pose = character.info.defaultPose.slice();
  pose[0] = NaN;
  await assert.rejects(solver.solve(pose), {name: 'CutisError'});
  await solver.dispose();
  await assert.rejects(solver.solve(character.info.defaultPose), {name: 'CutisError', message: /disposed/});
});

test('Bound again with a preset, solvers from then on have it; those there keep what they have', async () => {
  const character = await Cutis.load('builtin:arm');
  const {clips: [clip]} = character.info, pose = await character.sample(clip.name, clip.start + 0.4 * (clip.end - clip.start));
  const options = {method: 'tracking', contact_pass: false};
  const before = await character.solver(options), flat = (await before.seek(pose)).positions;
  const report = await character.bind({preset: {joints: {forearm: {operator: 'bulge'}}}});
  assert.equal(report.preset.joints.forearm.operator, 'bulge');
  assert.deepEqual((await before.seek(pose)).positions, flat);
  const bulged = (await (await character.solver(options)).seek(pose)).positions;
  assert.notDeepEqual(bulged, flat);
  // The same as bound with it from the beginning.
  const anew = await Cutis.load('builtin:arm', {bind: {preset: {joints: {forearm: {operator: 'bulge'}}}}});
  assert.deepEqual((await (await anew.solver(options)).seek(pose)).positions, bulged);
  await assert.rejects(character.bind({preset: {joints: {nobody: {}}}}), {name: 'CutisError', message: /nobody/});
});

test('The field has a surface where its level is, in its box; roles and controllers have names', async () => {
  const character = await Cutis.load('builtin:cylinder'), field = await character.field();
  const box = await field.bounds(), cell = (box[4] - box[1]) / 40, {positions, normals, joints, triangles} = await field.surface(cell, 0.5);
  assert.equal(positions.length, normals.length);
  assert.equal(joints.length, positions.length / 3);
  assert.ok(triangles.length > 300 && Math.max(...triangles) < joints.length);
  const values = await field.evaluate(positions);
  assert.ok(values.reduce((sum, f) => sum + Math.abs(f - 0.5), 0) / values.length < 0.01);
  positions.forEach((x, i) => assert.ok(x > box[i % 3] - cell && x < box[3 + (i % 3)] + cell));
  const still = triangles.length;
  const {clips: [clip]} = character.info;
  await field.pose(await character.sample(clip.name, (clip.start + clip.end) / 2));
  assert.notEqual((await field.surface(cell, 0.5)).triangles.length, still);
  await assert.rejects(field.surface(1e-9), {name: 'CutisError', message: /take larger ones/});
  await field.dispose();
  await assert.rejects(field.bounds(), {name: 'CutisError', message: /disposed/});
  assert.deepEqual([...new Set(await character.roles())].map((r) => kRoles[r]), ['body']);
  assert.deepEqual([...new Set(await character.roles({preset: {roles: [{name: 'all', role: 'rigid'}]}}))].map((r) => kRoles[r]), ['rigid']);
  const named = await (await Library.start({worker: false})).controllers();
  assert.ok(named.some((c) => c.name === 'elbow' && c.bulge.length > 1));
});

test('A body is pulled at: what is pulled gets there, pins hold, the rest stays in its pose; limits stop it with a sentence', async () => {
  const character = await Cutis.load('builtin:human'), {info} = character, joint = (name) => info.joints.findIndex((j) => j.name === name);
  const puller = await Puller.create(info, {options: {resolution: 400}});
  const {handles, controlMesh} = puller.about;
  assert.ok(handles.length >= 20 && handles.every((j) => info.joints[j].is_bone));
  assert.equal(controlMesh.boundary_intersections, 0);
  assert.ok(controlMesh.uncovered_vertices < 10);
  const pose = await character.sample('squat', 0.5), world = await character.sample('squat', 0.5, 'world');
  const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
  const place = (frames, name) => [3, 7, 11].map((k) => frames[16 * joint(name) + k]);
  // Frames of a pose: as a clip of one.
  const framesOf = async (p) => {
    await character.addClip('pulled', [p, p], [0, 1]);
    return await character.sample('pulled', 0, 'world');
  };
  const begun = await puller.stand(pose, ['hips', 'head', 'foot_l', 'foot_r'].map(joint)), there = await framesOf(begun.pose);
  for (const name of ['head', 'hand_r', 'shin_l']) assert.ok(distance(place(there, name), place(world, name)) < 0.04, name);
  const from = place(there, 'hand_l'), to = [from[0] + 0.05, from[1] + 0.2, from[2]];
  let pulled;
  for (let i = 1; i <= 4; ++i) pulled = await puller.pull(joint('hand_l'), from.map((x, k) => x + ((to[k] - x) * i) / 4));
  assert.deepEqual(pulled.unreached, []);
  const now = await framesOf(pulled.pose);
  assert.ok(distance(place(now, 'hand_l'), to) < 0.03, `${place(now, 'hand_l')} is not ${to}`);
  for (const name of ['foot_r', 'head', 'hand_r']) assert.ok(distance(place(now, name), place(there, name)) < 0.04, `${name} moved`);
  const cage = await puller.controlMesh();
  assert.equal(cage.triangles.length / 3, controlMesh.boundary_triangles);
  assert.ok(Math.max(...cage.triangles) < cage.positions.length / 3);
  // Farther than an arm is long.
  await puller.pull(joint('hand_l'));
  const far = await puller.pull(joint('hand_l'), [2, 3, 0]);
  assert.equal(far.unreached[0].handle, joint('hand_l'));
  assert.ok(far.unreached[0].distance > 0.5);
  await assert.rejects(puller.pull(joint('hand_r'), [0, 1, 0]), {name: 'CutisError', message: /held already/});
  await assert.rejects(puller.stand(new Float64Array(3), []), {name: 'CutisError', message: /pose/});
  puller.close();
  await assert.rejects(Puller.create({...info, triangles: info.triangles.slice(0, 0), meshes: [{...info.meshes[0], triangles: 0}]}), {name: 'CutisError'});
});

test('Options have tables', async () => {
  const library = await Library.start({worker: false});
  const tables = await library.options();
  assert.ok(tables.SolveOptions && tables.TrackingOptions);
});

// What a page loads is compressed by its server; the tarball is compressed less well.
// The part for pulling is loaded by pages that pull.
const kMostLoaded = 700 * 1024, kMostPulling = 260 * 1024, kMostPacked = 1230 * 1024;
test('The package is small enough to be loaded by a page', (t) => {
  const cwd = join(fileURLToPath(import.meta.url), '../../cutis');
  const [about] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json'], {cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}));
  const names = about.files.map((f) => f.path);
  for (const name of ['dist/index.js', 'dist/index.d.ts', 'dist/worker.js', 'dist/three.js', 'dist/cutis.wasm', 'dist/markers.js', 'dist/markers.wasm', 'LICENSE', 'README.md'])
    assert.ok(names.includes(name), `${name} is missing`);
  const size = (names) => names.reduce((sum, name) => sum + brotliCompressSync(readFileSync(join(cwd, 'dist', name))).length, 0);
  const loaded = size(['cutis.wasm', 'cutis.mjs', 'index.js', 'messages.js', 'server.js', 'core.js', 'heap.js', 'arrays.js', 'types.js', 'worker.js']);
  const pulling = size(['markers.wasm', 'markers.mjs', 'markers.js', 'markers_core.js', 'markers_worker.js']);
  t.diagnostic(`${Math.round(loaded / 1024)} KB to load (brotli), ${Math.round(pulling / 1024)} KB more to pull, ${Math.round(about.size / 1024)} KB packed (npm pack)`);
  assert.ok(pulling <= kMostPulling, `${pulling} bytes to pull`);
  assert.ok(loaded <= kMostLoaded, `${loaded} bytes to load`);
  assert.ok(about.size <= kMostPacked, `${about.size} bytes packed`);
});
