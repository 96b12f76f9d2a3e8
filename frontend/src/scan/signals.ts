// Sounds and vibration for each verdict, and a screen that stays on.
import type { Tone } from './words';

/** Herz and seconds, one after the other. Up is good, level is a question, down is no. */
const SOUNDS: Record<Tone, [number, number][]> = {
  go: [[880, 0.09], [1320, 0.14]], // prettier-ignore
  wait: [[620, 0.12], [0, 0.06], [620, 0.12], [0, 0.06], [620, 0.12]], // prettier-ignore
  stop: [[300, 0.16], [190, 0.34]], // prettier-ignore
};
const BUZZES: Record<Tone, number[]> = { go: [60], wait: [90, 70, 90, 70, 90], stop: [350] };
const SHAPES: Record<Tone, OscillatorType> = { go: 'sine', wait: 'triangle', stop: 'sawtooth' };

let audio: AudioContext | null = null;

/** Browsers allow sound only after a user's touch. */
export function wakeAudio(): void {
  audio ??= new AudioContext();
  if (audio.state === 'suspended') void audio.resume();
}

export function signal(tone: Tone, sound: boolean): void {
  if ('vibrate' in navigator && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate(BUZZES[tone]);
  if (!sound || !audio || audio.state !== 'running') return;
  let at = audio.currentTime;
  for (const [pitch, length] of SOUNDS[tone]) {
    if (pitch) beep(audio, SHAPES[tone], pitch, at, length);
    at += length;
  }
}

function beep(context: AudioContext, shape: OscillatorType, pitch: number, at: number, length: number): void {
  const voice = new OscillatorNode(context, { type: shape, frequency: pitch });
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setTargetAtTime(0.35, at, 0.005);
  volume.gain.setTargetAtTime(0, at + length - 0.02, 0.01);
  voice.connect(volume).connect(context.destination);
  voice.start(at);
  voice.stop(at + length + 0.05);
}

/** The screen stays on while the scanner is seen. Browsers let go of it when it is not. */
export function stayAwake(): void {
  const ask = () => {
    if (document.visibilityState === 'visible') void navigator.wakeLock?.request('screen').catch(() => undefined);
  };
  document.addEventListener('visibilitychange', ask);
  ask();
}

export async function battery(): Promise<number | null> {
  const found = await (navigator as { getBattery?: () => Promise<{ level: number }> }).getBattery?.().catch(() => null);
  return found ? Math.round(found.level * 100) : null;
}
