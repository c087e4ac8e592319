// Makes dist/index.html: the whole viewer in one file that works from a folder, without a server and without a network.
// The policy in it allows its own script and style by their hashes, and no connections.
import {createHash} from 'node:crypto';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {build} from 'vite';

const here = dirname(fileURLToPath(import.meta.url));
const cutis = join(here, '../cutis/dist');

// What the package looks for beside itself is in the page.
const inPage = {
  name: 'in-page',
  enforce: 'pre',
  transform(code) {
    const changed = code.replace(/new URL\((['"])\.\/((?:cutis|markers)\.wasm|(?:markers_)?worker\.js)\1, import\.meta\.url\)/g, "new URL('about:blank#$2')");
    return changed === code ? null : {code: changed, map: null};
  },
};

async function bundle(entry) {
  const result = await build({
    root: here, configFile: false, logLevel: 'warn', plugins: [inPage],
    define: {process: 'undefined'},
    build: {
      write: false, target: 'es2022', minify: true, modulePreload: false, copyPublicDir: false,
      lib: {entry: join(here, entry), formats: ['iife'], name: 'cutisViewer'},
      rollupOptions: {external: [/^node:/], output: {globals: () => 'undefined'}},
    },
  });
  const chunks = (Array.isArray(result) ? result[0] : result).output.filter((o) => o.type === 'chunk');
  if (chunks.length !== 1) throw new Error(`${entry}: became ${chunks.length} files instead of one`);
  return chunks[0].code.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--').trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const [template, style, script, worker, markersWorker, wasm, markersWasm] = await Promise.all([
  readFile(join(here, 'index.html'), 'utf8'), readFile(join(here, 'src/style.css'), 'utf8'),
  bundle('src/page.ts'), bundle('src/solver_worker.ts'),
  bundle('src/markers_worker.ts'), readFile(join(cutis, 'cutis.wasm')), readFile(join(cutis, 'markers.wasm')),
]);
const policy = [
  "default-src 'none'", `script-src ${hash(script)} 'wasm-unsafe-eval'`, `style-src ${hash(style)}`, 'img-src blob: data:',
  'connect-src blob: data:', 'worker-src blob:', "base-uri 'none'", "form-action 'none'",
].join('; ');
const fill = {
  CSP: policy, STYLE: style, SCRIPT: script, WORKER: worker, WASM: gzipSync(wasm, {level: 9}).toString('base64'),
  MARKERS_WORKER: markersWorker, MARKERS_WASM: gzipSync(markersWasm, {level: 9}).toString('base64'),
};
const page = template.replace(/%(CSP|STYLE|SCRIPT|WORKER|WASM|MARKERS_WORKER|MARKERS_WASM)%/g, (_, name) => fill[name]);
await mkdir(join(here, 'dist'), {recursive: true});
await writeFile(join(here, 'dist/index.html'), page);
const kb = (n) => `${Math.round(n / 1024)} KB`;
console.log(`viewer/dist/index.html: ${kb(page.length)} (script ${kb(script.length)}, worker ${kb(worker.length)}, wasm ${kb(fill.WASM.length)} in base64, ${kb(fill.MARKERS_WORKER.length + fill.MARKERS_WASM.length)} for pulling)`);
