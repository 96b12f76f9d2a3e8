// A funnel as it is drawn: bars in the middle, each as wide as its part of the first, and what joins them.

export interface Step {
  name: string;
  value: number;
}

interface Bar extends Step {
  x: number;
  y: number;
  width: number;
  /** Of the step before; null for the first, and where nothing came that far. */
  part: number | null;
  /** The way from the step before: four corners. */
  way: string | null;
}

export const [BAR, GAP] = [46, 34]; // pixels
const LEAST = 3; // a step with 0 is still visible

export function bars(steps: readonly Step[], width: number): Bar[] {
  const most = steps[0]?.value ?? 0;
  const found: Bar[] = [];
  steps.forEach((step, n) => {
    const wide = most ? Math.max(LEAST, (step.value / most) * width) : LEAST;
    const [x, y, before] = [(width - wide) / 2, n * (BAR + GAP), found.at(-1)];
    const way = before ? [before.x, before.y + BAR, before.x + before.width, before.y + BAR, x + wide, y, x, y].map((edge) => edge.toFixed(1)).join(' ') : null;
    found.push({ ...step, x, y, width: wide, part: before?.value ? step.value / before.value : null, way });
  });
  return found;
}

export const heightOf = (steps: number) => Math.max(0, steps * BAR + (steps - 1) * GAP);
