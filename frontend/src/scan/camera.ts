// The camera, and the codes that it sees. The QR decoder is loaded only when a camera is used: a gate with a hand-held
// scanner does not need it.
import { Glance } from './glance';

const EVERY_MS = 90;
const SIDE_MAX = 900; // a code that fills a fifth of the picture is still read

export type Trouble = 'denied' | 'none' | 'busy';
const TROUBLES: Record<string, Trouble> = { NotAllowedError: 'denied', SecurityError: 'denied', NotFoundError: 'none', OverconstrainedError: 'none' };

type Reader = (picture: ImageData) => Promise<string | null>;

export class Camera {
  private stream: MediaStream | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly canvas = document.createElement('canvas');
  private readonly glance = new Glance();
  private stopped = false;
  private reader: Reader | null = null;

  constructor(
    private readonly video: HTMLVideoElement,
    private readonly read: (text: string) => void,
  ) {}

  /** What went wrong, or null. */
  async start(): Promise<Trouble | null> {
    const reader = import('./reader');
    try {
      const video = { facingMode: 'environment', width: { ideal: 1280 }, height: { ideal: 720 } };
      this.stream = await navigator.mediaDevices.getUserMedia({ video, audio: false });
    } catch (error) {
      return TROUBLES[(error as Error).name] ?? 'busy';
    }
    this.reader = (await reader).read;
    if (this.stopped) {
      this.stop();
      return null;
    }
    this.video.srcObject = this.stream;
    await this.video.play().catch(() => undefined);
    this.look();
    return null;
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = null;
  }

  get hasTorch(): boolean {
    return 'torch' in (this.track?.getCapabilities?.() ?? {});
  }

  async light(on: boolean): Promise<void> {
    await this.track?.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] });
  }

  private get track(): MediaStreamTrack | undefined {
    return this.stream?.getVideoTracks()[0];
  }

  private look = async (): Promise<void> => {
    const began = performance.now();
    if (document.visibilityState === 'visible' && this.video.readyState >= 2) await this.readFrame().catch(() => undefined);
    if (!this.stopped) this.timer = setTimeout(() => void this.look(), Math.max(20, EVERY_MS - (performance.now() - began)));
  };

  private async readFrame(): Promise<void> {
    const { videoWidth: width, videoHeight: height } = this.video;
    const scale = Math.min(1, SIDE_MAX / Math.max(width, height));
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    const brush = this.canvas.getContext('2d', { willReadFrequently: true });
    if (!brush || !width) return;
    brush.drawImage(this.video, 0, 0, this.canvas.width, this.canvas.height);
    const picture = brush.getImageData(0, 0, this.canvas.width, this.canvas.height);
    const text = await this.reader?.(picture);
    if (text && !this.stopped && this.glance.isNew(text, performance.now())) this.read(text);
  }
}
