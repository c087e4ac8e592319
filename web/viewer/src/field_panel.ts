/** What is shown of the implicit skin. It takes longer than a frame, and follows when nothing moves. */
import {type Field, Latest} from 'cutis';

import type {App, Part} from './app.js';
import {button, get, input, onSlide, select} from './dom.js';
import {FieldView} from './field_view.js';
import type {Preset} from './preset.js';
import type {Session} from './session.js';

/** Milliseconds without a frame. */
const kStill = 120;

export class FieldPanel implements Part {
  readonly #view = new FieldView();
  readonly #latest = new Latest<Session>((session) => this.#show(session), (error) => this.app.fail(error));
  #field: {field: Field; of: Session; preset: Preset} | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What of it, in which pose. */
  shown = '';

  constructor(private readonly app: App) {
    app.stage.add(this.#view.group);
    for (const id of ['iso', 'slice']) input(id).addEventListener('change', () => this.#ask(0));
    select('slice-axis').addEventListener('change', () => this.#ask(0));
    onSlide('iso-level', (value) => {
      get('iso-level-value').textContent = value.toFixed(2);
      input('iso').checked = true;
      this.#ask(0);
    });
    onSlide('slice-at', (value) => {
      get('slice-at-value').textContent = `${Math.round(100 * value)}%`;
      input('slice').checked = true;
      this.#ask(0);
    });
    button('slice-joint').addEventListener('click', () => void this.#throughJoint());
    for (const radio of document.querySelectorAll<HTMLInputElement>('input[name="over"]'))
      radio.addEventListener('change', () => {
        app.stage.over = radio.value as 'shown' | 'ghost' | 'hidden';
        app.stage.touch();
      });
  }

  get busy(): boolean { return this.#latest.busy || this.#timer !== undefined; }

  opened(): void {
    this.#field = undefined;  // went with its character
    this.shown = '';
    this.#view.hide();
  }
  changed(): void {
    button('slice-joint').disabled = !this.app.session || this.app.session.joint < 0;
    if (input('iso').checked || input('slice').checked) this.#ask(kStill);
  }

  #ask(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const {session} = this.app;
      if (!session) return;
      if (session.busy) this.#ask(kStill);
      else this.#latest.ask(session);
    }, delay);
  }

  async #fieldOf(session: Session): Promise<Field> {
    if (this.#field?.of !== session || this.#field.preset !== session.bound) {
      const old = this.#field;
      this.#field = {field: await session.character.field(), of: session, preset: session.bound};
      if (old?.of === session) await old.field.dispose();
    }
    return this.#field.field;
  }

  async #show(session: Session): Promise<void> {
    const iso = input('iso').checked, slice = input('slice').checked;
    const level = Number(input('iso-level').value), axis = Number(select('slice-axis').value), at = Number(input('slice-at').value);
    const now = `${iso} ${level} ${slice} ${axis} ${at} ${session.pose.join()}`;
    if (now === this.shown && this.#field?.preset === session.bound) return;
    try {
      if (iso || slice) {
        const field = await this.#fieldOf(session), start = performance.now();
        await field.pose(session.pose);
        let said = '';
        if (iso) said = `${await this.#view.showSurface(field, level)} triangles, `;
        if (slice) await this.#view.showSlice(field, axis, at);
        get('field-time').textContent = `${said}${(performance.now() - start).toFixed(0)} ms`;
      }
    } catch (error) {
      if (this.app.session !== session) return;  // it was closed meanwhile
      throw error;
    }
    if (!iso) this.#view.hideSurface();
    if (!slice) this.#view.hideSlice();
    if (!iso && !slice) get('field-time').textContent = '';
    this.shown = now;
    this.app.stage.touch();
  }

  async #throughJoint(): Promise<void> {
    const {session, stage} = this.app;
    if (!session || session.joint < 0) return;
    try {
      const axis = Number(select('slice-axis').value), field = await this.#fieldOf(session);
      await field.pose(session.pose);
      const share = await this.#view.shareOf(field, axis, stage.place(session.joint).getComponent(axis));
      input('slice-at').value = String(Math.min(Math.max(share, 0), 1));
      input('slice-at').dispatchEvent(new Event('input'));
    } catch (error) {
      this.app.fail(error);
    }
  }
}
