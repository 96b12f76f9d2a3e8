// Every text of a page is in a catalogue: this parses the sources and looks for texts that are not.

import { parse } from 'svelte/compiler';
import { describe, expect, test } from 'vitest';

interface Node {
  type: string;
  start: number;
  [name: string]: unknown;
}

const SOURCES = import.meta.glob<string>(['../**/*.{svelte,ts}', '!../**/*.test.ts', '!../words/**'], { query: '?raw', import: 'default', eager: true });
const LETTERS = /\p{L}/u;
/** Of elements and of our own parts: attributes that people read or hear. */
const SAID = new Set([
  'title', 'aria-label', 'aria-description', 'aria-valuetext', 'placeholder', 'alt', 'label', 'legend', 'caption', 'hint', 'what', 'about', 'confirm', 'text',
  'whose', 'set', 'none', 'many', 'wrong',
]); // prettier-ignore
/** The same in every language: names, what is typed as it is, and what goes to the server. */
const NAMES = new Set(['fullhouse', 'config', 'pretix', 'harbour-theatre', 'English', 'Afrikaans', 'webhook-id', 'Preview']);
/** A string in a script that reads like words: two of them, or one that begins with a capital letter. */
const WORDS = /[\p{L}\d.,;:!?’”)]\s+[\p{L}“(]|^\p{Lu}\p{Ll}|…$/u;
/** Where strings are no words: what is imported, types, what something is compared with, and styles. */
const SKIPPED = /^(Import(Declaration|Expression)|TS(?!As|NonNull|Satisfies).*|BinaryExpression|Style(Sheet|Directive))$/;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** A page's section is a name in its table; the frame says it in words. */
function isCodeOf(node: Node): boolean {
  return node.type === 'Property' && (node.key as Node).name === 'section';
}

function inside(node: Node): Node[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value])).filter(isNode);
}

/** Texts of a page, or of a script as if it stood in one, that no catalogue has. */
function stray(source: string): string[] {
  const found: string[] = [];
  const say = (text: string) => LETTERS.test(text) && !text.startsWith('/') && !NAMES.has(text.trim()) && found.push(text.trim());

  function walk(node: Node, isCode: boolean): void {
    if (SKIPPED.test(node.type) || isCodeOf(node)) return;
    if (node.type === 'Text' && !isCode) say(node.data as string);
    if (node.type === 'Literal' && typeof node.value === 'string' && WORDS.test(node.value)) say(node.value);
    if (node.type === 'TemplateElement' && WORDS.test((node.value as { cooked: string }).cooked)) say((node.value as { cooked: string }).cooked);
    if (node.type === 'Attribute') {
      const parts = [node.value].flat().filter(isNode);
      for (const part of parts) if (part.type !== 'Text') walk(part, isCode);
      if (SAID.has(node.name as string)) for (const part of parts) if (part.type === 'Text') say(part.data as string);
      return;
    }
    const children = node.type === 'Property' ? [node.value as Node] : inside(node);
    for (const child of children) walk(child, isCode || node.name === 'code');
  }

  const { fragment, instance, module } = parse(source, { modern: true }) as unknown as Record<string, Node | null>;
  for (const part of [fragment, instance, module]) if (part) walk(part, false);
  return found;
}

test('there are pages to look at', () => expect(Object.keys(SOURCES).length).toBeGreaterThan(80));

test.each(Object.entries(SOURCES))('%s says nothing by itself', (file, source) => {
  expect(stray(file.endsWith('.svelte') ? source : `<script lang="ts">${source}</script>`)).toEqual([]);
});

describe('what it finds', () => {
  test.each([
    ['<p>Nobody is here.</p>', 'Nobody is here.'],
    ['{#if true}<b>Late</b>{/if}', 'Late'],
    ['<button aria-label="Take {1} off">×</button>', 'Take'],
    ['<input placeholder="harbour" />', 'harbour'],
    ['<Field label="Name" path="name" />', 'Name'],
    ["<b>{busy ? 'One moment…' : t.save}</b>", 'One moment…'],
    ["<script lang=\"ts\">say('Saved.');</script>", 'Saved.'],
    ['<script lang="ts">const title = `Order ${code} is void`;</script>', 'is void'],
  ])('%s', (source, text) => expect(stray(source)).toContain(text));

  test.each([
    '<p>{t.nobody}</p>',
    '<p>· 12 %</p>',
    '<p>(<code>SMTP_URL</code>)</p>',
    '<Badge kind="good" text={t.valid} />',
    '<style>p { color: red; }</style>',
    "<script lang=\"ts\">const isEvent = row.section === 'Event';</script>",
    '<i style:inline-size="{1}px"></i>',
    "<script lang=\"ts\">import Table from '../parts/Table.svelte'; const rows: 'Some type' = all['kind'];</script>",
  ])('and what it does not: %s', (source) => expect(stray(source)).toEqual([]));
});
