/** What emscripten makes of bindings/wasm for markers_core.ts. */
export {default} from './cutis.mjs';
