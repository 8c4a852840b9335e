import {
  Application,
  Asset,
  BoundingBox,
  Color,
  Entity,
  FILLMODE_FILL_WINDOW,
  RESOLUTION_AUTO,
  Vec3,
} from 'playcanvas';

const canvas = document.querySelector('canvas');
const app = new Application(canvas);
app.setCanvasFillMode(FILLMODE_FILL_WINDOW);
app.setCanvasResolution(RESOLUTION_AUTO);
app.scene.ambientLight = new Color(0.4, 0.4, 0.4);
app.start();

const camera = new Entity('camera');
camera.addComponent('camera', { clearColor: new Color(0.9, 0.9, 0.9), fov: 45 });
app.root.addChild(camera);
const light = new Entity('light');
light.addComponent('light', { type: 'directional', intensity: 2 });
light.setEulerAngles(45, 30, 0);
app.root.addChild(light);

const asset = new Asset('model', 'container', { url: canvas.dataset.model });
asset.on('load', () => {
  const model = asset.resource.instantiateRenderEntity();
  app.root.addChild(model);
  frame(model);
  app.once('frameend', () => {
    document.documentElement.dataset.state = 'ready';
  });
});
app.assets.add(asset);
app.assets.load(asset);

/** Moves the camera until it sees the whole model. */
function frame(model) {
  const box = new BoundingBox();
  const boxes = model
    .findComponents('render')
    .flatMap(({ meshInstances }) => meshInstances)
    .map(({ aabb }) => aabb);
  boxes.forEach((other, index) => {
    if (index === 0) box.copy(other);
    else box.add(other);
  });
  const radius = box.halfExtents.length();
  const distance = radius / Math.sin((camera.camera.fov / 2) * (Math.PI / 180));
  camera.camera.nearClip = distance / 100;
  camera.camera.farClip = distance * 10;
  camera.setPosition(new Vec3(0.4, 0.3, 1).normalize().mulScalar(distance).add(box.center));
  camera.lookAt(box.center);
}
