/** Files: by menu, by dropping, built in. */
import type {App} from './app.js';
import {button, get, input, select} from './dom.js';
import {readFile} from './files.js';

export function wireOpening(app: App): void {
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      await app.open(await readFile(file));
    } catch (error) {
      app.fail(error);
    }
  };
  button('open').addEventListener('click', () => input('file').click());
  input('file').addEventListener('change', () => {
    void open(input('file').files?.[0]);
    input('file').value = '';
  });
  select('builtin').addEventListener('change', () => {
    if (select('builtin').value) void app.open(`builtin:${select('builtin').value}`);
  });
  const drop = get('drop');
  window.addEventListener('dragover', (event) => {
    event.preventDefault();
    drop.hidden = false;
  });
  window.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) drop.hidden = true;
  });
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    drop.hidden = true;
    void open(event.dataTransfer?.files[0]);
  });
}
