import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EmptyPictureError } from './milestones.ts';
import { repeatEmptyVisits } from './repeat-empty-visits.ts';

describe('a visit', () => {
  /** The first `failures` visits fail. */
  function createVisits(failures: number, error: Error) {
    const visits = { count: 0 };
    const measure = async () => {
      visits.count++;
      if (visits.count <= failures) throw error;
      return 'measured';
    };
    return { visits, result: repeatEmptyVisits('Box', measure) };
  }

  it('is measured again if its picture is empty', async (t) => {
    const log = t.mock.method(console, 'log', () => {});
    const { visits, result } = createVisits(2, new EmptyPictureError());
    assert.equal(await result, 'measured');
    assert.equal(visits.count, 3);
    assert.match(String(log.mock.calls[0]?.arguments[0]), /^Box: .* measured again\.$/);
  });

  it('is measured at most three times', async (t) => {
    t.mock.method(console, 'log', () => {});
    const { visits, result } = createVisits(5, new EmptyPictureError());
    await assert.rejects(result, EmptyPictureError);
    assert.equal(visits.count, 3);
  });

  it('is not repeated after another error', async () => {
    const { visits, result } = createVisits(1, new Error('The browser has crashed.'));
    await assert.rejects(result, /crashed/);
    assert.equal(visits.count, 1);
  });
});
