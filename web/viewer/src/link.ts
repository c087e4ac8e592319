/** A pose in the address: turns of the joints that are turned, and places of those that are elsewhere, by their names. */
import {Quaternion} from 'three';

import type {App} from './app.js';
import {button} from './dom.js';

/** Less than this is no turn. */
const kStill = 1e-6;

export function wireLink(app: App): void { button('link').addEventListener('click', () => void copyLink(app)); }

async function copyLink(app: App): Promise<void> {
  const {session} = app;
  if (!session) return;
  const turned: Record<string, number[]> = {};
  session.character.info.joints.forEach((joint, j) => {
    const now = session.pose.subarray(10 * j + 3, 10 * j + 7), rest = session.skeleton.defaultPose.subarray(10 * j + 3, 10 * j + 7);
    const at = session.pose.subarray(10 * j, 10 * j + 3), home = session.skeleton.defaultPose.subarray(10 * j, 10 * j + 3);
    const moved = at.some((v, i) => Math.abs(v - home[i]!) > kStill);
    if (moved || now.some((v, i) => Math.abs(v - rest[i]!) > kStill)) turned[joint.name] = [...now, ...(moved ? at : [])].map((v) => Number(v.toFixed(5)));
  });
  const parts = new URLSearchParams({pose: JSON.stringify(turned)});
  if (typeof session.file === 'string') parts.set('builtin', session.file.replace('builtin:', ''));
  location.hash = parts.toString();
  try {
    await navigator.clipboard.writeText(location.href);
    app.say('The link to this pose is in the clipboard');
  } catch {
    app.say('The link to this pose is in the address bar');
  }
}

/** The pose of an address, for the character that is open. */
export function applyLink(app: App, text: string | null): void {
  const {session} = app;
  if (!session || !text) return;
  try {
    let pose = session.pose;
    for (const [name, q] of Object.entries(JSON.parse(text) as Record<string, number[]>)) {
      const joint = session.character.info.joints.findIndex((j) => j.name === name);
      if (joint < 0 || !Array.isArray(q) || (q.length !== 4 && q.length !== 7) || !q.every(Number.isFinite)) throw new Error('its pose is not of this character');
      pose = session.skeleton.rotated(pose, joint, new Quaternion(...(q.slice(0, 4) as [number, number, number, number])));
      if (q.length === 7) pose.set(q.slice(4), 10 * joint);
    }
    session.setPose(pose);
  } catch (error) {
    app.fail(new Error(`The link cannot be used: ${error instanceof Error ? error.message : String(error)}`));
  }
}
