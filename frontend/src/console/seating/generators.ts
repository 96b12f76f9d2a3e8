// What the generators may be asked, as a table: the form is made of it, and so is the request.

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
  return { name: 'name', label: 'Name', kind: 'text', initial };
}

/** The same wish, begun with another answer. */
function begun(wish: Wish, initial: Answer): Wish {
  return { ...wish, initial };
}

const NUMBERING = choice('numbering', 'Seats are numbered', ['left_to_right', 'from left to right'], ['right_to_left', 'from right to left'], ['odd_even', 'odd left, even right']);
const LABELS = choice('row_labels', 'Rows are called', ['letters', 'A, B, C'], ['letters_without_i_o', 'A, B, C without I and O'], ['numbers', '1, 2, 3']);
const ROWS = number('rows', 'Rows', 12, 1, 200);
const AISLES = number('aisles', 'Aisles', 2, 0, 8);
const WHEELCHAIRS = number('wheelchair_places', 'Wheelchair places', 0, 0, 100, 'Each with a companion seat beside it.');
const SEAT_PITCH = number('seat_pitch', 'From seat to seat', 20, 5, 100, 'In the plan’s units.');
const ROW_PITCH = number('row_pitch', 'From row to row', 26, 5, 100);
const PITCHES = [SEAT_PITCH, ROW_PITCH];
const TIER: Wish = { name: 'membership_tier', label: 'For members of', kind: 'text', initial: '', optional: true, hint: 'A tier such as friends; empty for everybody.' };

export const KINDS: readonly Kind[] = [
  {
    kind: 'theatre',
    title: 'Theatre',
    about: 'Stalls, circle and upper circle on gentle arcs, in four price categories.',
    wishes: [
      called('Theatre'),
      number('stalls_rows', 'Rows in the stalls', 16, 1, 200),
      number('stalls_seats', 'Seats in the first row', 26, 1, 500),
      number('premium_rows', 'Of these rows, premium', 4, 0, 60),
      number('circle_rows', 'Rows in the circle', 8, 0, 60, 'None leaves it out.'),
      number('circle_seats', 'Seats in the circle’s first row', 34, 1, 500),
      number('upper_circle_rows', 'Rows in the upper circle', 0, 0, 60),
      number('upper_circle_seats', 'Seats in the upper circle’s first row', 40, 1, 500),
      AISLES,
      begun(WHEELCHAIRS, 6),
      begun(NUMBERING, 'odd_even'),
      begun(LABELS, 'letters_without_i_o'),
      ...PITCHES,
    ],
  },
  {
    kind: 'straight',
    title: 'Straight rows',
    about: 'A hall of rows, with aisles where you want them.',
    wishes: [
      called('Hall'),
      ROWS,
      number('seats_per_row', 'Seats in a row', 20, 1, 500),
      { name: 'aisles_after', label: 'Aisles after seats', kind: 'numbers', initial: '', hint: 'Counted from the left, such as 5, 15.' },
      WHEELCHAIRS,
      toggle('staggered', 'Every other row half a seat aside', false),
      toggle('continuous', 'Numbers go on across the aisles', true),
      NUMBERING,
      LABELS,
      ...PITCHES,
    ],
  },
  {
    kind: 'curved',
    title: 'Curved rows',
    about: 'Rows on arcs around the stage, each longer than the one in front.',
    wishes: [
      called('Auditorium'),
      begun(ROWS, 14),
      number('first_row_seats', 'Seats in the first row', 18, 1, 500),
      number('seats_added', 'More in each row behind', 2, 0, 20),
      number('distance', 'From the stage to the first row', 160, 20, 5000),
      AISLES,
      WHEELCHAIRS,
      NUMBERING,
      LABELS,
      ...PITCHES,
    ],
  },
  {
    kind: 'arena',
    title: 'Arena',
    about: 'Tiers of sections around a floor, which may be standing room.',
    wishes: [
      called('Arena'),
      number('tiers', 'Tiers', 3, 1, 8),
      number('rows_per_tier', 'Rows in a tier', 12, 1, 60),
      number('first_tier_sections', 'Sections of the first tier', 14, 2, 60),
      number('sections_added', 'More in each tier above', 6, 0, 20),
      number('floor', 'Standing places on the floor', 0, 0, 100_000, 'None leaves the floor empty.'),
      choice('stage', 'The stage is', ['centre', 'in the middle'], ['end', 'at one end']),
      number('floor_width', 'Width of the floor', 760, 200, 5000),
      number('floor_height', 'Depth of the floor', 480, 200, 5000),
      begun(LABELS, 'numbers'),
      NUMBERING,
      SEAT_PITCH,
      begun(ROW_PITCH, 24),
    ],
  },
  {
    kind: 'tables',
    title: 'Tables',
    about: 'Round tables in rows, sold by the seat or only whole.',
    wishes: [
      called('Banquet'),
      number('rows', 'Rows of tables', 4, 1, 100),
      number('columns', 'Tables in a row', 6, 1, 100),
      number('seats_per_table', 'Seats at a table', 8, 2, 24),
      choice('sold_as', 'Sold', ['seats', 'by the seat'], ['whole', 'as whole tables']),
      TIER,
      begun(SEAT_PITCH, 22),
    ],
  },
  {
    kind: 'festival',
    title: 'Festival',
    about: 'Seats, general admission, standing room and a members’ lounge around one stage.',
    wishes: [
      called('Festival'),
      number('orchestra_rows', 'Rows of seats', 12, 1, 200),
      number('orchestra_seats', 'Seats in a row', 25, 1, 500),
      number('floor', 'Places on the floor', 400, 1, 100_000),
      number('pit', 'Standing places in the pit', 300, 1, 100_000),
      number('lounge_tables', 'Tables in the lounge', 10, 1, 60),
      number('seats_per_table', 'Seats at a table', 5, 2, 12),
      { ...TIER, initial: 'friends', optional: false, hint: 'Whose lounge it is.' },
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
