// What stands on seats and beside the map, drawn: not every device has such letters, and to look for one in its fonts takes
// a phone longer than the map. Lines in a square of 24.

export const CHAIR = 'M11.4 4.4a1.4 1.4 0 1 1-2.8 0 1.4 1.4 0 1 1 2.8 0M10 9v5.2h5.6L18 20M10 11h4.6M7.6 11.8a5.2 5.2 0 1 0 6.6 7';
export const WHOLE = 'M4 9.5V4h5.5M20 14.5V20h-5.5M4.5 4.5L10 10M19.5 19.5L14 14';
