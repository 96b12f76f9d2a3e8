// The map's colours come from the page's own, so that light and dark need no second table.

import type { Palette } from './painter';

// The colours that plans are given here (seating/plan.py) are the page's own: in the dark they are lighter.
const OURS = ['#14213d', '#2a6fdb', '#e07a1f', '#8c2f6b'];

function ours(color: string | null, usual: string[]): string | undefined {
  return color === null ? undefined : usual[OURS.indexOf(color.toLowerCase())];
}

export function paletteOf(element: HTMLElement, colors: (string | null)[]): Palette {
  const probe = document.createElement('span');
  element.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const usual = ['--tier-1', '--tier-2', '--tier-3', '--tier-4'].map(read);
  const found: Palette = {
    ground: read('--sunken'),
    surface: read('--surface'),
    line: read('--line'),
    ink: read('--ink'),
    muted: read('--muted'),
    taken: read('--map-taken'),
    takenMark: read('--map-taken-mark'),
    mine: read('--hold'),
    mineInk: '#16181d',
    onTier: read('--map-on-tier'),
    tiers: colors.length ? colors.map((color, n) => ours(color, usual) ?? color ?? usual[n % usual.length]!) : usual,
  };
  probe.remove();
  return found;
}
