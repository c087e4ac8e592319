/** What is opened and saved: files that are dropped or chosen, and what `cutis view` put into the page. */
import type {CharacterInfo, OpenFile} from 'cutis';
import {BufferAttribute, InterleavedBufferAttribute, type Mesh, type Object3D} from 'three';
import {GLTFLoader} from 'three/examples/jsm/loaders/GLTFLoader.js';

import {kClay, type Look} from './skin.js';

const kMostBytes = 1024 * 1024 * 1024;

export async function readFile(file: File): Promise<OpenFile> {
  if (file.size > kMostBytes) throw new Error(`${file.name}: has ${(file.size / 2 ** 30).toFixed(1)} GB, and a page can hold 1 GB; make it smaller`);
  return {name: file.name, bytes: new Uint8Array(await file.arrayBuffer())};
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/\s+/g, ''));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The character in the page, with the clip and the preset to begin with. */
export function embeddedCharacter(): {file: OpenFile | string; clip: string; preset: OpenFile | undefined} | undefined {
  const block = document.getElementById('cutis-character'), given = document.getElementById('cutis-preset');
  if (!block) return undefined;
  const preset = given ? {name: given.dataset.name ?? 'preset.json', bytes: fromBase64(given.textContent ?? '')} : undefined;
  const name = block.dataset.name ?? 'character', clip = block.dataset.clip ?? '';
  const text = block.textContent ?? '';
  return {file: text.trim() === '' ? name : {name, bytes: fromBase64(text)}, clip, preset};
}

/** What the page brings: cutis.wasm, and markers.wasm, which is unpacked where it is wanted. */
export const embeddedWasm = (): Promise<Uint8Array<ArrayBuffer>> => unpacked('cutis-wasm');
export const markersWasm = (): Promise<Uint8Array<ArrayBuffer>> => unpacked('cutis-markers-wasm');
async function unpacked(id: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = fromBase64(document.getElementById(id)!.textContent ?? '');
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
export const embeddedWorker = (): Worker => workerOf('cutis-worker');
export const markersWorker = (): Worker => workerOf('cutis-markers-worker');
function workerOf(id: string): Worker {
  const code = document.getElementById(id)!.textContent ?? '';
  return new Worker(URL.createObjectURL(new Blob([code], {type: 'text/javascript'})));
}

function plain(attribute: BufferAttribute | InterleavedBufferAttribute): BufferAttribute {
  return attribute instanceof InterleavedBufferAttribute ? attribute.clone() as unknown as BufferAttribute : attribute as BufferAttribute;
}

/**
 * How three.js shows the meshes of a glTF file, in the order of the character's: nodes in file order, their primitives in
 * order. A mesh whose vertices are not the character's is left out: it is shown plain.
 */
export async function looksOf(file: OpenFile, info: CharacterInfo): Promise<(Look | undefined)[]> {
  const gltf = await new GLTFLoader().parseAsync(file.bytes.buffer.slice(file.bytes.byteOffset, file.bytes.byteOffset + file.bytes.byteLength), '');
  const {associations} = gltf.parser;
  const all: {mesh: Mesh; node: number; primitive: number}[] = [];
  for (const scene of gltf.scenes)
    scene.traverse((object: Object3D) => {
      const mesh = object as Mesh;
      if (!mesh.isMesh) return;
      const own = associations.get(mesh), above = mesh.parent ? associations.get(mesh.parent) : undefined;
      all.push({mesh, node: own?.nodes ?? above?.nodes ?? 0, primitive: own?.primitives ?? 0});
    });
  all.sort((a, b) => a.node - b.node || a.primitive - b.primitive);
  const skinned = all.filter(({mesh}) => (mesh as {isSkinnedMesh?: boolean}).isSkinnedMesh);
  const used = skinned.length > 0 ? skinned : all;
  return info.meshes.map((part, i) => {
    const mesh = used[i]?.mesh, index = mesh?.geometry.getIndex();
    if (!mesh || used.length !== info.meshes.length || mesh.geometry.getAttribute('position')?.count !== part.vertices) return undefined;
    const attributes = new Map<string, BufferAttribute>();
    for (const [name, attribute] of Object.entries(mesh.geometry.attributes))
      if (!['position', 'normal', 'skinIndex', 'skinWeight', 'tangent'].includes(name)) attributes.set(name, plain(attribute as BufferAttribute));
    // What glTF has where no material is named is rough metal: nobody means it.
    const own = associations.get(mesh), primitive = gltf.parser.json.meshes?.[own?.meshes ?? -1]?.primitives?.[own?.primitives ?? 0];
    return {material: primitive && primitive.material === undefined ? kClay : mesh.material, attributes, ...(index ? {index: plain(index)} : {})};
  });
}

export function save(name: string, content: BlobPart, type = 'application/octet-stream'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
