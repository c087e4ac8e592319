// Characters of the data folder, and the pages that `cutis view` writes.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {data, inputDelay, kMostDelay, kPatience, launch, openPage, program, ready, settled, viewer} from './browser.mjs';

let browser;
const folder = mkdtempSync(join(tmpdir(), 'cutis-view-'));
before(async () => (browser = await launch()));
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true});
});
const pictures = process.env.CUTIS_PICTURES;
if (pictures) mkdirSync(pictures, {recursive: true});
const skip = (file) => !existsSync(join(data, file)) && `${join(data, file)} is not there`;

for (const file of ['cesium_man/cesium_man.glb', 'fox/fox.glb', 'makehuman_male/makehuman_male.glb', 'avatars/rabbit.vrm', 'avatars/rocketbox_male.glb'])
  test(`${file} is opened, with the looks of its file, and follows its joints`, {skip: skip(file), timeout: 2 * kPatience}, async (t) => {
    const {page, faults} = await openPage(browser);
    await page.setInputFiles('#file', join(data, file));
    await page.waitForFunction((name) => document.getElementById('message').textContent.includes(name) && /ready in/.test(document.getElementById('message').textContent) || document.querySelector('#message.failed'), file.split('/')[1]);
    await ready(page);
    await settled(page);
    t.diagnostic(await page.textContent('#message'));
    const about = await page.evaluate(() => {
      const {session} = window.cutis;
      return {looks: session.looks.filter(Boolean).length, meshes: session.character.info.meshes.length, facesAway: session.skeleton.facesAway};
    });
    assert.equal(about.looks, about.meshes);
    assert.equal(about.facesAway, file.endsWith('.vrm'));  // VRM 0.x looks to -Z: it is seen from there
    assert.equal(await page.locator('.label.bad').count(), 0, 'what intersects at rest is no method\'s fault');
    if (pictures) await page.screenshot({path: join(pictures, `${file.split('/')[1]}.png`)});
    assert.deepEqual(faults, []);
    await page.close();
  });

const kMale = 'makehuman_male/makehuman_male.glb';
test('makehuman_male is posed live: one joint dragged, with contact', {skip: skip(kMale), timeout: 2 * kPatience}, async (t) => {
  const {page} = await openPage(browser);
  await page.setInputFiles('#file', join(data, kMale));
  await page.waitForFunction(() => window.cutis.session.character.info.name.includes('makehuman'));
  await ready(page);
  const measured = await page.evaluate(async () => {
    const {session} = window.cutis, {info} = session.character;
    const joint = info.joints.findIndex((j) => /forearm|lowerarm/i.test(j.name));
    const solver = await session.character.solver({method: 'tracking', contact_pass: true});
    const ms = [];
    for (let i = 0; i < 60; ++i) {
      const start = performance.now();
      await solver.solve(session.skeleton.withAngles(info.defaultPose, joint, [i, 0, 0]));
      if (i >= 20) ms.push(performance.now() - start);
    }
    return {name: info.joints[joint].name, ms: ms.sort((a, b) => a - b)[20]};
  });
  t.diagnostic(`${measured.name}: median ${measured.ms.toFixed(1)} ms, ${(1000 / measured.ms).toFixed(0)} solves a second`);
  assert.ok(measured.ms < 100, `${measured.ms} ms: live is 33 on a machine that is not busy`);
  // All of it moves.
  await page.selectOption('#clip', 'cmu_02_01_walk');
  await page.click('#play');
  await page.waitForTimeout(500);
  const delay = await inputDelay(page);
  t.diagnostic(`the whole body walks: input delay p95 ${delay.toFixed(1)} ms`);
  assert.ok(delay <= kMostDelay, `input delay p95 ${delay} ms`);
  await page.close();
});

test('cutis view writes a page with a character and its clip in it', {skip: !program && 'CUTIS does not name the program', timeout: 2 * kPatience}, async () => {
  execFileSync(program, ['view', 'builtin:hand', '--clip', 'fist', '--page', viewer, '-o', join(folder, 'hand')]);
  const {page, faults} = await openPage(browser, {file: join(folder, 'hand/index.html'), builtin: ''});
  assert.equal(await page.evaluate(() => window.cutis.session.character.info.name), 'builtin:hand');
  assert.equal(await page.inputValue('#clip'), 'fist');
  assert.deepEqual(faults, []);
  await page.close();
});

test('cutis view begins with a preset, and refuses one that is not of the character', {skip: !program && 'CUTIS does not name the program', timeout: 2 * kPatience}, async () => {
  const preset = {joints: {forearm: {operator: 'bulge'}}, regions: [{name: 'painted 40%', vertices: [1, 2], stiffness: 0.4}]}, file = join(folder, 'preset.json');
  writeFileSync(file, JSON.stringify(preset));
  execFileSync(program, ['view', 'builtin:arm', '-p', file, '--page', viewer, '-o', join(folder, 'preset')]);
  const {page, faults} = await openPage(browser, {file: join(folder, 'preset/index.html'), builtin: ''});
  await page.waitForFunction(() => window.cutis.session.preset.painting);
  await settled(page);
  assert.deepEqual(await page.evaluate(() => window.cutis.session.bound.toFile()), preset);
  assert.deepEqual(faults, []);
  await page.close();
  writeFileSync(file, '{"joints": {"tail": {}}}');
  assert.throws(() => execFileSync(program, ['view', 'builtin:arm', '-p', file, '--page', viewer, '-o', join(folder, 'x')], {encoding: 'utf8', stdio: 'pipe'}), (error) => /tail/.test(error.stderr));
});

test('cutis view puts a file into the page', {skip: skip('fox/fox.glb') || (!program && 'CUTIS does not name the program'), timeout: 2 * kPatience}, async () => {
  execFileSync(program, ['view', join(data, 'fox/fox.glb'), '--page', viewer, '-o', join(folder, 'fox')]);
  const {page, faults} = await openPage(browser, {file: join(folder, 'fox/index.html'), builtin: ''});
  assert.match(await page.evaluate(() => window.cutis.session.character.info.name), /fox/);
  assert.ok((await page.evaluate(() => window.cutis.session.character.info.clips.length)) > 0);
  assert.deepEqual(faults, []);
  await page.close();
});

const kWalk = 'motion_bvh_cmu/02_01_walk.bvh', kMan = 'cesium_man/cesium_man.glb';
test('A motion becomes a clip, by cutis view and in the page', {skip: skip(kWalk) || skip(kMan) || (!program && 'CUTIS does not name the program'), timeout: 2 * kPatience}, async () => {
  execFileSync(program, ['view', join(data, kMan), '--bvh', join(data, kWalk), '--page', viewer, '-o', join(folder, 'walk')]);
  const {page} = await openPage(browser, {file: join(folder, 'walk/index.html'), builtin: ''});
  const clip = await page.inputValue('#clip');
  assert.match(clip, /walk/);
  await page.setInputFiles('#file', join(data, kMan));
  await page.waitForFunction(() => !window.cutis.session.character.info.clips.some((c) => /walk/.test(c.name)));
  await page.waitForFunction(() => /ready in/.test(document.getElementById('message').textContent));
  await settled(page);
  await page.setInputFiles('#file', join(data, kWalk));
  await page.waitForFunction(() => /walk/.test(document.getElementById('clip').value) || document.querySelector('#message.failed'));
  assert.equal(await page.locator('#message.failed').count(), 0, await page.textContent('#message'));
  await settled(page);
  await page.close();
});

test('A file of 100 MB is opened, what is no character is refused, and more than a page can hold is not even read', {skip: skip(kMan), timeout: 2 * kPatience}, async (t) => {
  const {page, faults} = await openPage(browser);
  const give = async (name, pattern) => {
    await page.setInputFiles('#file', join(folder, name));
    await page.waitForFunction((source) => new RegExp(source).test(document.getElementById('message').textContent), pattern);
  };
  // As it is, with a hundred million bytes more that nothing names.
  const glb = readFileSync(join(data, kMan)), json = glb.readUInt32LE(12), more = Buffer.alloc(100_000_000);
  const head = Buffer.from(glb.subarray(0, 20 + json + 8));
  const text = JSON.parse(head.subarray(20, 20 + json).toString());
  const bin = glb.readUInt32LE(20 + json);
  const grown = Buffer.from(JSON.stringify({...text, buffers: [{...text.buffers[0], byteLength: bin + more.length}]}));
  const padded = Buffer.concat([grown, Buffer.alloc((4 - (grown.length % 4)) % 4, ' ')]);
  const u32 = (...n) => Buffer.from(Uint32Array.from(n).buffer);
  const body = glb.subarray(28 + json, 28 + json + bin);
  writeFileSync(join(folder, 'large.glb'), Buffer.concat([
    u32(0x46546c67, 2, 28 + padded.length + bin + more.length), u32(padded.length, 0x4e4f534a), padded, u32(bin + more.length, 0x004e4942), body, more,
  ]));
  await give('large.glb', 'large.*ready in');
  await settled(page);
  t.diagnostic(await page.textContent('#message'));
  writeFileSync(join(folder, 'noise.glb'), Buffer.alloc(100_000_000, 'no character '));
  await give('noise.glb', '^noise\\.glb');  // not Opening noise.glb
  assert.equal(await page.locator('#message.failed').count(), 1);
  writeFileSync(join(folder, 'huge.glb'), '');
  truncateSync(join(folder, 'huge.glb'), 1.5 * 2 ** 30);
  await give('huge.glb', '^huge\\.glb: has 1.5 GB, and a page can hold 1 GB');
  assert.match(await page.evaluate(() => window.cutis.session.character.info.name), /large/, 'what was open stays');
  assert.deepEqual(faults, []);
  await page.close();
});

const kDressed = 'avatars/rabbit.vrm';
test('Roles of a dressed character are told apart', {skip: skip(kDressed), timeout: 2 * kPatience}, async () => {
  const {page, faults} = await openPage(browser);
  await page.setInputFiles('#file', join(data, kDressed));
  await page.waitForFunction(() => /rabbit.*ready in/.test(document.getElementById('message').textContent) || document.querySelector('#message.failed'));
  await settled(page);
  await page.selectOption('#coloring', 'roles');
  await settled(page);
  const colors = await page.evaluate(() => {
    const all = new Set();
    for (const mesh of window.cutis.session.shown[0].skin.group.children) {
      const color = mesh.geometry.getAttribute('color');
      for (let v = 0; v < color.count; ++v) all.add([color.getX(v), color.getY(v), color.getZ(v)].join());
    }
    return all.size;
  });
  assert.ok(colors >= 2 && colors <= 5, `${colors} colours`);
  if (pictures) await page.screenshot({path: join(pictures, 'roles.png')});
  assert.deepEqual(faults, []);
  await page.close();
});

test('cutis view says what is missing', {skip: !program && 'CUTIS does not name the program'}, () => {
  const fails = (args, sentence) => assert.throws(() => execFileSync(program, args, {encoding: 'utf8', stdio: 'pipe'}), (error) => sentence.test(error.stderr));
  fails(['view', 'builtin:hand', '--page', join(folder, 'none.html'), '-o', join(folder, 'x')], /none\.html/);
  fails(['view', 'builtin:hand', '--clip', 'dance', '--page', viewer, '-o', join(folder, 'x')], /dance/);
});
