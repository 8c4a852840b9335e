import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DirectionalLight, Group, PointLight } from 'three';
import { toModelBounds } from './model-bounds.ts';
import { limitLights } from './punctual-lights.ts';

const bounds = toModelBounds(new Float32Array([-1, -1, -1, 1, 1, 1]));

describe('the lamps of a file', () => {
  it('stay as they are when they are gentle', () => {
    const lamp = new DirectionalLight(0xffffff, 1);
    limitLights(new Group().add(lamp), bounds);
    assert.equal(lamp.intensity, 1);
  });

  it('are dimmed alike when they outshine the studio', () => {
    const bulb = new PointLight(0xffffff, 54_351);
    bulb.position.set(6, 0, 0);
    const sun = new DirectionalLight(0xffffff, 100_000);
    limitLights(new Group().add(bulb, sun), bounds);
    const sum = bulb.intensity / 36 + sun.intensity;
    assert.ok(Math.abs(sum - 2) < 1e-6);
    assert.ok(Math.abs(sun.intensity / bulb.intensity - 100_000 / 54_351) < 1e-6);
  });

  it('may stand inside the design', () => {
    const lamp = new PointLight(0xffffff, 5);
    limitLights(new Group().add(lamp), bounds);
    assert.ok(lamp.intensity > 1 && Number.isFinite(lamp.intensity));
  });

  it('are lit up to a number, the brightest first', () => {
    const lamps = Array.from({ length: 100 }, (_, index) => new DirectionalLight(0xffffff, index));
    limitLights(new Group().add(...lamps), bounds);
    const lit = lamps.filter(({ layers }) => layers.isEnabled(0));
    assert.deepEqual(lit, lamps.slice(84));
    const sum = lit.reduce((total, { intensity }) => total + intensity, 0);
    assert.ok(Math.abs(sum - 2) < 1e-6);
  });

  it('without measure are not lit, and dim no other', () => {
    const glare = new DirectionalLight(0xffffff, Infinity);
    const lamp = new DirectionalLight(0xffffff, 1);
    limitLights(new Group().add(glare, lamp), bounds);
    assert.equal(glare.layers.isEnabled(0), false);
    assert.equal(lamp.intensity, 1);
  });
});
