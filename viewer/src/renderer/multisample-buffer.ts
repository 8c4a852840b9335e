/** After this time without a drawing, the memory of the samples is freed. */
const IDLE_MS = 1000;
/** As browsers have for the canvas. */
const SAMPLES = 4;

/**
 * The samples of a context whose canvas has only one for each pixel. Everything that is drawn to the canvas is drawn here,
 * and `present` copies it.
 *
 * The browser would keep the samples as long as the context: 14.6 MiB for 800 × 600 device pixels, four times as much for
 * twice the pixel ratio. Here they are freed while nothing is drawn. The canvas keeps its picture.
 */
export class MultisampleBuffer implements Disposable {
  readonly #gl: WebGL2RenderingContext;
  readonly #samples: number;
  readonly #framebuffer: WebGLFramebuffer | null;
  readonly #bindFramebuffer: WebGL2RenderingContext['bindFramebuffer'];
  /** Color and depth. */
  #renderbuffers: readonly (WebGLRenderbuffer | null)[] = [];
  #size = '';
  #lastUse = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Must be called before anything else uses the context. */
  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#samples = Math.min(SAMPLES, gl.getParameter(gl.MAX_SAMPLES) as number);
    this.#framebuffer = gl.createFramebuffer();
    this.#bindFramebuffer = gl.bindFramebuffer.bind(gl);
    const drawBuffers = gl.drawBuffers.bind(gl);
    // For three.js, it is the framebuffer of the canvas.
    gl.bindFramebuffer = (target, framebuffer) =>
      this.#bindFramebuffer(target, framebuffer ?? this.#framebuffer);
    gl.drawBuffers = (buffers: Iterable<number>) =>
      drawBuffers([...buffers].map((each) => (each === gl.BACK ? gl.COLOR_ATTACHMENT0 : each)));
  }

  /** Must be called before each drawing to the canvas. */
  prepare(): void {
    const { drawingBufferWidth: width, drawingBufferHeight: height } = this.#gl;
    if (this.#size !== `${width} ${height}`) {
      this.#free();
      this.#allocate(width, height);
    }
    this.#lastUse = performance.now();
    this.#timer ??= setTimeout(() => this.#freeIfIdle(), IDLE_MS);
  }

  /** Copies the picture to the canvas. */
  present(): void {
    const gl = this.#gl;
    const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
    this.#bindFramebuffer(gl.READ_FRAMEBUFFER, this.#framebuffer);
    this.#bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(
      ...([0, 0, width, height, 0, 0, width, height] as const),
      gl.COLOR_BUFFER_BIT,
      gl.NEAREST,
    );
    gl.invalidateFramebuffer(gl.READ_FRAMEBUFFER, [gl.COLOR_ATTACHMENT0, gl.DEPTH_ATTACHMENT]);
    this.#bindFramebuffer(gl.FRAMEBUFFER, this.#framebuffer);
  }

  #allocate(width: number, height: number): void {
    const gl = this.#gl;
    this.#size = `${width} ${height}`;
    this.#bindFramebuffer(gl.FRAMEBUFFER, this.#framebuffer);
    const attachments = [
      [gl.COLOR_ATTACHMENT0, gl.RGBA8],
      [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24],
    ] as const;
    this.#renderbuffers = attachments.map(([attachment, format]) => {
      const renderbuffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, renderbuffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, this.#samples, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, attachment, gl.RENDERBUFFER, renderbuffer);
      return renderbuffer;
    });
  }

  #freeIfIdle(): void {
    const restMs = this.#lastUse + IDLE_MS - performance.now();
    this.#timer = restMs > 0 ? setTimeout(() => this.#freeIfIdle(), restMs) : undefined;
    if (this.#timer === undefined) this.#free();
  }

  #free(): void {
    for (const renderbuffer of this.#renderbuffers) this.#gl.deleteRenderbuffer(renderbuffer);
    this.#renderbuffers = [];
    this.#size = '';
    // Else the GPU would free the memory with the next frame.
    this.#gl.flush();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
