/** What was counted: the table, and a label in each picture. */
import type {App, Part} from './app.js';
import {get} from './dom.js';

const text = (value: number | null | undefined, digits = 0): string => (value === null || value === undefined ? '–' : value.toFixed(digits));

export class Numbers implements Part {
  constructor(private readonly app: App) {}

  changed(): void {
    const {session} = this.app;
    if (!session) return;
    const body = get('numbers').querySelector('tbody')!;
    body.replaceChildren(...session.shown.map(({method, frame, measured, substeps}) => {
      const n = measured?.numbers ?? {};
      const row = document.createElement('tr');
      for (const value of [method.label, text(n.new_pairs), text(n.folds), text(n.roughness, 2), text(substeps), text(frame?.milliseconds, 1)])
        row.append(Object.assign(document.createElement('td'), {textContent: value}));
      row.dataset.method = method.key;
      return row;
    }));
    this.#label();
  }

  #label(): void {
    const session = this.app.session!, {stage} = this.app, labels = get('labels');
    session.shown.forEach(({method, frame, measured}, i) => {
      const n = measured?.numbers ?? {};
      let label = labels.children[i] as HTMLElement | undefined;
      if (!label) {
        label = document.createElement('div');
        label.className = 'label';
        label.append(document.createElement('strong'), document.createElement('span'));
        labels.append(label);
      }
      const clip = stage.skins.length === session.shown.length ? stage.clip(i) : undefined;
      if (clip) {
        label.style.left = `${clip.x}px`;
        label.style.top = `${clip.y}px`;
        label.style.maxWidth = `${Math.max(clip.width - 16, 0)}px`;
        label.style.transform = stage.layout === 'split' && i === 1 ? 'translateX(12px)' : '';
      }
      label.children[0]!.textContent = method.label;
      // Hair, eyes, clothes: what intersects or touches at rest is no method's fault.
      const others = (n.intersecting_pairs ?? 0) - (n.new_pairs ?? 0), rest = others > 0 ? ` (and ${others} that touch at rest)` : '';
      label.children[1]!.textContent = `${text(n.new_pairs)} pairs${rest}, ${text(n.folds)} folds, ${text(frame?.milliseconds, 1)} ms${frame?.outOfTime ? ', late' : ''}`;
      label.classList.toggle('bad', (n.new_pairs ?? 0) > 0);
    });
    while (labels.children.length > session.shown.length) labels.lastElementChild!.remove();
  }
}
