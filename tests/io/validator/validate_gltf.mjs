// Runs the Khronos validator over .glb and .gltf files and folders of them.
//   node validate_gltf.mjs MODULES PATH...        MODULES: the node_modules folder that has gltf-validator
// Prints one line per file; exits with 1 when any file has an error or a warning, or when there is no file.
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';

const [modules, ...paths] = process.argv.slice(2);
const validator = createRequire(resolve(modules, '..', 'package.json'))('gltf-validator');

const files = paths.flatMap((path) => statSync(path).isDirectory()
    ? readdirSync(path, {recursive: true}).map((name) => join(path, name)) : [path])
    .filter((path) => /\.(glb|gltf)$/i.test(path)).sort();

const kMostMessages = 20;
const kSeverity = ['error', 'warning', 'info', 'hint'];
let bad = files.length === 0;
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), {
    uri: file,
    maxIssues: 0,  // all: the validator stops looking at the limit
    // Texture coordinates are carried even where no texture uses them. Skin that moves has no tangents for its normal map:
    // those at rest would be wrong in every other frame, and programs that draw it make their own.
    ignoredIssues: ['UNUSED_OBJECT', 'MESH_PRIMITIVE_GENERATED_TANGENT_SPACE'],
    externalResourceFunction: async (uri) => new Uint8Array(readFileSync(join(dirname(file), decodeURIComponent(uri)))),
  });
  const {numErrors, numWarnings, numInfos, messages} = report.issues;
  console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos; ` +
      `${report.info?.totalVertexCount} vertices, ${report.info?.animationCount} animations`);
  for (const m of messages.slice(0, kMostMessages)) console.log(`  ${kSeverity[m.severity]} ${m.code} ${m.pointer ?? ''}: ${m.message}`);
  bad ||= numErrors > 0 || numWarnings > 0;
}
console.log(`${files.length} files checked`);
process.exit(bad ? 1 : 0);
