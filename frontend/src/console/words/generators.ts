// Layouts from a few numbers.

import { words } from '.';

export const generators = {
  // drawn while it is typed
  preview: 'Preview',
  drawing: 'Drawing…',
  notDrawn: 'Not drawn: see the marked fields',
  drawingOf: (about: string) => `A drawing of the layout: ${about}`,
  numbers: 'Numbers',
  makeDraft: 'Make the draft',

  // what all may be asked
  numbered: 'Seats are numbered',
  leftToRight: 'from left to right',
  rightToLeft: 'from right to left',
  oddEven: 'odd left, even right',
  rowsCalled: 'Rows are called',
  letters: 'A, B, C',
  withoutIO: 'A, B, C without I and O',
  rows: 'Rows',
  aisles: 'Aisles',
  wheelchairPlaces: 'Wheelchair places',
  withCompanion: 'Each with a companion seat beside it.',
  seatToSeat: 'From seat to seat',
  planUnits: 'In the plan’s units.',
  rowToRow: 'From row to row',
  forMembers: 'For members of',
  tierSuchAs: 'A tier such as friends; empty for everybody.',

  // a theatre
  theatre: 'Theatre',
  theatreAbout: 'Stalls, circle and upper circle on gentle arcs, in four price categories.',
  stallsRows: 'Rows in the stalls',
  firstRowSeats: 'Seats in the first row',
  premiumRows: 'Of these rows, premium',
  circleRows: 'Rows in the circle',
  noneLeavesOut: 'None leaves it out.',
  circleSeats: 'Seats in the circle’s first row',
  upperRows: 'Rows in the upper circle',
  upperSeats: 'Seats in the upper circle’s first row',

  // straight and curved rows
  straight: 'Straight rows',
  straightAbout: 'A hall of rows, with aisles where you want them.',
  hall: 'Hall',
  seatsInRow: 'Seats in a row',
  aislesAfter: 'Aisles after seats',
  countedFromLeft: 'Counted from the left, such as 5, 15.',
  staggered: 'Every other row half a seat aside',
  continuous: 'Numbers go on across the aisles',
  curved: 'Curved rows',
  curvedAbout: 'Rows on arcs around the stage, each longer than the one in front.',
  auditorium: 'Auditorium',
  moreBehind: 'More in each row behind',
  stageToRow: 'From the stage to the first row',

  // an arena
  arena: 'Arena',
  arenaAbout: 'Tiers of sections around a floor, which may be standing room.',
  tiers: 'Tiers',
  rowsInTier: 'Rows in a tier',
  firstTier: 'Sections of the first tier',
  moreAbove: 'More in each tier above',
  standingOnFloor: 'Standing places on the floor',
  floorEmpty: 'None leaves the floor empty.',
  stageIs: 'The stage is',
  inTheMiddle: 'in the middle',
  atOneEnd: 'at one end',
  floorWidth: 'Width of the floor',
  floorDepth: 'Depth of the floor',

  // tables
  tables: 'Tables',
  tablesAbout: 'Round tables in rows, sold by the seat or only whole.',
  banquet: 'Banquet',
  rowsOfTables: 'Rows of tables',
  tablesInRow: 'Tables in a row',
  seatsAtTable: 'Seats at a table',
  bySeat: 'by the seat',
  wholeTables: 'as whole tables',

  // a festival
  festival: 'Festival',
  festivalAbout: 'Seats, general admission, standing room and a members’ lounge around one stage.',
  rowsOfSeats: 'Rows of seats',
  placesOnFloor: 'Places on the floor',
  standingInPit: 'Standing places in the pit',
  tablesInLounge: 'Tables in the lounge',
  whoseLounge: 'Whose lounge it is.',
};

export const t = words('generators', generators);
