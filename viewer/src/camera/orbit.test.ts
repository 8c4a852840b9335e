import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Vector3 } from 'three';
import type { CameraView } from './framing.ts';
import { Orbit } from './orbit.ts';

const defaultView: CameraView = {
  azimuth: 0.5,
  elevation: 0.3,
  zoom: 1,
  target: new Vector3(1, 2, 3),
};
const FRAME_SECONDS = 1 / 60;

/** Lets it come to rest; gives the frames that took. */
function updateUntilRest(orbit: Orbit): number {
  for (let frames = 1; frames < 600; frames++) if (!orbit.update(FRAME_SECONDS)) return frames;
  return assert.fail('It never comes to rest.');
}

describe('an orbit', () => {
  const moves: [what: string, move: (orbit: Orbit) => void][] = [
    ['turned', (orbit) => orbit.rotate(1, 0.4)],
    ['zoomed', (orbit) => orbit.zoom(0.1)],
    ['moved', (orbit) => orbit.pan(3, -2)],
    ['focused', (orbit) => orbit.focus(new Vector3(4, 4, 4))],
  ];
  for (const [what, move] of moves) {
    for (const radius of [1e-3, 1, 1e4]) {
      it(`comes to rest where it was sent when ${what}, at radius ${radius}`, () => {
        const orbit = new Orbit(defaultView, radius);
        move(orbit);
        assert.ok(updateUntilRest(orbit) < 180, 'within three seconds');
        assert.deepEqual(orbit.view, orbit.goal);
        assert.notDeepEqual(orbit.view, defaultView);
      });
    }
    it(`goes home after it was ${what}`, () => {
      const orbit = new Orbit(defaultView, 1);
      move(orbit);
      updateUntilRest(orbit);
      orbit.reset();
      updateUntilRest(orbit);
      assert.deepEqual(orbit.view, defaultView);
    });
  }

  it('is there at once for who wants no motion', () => {
    const orbit = new Orbit(defaultView, 1, () => true);
    orbit.rotate(2, 0);
    assert.equal(orbit.update(FRAME_SECONDS), false);
    assert.equal(orbit.view.azimuth, 2.5);
  });

  it('never turns over the top', () => {
    const orbit = new Orbit(defaultView, 1);
    orbit.rotate(0, 50);
    updateUntilRest(orbit);
    assert.ok(orbit.view.elevation < Math.PI / 2);
  });

  it('goes home by the shorter way', () => {
    const orbit = new Orbit(defaultView, 1);
    orbit.rotate(4 * Math.PI + 0.2, 0);
    orbit.reset();
    assert.ok(Math.abs(orbit.goal.azimuth - (defaultView.azimuth + 4 * Math.PI)) < 1e-9);
  });

  it('moves across the picture, not into it', () => {
    const orbit = new Orbit({ ...defaultView, azimuth: 0, elevation: 0 }, 1);
    orbit.pan(1, 2);
    const moved = orbit.goal.target.clone().sub(defaultView.target);
    assert.ok(moved.distanceTo(new Vector3(1, 2, 0)) < 1e-9);
  });
});
