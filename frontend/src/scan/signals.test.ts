import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Camera } from './camera';
import type { Tone } from './words';

const TONES: Tone[] = ['go', 'wait', 'stop'];
const beeps: [type: string, pitch: number][] = [];

/** What a browser has for a page that was touched. */
class Audio {
  state = 'running';
  currentTime = 0;
  destination = {};
}
class Voice {
  constructor(_: Audio, { type, frequency }: { type: string; frequency: number }) {
    beeps.push([type, frequency]);
  }
  connect = (other: object) => other;
  start = () => undefined;
  stop = () => undefined;
}
class Volume {
  gain = { setTargetAtTime: () => undefined };
  connect = (other: object) => other;
}

const vibrate = vi.fn();
const request = vi.fn(async () => ({}));
const newPage = () => Object.assign(new EventTarget(), { visibilityState: 'visible', createElement: () => ({}) });
let page = newPage();

beforeEach(() => {
  page = newPage();
  vi.resetModules();
  vi.stubGlobal('AudioContext', Audio);
  vi.stubGlobal('OscillatorNode', Voice);
  vi.stubGlobal('GainNode', Volume);
  vi.stubGlobal('document', page);
  vi.stubGlobal('navigator', { vibrate, wakeLock: { request } });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.clearAllMocks();
  beeps.length = 0;
});

async function heard(tone: Tone): Promise<string> {
  const { signal, wakeAudio } = await import('./signals');
  beeps.length = 0;
  wakeAudio();
  signal(tone, true);
  return JSON.stringify(beeps);
}

describe('a verdict', () => {
  it('sounds and feels like no other', async () => {
    const sounds = [];
    for (const tone of TONES) sounds.push(await heard(tone));
    expect(new Set(sounds).size).toBe(TONES.length);
    expect(sounds).not.toContain('[]');
    expect(new Set(vibrate.mock.calls.map(([buzz]) => String(buzz))).size).toBe(TONES.length);
  });

  it('is felt, not heard, where sound is off or nobody has touched the page', async () => {
    const { signal, wakeAudio } = await import('./signals');
    signal('go', true);
    wakeAudio();
    signal('go', false);
    expect(beeps).toEqual([]);
    expect(vibrate).toHaveBeenCalledTimes(2);
  });

  it('needs no device that can do any of it', async () => {
    vi.stubGlobal('navigator', {});
    const { signal, stayAwake } = await import('./signals');
    expect(() => (signal('stop', true), stayAwake())).not.toThrow();
  });
});

describe('the screen', () => {
  it('is kept on, and again when somebody comes back to it', async () => {
    const { stayAwake } = await import('./signals');
    stayAwake();
    expect(request).toHaveBeenCalledExactlyOnceWith('screen');
    page.visibilityState = 'hidden';
    page.dispatchEvent(new Event('visibilitychange'));
    expect(request).toHaveBeenCalledTimes(1);
    page.visibilityState = 'visible';
    page.dispatchEvent(new Event('visibilitychange'));
    expect(request).toHaveBeenCalledTimes(2);
  });
});

describe('the torch', () => {
  const applyConstraints = vi.fn(async () => undefined);
  const withCamera = async (capabilities: object) => {
    const track = { getCapabilities: () => capabilities, applyConstraints, stop: () => undefined };
    const stream = { getVideoTracks: () => [track], getTracks: () => [track] };
    vi.stubGlobal('navigator', { mediaDevices: { getUserMedia: async () => stream } });
    vi.doMock('./reader', () => ({ read: async () => null }));
    const camera = new Camera({ play: async () => undefined, readyState: 0 } as HTMLVideoElement, () => undefined);
    expect(await camera.start()).toBeNull();
    return camera;
  };

  it('is offered where the camera has one, and goes on and off', async () => {
    const camera = await withCamera({ torch: true });
    expect(camera.hasTorch).toBe(true);
    await camera.light(true);
    await camera.light(false);
    camera.stop();
    expect(applyConstraints.mock.calls).toEqual([[{ advanced: [{ torch: true }] }], [{ advanced: [{ torch: false }] }]]);
  });

  it('is not offered elsewhere', async () => {
    const camera = await withCamera({});
    expect(camera.hasTorch).toBe(false);
    camera.stop();
  });
});
