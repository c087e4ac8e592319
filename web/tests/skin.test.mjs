// What a person decides about the skin, in the viewer: presets, painting; and what is seen of the field.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before} from 'node:test';
import {choose, counted, eachIn, launch, picture, program, settled, slide} from './browser.mjs';
import {looksAsStored} from './pictures.mjs';

let browser;
const folder = mkdtempSync(join(tmpdir(), 'cutis-skin-'));
before(async () => (browser = await launch()));
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true});
});
const each = eachIn(() => browser);

const kSmall = {width: 900, height: 560};
/** An elbow that is bent as in the middle of the character's clip. */
async function bentArm(open, options) {
  const made = await open({builtin: 'arm', size: kSmall, ...options});
  await made.page.evaluate(async () => {
    const {session} = window.cutis, clip = session.character.info.clips[0];
    session.setPose(await session.character.sample(clip.name, clip.start + 0.4 * (clip.end - clip.start)));
  });
  await choose(made.page, 'forearm');
  await settled(made.page);
  return made;
}
const positions = (page, method = 'tracking') => page.evaluate((m) => [...window.cutis.session.shown.find((s) => s.method.key === m).frame.positions], method);
/** Metres, root of the mean square. */
function apart(a, b) {
  let squares = 0;
  for (let i = 0; i < a.length; ++i) squares += (a[i] - b[i]) ** 2;
  return Math.sqrt((3 * squares) / a.length);
}
const presetFile = (page) => page.evaluate(() => window.cutis.session.preset.toFile());
async function save(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#preset-save')]);
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return file;
}

each('A joint bulges as its slider says, at once; undo takes it back; what is saved is a preset for the program and for the page', async (open, t) => {
  const {page, faults} = await bentArm(open);
  await page.check('#methods input[value="tracking"]');  // whose skin does not go on to settle in the fold
  await settled(page);
  await page.click('#tab-skin');
  const lbs = await positions(page, 'lbs');
  await slide(page, '#bulge', 100);
  await settled(page);
  const bulged = await positions(page);
  // A skin that was bound anew comes from rest: it depends on the pose alone.
  await page.click('#undo');
  await settled(page);
  assert.deepEqual(await presetFile(page), {});
  const flat = await positions(page), most = apart(flat, bulged);
  await page.click('#redo');
  await settled(page);
  const again = apart(bulged, await positions(page));
  t.diagnostic(`${(1000 * again).toFixed(3)} mm from before undo`);
  assert.ok(again < most / 4, `it bulges again: ${again} m from before`);
  t.diagnostic(`the skin moves by ${(1000 * most).toFixed(3)} mm in the mean; ${await page.textContent('#bind-time')}`);
  assert.ok(most > 2e-4 && most < 3e-2, `${most} m`);
  assert.equal(apart(lbs, await positions(page, 'lbs')), 0, 'linear blending knows nothing of it');
  assert.equal(await page.inputValue('#operator'), 'bulge');
  assert.equal(await counted(page, 'contact', 'intersecting_pairs'), 0);
  await picture(page, 'bulge');
  await looksAsStored(page, 'bulge', t);

  const file = await save(page), {joints} = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(joints.forearm.operator, 'bulge');
  if (program) {
    const said = JSON.parse(execFileSync(program, ['bind', 'builtin:arm', '-p', file, '--write-preset', join(folder, 'all.json'), '-o', join(folder, 'arm.rig'), '--json'], {encoding: 'utf8'}));
    assert.ok(said);
    assert.equal(JSON.parse(readFileSync(join(folder, 'all.json'), 'utf8')).joints.forearm.operator, 'bulge');
  }

  await page.click('#undo');
  await settled(page);
  assert.ok(apart(flat, await positions(page)) < most / 4, 'it is flat again');
  await page.setInputFiles('#file', file);
  await settled(page);
  assert.deepEqual(await presetFile(page), JSON.parse(readFileSync(file, 'utf8')));
  assert.ok(apart(bulged, await positions(page)) < most / 4, 'the file has it');
  // Fields are made anew where they have to be.
  await slide(page, '#support', 130);
  await settled(page);
  assert.equal((await presetFile(page)).joints.forearm.support_factor, 1.3);
  assert.deepEqual(faults, []);
});

each.slow('Points of the curve are moved, added and removed by keys and by dragging', async (open) => {
  const {page} = await bentArm(open);
  await page.click('#tab-skin');
  await page.selectOption('#operator', 'bulge');
  const curve = async () => (await presetFile(page)).controllers?.[0].bulge;
  await page.locator('#curve circle').nth(1).focus();
  await page.keyboard.press('ArrowUp');
  assert.deepEqual((await curve())[1], [90, 0.5]);
  await page.keyboard.press('ArrowLeft');
  assert.deepEqual((await curve())[1], [85, 0.5]);
  await page.click('#curve-add');
  assert.equal((await curve()).length, 4);
  await page.locator('#curve circle').nth(0).focus();
  await page.keyboard.press('Delete');
  assert.equal((await curve()).length, 3);
  const before = (await curve()).at(-1), box = await page.locator('#curve circle').last().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 10, box.y + box.height / 2 + 40, {steps: 4});
  await page.mouse.up();
  const dragged = (await curve()).at(-1);
  assert.ok(dragged[0] < before[0] && dragged[1] < before[1], `${before} to ${dragged}`);
  // A drag is one step back.
  await page.click('#undo');
  assert.deepEqual((await curve()).at(-1), before);
  await settled(page);
  assert.equal(await page.locator('#message.failed').count(), 0, await page.textContent('#message'));
});

each('What is painted stiff follows its bone, and comes back from the file', async (open, t) => {
  const {page, faults} = await bentArm(open);
  await page.check('#methods input[value="tracking"]');  // without contact, nothing else moves it
  await settled(page);
  await page.click('#tab-paint');
  await slide(page, '#brush-size', 6);
  const [from, to] = [await page.evaluate(() => window.cutis.jointInWindow('forearm', 1)), await page.evaluate(() => window.cutis.jointInWindow('hand', 1))];
  // Where no other skin presses on it.
  const go = (share) => page.mouse.move(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y));
  await go(0.55);
  await page.mouse.down();
  for (let i = 0; i <= 5; ++i) await go(0.55 + 0.05 * i);
  await page.mouse.up();
  await settled(page);
  // Its vertices lie where the bone of their part carries them.
  const off = await page.evaluate(() => {
    const {session} = window.cutis, {info} = session.character, {stiffness} = session.preset.painting;
    const now = session.skeleton.frames(session.pose), rest = session.skeleton.frames(info.defaultPose);
    const {positions} = session.shown.find((s) => s.method.key === 'tracking').frame;
    const parts = info.joints.map((_, j) => now[j].clone().multiply(rest[j].clone().invert()));
    let most = 0, count = 0;
    for (let v = 0; v < stiffness.length; ++v) {
      if (stiffness[v] !== 100) continue;
      ++count;
      const e = parts[info.skinJoints[v * info.influences]].elements, [x, y, z] = info.positions.subarray(3 * v, 3 * v + 3);
      const carried = [0, 1, 2].map((i) => e[i] * x + e[4 + i] * y + e[8 + i] * z + e[12 + i]);
      most = Math.max(most, Math.hypot(...carried.map((c, i) => c - positions[3 * v + i])));
    }
    return {most, count};
  });
  t.diagnostic(`${off.count} vertices, ${off.most} m off`);
  assert.ok(off.count > 20, `${off.count} vertices are painted`);
  assert.ok(off.most < 1e-4, `${off.most} m off`);
  await picture(page, 'painted');
  await looksAsStored(page, 'painted', t);

  await page.click('#tab-skin');
  const file = await save(page);
  await page.click('#preset-none');
  await settled(page);
  assert.deepEqual(await presetFile(page), {});
  await page.setInputFiles('#file', file);
  await settled(page);
  assert.deepEqual(await presetFile(page), JSON.parse(readFileSync(file, 'utf8')));
  if (program) execFileSync(program, ['bind', 'builtin:arm', '-p', file, '-o', join(folder, 'painted.rig')]);
  assert.deepEqual(faults, []);
});

each.slow('Where contact is painted off, skin passes through; by keys alone', async (open) => {
  const {page} = await open({builtin: 'hand', size: kSmall});
  await page.selectOption('#clip', 'fist');
  await page.evaluate(() => {
    const time = document.getElementById('time');
    time.value = '1';
    time.dispatchEvent(new Event('input'));
  });
  await settled(page);
  assert.equal(await counted(page, 'contact', 'intersecting_pairs'), 0);
  await page.focus('#canvas');
  await page.keyboard.press('p');
  await page.check('input[value="free"]');
  for (const joint of ['thumb_2', 'thumb_3', 'index_2', 'index_3']) {
    await choose(page, joint);
    await page.focus('#paint-part');
    await page.keyboard.press('Enter');
  }
  await settled(page);
  assert.ok((await counted(page, 'contact', 'intersecting_pairs')) > 0);
  await page.click('#paint-clear');
  await settled(page);
  assert.equal(await counted(page, 'contact', 'intersecting_pairs'), 0);
  await page.focus('#canvas');
  await page.keyboard.press('p');
  assert.equal(await page.inputValue('#coloring'), 'material', 'as it was before painting');
});

each('A preset that is wrong is refused with the library\'s sentence, and the skin stays', async (open) => {
  const {page} = await bentArm(open);
  const give = (text) => page.setInputFiles('#file', {name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from(text)});
  await give('{"joints": {"nobody": {"operator": "bulge"}}}');
  await page.waitForSelector('#message.failed');
  assert.match(await page.textContent('#message'), /nobody/);
  await settled(page);
  assert.deepEqual(await presetFile(page), {});
  await give('{nothing');
  await page.waitForFunction(() => /mine\.json: is not JSON/.test(document.getElementById('message').textContent));
  await page.click('#tab-skin');
  await slide(page, '#bulge', 50);
  await settled(page);
  assert.equal((await presetFile(page)).joints.forearm.operator, 'bulge');
});

each.slow('The field is seen: its surface at a level, a slice through a joint', async (open, t) => {
  const {page, faults} = await bentArm(open, {light: true});
  await page.click('#tab-field');
  await page.check('#slice');
  await page.click('#slice-joint');
  await page.check('input[value="ghost"]');
  await settled(page);
  await picture(page, 'slice');
  await looksAsStored(page, 'slice', t);
  await page.uncheck('#slice');
  await page.check('#iso');
  await settled(page);
  const triangles = async () => Number(/(\d+) triangles/.exec(await page.textContent('#field-time'))?.[1]);
  const at = {skin: await triangles()};
  assert.ok(at.skin > 5000, `${at.skin} triangles`);
  await picture(page, 'surface');
  await slide(page, '#iso-level', 0.85);
  await settled(page);
  at.inside = await triangles();
  assert.ok(at.inside > 500 && at.inside < 0.9 * at.skin, `${at.inside} of ${at.skin} triangles well inside`);
  // It follows the pose and the preset.
  const shown = () => page.evaluate(() => window.cutis.stage.canvas && window.cutis.field.shown);
  const before = await shown();
  await page.click('#tab-pose');
  await page.click('#reset');
  await settled(page);
  assert.notEqual(await shown(), before);
  assert.deepEqual(faults, []);
});
