// What can be ordered of a waiting room, by its state; and what its states mean.

import type { QueueRoom } from './types';

export type QueueOrder = 'open' | 'pause' | 'resume' | 'drain';
type State = QueueRoom['state'];

export const ROOMS: Record<State, { name: string; kind: 'good' | 'time' | 'bad' | 'plain'; says: string }> = {
  closed: { name: 'No queue', kind: 'plain', says: 'People choose and buy without waiting.' },
  pre: { name: 'Gathering', kind: 'time', says: 'People gather; their order is drawn when it opens.' },
  open: { name: 'Open', kind: 'good', says: 'People come in by turns, as slots come free.' },
  paused: { name: 'Paused', kind: 'bad', says: 'Nobody is let in. People may still join, and those inside go on.' },
  draining: { name: 'Draining', kind: 'time', says: 'Nobody new may join. When those who wait are served, the room closes.' },
};

interface Order {
  name: string;
  title: string;
  done: string;
  danger?: boolean;
  told: readonly string[];
}

export const ORDERS: Record<QueueOrder, Order> = {
  open: { name: 'Open the queue', title: 'Open the waiting room now?', done: 'The room is open.', told: ['From now on people choose by turns.', 'Whoever holds seats already is inside.', 'If people gather for a draw, it is drawn now.'] },
  pause: { name: 'Pause', title: 'Let nobody in for now?', done: 'Nobody is let in.', danger: true, told: ['Those inside go on; nobody new comes in until you resume.', 'People may still join the line.'] },
  resume: { name: 'Resume', title: 'Let people in again?', done: 'People are let in again.', told: ['The line moves on from where it stood.'] },
  drain: { name: 'Drain', title: 'Take nobody new?', done: 'The room is draining.', told: ['Those who wait are served, and nobody new may join.', 'Then the room closes, and people buy without waiting.'] },
};

const OPEN_TO: Record<State, readonly QueueOrder[]> = {
  closed: ['open'],
  pre: ['open'],
  open: ['pause', 'drain'],
  paused: ['resume', 'drain'],
  draining: ['open', 'pause'],
};

export function ordersFor(state: State): readonly QueueOrder[] {
  return OPEN_TO[state];
}
