// Venues and their gates.

import { words } from '.';

export const venues = {
  // the list
  title: 'Venues and gates',
  about: 'Where your events take place, and the gates where tickets are scanned.',
  addVenue: 'Add venue',
  needsOne: 'Every event needs a venue, for its address, time zone and gates.',
  venues: 'Venues',
  city: 'City',
  timeZone: 'Time zone',
  admits: 'Capacity',

  // one venue
  theVenue: 'the venue',
  layouts: 'Layouts',
  details: 'Venue details',
  venueSaved: 'Venue saved. Published events keep their name, address and time zone.',
  deleteVenueSure: 'Delete this venue?',
  gatesGo: 'Its gates are deleted too.',
  eventsKeep: 'Events keep the venue’s name, address and time zone.',
  venueDeleted: 'Venue deleted.',

  // its gates
  addGate: 'Add gate',
  noGate: 'No gates yet',
  noGateMore: 'Devices scan at gates. Without one, no one can be let in.',
  gatesOf: (venue: string) => `Gates of ${venue}`,
  letsIn: 'Capacity',
  gateStates: { open: 'open', closed: 'closed' },
  openIt: 'Open',
  openGate: (name: string) => `Open ${name}`,
  closeGate: (name: string) => `Close ${name}`,
  isOpen: (name: string) => `${name} opened.`,
  isClosed: (name: string) => `${name} closed.`,
  changeOne: (name: string) => `Edit ${name}`,
  changeGate: 'Edit gate',
  deleteOne: (name: string) => `Delete ${name}`,
  deleteSure: (name: string) => `Delete ${name}?`,
  theGate: 'this gate',
  devicesStopScanning: 'Devices paired with it can no longer scan there.',
  isDeleted: (name: string) => `${name} deleted.`,

  // venue form
  physical: 'Physical venue',
  online: 'Online',
  madeOfName: 'If empty, made from the name.',
  country: 'Country',
  orIsoCode: 'Name or ISO code.',
  timesInZone: 'Times of events here are shown in this time zone.',
  addressMore: 'The postal address. Maps use it.',
  admitsAtMost: 'Maximum capacity',
  zeroNoLimit: '0 for no limit.',
  latitude: 'Latitude',
  longitude: 'Longitude',

  // gate form
  nameMore: 'The name on the sign at the gate.',
  shortCode: 'Short, such as GATE_A.',
  open: 'Open',
  letsInAtMost: 'Maximum capacity',
  insideByGate: 'How many people can be inside through this gate. If empty: no limit.',
};

export const t = words('venues', venues);
