"use strict";

// Lets a reader move in a timeline by mouse, wheel, touch and keyboard.
class TimelineInput {
  static slop = 4;  // Pixels that a pointer may move in a click.

  // `timeline` has view, request(), select(x, y), step(direction), clear() and scroll(pixels).
  constructor(timeline, canvas) {
    this.timeline = timeline;
    this.canvas = canvas;
    this.pointers = new Map();  // Where each pointer is that is down.
    this.moved = 0;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => this.up(event));
    canvas.addEventListener("dblclick", (event) => this.zoomBy(0.25, event.offsetX));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  zoomBy(factor, place) {
    this.timeline.view.zoom(factor, place);
    this.timeline.request();
  }

  moveBy(pixels) {
    this.timeline.view.move(pixels);
    this.timeline.request();
  }

  // The wheel alone scrolls the page and the tracks. With Ctrl, and by a pinch on a touchpad, it zooms. With Shift, or sideways, it moves.
  wheel(event) {
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) this.zoomBy(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.008), event.offsetX);
    else if (sideways !== 0 && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) this.moveBy(sideways);
    else return;
    event.preventDefault();
  }

  down(event) {
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (this.pointers.size === 1) this.moved = 0;
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) return;
    const now = { x: event.offsetX, y: event.offsetY };
    this.moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.pointers.set(event.pointerId, now);
    if (others.length === 0) {
      if (this.moved > TimelineInput.slop) this.moveBy(before.x - now.x);
      return;
    }
    const apart = (at) => Math.max(10, Math.abs(at.x - others[0].x));
    this.zoomBy(apart(before) / apart(now), (now.x + others[0].x) / 2);
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    if (event.type === "pointerup" && this.moved <= TimelineInput.slop) this.timeline.select(event.offsetX, event.offsetY);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { view } = this.timeline;
    const actions = {
      ArrowLeft: () => this.moveBy(-view.width / 10),
      ArrowRight: () => this.moveBy(view.width / 10),
      ArrowUp: () => this.timeline.scroll(-TimelineDrawing.row),
      ArrowDown: () => this.timeline.scroll(TimelineDrawing.row),
      "+": () => this.zoomBy(0.5),
      "=": () => this.zoomBy(0.5),
      "-": () => this.zoomBy(2),
      "0": () => this.timeline.whole(),
      Home: () => this.timeline.whole(),
      n: () => this.timeline.step(1),
      p: () => this.timeline.step(-1),
      Escape: () => this.timeline.clear(),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }
}
