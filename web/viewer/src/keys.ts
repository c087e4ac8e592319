/** The keys that work wherever the focus is on no control. */
export interface Keys {
  undo(): void;
  redo(): void;
  /** By the key that stands on it, in small letters. */
  does: Record<string, () => void>;
  /** A digit's. */
  method(number: number): boolean;
}

export function wireKeys(keys: Keys): void {
  window.addEventListener('keydown', (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey) {
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) keys.redo();
      else keys.undo();
      return;
    }
    if (event.altKey) return;
    if ((event.target as HTMLElement).matches('input, select, button, [role="slider"]') && key !== 'Escape') return;
    const act = keys.does[key];
    if (act) act();
    else if (!keys.method(Number(key))) return;
    event.preventDefault();
  });
}
