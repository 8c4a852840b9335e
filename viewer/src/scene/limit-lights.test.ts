import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DirectionalLight, Group, PointLight } from 'three';
import { limitLights } from './limit-lights.ts';
import { toModelBounds } from './model-bounds.ts';

const bounds = toModelBounds(new Float32Array([-1, -1, -1, 1, 1, 1]));

describe('limitLights', () => {
  it('does not change lights that are dim enough', () => {
    const light = new DirectionalLight(0xffffff, 1);
    limitLights(new Group().add(light), bounds);
    assert.equal(light.intensity, 1);
  });

  it('dims all lights by the same factor when their sum is too bright', () => {
    const bulb = new PointLight(0xffffff, 54_351);
    bulb.position.set(6, 0, 0);
    const sun = new DirectionalLight(0xffffff, 100_000);
    limitLights(new Group().add(bulb, sun), bounds);
    const sum = bulb.intensity / 36 + sun.intensity;
    assert.ok(Math.abs(sum - 2) < 1e-6);
    assert.ok(Math.abs(sun.intensity / bulb.intensity - 100_000 / 54_351) < 1e-6);
  });

  it('dims a light inside the model to a finite intensity', () => {
    const light = new PointLight(0xffffff, 5);
    limitLights(new Group().add(light), bounds);
    assert.ok(light.intensity > 1 && Number.isFinite(light.intensity));
  });

  it('switches off all but the brightest lights', () => {
    const lights = Array.from({ length: 100 }, (_, index) => new DirectionalLight(0xffffff, index));
    limitLights(new Group().add(...lights), bounds);
    const enabled = lights.filter(({ layers }) => layers.isEnabled(0));
    assert.deepEqual(enabled, lights.slice(84));
    const sum = enabled.reduce((total, { intensity }) => total + intensity, 0);
    assert.ok(Math.abs(sum - 2) < 1e-6);
  });

  it('switches off lights of infinite intensity, without dimming the others', () => {
    const glare = new DirectionalLight(0xffffff, Infinity);
    const light = new DirectionalLight(0xffffff, 1);
    limitLights(new Group().add(glare, light), bounds);
    assert.equal(glare.layers.isEnabled(0), false);
    assert.equal(light.intensity, 1);
  });
});
