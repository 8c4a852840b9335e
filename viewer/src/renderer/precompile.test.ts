import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BoxGeometry,
  Mesh,
  MeshBasicMaterial,
  PerspectiveCamera,
  Scene,
  Texture,
  type WebGLRenderer,
} from 'three';
import { precompile } from './precompile.ts';
import type { SceneRenderer } from './scene-renderer.ts';

/** A renderer whose shaders compile if `links`. It records the textures that it uploads. */
function createRenderer(options: {
  links: boolean;
  compile?: () => void;
  /** Undefined: the browser cannot say whether shaders are compiled without waiting for them. */
  compileAsync?: () => Promise<unknown>;
}) {
  const uploaded: Texture[] = [];
  const webGLRenderer = {
    extensions: { has: () => options.compileAsync !== undefined },
    compile: options.compile ?? (() => undefined),
    compileAsync: options.compileAsync,
    initTexture: (texture: Texture) => uploaded.push(texture),
    info: { programs: [{ program: {} }] },
    getContext: () => ({
      flush: () => undefined,
      getProgramParameter: () => options.links,
      getProgramInfoLog: () => 'too many uniforms',
      isContextLost: () => false,
    }),
  } as unknown as WebGLRenderer;
  const renderer = {
    webGLRenderer,
    scene: new Scene(),
    viewCamera: { camera: new PerspectiveCamera() },
  } as unknown as SceneRenderer;
  return { renderer, uploaded };
}

const createModel = (image: object | null = {}) =>
  new Mesh(new BoxGeometry(), new MeshBasicMaterial({ map: new Texture(image as never) }));

test('a model whose shaders are compiled has its textures, and belongs to no scene', async () => {
  const { renderer, uploaded } = createRenderer({ links: true });
  const model = createModel();
  await precompile(model, renderer);
  assert.deepEqual(uploaded, [model.material.map]);
  assert.equal(model.parent, null);
});

test('where the browser can, the shaders are compiled while other tasks run', async () => {
  const compiled = Promise.withResolvers<void>();
  const compile = () => assert.fail('it waits for the shaders');
  const options = { links: true, compile, compileAsync: () => compiled.promise };
  const { renderer, uploaded } = createRenderer(options);
  let isDone = false;
  const done = precompile(createModel(), renderer).then(() => {
    isDone = true;
  });
  while (uploaded.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(isDone, false);
  compiled.resolve();
  await done;
});

test('the shaders are compiled before the images have arrived', async () => {
  let compiled = 0;
  const compile = () => {
    compiled += 1;
  };
  const { renderer, uploaded } = createRenderer({ links: true, compile });
  const images = Promise.withResolvers<void>();
  const model = createModel(null);
  const { map } = model.material;
  const done = precompile(model, renderer, images.promise);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(compiled, 1);
  assert.deepEqual(uploaded, []);
  Object.assign(map as Texture, { image: {} });
  images.resolve();
  await done;
  assert.deepEqual(uploaded, [map]);
});

test('nothing is uploaded when the context was given away while images were decoded', async () => {
  const { renderer, uploaded } = createRenderer({ links: false });
  const images = Promise.withResolvers<void>();
  const done = precompile(createModel(), renderer, images.promise);
  Object.assign(renderer, { isSuspended: true });
  images.resolve();
  await done;
  assert.deepEqual(uploaded, []);
});

test('after an error, nothing waits for images', async () => {
  const { renderer, uploaded } = createRenderer({
    links: true,
    compileAsync: () => Promise.reject(new Error('out of memory')),
  });
  const never = new Promise<void>(() => undefined);
  await assert.rejects(precompile(createModel(), renderer, never), /out of memory/);
  assert.deepEqual(uploaded, []);
});

test('images that cannot be loaded are an error', async () => {
  const { renderer } = createRenderer({ links: true });
  // It is uploaded first, and the error comes meanwhile.
  renderer.scene.environment = new Texture({} as never);
  const model = createModel();
  await assert.rejects(precompile(model, renderer, Promise.reject(new Error('cut'))), /cut/);
  assert.equal(model.parent, null);
});

test('a model whose shader cannot be compiled belongs to no scene', async () => {
  const { renderer } = createRenderer({ links: false });
  const model = createModel();
  await assert.rejects(precompile(model, renderer), /could not be compiled. too many uniforms/);
  assert.equal(model.parent, null);
});

test('after an error, no texture is uploaded later', async () => {
  const compile = () => {
    throw new Error('out of memory');
  };
  const { renderer, uploaded } = createRenderer({ links: true, compile });
  const model = createModel();
  await assert.rejects(precompile(model, renderer), /out of memory/);
  assert.equal(uploaded.length, 1, 'it was uploaded before the error was thrown');
  assert.equal(model.parent, null);
});
