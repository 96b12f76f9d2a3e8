// Generating a layout from a few numbers.

import { words } from '.';

export const generators = {
  // preview
  preview: 'Preview',
  drawing: 'Drawing…',
  notDrawn: 'Can’t be drawn. Check the highlighted fields.',
  drawingOf: (about: string) => `Preview of the layout: ${about}`,
  numbers: 'Settings',
  createDraft: 'Create draft',

  // fields of several kinds
  numbered: 'Seat numbers',
  leftToRight: 'from left to right',
  rightToLeft: 'from right to left',
  oddEven: 'odd numbers left, even right',
  rowsCalled: 'Row names',
  letters: 'A, B, C',
  withoutIO: 'A, B, C without I and O',
  rows: 'Rows',
  aisles: 'Aisles',
  wheelchairSpaces: 'Wheelchair spaces',
  withCompanion: 'Each with a companion seat next to it.',
  seatToSeat: 'Distance between seats',
  planUnits: 'In the layout’s units.',
  rowToRow: 'Distance between rows',
  forMembers: 'Only for members of tier',
  tierSuchAs: 'Such as friends. If empty, open to everyone.',

  // a theatre
  theatre: 'Theatre',
  theatreAbout: 'Stalls, circle and upper circle in gentle curves, with four price categories.',
  stallsRows: 'Rows in the stalls',
  firstRowSeats: 'Seats in the first row',
  premiumRows: 'Premium rows among these',
  circleRows: 'Rows in the circle',
  noneLeavesOut: '0 for none.',
  circleSeats: 'Seats in the circle’s first row',
  upperRows: 'Rows in the upper circle',
  upperSeats: 'Seats in the upper circle’s first row',

  // straight and curved rows
  straight: 'Straight rows',
  straightAbout: 'A hall with straight rows and aisles.',
  hall: 'Hall',
  seatsInRow: 'Seats per row',
  aislesAfter: 'Aisles after seats',
  countedFromLeft: 'Counted from the left, such as 5, 15.',
  staggered: 'Shift every other row by half a seat',
  continuous: 'Continue numbers across aisles',
  curved: 'Curved rows',
  curvedAbout: 'Rows in curves around the stage, each longer than the one in front.',
  auditorium: 'Auditorium',
  moreBehind: 'Extra seats in each further row',
  stageToRow: 'Distance from the stage to the first row',

  // an arena
  arena: 'Arena',
  arenaAbout: 'Tiers of sections around a floor, which can be standing room.',
  tiers: 'Tiers',
  rowsInTier: 'Rows per tier',
  firstTier: 'Sections in the first tier',
  moreAbove: 'Extra sections in each higher tier',
  standingOnFloor: 'Standing capacity of the floor',
  floorEmpty: '0 for an empty floor.',
  stageIs: 'Stage position',
  inTheMiddle: 'in the middle',
  atOneEnd: 'at one end',
  floorWidth: 'Width of the floor',
  floorDepth: 'Depth of the floor',

  // tables
  tables: 'Tables',
  tablesAbout: 'Round tables in rows, sold by the seat or as whole tables.',
  banquet: 'Banquet',
  rowsOfTables: 'Rows of tables',
  tablesInRow: 'Tables per row',
  seatsAtTable: 'Seats per table',
  bySeat: 'by the seat',
  wholeTables: 'as whole tables',

  // a festival
  festival: 'Festival',
  festivalAbout: 'Seats, general admission, standing room and a members’ lounge around one stage.',
  rowsOfSeats: 'Rows of seats',
  spotsOnFloor: 'Capacity of the floor',
  standingInPit: 'Standing capacity of the pit',
  tablesInLounge: 'Tables in the lounge',
  whoseLounge: 'The membership tier that can use the lounge.',
};

export const t = words('generators', generators);
