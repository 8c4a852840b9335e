import type { CDPSession, Page } from 'playwright-core';

/** An encoded picture of the page, or of a part of it; `at` is when the browser displayed it, in milliseconds since 1970. */
export type RecordedFrame = { at: number; image: Buffer };

const JPEG_QUALITY = 90;

/**
 * Records every frame that the compositor displays. Nothing is sent while the picture does not change,
 * and the page draws nothing for it; a screenshot would force a frame each time.
 */
export class FrameRecorder {
  readonly #session: CDPSession;
  readonly frames: RecordedFrame[] = [];
  /** When the last frame was received that differs from the one before. */
  lastChangeAt = Date.now();

  private constructor(session: CDPSession) {
    this.#session = session;
    session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
      session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
      const image = Buffer.from(data, 'base64');
      if (this.frames.at(-1)?.image.equals(image)) return;
      this.lastChangeAt = Date.now();
      this.frames.push({ at: (metadata.timestamp ?? 0) * 1000, image });
    });
  }

  static async start(page: Page): Promise<FrameRecorder> {
    const session = await page.context().newCDPSession(page);
    const recorder = new FrameRecorder(session);
    await session.send('Page.startScreencast', { format: 'jpeg', quality: JPEG_QUALITY });
    return recorder;
  }

  async stop(): Promise<RecordedFrame[]> {
    await this.#session.send('Page.stopScreencast');
    return this.frames;
  }
}
