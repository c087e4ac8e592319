/** The page's elements, by their ids. */
export const get = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
export const select = (id: string): HTMLSelectElement => get<HTMLSelectElement>(id);
export const input = (id: string): HTMLInputElement => get<HTMLInputElement>(id);
export const button = (id: string): HTMLButtonElement => get<HTMLButtonElement>(id);

/** What is chosen of the radio buttons of that name. */
export const chosen = (name: string): string => document.querySelector<HTMLInputElement>(`input[name="${name}"]:checked`)!.value;

/** What a slider shows beside itself. */
export function showValue(id: string, value: number, text: string): void {
  if (document.activeElement !== input(id)) input(id).value = String(value);
  get(`${id}-value`).textContent = text;
}

/** Where a slider is moved: `live` at once, `done` when it is let go. */
export function onSlide(id: string, live: (value: number) => void, done: () => void = () => {}): void {
  input(id).addEventListener('input', () => live(Number(input(id).value)));
  input(id).addEventListener('change', done);
}
