/** What is shown, and how: methods, layout, colours, theme. */
import type {App, Part} from './app.js';
import {type Coloring, kColors, kLegends} from './colors.js';
import {button, get, input, select} from './dom.js';
import {save} from './files.js';
import {kMethods} from './methods.js';

export class Header implements Part {
  constructor(private readonly app: App) {
    const box = get('methods');
    for (const method of kMethods) {
      const label = document.createElement('label'), check = document.createElement('input');
      check.type = 'checkbox';
      check.value = method.key;
      check.checked = app.methods.includes(method.key);
      check.addEventListener('change', () => void this.#showMethods());
      label.append(check, ` ${method.label}`);
      box.append(label);
    }
    for (const name of kColors) select('coloring').append(new Option(name, name));
    select('coloring').addEventListener('change', () => this.color(select('coloring').value as Coloring));
    select('layout').addEventListener('change', () => {
      app.stage.layout = select('layout').value as 'side' | 'split';
      get('divider').hidden = app.stage.layout !== 'split';
      this.#placeDivider();
      app.changed();
    });
    input('skeleton').addEventListener('change', () => {
      app.stage.showSkeleton = input('skeleton').checked;
      app.stage.touch();
    });
    this.#setTheme(matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
    button('theme').addEventListener('click', () => this.#setTheme(document.documentElement.dataset.theme === 'light' ? 'dark' : 'light'));
    button('picture').addEventListener('click', () => {
      app.stage.draw(true);
      app.stage.canvas.toBlob((blob) => blob && save('cutis.png', blob, 'image/png'));
    });
    button('help-button').addEventListener('click', () => {
      get('help').hidden = !get('help').hidden;
      button('help-button').setAttribute('aria-expanded', String(!get('help').hidden));
    });
    this.#wireDivider();
    new ResizeObserver(() => app.changed()).observe(app.stage.canvas);
  }

  /** From now on. */
  color(coloring: Coloring): void {
    select('coloring').value = coloring;
    get('legend').textContent = kLegends[coloring] ?? '';
    const {session} = this.app;
    if (!session) return;
    session.coloring = coloring;
    session.paint();
    session.refresh();
  }
  opened(): void {
    const session = this.app.session!;
    session.coloring = select('coloring').value as Coloring;
    session.paint();
  }

  async #showMethods(): Promise<void> {
    const {app} = this, checks = [...get('methods').querySelectorAll('input')];
    const keys = checks.filter((c) => c.checked).map((c) => c.value);
    if (keys.length === 0) {
      keys.push('contact');
      for (const check of checks) check.checked = check.value === 'contact';
    }
    app.methods.splice(0, app.methods.length, ...keys);
    try {
      await app.session?.show(keys);
      if (app.session) app.stage.setSkins(app.session.shown.map((s) => s.skin));
      if (app.stage.framed) app.fit();
      app.changed();
    } catch (error) {
      app.fail(error);
    }
  }

  #setTheme(theme: 'light' | 'dark'): void {
    document.documentElement.dataset.theme = theme;
    button('theme').textContent = theme === 'light' ? 'Dark' : 'Light';
    this.app.stage.background = getComputedStyle(document.documentElement).getPropertyValue('--stage').trim();
  }

  #wireDivider(): void {
    const divider = get('divider'), {stage} = this.app;
    const moveTo = (split: number): void => {
      stage.split = Math.min(Math.max(split, 0.02), 0.98);
      this.#placeDivider();
      this.app.changed();
    };
    divider.addEventListener('pointerdown', (event) => divider.setPointerCapture(event.pointerId));
    divider.addEventListener('pointermove', (event) => {
      if (!divider.hasPointerCapture(event.pointerId)) return;
      const box = stage.canvas.getBoundingClientRect();
      moveTo((event.clientX - box.left) / box.width);
    });
    divider.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowLeft' ? -0.02 : event.key === 'ArrowRight' ? 0.02 : 0;
      if (step === 0) return;
      event.stopPropagation();
      event.preventDefault();
      moveTo(stage.split + step);
    });
  }
  #placeDivider(): void {
    get('divider').style.left = `${this.app.stage.split * 100}%`;
    get('divider').setAttribute('aria-valuenow', String(Math.round(this.app.stage.split * 100)));
  }
}
