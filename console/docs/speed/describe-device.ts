/** What the browser says about the device, one fact per line. */
export function describeDevice(): [name: string, value: string][] {
  const { screen, devicePixelRatio, navigator } = window;
  const { deviceMemory, connection } = navigator as Navigator & {
    deviceMemory?: number;
    connection?: { downlink?: number; rtt?: number };
  };
  return [
    ['GPU', describeGpu()],
    ['Browser', navigator.userAgent],
    ['Screen', `${screen.width} × ${screen.height} × ${Number(devicePixelRatio.toFixed(2))}`],
    ['Cores', String(navigator.hardwareConcurrency ?? 'unknown')],
    ...(deviceMemory === undefined
      ? []
      : [['Memory', `${deviceMemory} GiB or more`] as [string, string]]),
    ...(connection?.downlink === undefined
      ? []
      : [['Network', `${connection.downlink} Mbit/s, ${connection.rtt} ms`] as [string, string]]),
  ];
}

/** The name of the GPU as WebGL reports it; browsers may shorten it. */
function describeGpu(): string {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (gl === null) return 'no WebGL 2';
  const extension = gl.getExtension('WEBGL_debug_renderer_info');
  const name = gl.getParameter(extension?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return String(name);
}
