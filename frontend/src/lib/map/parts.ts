// What was drawn is kept: a map that is dragged moves its picture, and draws only the strips that came into sight.

import type { View } from './camera';
import type { Box } from './geometry';

/** What of a canvas must be drawn after its picture was moved by whole pixels: at most two strips. */
export function exposed(width: number, height: number, dx: number, dy: number): Box[] {
  if (Math.abs(dx) >= width || Math.abs(dy) >= height) return [{ left: 0, top: 0, right: width, bottom: height }];
  const parts: Box[] = [];
  const [top, bottom] = [Math.max(0, dy), Math.min(height, height + dy)]; // of what is still there
  if (dy > 0) parts.push({ left: 0, top: 0, right: width, bottom: top });
  if (dy < 0) parts.push({ left: 0, top: bottom, right: width, bottom: height });
  if (dx > 0) parts.push({ left: 0, top, right: dx, bottom });
  if (dx < 0) parts.push({ left: width + dx, top, right: width, bottom });
  return parts;
}

export class Mover {
  private readonly beside = document.createElement('canvas');

  /** Moves the picture from one view to another of the same scale; both stand on whole pixels. Says what is to be drawn. */
  move(ctx: CanvasRenderingContext2D, from: View, to: View, ratio: number): Box[] {
    const [dx, dy] = [Math.round((to.x - from.x) * ratio), Math.round((to.y - from.y) * ratio)];
    const { width, height } = ctx.canvas;
    if (dx || dy) {
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      ctx.drawImage(this.copy(ctx.canvas), dx, dy);
    }
    return exposed(width, height, dx, dy);
  }

  /** By way of another canvas: to draw one into itself takes a browser three times as long. */
  private copy(canvas: HTMLCanvasElement): HTMLCanvasElement {
    const { beside } = this;
    if (beside.width !== canvas.width || beside.height !== canvas.height) [beside.width, beside.height] = [canvas.width, canvas.height];
    beside.getContext('2d', { alpha: false })?.drawImage(canvas, 0, 0);
    return beside;
  }
}
