// Follows one pointer from press to release. Listens for moves on the window, so that synthetic events, which cannot be
// captured, also drag.

export interface Dragging {
  refuses(event: PointerEvent): boolean;
  begins(event: PointerEvent): void;
  /** The distance of the pointer from where it was pressed. */
  moves(dx: number, dy: number): void;
  ends(): void;
}

/** Movement up to this distance is still a click. */
const SLACK_PX = 3;

export function drag(element: HTMLElement, dragging: Dragging): void {
  element.addEventListener("pointerdown", (pressed) => {
    if (pressed.button !== 0 || dragging.refuses(pressed)) return;
    const over = new AbortController();
    const { signal } = over;
    let begun = false;
    const far = ({ clientX, clientY }: PointerEvent): [number, number] => [
      clientX - pressed.clientX,
      clientY - pressed.clientY,
    ];
    const isOther = ({ pointerId }: PointerEvent): boolean => pointerId !== pressed.pointerId;
    const move = (event: PointerEvent): void => {
      if (isOther(event)) return;
      const [dx, dy] = far(event);
      if (!begun && Math.hypot(dx, dy) <= SLACK_PX) return;
      if (!begun) {
        begun = true;
        dragging.begins(pressed);
      }
      dragging.moves(dx, dy);
    };
    const end = (event: PointerEvent): void => {
      if (isOther(event)) return;
      over.abort();
      if (begun) dragging.ends();
    };
    addEventListener("pointermove", move, { signal });
    addEventListener("pointerup", end, { signal });
    addEventListener("pointercancel", end, { signal });
  });
}
