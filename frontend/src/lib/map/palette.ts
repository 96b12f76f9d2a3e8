// The map's colours come from the page's own, so that light and dark need no second table.

import type { Palette } from './painter';

// The colours that plans are given here (seating/plans/plan.py) are the page's own: in the dark they are lighter.
const OURS = ['#14213d', '#2a6fdb', '#e07a1f', '#8c2f6b'];

/** A price's colour, for the map and for whatever stands beside it: one of the page's, or the plan's own. */
function tier(color: string | null, n: number, usual: string[]): string {
  const own = color === null ? n % usual.length : OURS.indexOf(color.toLowerCase());
  return usual[own] ?? color!;
}

/** The same as CSS. */
export function tierColor(color: string | null, n: number): string {
  return tier(color, n, TIERS.map((name) => `var(${name})`));
}

/** More prices than colours that everybody can tell apart have a letter each. */
export function tierLetter(n: number, count: number): string {
  return count <= TIERS.length ? '' : n < 26 ? String.fromCharCode(65 + n) : String(n + 1);
}

export function lettered(letter: string | undefined, name: string): string {
  return letter ? `${letter} · ${name}` : name;
}

const NAMES = {
  ground: '--sunken',
  surface: '--surface',
  line: '--line',
  ink: '--ink',
  muted: '--muted',
  taken: '--map-taken',
  takenMark: '--map-taken-mark',
  mine: '--hold',
  onTier: '--map-on-tier',
};
const TIERS = ['--tier-1', '--tier-2', '--tier-3', '--tier-4'];

export function paletteOf(element: HTMLElement, colors: (string | null)[]): Palette {
  const found = resolved(element, [...Object.values(NAMES), ...TIERS]);
  const named = Object.fromEntries(Object.keys(NAMES).map((name, n) => [name, found[n]!])) as Record<keyof typeof NAMES, string>;
  const usual = found.slice(-TIERS.length);
  const tiers = colors.map((color, n) => tier(color, n, usual));
  const letters = colors.map((_, n) => tierLetter(n, colors.length));
  return { ...named, mineInk: '#16181d', tiers: tiers.length ? tiers : usual, letters };
}

/** What the page's names of colours stand for here. All are asked for before the first is read: the page is styled once. */
function resolved(element: HTMLElement, names: string[]): string[] {
  const probe = document.createElement('span');
  const probes = names.map((name) => {
    const one = document.createElement('i');
    one.style.color = `var(${name})`;
    return one;
  });
  probe.append(...probes);
  element.append(probe);
  const found = probes.map((one) => getComputedStyle(one).color);
  probe.remove();
  return found;
}
