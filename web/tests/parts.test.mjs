// Parts of the viewer that need no page: presets, brushes.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {Cutis, Library} from 'cutis';

const here = fileURLToPath(new URL('.', import.meta.url));
let parts, character, named;
before(async () => {
  const made = await build({
    stdin: {contents: "export * from './preset.ts'; export * from './paint.ts';", resolveDir: join(here, '../viewer/src'), loader: 'ts'},
    bundle: true, format: 'esm', write: false,
  });
  parts = await import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString('base64')}`);
  character = await Cutis.load('builtin:arm');
  named = await (await Library.start({worker: false})).controllers();
});
const vertices = () => character.info.positions.length / 3;

test('A preset is what was set, and nothing else; what was set back is gone', () => {
  const {Preset} = parts;
  assert.deepEqual(Preset.none.toFile(), {});
  const bulging = Preset.none.withBulge('forearm', 0.5, named);
  assert.equal(bulging.operator('forearm'), 'bulge');
  assert.equal(bulging.bulge('forearm', named), 0.5);
  const {joints, controllers} = bulging.toFile();
  assert.deepEqual(joints, {forearm: {controller: 'curve of forearm', operator: 'bulge'}});
  assert.equal(controllers.length, 1);
  assert.equal(controllers[0].like, 'default');
  assert.deepEqual(controllers[0].bulge, named.find((c) => c.name === 'default').bulge.map(([a, d]) => [a, Number((d / 2).toFixed(3))]));
  // Louder, not louder than all: the curve keeps its form.
  assert.equal(bulging.withBulge('forearm', 1, named).bulge('forearm', named), 1);
  assert.equal(bulging.withBulge('forearm', 0, named).operator('forearm'), 'contact');
  assert.deepEqual(bulging.withoutJoint('forearm').toFile(), {});
  assert.deepEqual(Preset.none.toFile(), {}, 'values do not change');
  // What all joints say holds for those that say nothing, and is not written down again.
  const all = Preset.parse('{"all_joints": {"operator": "blend", "samples": 60}}', 'p.json', 1);
  assert.equal(all.operator('hand'), 'blend');
  assert.deepEqual(all.withJoint('hand', {controller: 'finger'}).toFile().joints, {hand: {controller: 'finger'}});
  assert.equal(all.withJoint('hand', {controller: 'finger'}).operator('hand'), 'blend');
});

test('The library binds what the viewer makes, as if it had been written by hand, and says what is wrong', async () => {
  const {Preset} = parts;
  const own = Preset.none.withCurve('forearm', 'bulge', [[20, 0], [90, 0.8]]).withJoint('forearm', {operator: 'bulge'});
  const report = await character.bind({preset: own.toFile()});
  assert.equal(report.preset.joints.forearm.operator, 'bulge');
  assert.deepEqual(report.preset.controllers[0].bulge, [[20, 0], [90, 0.8]]);
  await assert.rejects(character.bind({preset: own.withJoint('forearm', {operator: 'glue'}).toFile()}), /glue/);
  assert.equal((await character.bind({})).preset.joints.forearm.operator, 'contact');
});

test('Curves are those of the library', async () => {
  // Fritsch and Butland by hand: at the middle point the slope is the harmonic mean.
  const {curveAt} = parts;
  const curve = [[40, 0], [90, 0.45], [160, 1]];
  assert.equal(curveAt(curve, 10), 0);
  assert.equal(curveAt(curve, 170), 1);
  assert.ok(Math.abs(curveAt(curve, 90) - 0.45) < 1e-12);
  const slope = (3 * (50 + 70)) / ((2 * 70 + 50) / (0.45 / 50) + (70 + 2 * 50) / (0.55 / 70));
  const seen = (curveAt(curve, 90.001) - curveAt(curve, 89.999)) / 0.002;
  assert.ok(Math.abs(seen - slope) < 1e-5, `${seen} instead of ${slope}`);
  for (let a = 0; a < 180; ++a) assert.ok(curveAt(curve, a + 1) >= curveAt(curve, a), 'it rises where its points do');
});

test('A brush reaches along the skin, not through the air, and all copies of a vertex at a seam', () => {
  const {SkinGraph} = parts, {info} = character, graph = new SkinGraph(info), n = vertices();
  // The tips of two fingers: nearer to each other than a brush is wide, with no skin between them inside it.
  const tip = (name) => {
    const joint = info.joints.findIndex((j) => j.name === name);
    let best = -1;
    for (let v = 0; v < n; ++v) if (info.skinJoints[v * info.influences] === joint && (best < 0 || Math.abs(info.positions[3 * v]) > Math.abs(info.positions[3 * best]))) best = v;
    return best;
  };
  const at = (v) => [...info.positions.subarray(3 * v, 3 * v + 3)];
  const a = tip('index_3'), b = tip('middle_3'), away = Math.hypot(...at(a).map((x, i) => x - at(b)[i]));
  const reached = graph.reach(info.positions, a, at(a), 1.02 * away);
  assert.equal(reached.get(a), 1);
  assert.ok(!reached.has(b), 'the other finger is not painted');
  assert.ok(reached.size > 20 && reached.size < n / 4, `${reached.size}`);
  for (const share of reached.values()) assert.ok(share >= 0 && share <= 1);
});

test('Strokes lie over each other, in steps; a preset with them comes back from its file', async () => {
  const {Stroke, Preset, kNotPainted} = parts, n = vertices();
  const stiff = new Stroke(undefined, n, 'stiff', 0.6);
  stiff.over(new Map([[1, 1], [2, 0.5]]));
  stiff.over(new Map([[2, 0.25], [3, 1]]));  // less of it does not take back what was there
  const first = stiff.painting();
  assert.deepEqual([first.stiffness[0], first.stiffness[1], first.stiffness[2], first.stiffness[3]], [kNotPainted, 60, 30, 60]);
  const free = new Stroke(first, n, 'free', 1);
  free.over(new Map([[3, 1], [4, 1], [5, 0.2]]));
  const slide = new Stroke(free.painting(), n, 'slide', 1);
  slide.over(new Map([[1, 1]]));
  const preset = Preset.none.withPainting(slide.painting());
  const file = preset.toFile();
  assert.deepEqual(file.regions, [
    {name: 'painted 30%', vertices: [2], stiffness: 0.3}, {name: 'painted 60% without contact', vertices: [3], stiffness: 0.6, contact: false},
    {name: 'painted 0% without contact', vertices: [4], stiffness: 0, contact: false},
  ]);
  await character.bind({preset: file});
  const back = Preset.parse(JSON.stringify({...file, joints: {hand: {operator: 'blend'}}}), 'p.json', n);
  assert.deepEqual(back.toFile().regions, file.regions);
  assert.equal(back.operator('hand'), 'blend');
  assert.equal(back.file.regions, undefined, 'what is painted is painted');
  // Over a region that is not painted, sliding is something to say.
  const over = Preset.parse(JSON.stringify({regions: [{name: 'sleeve', joints: ['forearm']}]}), 'p.json', n).withPainting(slide.painting());
  assert.deepEqual(over.toFile().regions.map((r) => r.name), ['sleeve', 'painted 0%', 'painted 30%', 'painted 60% without contact', 'painted 0% without contact']);
  assert.deepEqual(over.withoutRegion('sleeve').toFile().regions, file.regions);
});

test('Files that are no preset get a sentence', () => {
  const {Preset} = parts;
  assert.throws(() => Preset.parse('{"joints":', 'p.json', 9), /p\.json: is not JSON/);
  assert.throws(() => Preset.parse('[1, 2]', 'p.json', 9), /p\.json: is no preset/);
  assert.throws(() => Preset.parse('{"regions": [{"name": "painted 5%", "vertices": [99]}]}', 'p.json', 9), /p\.json: region 'painted 5%' names vertex 99, and the character has 9/);
});
