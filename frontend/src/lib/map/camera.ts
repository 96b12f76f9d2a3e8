// From the plan to the screen and back. A camera never loses the plan: some of it stays in sight.

import type { Box } from './geometry';

export interface View {
  scale: number; // pixels for a plan unit
  x: number; // of the plan's origin on the screen
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export class Camera {
  view: View = { scale: 1, x: 0, y: 0 };
  private least = 0.01;

  constructor(
    private plan: Box,
    private readonly most: number,
    private size: Size = { width: 1, height: 1 },
  ) {}

  resize(size: Size): void {
    const centre = this.toPlan(this.size.width / 2, this.size.height / 2);
    this.size = size;
    this.least = Math.min(this.fitScale(this.plan), this.most);
    this.view.scale = Math.max(this.view.scale, this.least);
    this.lookAt(centre.x, centre.y, this.view.scale);
  }

  /** Shows a box as large as it goes, with some air around it. */
  fit(box: Box = this.plan, air = 0.06): View {
    const scale = this.clamp(this.fitScale(box) * (1 - air));
    return this.placed((box.left + box.right) / 2, (box.top + box.bottom) / 2, scale);
  }

  /** Closer or further away, with the point under the finger where it is. */
  zoom(factor: number, px: number, py: number): void {
    const at = this.toPlan(px, py);
    const scale = this.clamp(this.view.scale * factor);
    this.view = this.held({ scale, x: px - at.x * scale, y: py - at.y * scale });
  }

  pan(dx: number, dy: number): void {
    this.view = this.held({ ...this.view, x: this.view.x + dx, y: this.view.y + dy });
  }

  around(x: number, y: number, scale: number): View {
    return this.placed(x, y, this.clamp(scale));
  }

  lookAt(x: number, y: number, scale = this.view.scale): void {
    this.view = this.placed(x, y, this.clamp(scale));
  }

  toPlan(px: number, py: number): { x: number; y: number } {
    return { x: (px - this.view.x) / this.view.scale, y: (py - this.view.y) / this.view.scale };
  }

  toScreen(x: number, y: number): { x: number; y: number } {
    return { x: x * this.view.scale + this.view.x, y: y * this.view.scale + this.view.y };
  }

  /** The same sight, with the plan's origin on a whole pixel of a canvas with so many of them to one of the screen. */
  onPixels(ratio: number): Camera {
    const still = new Camera(this.plan, this.most, this.size);
    const { scale, x, y } = this.view;
    still.view = { scale, x: Math.round(x * ratio) / ratio, y: Math.round(y * ratio) / ratio };
    return still;
  }

  /** What is in sight, in plan units. */
  seen(): Box {
    return this.within({ left: 0, top: 0, right: this.size.width, bottom: this.size.height }, 1, 0);
  }

  /** What a part of a canvas shows, given in its own pixels, and something around it. */
  within(part: Box, ratio: number, margin: number): Box {
    const from = this.toPlan(part.left / ratio, part.top / ratio);
    const to = this.toPlan(part.right / ratio, part.bottom / ratio);
    return { left: from.x - margin, top: from.y - margin, right: to.x + margin, bottom: to.y + margin };
  }

  get isWhole(): boolean {
    return this.view.scale <= this.least * 1.05;
  }

  private placed(x: number, y: number, scale: number): View {
    return this.held({ scale, x: this.size.width / 2 - x * scale, y: this.size.height / 2 - y * scale });
  }

  private fitScale(box: Box): number {
    return Math.min(
      this.size.width / Math.max(1e-6, box.right - box.left),
      this.size.height / Math.max(1e-6, box.bottom - box.top),
    );
  }

  private clamp(scale: number): number {
    return Math.min(this.most, Math.max(this.least * 0.9, scale));
  }

  private held(view: View): View {
    const keep = 0.3;
    const span = (low: number, high: number, size: number, origin: number) => {
      const first = size * keep - high * view.scale;
      const last = size * (1 - keep) - low * view.scale;
      return Math.min(Math.max(origin, Math.min(first, last)), Math.max(first, last));
    };
    return {
      scale: view.scale,
      x: span(this.plan.left, this.plan.right, this.size.width, view.x),
      y: span(this.plan.top, this.plan.bottom, this.size.height, view.y),
    };
  }
}
