/** Painting on the skin: where it is stiff, slides, touches nothing. */
import {BufferAttribute, BufferGeometry, LineBasicMaterial, LineLoop, Vector3} from 'three';

import type {App, Part} from './app.js';
import {button, chosen, get, input, onSlide} from './dom.js';
import {type Brush, partOf, type Reached, SkinGraph, Stroke} from './paint.js';
import type {Preset} from './preset.js';
import {diagonal} from './skin.js';

const kCircle = 48;

export class PaintPanel implements Part {
  #graph: SkinGraph | undefined;
  #stroke: Stroke | undefined;
  #before: Preset | undefined;
  #size = 1;
  readonly #ring = new LineLoop(new BufferGeometry(), new LineBasicMaterial({color: 0xffffff, depthTest: false, transparent: true}));

  constructor(private readonly app: App) {
    const points: number[] = [];
    for (let i = 0; i < kCircle; ++i) points.push(Math.cos((2 * Math.PI * i) / kCircle), Math.sin((2 * Math.PI * i) / kCircle), 0);
    this.#ring.geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    this.#ring.renderOrder = 9;
    this.#ring.visible = false;
    app.stage.add(this.#ring);
    for (const id of ['brush-size', 'brush-strength']) onSlide(id, (value) => (get(`${id}-value`).textContent = `${value}%`));
    button('paint-part').addEventListener('click', () => this.#paintPart());
    button('paint-clear').addEventListener('click', () => {
      const {session} = app;
      if (session) session.setPreset(session.preset.withPainting(undefined));
    });
  }

  opened(): void {
    this.#graph = undefined;
    this.#size = diagonal(this.app.session!.character.info);
  }

  changed(): void {
    const {session} = this.app;
    if (!session) return;
    button('paint-part').disabled = session.joint < 0;
    button('paint-clear').disabled = !session.preset.painting;
    const list = get('regions'), regions = session.preset.file.regions ?? [];
    list.replaceChildren(...regions.map(({name}) => {
      const item = document.createElement('li'), gone = document.createElement('button');
      gone.type = 'button';
      gone.textContent = 'Remove';
      gone.setAttribute('aria-label', `Remove the region ${name}`);
      gone.addEventListener('click', () => session.setPreset(session.preset.withoutRegion(name)));
      item.append(name, gone);
      return item;
    }));
    get('regions-title').hidden = regions.length === 0;
  }

  get #radius(): number { return (Number(input('brush-size').value) / 100) * this.#size; }
  #new(): Stroke {
    const session = this.app.session!;
    return new Stroke(session.preset.painting, session.character.info.positions.length / 3, chosen('brush') as Brush, Number(input('brush-strength').value) / 100);
  }

  /** A stroke begins where the pointer is on the skin; false: it is not. */
  begin(event: PointerEvent): boolean {
    const {session} = this.app;
    if (!session) return false;
    const reached = this.#under(event);
    if (!reached) return false;
    this.#before = session.preset;
    this.#stroke = this.#new();
    this.#over(reached);
    return true;
  }
  move(event: PointerEvent): void {
    const reached = this.#under(event);
    if (this.#stroke && reached) this.#over(reached);
  }
  /** The skin is bound with it. */
  end(): void {
    const {session} = this.app;
    if (!session || !this.#stroke) return;
    const painted = this.#before!.withPainting(this.#stroke.painting());
    this.#stroke = undefined;
    session.setPreset(painted, this.#before!);
  }
  hide(): void {
    this.#ring.visible = false;
    this.app.stage.touch();
  }

  /** Where the brush reaches; its circle is shown there. */
  #under(event: PointerEvent): Reached | undefined {
    const {session, stage} = this.app, found = stage.locate(event), hit = found && stage.hit(found);
    this.#ring.visible = hit !== undefined;
    stage.touch();
    if (!session || !found || !hit) return undefined;
    this.#ring.position.copy(hit.point);
    this.#ring.scale.setScalar(this.#radius);
    this.#ring.lookAt(hit.point.clone().add(hit.normal ?? new Vector3(0, 0, 1)));
    this.#graph ??= new SkinGraph(session.character.info);
    const positions = session.shown[found.panel]?.frame?.positions ?? session.character.info.positions;
    return this.#graph.reach(positions, hit.vertex, hit.point.toArray(), this.#radius);
  }
  #over(reached: Reached): void {
    this.#stroke!.over(reached);
    this.app.session!.showPainting(this.#stroke!.painting());
  }

  #paintPart(): void {
    const {session} = this.app;
    if (!session || session.joint < 0) return;
    const reached = partOf(session.character.info, session.joint);
    if (reached.size === 0) return this.app.fail(new Error('This joint moves no skin of its own; choose another one'));
    const stroke = this.#new();
    stroke.over(reached);
    session.setPreset(session.preset.withPainting(stroke.painting()));
  }
}
