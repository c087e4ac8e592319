/** How the part of the chosen joint meets its parent's: operator, bulge, controller. */
import type {Controller} from 'cutis';

import type {App, Part} from './app.js';
import {CurveEditor} from './curve_editor.js';
import {button, get, input, onSlide, select, showValue} from './dom.js';
import {save} from './files.js';
import {type Curve, curveOf, Preset} from './preset.js';
import type {Session} from './session.js';

/** Degrees. */
const kMostOpening = 45;
const kWhat = {
  bulge: 'How far the skin bulges, at angles of the bend',
  opening: 'How far the blend opens, at angles of the bend',
  contact: 'Contact: of use with --contact operator; tracking finds its contact from the pose',
};

export class PresetPanel implements Part {
  #named: Controller[] = [];
  /** Before a slider or a point was moved. */
  #before: Preset | undefined;
  readonly #editor: CurveEditor;

  constructor(private readonly app: App) {
    this.#editor = new CurveEditor(get<HTMLElement>('curve') as unknown as SVGSVGElement, (curve) => this.#curve(curve), () => this.#done());
    select('operator').addEventListener('change', () => this.#change((p, joint) => p.withJoint(joint, {operator: select('operator').value})));
    select('controller').addEventListener('change', () => this.#change((p, joint) => p.withJoint(joint, {controller: select('controller').value})));
    onSlide('bulge', (percent) => this.#live((p, joint) => p.withBulge(joint, percent / 100, this.#named)), () => this.#done());
    onSlide('support', (percent) => this.#live((p, joint) => p.withJoint(joint, {support_factor: percent / 100}), false), () => this.#done());
    button('curve-add').addEventListener('click', () => this.#editor.addPoint());
    button('curve-remove').addEventListener('click', () => this.#editor.removePoint());
    button('joint-default').addEventListener('click', () => this.#change((p, joint) => p.withoutJoint(joint)));
    button('preset-save').addEventListener('click', () => this.#save());
    button('preset-none').addEventListener('click', () => {
      app.session?.setPreset(Preset.none);
    });
  }

  /** Of the library. */
  set named(controllers: Controller[]) {
    this.#named = controllers;
    this.changed();
  }

  changed(): void {
    const {session} = this.app, joint = session && this.#name(session);
    for (const id of ['operator', 'controller', 'bulge', 'support', 'curve-add', 'curve-remove', 'joint-default'])
      get<HTMLInputElement>(id).disabled = joint === undefined;
    get('curve').classList.toggle('off', joint === undefined);
    if (!session || this.#named.length === 0) return;
    button('preset-save').disabled = button('preset-none').disabled = session.preset.isEmpty;
    get('skin-joint').textContent = joint === undefined ? 'Choose a joint that bends skin: click it, or take one of the list.'
      : `${joint}${session.preset.names(joint) ? ', in the preset' : ': as all joints'}`;
    get('bind-time').textContent = session.bindMilliseconds > 0 ? `bound in ${session.bindMilliseconds.toFixed(0)} ms` : '';
    if (joint === undefined) return;
    const {preset} = session, operator = preset.operator(joint), controller = preset.controller(joint);
    fill(select('operator'), preset.operators, operator);
    fill(select('controller'), [...new Set([...this.#named.map((c) => c.name), ...(preset.file.controllers ?? []).map((c) => c.name)])], controller);
    const bulge = Math.round(100 * preset.bulge(joint, this.#named)), support = Math.round(100 * Number(preset.row(joint).support_factor ?? 1));
    showValue('bulge', bulge, `${bulge}%`);
    if (!this.#before) showValue('support', support, `${support}%`);
    const kind = curveOf(operator);
    get('curve-what').textContent = kWhat[kind];
    const opening = kind === 'opening';
    this.#editor.show(preset.curves(controller, this.#named)[kind], opening ? kMostOpening : 1, opening ? '°' : '');
  }

  /** The chosen joint, where it owns skin and has a parent that does. */
  #name(session: Session): string | undefined {
    const {info, bindReport} = session.character;
    const joint = info.joints[session.joint];
    const parts = (bindReport.parts ?? []) as {joint: string; shape: string}[];
    return joint && parts.some((p) => p.joint === joint.name && p.shape !== 'none') ? joint.name : undefined;
  }
  /** The change for the chosen joint, and its mirror image where that is wanted. */
  #with(change: (preset: Preset, joint: string) => Preset): Preset | undefined {
    const {session} = this.app, joint = session && this.#name(session);
    if (!session || joint === undefined) return undefined;
    let next = change(session.preset, joint);
    const other = input('mirror').checked ? session.skeleton.mirrorOf(session.joint) : -1;
    if (other >= 0) next = change(next, session.character.info.joints[other]!.name);
    return next;
  }
  #change(change: (preset: Preset, joint: string) => Preset): void {
    const next = this.#with(change);
    if (next) this.app.session!.setPreset(next);
  }
  /** While something is moved. `now`: or when it is let go. */
  #live(change: (preset: Preset, joint: string) => Preset, now = true): void {
    const {session} = this.app, next = this.#with(change);
    if (!session || !next) return;
    this.#before ??= session.preset;
    if (now) session.setPreset(next, null);
    else this.#waiting = next;
    if (!now) get('support-value').textContent = `${input('support').value}%`;
  }
  #waiting: Preset | undefined;
  #done(): void {
    const {session} = this.app, before = this.#before, next = this.#waiting ?? session?.preset;
    this.#before = this.#waiting = undefined;
    if (session && before && next && before !== next) session.setPreset(next, before);
  }
  #curve(curve: Curve): void {
    this.#live((p, joint) => p.withCurve(joint, curveOf(p.operator(joint)), curve));
  }

  #save(): void {
    const {session} = this.app;
    if (!session) return;
    const name = `${session.character.info.name.replace(/^builtin:|\.\w+$/g, '')}_preset.json`;
    save(name, `${JSON.stringify(session.preset.toFile(), null, 2)}\n`, 'application/json');
    this.app.say(`${name}: for cutis -p, and to be opened here`);
  }
}

function fill(list: HTMLSelectElement, names: string[], chosen: string): void {
  if ([...list.options].map((o) => o.value).join('\n') !== names.join('\n')) list.replaceChildren(...names.map((n) => new Option(n, n)));
  list.value = chosen;
}
