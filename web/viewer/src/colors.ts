/** Colours a vertex. */
import {type CharacterInfo, kRoles} from 'cutis';
import {Color} from 'three';

import {kNotPainted, type Painting} from './preset.js';

export const kColors = ['material', 'clay', 'parts', 'weights', 'roles', 'contact', 'stretch', 'roughness', 'residual', 'painting'] as const;
export type Coloring = (typeof kColors)[number];

const kPlain = new Color(0xb9bfc6);

/** Far apart in hue for neighbours: steps of the golden angle. */
export function partColor(joint: number): Color {
  return new Color().setHSL((joint * 0.381966) % 1, 0.55, 0.56);
}
/** Dark blue to yellow, growing in lightness. */
const kRamp = [0x30207a, 0x31688e, 0x35b779, 0xfde725].map((c) => new Color(c));
function ramp(t: number): Color {
  const x = Math.min(Math.max(t, 0), 1) * (kRamp.length - 1), i = Math.min(Math.floor(x), kRamp.length - 2);
  return kRamp[i]!.clone().lerp(kRamp[i + 1]!, x - i);
}
const kLess = new Color(0x2166ac), kSame = new Color(0xe8e8e8), kMore = new Color(0xb2182b);
function diverging(t: number): Color {
  return t < 0 ? kSame.clone().lerp(kLess, Math.min(-t, 1)) : kSame.clone().lerp(kMore, Math.min(t, 1));
}

function fill(count: number, color: (v: number) => Color): Float32Array {
  const colors = new Float32Array(3 * count);
  for (let v = 0; v < count; ++v) color(v).toArray(colors, 3 * v);
  return colors;
}

/** The joint with the largest weight. */
export function strongest(info: CharacterInfo, vertex: number): number {
  return info.influences === 0 ? 0 : info.skinJoints[vertex * info.influences]!;
}

/** Of colourings that do not change from frame to frame. */
export function fixedColors(info: CharacterInfo, coloring: Coloring, joint: number): Float32Array {
  const count = info.positions.length / 3, n = info.influences;
  if (coloring === 'parts') return fill(count, (v) => partColor(strongest(info, v)));
  if (coloring === 'weights')
    return fill(count, (v) => {
      for (let i = 0; i < n; ++i) if (info.skinJoints[v * n + i] === joint && info.skinWeights[v * n + i]! > 0) return ramp(info.skinWeights[v * n + i]!);
      return ramp(0);
    });
  return fill(count, () => kPlain);
}

// Told apart by those who see no red or green, too.
const kRoleColors = [0xc9a58f, 0x2f6fb0, 0xe0b000, 0xf2f2f2, 0x6b6f76].map((c) => new Color(c));
export function roleColors(roles: Uint8Array): Float32Array {
  return fill(roles.length, (v) => kRoleColors[roles[v]!] ?? kPlain);
}

const kStiff = new Color(0x1b5fa8), kFree = new Color(0xc23fb4);
/** What is painted: stiffness in blue, what touches nothing in purple. */
export function paintingColors(info: CharacterInfo, painting: Painting | undefined): Float32Array {
  return fill(info.positions.length / 3, (v) => {
    const percent = painting?.stiffness[v] ?? kNotPainted;
    const color = kPlain.clone().lerp(kStiff, percent === kNotPainted ? 0 : percent / 100);
    return painting?.free[v] === 1 ? color.lerp(kFree, 0.7) : color;
  });
}

/** Of colourings that come with a frame. */
export function frameColors(coloring: Coloring, values: Float32Array): Float32Array {
  switch (coloring) {
    case 'contact': return fill(values.length, (v) => kPlain.clone().lerp(kMore, values[v]!));
    case 'stretch': return fill(values.length, (v) => diverging(Math.log2(values[v]!)));  // half to twice the length
    case 'roughness': return fill(values.length, (v) => ramp(values[v]! / 45));  // degrees
    case 'residual': return fill(values.length, (v) => Number.isNaN(values[v]) ? kSame : diverging(values[v]! / 0.05));
    default: return fill(values.length, () => kPlain);
  }
}

export const kLegends: Partial<Record<Coloring, string>> = {
  weights: 'weight of the chosen joint: 0 blue, 1 yellow',
  parts: 'a colour for each part',
  roles: `${kRoles[0]}: skin, ${kRoles[1]}: blue, ${kRoles[2]}: yellow, ${kRoles[3]}: white, ${kRoles[4]}: grey`,
  painting: 'blue: stiff; purple: touches nothing',
  contact: 'red: touches other skin',
  stretch: 'edges: blue half as long, red twice as long',
  roughness: 'turn between neighbours: 0° blue, 45° yellow',
  residual: 'distance from the implicit skin: blue outside, red inside',
};
