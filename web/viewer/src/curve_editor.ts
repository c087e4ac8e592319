/** A curve over angles, with points that are dragged, or moved by keys. */
import {type Curve, curveAt} from './preset.js';

const kWidth = 260, kHeight = 120, kLeft = 26, kBottom = 18, kTop = 6, kRight = 8;
const kMostAngle = 180, kMostPoints = 12;
/** Degrees, and of the height, that a key moves a point. */
const kAngleStep = 5, kValueStep = 0.05;
/** Degrees between points, at least. */
const kGap = 1;

const svg = (name: string, attributes: Record<string, string | number>): SVGElement => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
};

export class CurveEditor {
  #curve: Curve = [[0, 0]];
  #most = 1;
  #unit = '';
  #drag = -1;
  readonly #line: SVGElement;
  readonly #points: SVGElement;
  readonly #labels: SVGElement;

  /** `live`: while a point is dragged; `done`: when it is let go. */
  constructor(private readonly root: SVGSVGElement, private readonly live: (curve: Curve) => void, private readonly done: () => void) {
    root.setAttribute('viewBox', `0 0 ${kWidth} ${kHeight}`);
    this.#labels = svg('g', {class: 'axis'});
    this.#line = svg('path', {class: 'curve'});
    this.#points = svg('g', {});
    root.append(this.#labels, this.#line, this.#points);
    root.addEventListener('pointermove', (event) => this.#move(event));
    for (const name of ['pointerup', 'pointercancel'] as const)
      root.addEventListener(name, () => {
        if (this.#drag < 0) return;
        this.#drag = -1;
        this.done();
      });
    root.addEventListener('dblclick', (event) => {
      const [angle, value] = this.#at(event);
      this.#add(angle, value);
    });
  }

  get busy(): boolean { return this.#drag >= 0; }

  /** `most`: the largest value; `unit`: of values. */
  show(curve: Curve, most: number, unit: string): void {
    if (this.busy) return;
    this.#curve = curve.map(([a, v]) => [a, v]);
    this.#most = most;
    this.#unit = unit;
    this.#draw();
  }

  /** A point where the gap is widest. */
  addPoint(): void {
    const ends: number[] = [0, ...this.#curve.map(([a]) => a), kMostAngle];
    let widest = 1;
    for (let i = 2; i < ends.length; ++i) if (ends[i]! - ends[i - 1]! > ends[widest]! - ends[widest - 1]!) widest = i;
    const angle = Math.round((ends[widest]! + ends[widest - 1]!) / 2);
    this.#add(angle, curveAt(this.#curve, angle));
  }
  /** The one that has the focus, or the last. */
  removePoint(): void {
    if (this.#curve.length < 2) return;
    const focused = [...this.#points.children].indexOf(document.activeElement!);
    this.#curve.splice(focused < 0 ? this.#curve.length - 1 : focused, 1);
    this.#changed();
    this.done();
  }

  #add(angle: number, value: number): void {
    if (this.#curve.length >= kMostPoints || this.#curve.some(([a]) => Math.abs(a - angle) < kGap)) return;
    this.#curve.push([Math.round(angle), Number(value.toFixed(3))]);
    this.#curve.sort((a, b) => a[0] - b[0]);
    this.#changed();
    this.done();
  }
  #set(point: number, angle: number, value: number): void {
    const lo = point === 0 ? 0 : this.#curve[point - 1]![0] + kGap;
    const hi = point + 1 === this.#curve.length ? kMostAngle : this.#curve[point + 1]![0] - kGap;
    this.#curve[point] = [Math.round(Math.min(Math.max(angle, lo), hi)), Number(Math.min(Math.max(value, 0), this.#most).toFixed(3))];
    this.#changed();
  }
  #changed(): void {
    this.#draw();
    this.live(this.#curve.map(([a, v]) => [a, v]));
  }

  #x(angle: number): number { return kLeft + (angle / kMostAngle) * (kWidth - kLeft - kRight); }
  #y(value: number): number { return kTop + (1 - value / this.#most) * (kHeight - kTop - kBottom); }
  #at(event: {clientX: number; clientY: number}): [number, number] {
    const box = this.root.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * kWidth, y = ((event.clientY - box.top) / box.height) * kHeight;
    return [((x - kLeft) / (kWidth - kLeft - kRight)) * kMostAngle, (1 - (y - kTop) / (kHeight - kTop - kBottom)) * this.#most];
  }
  #move(event: PointerEvent): void {
    if (this.#drag < 0) return;
    const [angle, value] = this.#at(event);
    this.#set(this.#drag, angle, value);
  }

  #draw(): void {
    const labels: SVGElement[] = [];
    for (const angle of [0, 45, 90, 135, 180]) {
      labels.push(svg('line', {x1: this.#x(angle), x2: this.#x(angle), y1: this.#y(0), y2: this.#y(this.#most)}));
      const label = svg('text', {x: this.#x(angle), y: kHeight - 5, 'text-anchor': angle === 180 ? 'end' : 'middle'});
      label.textContent = `${angle}°`;
      labels.push(label);
    }
    for (const share of [0, 0.5, 1]) {
      labels.push(svg('line', {x1: this.#x(0), x2: this.#x(kMostAngle), y1: this.#y(share * this.#most), y2: this.#y(share * this.#most)}));
      const label = svg('text', {x: kLeft - 4, y: this.#y(share * this.#most) + 4, 'text-anchor': 'end'});
      label.textContent = `${Number((share * this.#most).toFixed(1))}${this.#unit}`;
      labels.push(label);
    }
    this.#labels.replaceChildren(...labels);
    const path: string[] = [];
    for (let angle = 0; angle <= kMostAngle; angle += 2)
      path.push(`${angle === 0 ? 'M' : 'L'}${this.#x(angle).toFixed(1)} ${this.#y(curveAt(this.#curve, angle)).toFixed(1)}`);
    this.#line.setAttribute('d', path.join(''));
    // Points stay what they are, so that focus does.
    while (this.#points.children.length > this.#curve.length) this.#points.lastElementChild!.remove();
    while (this.#points.children.length < this.#curve.length) this.#points.append(this.#point(this.#points.children.length));
    this.#curve.forEach(([angle, value], i) => {
      const point = this.#points.children[i]!;
      point.setAttribute('cx', String(this.#x(angle)));
      point.setAttribute('cy', String(this.#y(value)));
      point.setAttribute('aria-valuenow', String(value));
      point.setAttribute('aria-valuemax', String(this.#most));
      point.setAttribute('aria-valuetext', `${angle}°: ${value}${this.#unit}`);
    });
  }
  #point(i: number): SVGElement {
    const point = svg('circle', {r: 6, tabindex: 0, role: 'slider', 'aria-label': `Point ${i + 1} of the curve`, 'aria-valuemin': 0});
    point.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      point.focus();
      this.#drag = i;
      this.root.setPointerCapture(event.pointerId);
    });
    point.addEventListener('keydown', (event) => {
      const way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
      if (way) {
        const [angle, value] = this.#curve[i]!;
        this.#set(i, angle + way[0]! * kAngleStep, value + way[1]! * kValueStep * this.#most);
        this.done();
      } else if (event.key === 'Delete' || event.key === 'Backspace') {
        this.removePoint();
      } else {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    });
    return point;
  }
}
