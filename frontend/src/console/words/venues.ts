// Venues and their gates.

import { words } from '.';

export const venues = {
  // the list
  title: 'Venues and gates',
  about: 'Where your shows are, and by which doors people come in.',
  addVenue: 'Add a venue',
  needsOne: 'A show needs one: its address, its time zone, its gates.',
  venues: 'Venues',
  city: 'City',
  timeZone: 'Time zone',
  admits: 'Admits',

  // one venue
  theVenue: 'the venue',
  layouts: 'Layouts',
  thisVenue: 'The venue',
  venueSaved: 'The venue is saved. Shows that were announced keep what they were announced with.',
  deleteVenueSure: 'Delete the venue?',
  gatesGo: 'Its gates go with it.',
  showsKeep: 'Shows keep the name, the address and the time zone that they were given.',
  venueDeleted: 'The venue is deleted.',

  // its gates
  addGate: 'Add a gate',
  noGate: 'No gate yet',
  noGateMore: 'Devices scan at gates: without one nobody comes in.',
  gatesOf: (venue: string) => `Gates of ${venue}`,
  letsIn: 'Lets in',
  gateStates: { open: 'open', closed: 'closed' },
  openIt: 'Open',
  openGate: (name: string) => `Open ${name}`,
  closeGate: (name: string) => `Close ${name}`,
  isOpen: (name: string) => `${name} is open.`,
  isClosed: (name: string) => `${name} is closed.`,
  changeOne: (name: string) => `Change ${name}`,
  changeGate: 'Change the gate',
  deleteOne: (name: string) => `Delete ${name}`,
  deleteSure: (name: string) => `Delete ${name}?`,
  theGate: 'the gate',
  scanNoMore: 'Devices that were paired with it scan there no more.',
  isDeleted: (name: string) => `${name} is deleted.`,

  // a venue's form
  aPlace: 'A place',
  online: 'Online',
  madeOfName: 'Made of the name if empty.',
  country: 'Country',
  orIsoCode: 'Its name, or its ISO code.',
  timesInZone: 'Times of its shows stand in this zone.',
  asOnEnvelope: 'As on an envelope; maps find it.',
  admitsAtMost: 'Admits at most',
  zeroNoLimit: '0 is no limit.',
  latitude: 'Latitude',
  longitude: 'Longitude',

  // a gate's form
  overTheDoor: 'What people read over the door.',
  shortCode: 'Short, such as GATE_A.',
  open: 'Open',
  letsInAtMost: 'Lets in at most',
  insideByGate: 'People inside by this gate; empty is no limit.',
};

export const t = words('venues', venues);
