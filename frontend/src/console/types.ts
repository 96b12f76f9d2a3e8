// What the API answers, under the names that the console has for it. The contract says what is in each.

import type * as contract from '../lib/contract';

export type { Charge, WaitlistEntryRow, EventLayoutView, EventReport, FoundOrder, LiveGates, Move, Order, OrderRefund, PromoCode, SalesPoint, Seating, EventReportSummary, EventSales, Status, TicketType, Venue } from '../lib/contract';

export type Waitlist = contract.WaitlistView;
export type Show = contract.EventView;
export type Occupancy = Omit<contract.seating_model_Occupancy, 'version'>; // which is for maps
export type QueueRoom = contract.RoomView;
export type GateCount = contract.scanning_live_model_Occupancy;

/** An event's counts, from the streams. */
export interface OccupancyNews {
  event_id: string;
  total: number;
  total_available: number;
  total_held: number;
  total_sold: number;
  total_blocked: number;
}
