// The parameters of the layout generators, as a table: form and request are built from it.

import { t } from '../words/generators';

export type Answer = string | number | boolean;

export interface Wish {
  name: string;
  label: string;
  kind: 'number' | 'text' | 'switch' | 'choice' | 'numbers';
  initial: Answer;
  min?: number;
  max?: number;
  options?: readonly (readonly [value: string, label: string])[];
  hint?: string;
  /** Empty is not sent. */
  optional?: boolean;
}

export interface Kind {
  kind: string;
  title: string;
  about: string;
  wishes: readonly Wish[];
}

function number(name: string, label: string, initial: number, min: number, max: number, hint?: string): Wish {
  return { name, label, kind: 'number', initial, min, max, ...(hint ? { hint } : {}) };
}

/** The first option is chosen to begin with. */
function choice(name: string, label: string, ...options: [value: string, label: string][]): Wish {
  return { name, label, kind: 'choice', initial: options[0]![0], options };
}

function toggle(name: string, label: string, initial: boolean): Wish {
  return { name, label, kind: 'switch', initial };
}

function called(initial: string): Wish {
  return { name: 'name', label: t.name, kind: 'text', initial };
}

/** The same wish, begun with another answer. */
function begun(wish: Wish, initial: Answer): Wish {
  return { ...wish, initial };
}

const NUMBERING = choice('numbering', t.numbered, ['left_to_right', t.leftToRight], ['right_to_left', t.rightToLeft], ['odd_even', t.oddEven]);
const LABELS = choice('row_labels', t.rowsCalled, ['letters', t.letters], ['letters_without_i_o', t.withoutIO], ['numbers', '1, 2, 3']);
const ROWS = number('rows', t.rows, 12, 1, 200);
const AISLES = number('aisles', t.aisles, 2, 0, 8);
const WHEELCHAIRS = number('wheelchair_places', t.wheelchairSpaces, 0, 0, 100, t.withCompanion);
const SEAT_PITCH = number('seat_pitch', t.seatToSeat, 20, 5, 100, t.planUnits);
const ROW_PITCH = number('row_pitch', t.rowToRow, 26, 5, 100);
const PITCHES = [SEAT_PITCH, ROW_PITCH];
const TIER: Wish = { name: 'membership_tier', label: t.forMembers, kind: 'text', initial: '', optional: true, hint: t.tierSuchAs };

export const KINDS: readonly Kind[] = [
  {
    kind: 'theatre',
    title: t.theatre,
    about: t.theatreAbout,
    wishes: [
      called(t.theatre),
      number('stalls_rows', t.stallsRows, 16, 1, 200),
      number('stalls_seats', t.firstRowSeats, 26, 1, 500),
      number('premium_rows', t.premiumRows, 4, 0, 60),
      number('circle_rows', t.circleRows, 8, 0, 60, t.noneLeavesOut),
      number('circle_seats', t.circleSeats, 34, 1, 500),
      number('upper_circle_rows', t.upperRows, 0, 0, 60),
      number('upper_circle_seats', t.upperSeats, 40, 1, 500),
      AISLES,
      begun(WHEELCHAIRS, 6),
      begun(NUMBERING, 'odd_even'),
      begun(LABELS, 'letters_without_i_o'),
      ...PITCHES,
    ],
  },
  {
    kind: 'straight',
    title: t.straight,
    about: t.straightAbout,
    wishes: [
      called(t.hall),
      ROWS,
      number('seats_per_row', t.seatsInRow, 20, 1, 500),
      { name: 'aisles_after', label: t.aislesAfter, kind: 'numbers', initial: '', hint: t.countedFromLeft },
      WHEELCHAIRS,
      toggle('staggered', t.staggered, false),
      toggle('continuous', t.continuous, true),
      NUMBERING,
      LABELS,
      ...PITCHES,
    ],
  },
  {
    kind: 'curved',
    title: t.curved,
    about: t.curvedAbout,
    wishes: [
      called(t.auditorium),
      begun(ROWS, 14),
      number('first_row_seats', t.firstRowSeats, 18, 1, 500),
      number('seats_added', t.moreBehind, 2, 0, 20),
      number('distance', t.stageToRow, 160, 20, 5000),
      AISLES,
      WHEELCHAIRS,
      NUMBERING,
      LABELS,
      ...PITCHES,
    ],
  },
  {
    kind: 'arena',
    title: t.arena,
    about: t.arenaAbout,
    wishes: [
      called(t.arena),
      number('tiers', t.tiers, 3, 1, 8),
      number('rows_per_tier', t.rowsInTier, 12, 1, 60),
      number('first_tier_sections', t.firstTier, 14, 2, 60),
      number('sections_added', t.moreAbove, 6, 0, 20),
      number('floor', t.standingOnFloor, 0, 0, 100_000, t.floorEmpty),
      choice('stage', t.stageIs, ['centre', t.inTheMiddle], ['end', t.atOneEnd]),
      number('floor_width', t.floorWidth, 760, 200, 5000),
      number('floor_height', t.floorDepth, 480, 200, 5000),
      begun(LABELS, 'numbers'),
      NUMBERING,
      SEAT_PITCH,
      begun(ROW_PITCH, 24),
    ],
  },
  {
    kind: 'tables',
    title: t.tables,
    about: t.tablesAbout,
    wishes: [
      called(t.banquet),
      number('rows', t.rowsOfTables, 4, 1, 100),
      number('columns', t.tablesInRow, 6, 1, 100),
      number('seats_per_table', t.seatsAtTable, 8, 2, 24),
      choice('sold_as', t.sold, ['seats', t.bySeat], ['whole', t.wholeTables]),
      TIER,
      begun(SEAT_PITCH, 22),
    ],
  },
  {
    kind: 'festival',
    title: t.festival,
    about: t.festivalAbout,
    wishes: [
      called(t.festival),
      number('orchestra_rows', t.rowsOfSeats, 12, 1, 200),
      number('orchestra_seats', t.seatsInRow, 25, 1, 500),
      number('floor', t.spotsOnFloor, 400, 1, 100_000),
      number('pit', t.standingInPit, 300, 1, 100_000),
      number('lounge_tables', t.tablesInLounge, 10, 1, 60),
      number('seats_per_table', t.seatsAtTable, 5, 2, 12),
      { ...TIER, initial: 'friends', optional: false, hint: t.whoseLounge },
    ],
  },
];

export function initial(kind: Kind): Record<string, Answer> {
  return Object.fromEntries(kind.wishes.map((wish) => [wish.name, wish.initial]));
}

/** The request. What is no number goes as it was typed: the server says beside the field what is wrong with it. */
export function request(kind: Kind, answers: Record<string, Answer>): Record<string, unknown> {
  const body: Record<string, unknown> = { kind: kind.kind };
  for (const wish of kind.wishes) {
    const answer = answers[wish.name] ?? wish.initial;
    if (wish.optional && answer === '') continue;
    body[wish.name] = wish.kind === 'number' ? asNumber(answer) : wish.kind === 'numbers' ? asNumbers(String(answer)) : answer;
  }
  return body;
}

function asNumber(answer: Answer): unknown {
  const found = Number(answer);
  return answer === '' || answer === null || Number.isNaN(found) ? answer : found;
}

function asNumbers(text: string): unknown[] {
  return text.split(/[\s,;]+/).filter(Boolean).map(asNumber);
}
