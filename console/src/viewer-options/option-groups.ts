import type { ViewerOptionName } from '@cloche/contract/viewer-options';

/** The options of an embed, in the order and the groups in which the pages show them. */
export const OPTION_GROUPS = {
  camera: ['cameraOrbit', 'cameraTarget', 'fieldOfView', 'minCameraOrbit', 'maxCameraOrbit'],
  appearance: ['background', 'theme', 'exposure', 'shadowIntensity'],
  motion: [
    'autoRotate',
    'autoRotateDelay',
    'rotationPerSecond',
    'variantName',
    'animationName',
    'autoplay',
  ],
  visitors: ['interaction', 'scrollZoom', 'controls', 'lang', 'title'],
  loading: ['loading', 'poster'],
} as const satisfies Record<string, readonly ViewerOptionName[]>;

export type OptionGroup = keyof typeof OPTION_GROUPS;
