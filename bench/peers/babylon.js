import { Engine } from '@babylonjs/core/Engines/engine.js';
import { AppendSceneAsync } from '@babylonjs/core/Loading/sceneLoader.js';
import { SceneLoaderFlags } from '@babylonjs/core/Loading/sceneLoaderFlags.js';
import { Scene } from '@babylonjs/core/scene.js';
import '@babylonjs/core/Helpers/sceneHelpers.js';
import { registerBuiltInLoaders } from '@babylonjs/loaders/dynamic.js';

registerBuiltInLoaders();
// The loading screen would cover the model while it fades out.
SceneLoaderFlags.ShowLoadingScreen = false;
const canvas = document.querySelector('canvas');
const engine = new Engine(canvas, true);
const scene = new Scene(engine);
await AppendSceneAsync(canvas.dataset.model, scene);
for (const group of scene.animationGroups) group.stop();
scene.createDefaultCameraOrLight(true, true, true);
scene.executeWhenReady(() => {
  document.documentElement.dataset.state = 'ready';
});
engine.runRenderLoop(() => scene.render());
