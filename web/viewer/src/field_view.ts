/** The implicit skin in the picture: where the field has a level, and a slice through it. */
import type {Field, Surface} from 'cutis';
import {
  BufferAttribute, BufferGeometry, ClampToEdgeWrapping, DataTexture, DataUtils, DoubleSide, Group, HalfFloatType, LinearFilter, Mesh,
  MeshStandardMaterial, PlaneGeometry, RedFormat, ShaderMaterial,
} from 'three';

import {partColor} from './colors.js';

/** Cubes of the surface along the diagonal of the field's box. */
const kCells = 140;
/** Points of a slice along its longer side. */
const kPoints = 320;

/** Blue outside the skin, warm inside; lines at every tenth, the skin's own thick. */
const kVertexShader = 'varying vec2 at; void main() { at = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }';
const kFragmentShader = `
  uniform sampler2D values; varying vec2 at;
  void main() {
    float f = texture2D(values, at).r;
    if (f <= 0.004) discard;
    float width = max(fwidth(f), 1e-5);
    vec3 color = f < 0.5 ? mix(vec3(0.62, 0.76, 0.92), vec3(0.20, 0.42, 0.72), f * 2.0) : mix(vec3(0.98, 0.80, 0.52), vec3(0.85, 0.36, 0.14), f * 2.0 - 1.0);
    float tenth = abs(fract(f * 10.0 - 0.5) - 0.5) / (10.0 * width);
    color = mix(color * 0.55, color, clamp(tenth, 0.0, 1.0));
    color = mix(vec3(0.05), color, clamp(abs(f - 0.5) / (2.0 * width), 0.0, 1.0));
    gl_FragColor = vec4(color, 1.0);
    #include <colorspace_fragment>
  }`;

export class FieldView {
  readonly group = new Group();
  readonly #surface = new Mesh(new BufferGeometry(), new MeshStandardMaterial({vertexColors: true, roughness: 0.6, side: DoubleSide, transparent: true, opacity: 0.85}));
  readonly #slice: Mesh<PlaneGeometry, ShaderMaterial>;

  constructor() {
    this.#slice = new Mesh(new PlaneGeometry(1, 1), new ShaderMaterial({
      vertexShader: kVertexShader, fragmentShader: kFragmentShader, side: DoubleSide, uniforms: {values: {value: null}},
    }));
    this.#surface.frustumCulled = this.#slice.frustumCulled = false;
    this.#surface.renderOrder = 2;
    this.#slice.renderOrder = 1;
    this.group.add(this.#surface, this.#slice);
    this.hide();
  }

  hide(): void { this.#surface.visible = this.#slice.visible = false; }

  /** Its triangles. */
  async showSurface(field: Field, level: number): Promise<number> {
    const box = await field.bounds();
    const cell = Math.hypot(box[3]! - box[0]!, box[4]! - box[1]!, box[5]! - box[2]!) / kCells;
    const surface: Surface = await field.surface(cell, level);
    const colors = new Float32Array(surface.positions.length);
    surface.joints.forEach((joint, v) => partColor(Math.max(joint, 0)).toArray(colors, 3 * v));
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(surface.positions, 3));
    geometry.setAttribute('normal', new BufferAttribute(surface.normals, 3));
    geometry.setAttribute('color', new BufferAttribute(colors, 3));
    geometry.setIndex(new BufferAttribute(surface.triangles, 1));
    this.#surface.geometry.dispose();
    this.#surface.geometry = geometry;
    this.#surface.visible = true;
    return surface.triangles.length / 3;
  }
  hideSurface(): void { this.#surface.visible = false; }

  /** At right angles to x (0), y (1) or z (2); `share` of the way through the field's box. */
  async showSlice(field: Field, axis: number, share: number): Promise<void> {
    const box = await field.bounds(), u = (axis + 1) % 3, v = (axis + 2) % 3;
    const width = box[3 + u]! - box[u]!, height = box[3 + v]! - box[v]!, step = Math.max(width, height) / kPoints;
    const columns = Math.max(2, Math.ceil(width / step)), rows = Math.max(2, Math.ceil(height / step));
    const at = box[axis]! + share * (box[3 + axis]! - box[axis]!), points = new Float32Array(3 * columns * rows);
    for (let j = 0; j < rows; ++j)
      for (let i = 0; i < columns; ++i) {
        const p = 3 * (j * columns + i);
        points[p + axis] = at;
        points[p + u] = box[u]! + ((i + 0.5) / columns) * width;
        points[p + v] = box[v]! + ((j + 0.5) / rows) * height;
      }
    const values = await field.evaluate(points);
    const texture = new DataTexture(Uint16Array.from(values, (f) => DataUtils.toHalfFloat(f)), columns, rows, RedFormat, HalfFloatType);
    texture.unpackAlignment = 1;
    texture.minFilter = texture.magFilter = LinearFilter;
    texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
    texture.needsUpdate = true;
    (this.#slice.material.uniforms.values!.value as DataTexture | null)?.dispose();
    this.#slice.material.uniforms.values!.value = texture;
    // A square of the plane's own, carried to its corners.
    const corner = (s: number, t: number): number[] => {
      const p = [0, 0, 0];
      p[axis] = at;
      p[u] = box[u]! + s * width;
      p[v] = box[v]! + t * height;
      return p;
    };
    const position = this.#slice.geometry.getAttribute('position');
    const uv = this.#slice.geometry.getAttribute('uv');
    for (let i = 0; i < 4; ++i) position.setXYZ(i, ...(corner(uv.getX(i), uv.getY(i)) as [number, number, number]));
    position.needsUpdate = true;
    this.#slice.visible = true;
  }
  hideSlice(): void { this.#slice.visible = false; }

  /** Where a slice through that point is, of the way. */
  async shareOf(field: Field, axis: number, at: number): Promise<number> {
    const box = await field.bounds();
    return (at - box[axis]!) / Math.max(box[3 + axis]! - box[axis]!, 1e-9);
  }
}
