/**
 * The features that are not needed for the first frame: camera movement, pointer and keyboard, toolbar,
 * context loss. The build makes this file a script of its own, loaded after the first frame.
 */
import { CameraMethods } from './api/camera-methods.ts';
import { createModelMethods } from './api/model-methods.ts';
import { OrbitController } from './camera/orbit-controller.ts';
import { KeyboardControls } from './controls/keyboard-controls.ts';
import { PointerControls } from './controls/pointer-controls.ts';
import type { DeferredFeatures, DeferredFeaturesContext } from './deferred-features.ts';
import { GeometryUpgrades } from './geometry-upgrades.ts';
import { translate } from './i18n/translate.ts';
import { observeVisibility } from './observe-visibility.ts';
import { getLimits, mountOptions } from './options/mount-options.ts';
import type { SceneRenderer } from './renderer/scene-renderer.ts';
import { Suspension } from './suspension.ts';
import { TextureUpgrades } from './texture-upgrades.ts';
import { createAnimationMenu } from './ui/animation-menu.ts';
import { Announcer } from './ui/announcer.ts';
import { addControlElements } from './ui/control-elements.ts';
import { getZoomKey, HelpDialog } from './ui/help-dialog.ts';
import { Hint } from './ui/hint.ts';
import { createPartsMenu } from './ui/parts-menu.ts';
import { Toolbar } from './ui/toolbar.ts';
import { createVariantMenu } from './ui/variant-menu.ts';
import type { Viewer } from './viewer.ts';

/** Adds camera movement and controls to a viewer that shows a model. */
export function mountDeferredFeatures(
  viewer: Viewer,
  context: DeferredFeaturesContext,
): DeferredFeatures {
  const { document, renderer, emit } = context;
  const view = document.getElementById('view') as HTMLElement;
  const elements = addControlElements(view);
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
  // Options may have changed since the first frame.
  const { viewCamera } = renderer;
  const position = viewCamera.camera.position.clone();
  viewCamera.frameModel(viewCamera.bounds);
  // Otherwise a second frame would delay input for nothing.
  if (!position.equals(viewCamera.camera.position)) renderer.requestRender();
  const camera = new OrbitController(renderer, {
    prefersReducedMotion: () => reducedMotion.matches,
    getLimits: () => getLimits(viewer, context),
    onViewChange: (change) => emit('viewchange', change),
    onMove: (source) => emit('camerachange', { ...cameraMethods.getCamera(), source }),
  });
  const cameraMethods = new CameraMethods(camera, renderer.viewCamera);
  const model = createModelMethods(viewer, context, cameraMethods, (task) =>
    suspension.whileDrawable(task),
  );
  const suspension = new Suspension(viewer, view, context, model.state);

  const announcer = new Announcer(viewer, elements.liveRegion);
  const onMove = () => announcer.announce();
  const help = new HelpDialog(viewer, elements.main);
  const toolbar = new Toolbar(viewer, elements.toolbar, {
    menus: [
      createVariantMenu(viewer),
      createAnimationMenu(viewer),
      createPartsMenu(viewer, (text) => announcer.announceText(text)),
    ],
    onMove,
    openHelp: () => help.open(),
  });
  const hint = new Hint(elements.hint);
  const pointer = new PointerControls(viewer, view, {
    onPlainWheel: () => hint.show(translate('hint.zoom', { key: getZoomKey() })),
    onTap(position) {
      const picked = model.methods.parts.pick(position);
      return () => picked && emit('pick', picked);
    },
    onTouchScroll: () => hint.show(translate('hint.touch')),
  });
  const keyboard = new KeyboardControls(viewer, view, { onMove });
  const autoRotation = mountOptions(viewer, context, {
    ...{ camera, view, reducedMotion },
    autoplay: () => model.methods.animations.autoplay(),
  });
  const textureUpgrades = new TextureUpgrades(viewer, renderer, view);
  const geometryUpgrades = new GeometryUpgrades(viewer, renderer, view);
  const disposal = finishUnseenMovements(viewer, camera, view);
  const redrawing = redrawAfterReturn(renderer);

  return {
    camera,
    autoRotation,
    methods: { camera: cameraMethods, ...model.methods },
    whenModelLoaded: () => model.access.whenLoaded(),
    resume: () => suspension.resumeNow(),
    [Symbol.dispose]() {
      const parts = [pointer, keyboard, toolbar, help, announcer, suspension, autoRotation];
      for (const part of [...parts, textureUpgrades, geometryUpgrades, disposal, redrawing])
        part[Symbol.dispose]();
    },
  };
}

/** Movements that cannot be seen any more are completed: nothing is drawn, so they would never arrive. */
function finishUnseenMovements(
  viewer: Viewer,
  camera: OrbitController,
  view: HTMLElement,
): Disposable {
  const finish = () => camera.finishUnseen();
  const observer = observeVisibility(view, finish);
  viewer.on('contextlost', finish);
  document.addEventListener('visibilitychange', finish);
  return {
    [Symbol.dispose]() {
      observer.disconnect();
      document.removeEventListener('visibilitychange', finish);
    },
  };
}

/** WebKit keeps a page that is left, but not the pictures of its WebGL contexts: after the return, the canvas is empty. */
function redrawAfterReturn(renderer: SceneRenderer): Disposable {
  const redraw = ({ persisted }: PageTransitionEvent) => persisted && renderer.requestRender();
  addEventListener('pageshow', redraw);
  return { [Symbol.dispose]: () => removeEventListener('pageshow', redraw) };
}
