// What the console draws over a map: zones, companions, blocked seats, the difference of two versions.

import type { Camera } from '../../lib/map/camera';
import { BLOCKED, type Geometry } from '../../lib/map/geometry';
import { outline } from '../../lib/map/hull';
import type { Overlay, SeatMap } from '../../lib/map/seatmap';
import type { Change, Mark } from './difference';

/** A line from each wheelchair space to the seats of those who come along. */
export function companions(geometry: Geometry): Overlay {
  return (ctx, camera, colors) => {
    ctx.beginPath();
    for (const [place, seats] of geometry.companions) {
      const from = onScreen(geometry, camera, place);
      for (const seat of seats) {
        const to = onScreen(geometry, camera, seat);
        ctx.moveTo(from.x, from.y);
        ctx.lineTo(to.x, to.y);
      }
    }
    ctx.lineWidth = 6;
    ctx.strokeStyle = colors.ground;
    ctx.stroke();
    ctx.lineWidth = 3;
    ctx.strokeStyle = colors.mine;
    ctx.stroke();
    for (const [place, seats] of geometry.companions) {
      for (const seat of [place, ...seats]) {
        const { x, y } = onScreen(geometry, camera, seat);
        ctx.beginPath();
        ctx.arc(x, y, seat === place ? 5 : 3.5, 0, 7);
        ctx.fillStyle = colors.mine;
        ctx.fill();
        ctx.strokeStyle = colors.mineInk;
        ctx.lineWidth = 1.5;
        ctx.stroke();
      }
    }
  };
}

/** A line around everything that belongs to a zone. */
export function zoneOutline(geometry: Geometry, zone: number): Overlay {
  const lines = geometry.sections
    .filter((section) => section.zone === zone && section.end > section.first)
    .map((section) => outline(geometry.x, geometry.y, section, geometry.pitch * 0.9));
  const { area } = geometry.zones[zone]!;
  if (area.length > 2) lines.push(area);
  return (ctx, camera, colors) => {
    ctx.strokeStyle = colors.ink;
    ctx.lineWidth = 3;
    for (const line of lines) {
      ctx.beginPath();
      for (const [px, py] of line) {
        const { x, y } = camera.toScreen(px, py);
        ctx.lineTo(x, y);
      }
      ctx.closePath();
      ctx.stroke();
    }
  };
}

/** Blocked seats, which the public map shows as taken. */
export function blocked(map: SeatMap): Overlay {
  return (ctx, camera, colors) => {
    const size = map.geometry.pitch * camera.view.scale * 0.8;
    if (size < 5) return;
    const arm = size * 0.28;
    ctx.beginPath();
    for (let i = 0; i < map.geometry.count; i++) {
      if (map.states[i] !== BLOCKED || map.mine.has(i)) continue;
      const { x, y } = onScreen(map.geometry, camera, i);
      ctx.moveTo(x - arm, y);
      ctx.lineTo(x + arm, y);
    }
    ctx.lineWidth = Math.max(1.5, size * 0.14);
    ctx.strokeStyle = colors.ink;
    ctx.stroke();
  };
}

/** Where a zone is, to look at it. */
export function boxOfZone(geometry: Geometry, zone: number) {
  const boxes = geometry.sections.filter((section) => section.zone === zone && section.end > section.first).map((section) => section.box);
  const area = geometry.zones[zone]!.area;
  const xs = [...boxes.flatMap((box) => [box.left, box.right]), ...area.map((point) => point[0])];
  const ys = [...boxes.flatMap((box) => [box.top, box.bottom]), ...area.map((point) => point[1])];
  return xs.length ? { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) } : null;
}

/** How each kind of change is drawn: never by colour alone. */
const SHAPES: Record<Change, (ctx: CanvasRenderingContext2D, x: number, y: number, r: number) => void> = {
  added: (ctx, x, y, r) => {
    ctx.moveTo(x - r, y);
    ctx.lineTo(x + r, y);
    ctx.moveTo(x, y - r);
    ctx.lineTo(x, y + r);
  },
  removed: (ctx, x, y, r) => {
    ctx.moveTo(x - r, y - r);
    ctx.lineTo(x + r, y + r);
    ctx.moveTo(x + r, y - r);
    ctx.lineTo(x - r, y + r);
  },
  moved: (ctx, x, y, r) => {
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, 7);
  },
  recategorised: (ctx, x, y, r) => ctx.rect(x - r, y - r, 2 * r, 2 * r),
  renumbered: (ctx, x, y, r) => {
    ctx.moveTo(x - r, y + r);
    ctx.lineTo(x + r, y + r);
  },
};

export function differences(geometry: Geometry, marks: readonly Mark[], shown: ReadonlySet<Change>, colours: Record<Change, string>): Overlay {
  return (ctx, camera, colors) => {
    const r = Math.max(3, geometry.pitch * camera.view.scale * 0.34);
    ctx.lineCap = 'round';
    for (const change of Object.keys(SHAPES) as Change[]) {
      if (!shown.has(change)) continue;
      ctx.beginPath();
      for (const mark of marks) {
        if (mark.change !== change) continue;
        const { x, y } = camera.toScreen(mark.x, mark.y);
        SHAPES[change](ctx, x, y, r);
        if (!mark.from) continue;
        const from = camera.toScreen(mark.from.x, mark.from.y);
        ctx.moveTo(from.x, from.y);
        ctx.lineTo(x, y);
      }
      ctx.lineWidth = 5;
      ctx.strokeStyle = colors.ground;
      ctx.stroke();
      ctx.lineWidth = 2.5;
      ctx.strokeStyle = colours[change];
      ctx.stroke();
    }
    ctx.lineCap = 'butt';
  };
}

function onScreen(geometry: Geometry, camera: Camera, seat: number): { x: number; y: number } {
  return camera.toScreen(geometry.x[seat]!, geometry.y[seat]!);
}
