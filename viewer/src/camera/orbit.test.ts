import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Vector3 } from 'three';
import type { CameraView } from './framing.ts';
import { Orbit } from './orbit.ts';
import { DEFAULT_LIMITS } from './view-limits.ts';

const defaultView: CameraView = {
  azimuth: 0.5,
  elevation: 0.3,
  zoom: 1,
  target: new Vector3(1, 2, 3),
  fovY: 0.5,
};
const FRAME_SECONDS = 1 / 60;

/** Updates until the camera is at rest. Returns the number of frames. */
function updateUntilRest(orbit: Orbit): number {
  for (let frames = 1; frames < 600; frames++) if (!orbit.update(FRAME_SECONDS)) return frames;
  return assert.fail('The camera does not come to rest.');
}

describe('Orbit', () => {
  const moves: [name: string, move: (orbit: Orbit) => void][] = [
    ['rotate', (orbit) => orbit.rotate(1, 0.4)],
    ['zoom', (orbit) => orbit.zoom(0.1)],
    ['pan', (orbit) => orbit.pan(3, -2)],
    ['focus', (orbit) => orbit.focus(new Vector3(4, 4, 4))],
    ['moveTo', (orbit) => orbit.moveTo({ azimuth: 2, zoom: 0.5 })],
  ];
  for (const [name, move] of moves) {
    for (const radius of [1e-3, 1, 1e4]) {
      it(`${name}: comes to rest at its goal, at radius ${radius}`, () => {
        const orbit = new Orbit(defaultView, radius);
        move(orbit);
        assert.ok(updateUntilRest(orbit) < 180, 'within three seconds');
        assert.deepEqual(orbit.view, orbit.goal);
        assert.notDeepEqual(orbit.view, defaultView);
      });
    }
    it(`${name}: reset returns to the default view`, () => {
      const orbit = new Orbit(defaultView, 1);
      move(orbit);
      updateUntilRest(orbit);
      orbit.reset();
      updateUntilRest(orbit);
      assert.deepEqual(orbit.view, defaultView);
    });
  }

  it('moveTo: does not turn back whole turns that the camera has made', () => {
    const orbit = new Orbit(defaultView, 1);
    for (let count = 0; count < 40; count++) orbit.spin(1);
    orbit.rotate(30, 0);
    updateUntilRest(orbit);
    const { azimuth } = orbit.view;
    orbit.moveTo({ azimuth: 0 });
    assert.ok(Math.abs(azimuth - orbit.goal.azimuth) <= Math.PI, `from ${azimuth}`);
    // A turn that is asked for.
    orbit.moveTo({ azimuth: azimuth + 2 * Math.PI });
    assert.equal(orbit.goal.azimuth, azimuth + 2 * Math.PI);
  });

  it('moveTo: within limits, a turn makes a difference', () => {
    const orbit = new Orbit(defaultView, 1);
    orbit.getLimits = () => ({ ...DEFAULT_LIMITS, azimuth: [0, 20] });
    orbit.moveTo({ azimuth: 10 });
    updateUntilRest(orbit);
    assert.equal(orbit.view.azimuth, 10);
  });

  it('prefers-reduced-motion: reaches its goal in one frame', () => {
    const orbit = new Orbit(defaultView, 1, () => true);
    orbit.rotate(2, 0);
    assert.equal(orbit.update(FRAME_SECONDS), false);
    assert.equal(orbit.view.azimuth, 2.5);
  });

  it('limits the elevation', () => {
    const orbit = new Orbit(defaultView, 1);
    orbit.rotate(0, 50);
    updateUntilRest(orbit);
    assert.ok(orbit.view.elevation < Math.PI / 2);
  });

  it('reset rotates in the shorter direction', () => {
    const orbit = new Orbit(defaultView, 1);
    orbit.rotate(4 * Math.PI + 0.2, 0);
    orbit.reset();
    assert.ok(Math.abs(orbit.goal.azimuth - (defaultView.azimuth + 4 * Math.PI)) < 1e-9);
  });

  it('pans parallel to the screen', () => {
    const orbit = new Orbit({ ...defaultView, azimuth: 0, elevation: 0 }, 1);
    orbit.pan(1, 2);
    const offset = orbit.goal.target.clone().sub(defaultView.target);
    assert.ok(offset.distanceTo(new Vector3(1, 2, 0)) < 1e-9);
  });

  it('moveTo limits elevation and zoom, and changes only what is given', () => {
    const orbit = new Orbit(defaultView, 1);
    orbit.moveTo({ elevation: -9, zoom: 100 });
    assert.ok(orbit.goal.elevation > -Math.PI / 2);
    assert.equal(orbit.goal.zoom, 4);
    assert.equal(orbit.goal.azimuth, defaultView.azimuth);
    assert.deepEqual(orbit.goal.target, defaultView.target);
  });

  it('finish jumps to the goal', () => {
    const orbit = new Orbit(defaultView, 1);
    orbit.moveTo({ azimuth: 2 });
    orbit.finish();
    assert.equal(orbit.view.azimuth, 2);
    assert.equal(orbit.update(FRAME_SECONDS), false);
  });

  describe('with a duration', () => {
    it('arrives at the end of that time, however many frames there are', () => {
      const orbit = new Orbit(defaultView, 1);
      orbit.moveTo({ azimuth: 2.5, fovY: 0.3 });
      orbit.startTransition(1000, 5000);
      assert.equal(orbit.update(FRAME_SECONDS, 5500), true);
      assert.ok(Math.abs(orbit.view.azimuth - 1.5) < 1e-9);
      assert.equal(orbit.update(FRAME_SECONDS, 6000), false);
      assert.deepEqual(orbit.view, orbit.goal);
      assert.equal(orbit.view.fovY, 0.3);
    });

    it('continues from what is on the screen when a visitor rotates', () => {
      const orbit = new Orbit(defaultView, 1);
      orbit.moveTo({ azimuth: 2.5 });
      orbit.startTransition(1000, 5000);
      orbit.update(FRAME_SECONDS, 5500);
      orbit.rotate(0.1, 0);
      assert.ok(Math.abs(orbit.goal.azimuth - 1.6) < 1e-9);
    });

    it('jumps if the visitor prefers reduced motion', () => {
      const orbit = new Orbit(defaultView, 1, () => true);
      orbit.moveTo({ azimuth: 2.5 });
      orbit.startTransition(1000, 5000);
      assert.equal(orbit.update(FRAME_SECONDS, 5001), false);
      assert.equal(orbit.view.azimuth, 2.5);
    });
  });

  it('limits the field of view, and comes closer than a visitor can only if it is allowed', () => {
    const orbit = new Orbit(defaultView, 1);
    orbit.moveTo({ fovY: 4, zoom: 0.001 });
    assert.deepEqual([orbit.goal.fovY, orbit.goal.zoom], [(150 * Math.PI) / 180, 0.02]);
    orbit.allowZoom(0.001);
    orbit.moveTo({ zoom: 0.001 });
    assert.equal(orbit.goal.zoom, 0.001);
  });
});
