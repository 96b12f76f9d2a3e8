import { expect, test } from 'vitest';
import { roundNumbers, roundTimes } from './axes';

test('numbers are whole and round', () => {
  expect(roundNumbers(4, 4)).toEqual([0, 1, 2, 3, 4]);
  expect(roundNumbers(97, 4)).toEqual([0, 50]);
  expect(roundNumbers(1200, 4)).toEqual([0, 500, 1000]);
  expect(roundNumbers(0, 4)).toEqual([0]);
});

test('times are round on the venue’s clock', () => {
  const from = Date.parse('2030-05-04T17:20:00Z');
  const labels = (hours: number, zone: string) => roundTimes(from, from + hours * 3_600_000, 6, zone).map(({ label }) => label);
  expect(labels(6, 'Africa/Johannesburg')).toEqual(['20:00', '21:00', '22:00', '23:00', '5 May', '01:00']);
  expect(labels(2, 'Asia/Kathmandu')).toEqual(['23:30', '5 May', '00:30', '01:00']);
  expect(labels(24 * 5, 'Africa/Johannesburg')).toEqual(['5 May', '6 May', '7 May', '8 May', '9 May']);
});

test('a day on which the clocks change has its hours where they are', () => {
  const from = Date.parse('2030-03-30T23:00:00Z');
  const marks = roundTimes(from, from + 24 * 3_600_000, 6, 'Europe/Berlin');
  expect(marks.map(({ label }) => label)).toEqual(['31 Mar', '06:00', '12:00', '18:00', '1 Apr']);
  expect(marks[1]!.at).toBe(Date.parse('2030-03-31T04:00:00Z'));
});
